package testserver

import (
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"
	"testing"
)

// FreePort returns a port of 127.0.0.1 for something of a test that has to know its port before
// it listens, or listens there again.
func FreePort(t testing.TB) int {
	t.Helper()
	port, err := freePort()
	if err != nil {
		t.Fatal(err)
	}
	return port
}

// freePort returns an unused port of 127.0.0.1. It lies below the ports that systems give to
// clients: among those, a client that dials a stopped server may be given the very port it
// dials, and then talks to itself.
func freePort() (int, error) {
	var err error
	for range 100 {
		port := 20000 + rand.IntN(10000)
		var l net.Listener
		if l, err = net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port))); err == nil {
			return port, l.Close()
		}
	}
	return 0, fmt.Errorf("look for a free port: %w", err)
}
