package oracle

import (
	"context"
	"net"
	"time"

	"sledge/internal/loop"
)

// wire is a session's connection. The driver sets deadlines before each read and write, which
// would cancel the deadline of an interrupt: wire ignores them, and only interruptCall sets one.
type wire struct{ net.Conn }

// SetReadDeadline leaves out the driver's.
func (w *wire) SetReadDeadline(time.Time) error { return nil }

// SetWriteDeadline leaves out the driver's.
func (w *wire) SetWriteDeadline(time.Time) error { return nil }

// SetDeadline leaves out those that TLS sets when it is closed.
func (w *wire) SetDeadline(time.Time) error { return nil }

// interruptCall makes reading and writing fail at once, from another goroutine.
func (w *wire) interruptCall() {
	// An error would mean that the connection is closed, which is as good.
	_ = w.Conn.SetDeadline(time.Unix(1, 0))
}

// dialer makes the connections of a session, of which a redirect needs another.
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
