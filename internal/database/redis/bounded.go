package redis

import (
	"bytes"

	"sledge/internal/database"
)

// bounded is a database.Bounded for the server's protocol. The driver reads a value into a buffer of
// its length, but a line, such as an error, piece by piece until its end.
type bounded struct {
	database.Bounded
	line int // bytes of an unfinished line or value
}

// Read implements net.Conn.
func (b *bounded) Read(p []byte) (int, error) {
	n, err := b.Bounded.Read(p)
	b.line += n
	if end := bytes.LastIndexByte(p[:n], '\n'); end >= 0 {
		b.line = n - end - 1
	}
	if b.line > database.LongestMessage {
		return n, database.ErrTooLong
	}
	return n, err
}
