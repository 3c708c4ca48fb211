package postgresql

import (
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"sledge/internal/option"
)

// parameters are the libpq parameters that a URL may have behind its "?", and
// the options that they set.
var parameters = map[string]string{
	"host": "host", "port": "port", "user": "user", "password": "password", "dbname": "dbname",
	"sslmode": "ssl_mode", "sslrootcert": "ssl_ca", "sslcert": "ssl_cert", "sslkey": "ssl_key",
}

// fromURL turns a libpq URL into option values. Its errors never quote the URL,
// because there may be a password in it.
func fromURL(u *url.URL) (option.Values, error) {
	values := option.Values{}
	set := func(name, value string) {
		if value != "" {
			values[name] = value
		}
	}
	if strings.Contains(u.Host, ",") {
		return nil, errors.New("the URL names several servers: name one, or give the list by the option host")
	}
	set("host", u.Hostname())
	set("port", u.Port())
	set("user", u.User.Username())
	password, _ := u.User.Password()
	set("password", password)
	set("dbname", strings.TrimPrefix(u.Path, "/"))

	query, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return nil, errors.New("the part of the URL after the ? cannot be read: write name=value, with & between two")
	}
	for _, name := range slices.Sorted(maps.Keys(query)) {
		to, known := parameters[name]
		if !known {
			all := slices.Sorted(maps.Keys(parameters))
			return nil, fmt.Errorf("URL parameter %s is not known%s: use %s",
				name, option.Suggest(name, all), strings.Join(all, ", "))
		}
		set(to, query.Get(name))
	}
	if strings.Contains(values["host"], ",") {
		return nil, errors.New("the URL names several servers: name one, or give the list by the option host")
	}
	return values, nil
}
