package testserver

import (
	"cmp"
	"fmt"
	"maps"
	"net/url"
	"strconv"
	"strings"
)

// named returns the server at the URL in an environment variable.
func named(p *product, variable, address string) (*Server, error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != p.scheme || u.Hostname() == "" {
		// The address may contain a password, and the parser's error would repeat it.
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
	parameters := map[string]string{}
	for name, values := range u.Query() {
		parameters[name] = values[0]
	}
	return &Server{
		Database:    p.name,
		Host:        u.Hostname(),
		Port:        port,
		Superuser:   cmp.Or(u.User.Username(), p.superuser),
		Password:    password,
		product:     p,
		maintenance: cmp.Or(strings.TrimPrefix(u.Path, "/"), p.superuser),
		sslMode:     cmp.Or(parameters["sslmode"], "disable"),
		path:        strings.TrimPrefix(u.Path, "/"),
		parameters:  parameters,
	}, nil
}

// namedValues returns the options for connecting to a server that the environment names: the
// address and the account, and the parameters of the URL.
func namedValues(s *Server) map[string]string {
	values := map[string]string{"host": s.Host, "port": strconv.Itoa(s.Port), "user": s.Superuser, "password": s.Password}
	maps.Copy(values, s.parameters)
	return values
}
