package database

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"sledge/internal/option"
)

// URLOptions returns the options that a URL of the form
//
// scheme://user:password@host:port/name?parameter=value
//
// sets, and the name, which each database interprets. A parameter is an option, by its own name or
// by the name in URLs of the database's own clients, which clients lists in lower case. Errors
// quote neither the password nor a parameter.
func URLOptions(u *url.URL, clients map[string]string) (values option.Values, name string, err error) {
	if strings.Contains(u.Host, ",") {
		return nil, "", errors.New("the URL names several servers: name one, or set the option host to a list if the database accepts one")
	}
	name = strings.Trim(u.Path, "/")
	if strings.Contains(name, "/") {
		return nil, "", fmt.Errorf("the URL of a database ends in one name, not in %q", name)
	}
	query, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return nil, "", errors.New("cannot read the part of the URL after the ?: write name=value, separated by &")
	}
	values = option.Values{}
	for option, value := range map[string]string{"host": u.Hostname(), "port": u.Port(), "user": u.User.Username()} {
		if value != "" {
			values[option] = value
		}
	}
	if password, given := u.User.Password(); given {
		values["password"] = password
	}
	for parameter, all := range query {
		values[cmp.Or(clients[strings.ToLower(parameter)], parameter)] = all[len(all)-1]
	}
	return values, name, nil
}
