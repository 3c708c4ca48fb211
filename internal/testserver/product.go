package testserver

import (
	"strings"
	"syscall"
)

// product describes how to find, set up, start and reach the servers of a database. For a product
// without programs, only the environment can name a server, and the functions that start and stop
// servers are nil.
type product struct {
	name                string
	scheme              string // of the URL that names a server
	port                int    // the default port of such a URL
	superuser, password string

	programs   []string                 // names of the server program, in order of preference
	folders    []string                 // patterns of the folders into which packages install it
	recognises func(banner string) bool // reports whether the output of --version is this product's
	install    string                   // the command that installs a server; "" if there are no programs

	// accounts are the system users that can run the server, if the tests run as root and the
	// server refuses root.
	accounts []string

	socket         func(folder string) string
	setUp          func(s *Server) error // fills the data folder
	firstArguments func(s *Server) []string
	arguments      func(s *Server) []string
	ready          func(s *Server) bool
	signals        map[Mode]syscall.Signal

	values     func(s *Server) map[string]string
	dataSource func(s *Server, database string) string
}

var products = []*product{postgresql, mariadb, mysql, redis, sqlserver, oracle, db2, derby}

func productNamed(name string) *product {
	for _, p := range products {
		if p.name == name {
			return p
		}
	}
	return nil
}

func productNames() string {
	var names []string
	for _, p := range products {
		names = append(names, p.name)
	}
	return strings.Join(names, ", ")
}
