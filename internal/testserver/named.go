package testserver

import (
	"cmp"
	"fmt"
	"net/url"
	"strconv"
	"strings"
)

// named returns the server that a variable of the environment names by URL.
func named(p *product, variable, address string) (*Server, error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != p.scheme || u.Hostname() == "" {
		// The address may hold a password, and so would the parser's error.
		return nil, fmt.Errorf("%s is not a URL such as %s://%s:password@127.0.0.1:%d", variable, p.scheme, p.superuser, p.port)
	}
	port := p.port
	if text := u.Port(); text != "" {
		if port, err = strconv.Atoi(text); err != nil {
			return nil, fmt.Errorf("%s: port %q is not a number", variable, text)
		}
	}
	password, given := u.User.Password()
	if !given {
		password = p.password
	}
	return &Server{
		Database:    p.name,
		Host:        u.Hostname(),
		Port:        port,
		Superuser:   cmp.Or(u.User.Username(), p.superuser),
		Password:    password,
		product:     p,
		maintenance: cmp.Or(strings.TrimPrefix(u.Path, "/"), p.superuser),
		sslMode:     cmp.Or(u.Query().Get("sslmode"), "disable"),
	}, nil
}
