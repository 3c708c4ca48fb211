package testserver

import (
	"net"
	"net/url"
	"strconv"
)

var sqlserver = &product{
	name:      "sqlserver",
	scheme:    "sqlserver",
	port:      1433,
	superuser: "sa",
	password:  "admin",

	values:     sqlServerValues,
	dataSource: sqlServerDataSource,
}

// sqlServerValues trusts the server's certificate unless the URL sets trust_server_cert, because
// most test servers have a self-signed certificate.
func sqlServerValues(s *Server) map[string]string {
	values := namedValues(s)
	if _, given := values["trust_server_cert"]; !given {
		values["trust_server_cert"] = "true"
	}
	return values
}

func sqlServerDataSource(s *Server, database string) string {
	u := url.URL{
		Scheme:   "sqlserver",
		User:     url.UserPassword(s.Superuser, s.Password),
		Host:     net.JoinHostPort(s.Host, strconv.Itoa(s.Port)),
		RawQuery: url.Values{"database": {database}, "TrustServerCertificate": {"true"}}.Encode(),
	}
	return u.String()
}
