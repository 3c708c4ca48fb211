package postgresql

import (
	"errors"
	"net/url"
	"strings"

	"sledge/internal/database"
	"sledge/internal/option"
)

// parameters maps libpq's parameters to our options.
var parameters = map[string]string{"sslmode": "ssl_mode", "sslrootcert": "ssl_ca", "sslcert": "ssl_cert", "sslkey": "ssl_key"}

// fromURL is Options.FromURL, for libpq's URLs.
func fromURL(u *url.URL) (option.Values, error) {
	values, name, err := database.URLOptions(u, parameters)
	if err != nil {
		return nil, err
	}
	if name != "" {
		values["dbname"] = name
	}
	if strings.Contains(values["host"], ",") {
		return nil, errors.New("the URL names several servers: name one, or set the option host to the list")
	}
	return values, nil
}
