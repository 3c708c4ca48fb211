//go:build !linux

package loop

import (
	"errors"
	"fmt"
	"net"
	"runtime"
)

// Supported reports whether there are event loops on this system.
func Supported() bool { return false }

// New returns an error, because this system has no event loops.
func New(int) (Scheduler, error) {
	return nil, fmt.Errorf("event loops on %s: %w", runtime.GOOS, errors.ErrUnsupported)
}

// task is unused on systems without event loops.
type task struct{}

// conn is a connection that counts its traffic.
type conn struct {
	net.Conn
	counter counter
}

func wrap(c net.Conn, session *Connections) (adoptable, bool) {
	return &conn{c, counter{sum: &session.traffic}}, true
}

// Read implements net.Conn.
func (c *conn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.counter.read(n)
	return n, err
}

// Write implements net.Conn.
func (c *conn) Write(p []byte) (int, error) {
	n, err := c.Conn.Write(p)
	c.counter.wrote(n)
	return n, err
}

func (*conn) adopt(*task) error { return nil }
func (*conn) release() error    { return nil }
