package database

import (
	"errors"
	"net"
)

// LongestMessage is the limit of a message that a session reads, in bytes. The longest messages that
// Sledge asks for are definitions of routines and plans as JSON, which have less than 100 KiB.
// Drivers keep several copies of a message in memory, so without a limit a hostile server could fill
// it.
const LongestMessage = 1 << 20

// ErrTooLong means that the server sent a message longer than LongestMessage. The connection is lost.
var ErrTooLong = errors.New("the server sent a message longer than 1 MiB, the most that Sledge reads, so Sledge closed the connection")

// Bounded is a connection for a driver that reads long messages into a buffer of their length.
// A Read into a buffer longer than LongestMessage fails with ErrTooLong, and sets Exceeded. It must
// be above TLS, which reads pieces of messages into buffers of its own.
type Bounded struct {
	net.Conn
	Exceeded bool // for drivers that replace the error of a Read
}

// Read implements net.Conn.
func (b *Bounded) Read(p []byte) (int, error) {
	if len(p) > LongestMessage {
		b.Exceeded = true
		return 0, ErrTooLong
	}
	return b.Conn.Read(p)
}
