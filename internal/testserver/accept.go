package testserver

import (
	"net"
	"testing"
)

// Accept listens on a free port of this machine until the test ends, and returns the port. It calls serve
// for each connection, in a goroutine of its own, and closes the connection afterwards.
func Accept(t testing.TB, serve func(net.Conn)) (port int) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				serve(conn)
			}()
		}
	}()
	return l.Addr().(*net.TCPAddr).Port
}
