package testserver

import (
	"strings"
	"syscall"
)

// product says how the servers of one database are found, set up, started and
// reached. One without programs cannot be started here: only the environment can name a
// server of it, and what starts and stops servers is then left out.
type product struct {
	name                string
	scheme              string // of the URL that names a server
	port                int    // when such a URL has none
	superuser, password string

	programs   []string                 // names of the server program, the best first
	folders    []string                 // patterns of the folders where packages put it
	recognises func(banner string) bool // whether what --version prints is this product
	install    string                   // the command that installs a server; "" where there are no programs

	// accounts are the system users to choose from when we are root and the server
	// refuses to be.
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
