package schema

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
)

// bufferSize is the number of bytes of load text that are generated at a time. It is large compared
// with the cost of a system call, and fits into a core's cache.
const bufferSize = 64 << 10

// Reader reads a RowSource as a stream of load text.
type Reader struct {
	source RowSource
	buf    []byte
	unread []byte
	rows   int64
	bytes  int64
	done   bool
}

// NewReader returns a Reader of the rows of source.
func NewReader(source RowSource) *Reader {
	return &Reader{source: source, buf: make([]byte, 0, bufferSize+4096)}
}

// Rows returns the number of rows so far.
func (r *Reader) Rows() int64 { return r.rows }

// Bytes returns the number of bytes read so far.
func (r *Reader) Bytes() int64 { return r.bytes }

// Read implements io.Reader.
func (r *Reader) Read(p []byte) (int, error) {
	if len(r.unread) == 0 {
		r.fill()
		if len(r.unread) == 0 {
			return 0, io.EOF
		}
	}
	n := copy(p, r.unread)
	r.unread = r.unread[n:]
	r.bytes += int64(n)
	return n, nil
}

// WriteTo implements io.WriterTo, so that io.Copy needs no buffer of its own.
func (r *Reader) WriteTo(w io.Writer) (int64, error) {
	start := r.bytes
	for {
		if len(r.unread) == 0 {
			r.fill()
		}
		if len(r.unread) == 0 {
			return r.bytes - start, nil
		}
		n, err := w.Write(r.unread)
		r.unread = r.unread[n:]
		r.bytes += int64(n)
		if err != nil {
			return r.bytes - start, err
		}
	}
}

func (r *Reader) fill() {
	buf := r.buf[:0]
	for !r.done && len(buf) < bufferSize {
		var more bool
		if buf, more = r.source.AppendRow(buf); more {
			r.rows++
		} else {
			r.done = true
		}
	}
	r.buf, r.unread = buf, buf
}

// Fields converts a row of load text into values for an INSERT: int64 for integer types, nil for
// \N, and string for all others. It appends them to values and returns the result.
func Fields(values []any, row []byte, columns []Column) ([]any, error) {
	row = bytes.TrimSuffix(row, []byte("\n"))
	for i, c := range columns {
		field, rest, more := bytes.Cut(row, []byte("\t"))
		if more != (i < len(columns)-1) {
			return values, fmt.Errorf("a row of load text does not have %d columns: %q", len(columns), row)
		}
		row = rest
		switch {
		case string(field) == `\N`:
			values = append(values, nil)
		case c.Type == Integer || c.Type == SmallInteger || c.Type == BigInteger:
			n, err := strconv.ParseInt(string(field), 10, 64)
			if err != nil {
				return values, fmt.Errorf("column %s: %w", c.Name, err)
			}
			values = append(values, n)
		default:
			values = append(values, Unescape(field))
		}
	}
	return values, nil
}

// Unescape removes the backslash escapes of a value of load text that is not NULL. Most values have
// none.
func Unescape(field []byte) string {
	if bytes.IndexByte(field, '\\') < 0 {
		return string(field)
	}
	out := make([]byte, 0, len(field))
	for i := 0; i < len(field); i++ {
		if field[i] == '\\' && i+1 < len(field) {
			i++
			switch field[i] {
			case 't':
				out = append(out, '\t')
				continue
			case 'n':
				out = append(out, '\n')
				continue
			}
		}
		out = append(out, field[i])
	}
	return string(out)
}
