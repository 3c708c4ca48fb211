package database

import (
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"strconv"
	"strings"
)

// Address is where a server listens.
type Address struct {
	Host string
	Port int
}

// Addresses parses a list such as "a,b:5433,[::1]:5434", of which the first server that accepts a
// connection is used. A list without a comma is one name or path, used unchanged, with the default
// port.
func Addresses(list string, port int) ([]Address, error) {
	if !strings.Contains(list, ",") {
		return []Address{{list, port}}, nil
	}
	var all []Address
	for text := range strings.SplitSeq(list, ",") {
		text = strings.TrimSpace(text)
		a := Address{text, port}
		if !filepath.IsAbs(text) && (strings.HasPrefix(text, "[") || strings.Count(text, ":") == 1) {
			host, number, err := net.SplitHostPort(text)
			if err != nil {
				return nil, fmt.Errorf("%q is not an address: write name, name:port or [address]:port", text)
			}
			if a.Port, err = strconv.Atoi(number); err != nil || a.Port < 1 || a.Port > 65535 {
				return nil, fmt.Errorf("%q has no port from 1 to 65535 at its end: write name, name:port or [address]:port", text)
			}
			a.Host = host
		}
		if a.Host == "" {
			return nil, fmt.Errorf("%q has an empty name: separate servers by single commas", list)
		}
		all = append(all, a)
	}
	return all, nil
}

// EachServer returns a copy of the options for each server of a list; at writes the address into
// it. If there is only one server, or a mistake in the list, which Validate reports, it returns the
// options themselves.
func EachServer[T any](options *T, list string, port int, at func(one *T, a Address)) []*T {
	addresses, err := Addresses(list, port)
	if err != nil || len(addresses) < 2 {
		return []*T{options}
	}
	servers := make([]*T, len(addresses))
	for i, a := range addresses {
		one := *options
		at(&one, a)
		servers[i] = &one
	}
	return servers
}

// ConnectFirst connects to the first of several servers that accepts the connection. If no server
// accepts it, the error joins the errors of all servers, in their order.
func ConnectFirst[T, S any](servers []T, connect func(server T) (S, error)) (s S, err error) {
	var failures []error
	for _, one := range servers {
		if s, err = connect(one); err == nil {
			return s, nil
		}
		failures = append(failures, err)
	}
	if len(failures) == 1 {
		return s, failures[0]
	}
	return s, errors.Join(failures...)
}
