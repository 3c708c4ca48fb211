package testserver

import (
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"
	"testing"
)

// FreePort returns an unused port of 127.0.0.1, for a test that must know a port before it listens,
// or that listens on the port again.
func FreePort(t testing.TB) int {
	t.Helper()
	port, err := freePort()
	if err != nil {
		t.Fatal(err)
	}
	return port
}

// freePort returns an unused port of 127.0.0.1 below the ports that the system gives to clients. A
// client that dials a stopped server on a higher port might get that same port, and would then talk
// to itself.
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
