package oracle

import (
	"context"
	"net"
	"time"

	"sledge/internal/loop"
)

// wire is a session's connection. The driver sets deadlines before each read and write, which would
// replace the deadline of an interrupt. So wire ignores them, and only interruptCall sets a
// deadline.
type wire struct{ net.Conn }

// SetReadDeadline ignores the driver's deadline.
func (w *wire) SetReadDeadline(time.Time) error { return nil }

// SetWriteDeadline ignores the driver's deadline.
func (w *wire) SetWriteDeadline(time.Time) error { return nil }

// SetDeadline ignores the deadline that TLS sets when it is closed.
func (w *wire) SetDeadline(time.Time) error { return nil }

// interruptCall makes reading and writing fail at once, from another goroutine.
func (w *wire) interruptCall() {
	// It fails only if the connection is already closed.
	_ = w.Conn.SetDeadline(time.Unix(1, 0))
}

// dialer opens the connection of a session. After a redirect, the driver dials again, and last is
// the new connection.
type dialer struct{ last *wire }

// DialContext implements the driver's interface.
func (d *dialer) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := loop.Dial(ctx, new(net.Dialer), network, address)
	if err != nil {
		return nil, err
	}
	d.last = &wire{conn}
	return d.last, nil
}
