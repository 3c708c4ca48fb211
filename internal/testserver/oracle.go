package testserver

import (
	"maps"
	"net"
	"net/url"
	"strconv"
)

var oracle = &product{
	name:      "oracle",
	scheme:    "oracle",
	port:      1521,
	superuser: "system",
	password:  "manager",

	values:     oracleValues,
	dataSource: oracleDataSource,
}

// oracleValues returns the options with which a test creates its own users. The URL names an
// account that may create users, and its service.
func oracleValues(s *Server) map[string]string {
	values := map[string]string{
		"host": s.Host, "port": strconv.Itoa(s.Port), "service": s.path, "system_user": s.Superuser, "system_password": s.Password,
	}
	maps.Copy(values, s.parameters)
	return values
}

func oracleDataSource(s *Server, user string) string {
	u := url.URL{Scheme: "oracle", User: url.UserPassword(s.Superuser, s.Password), Host: net.JoinHostPort(s.Host, strconv.Itoa(s.Port)), Path: "/" + s.path}
	if user != "" {
		u.User = url.UserPassword(user, user) // a build creates it with this password
	}
	return u.String()
}
