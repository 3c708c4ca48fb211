package dbgen

import (
	"io"
	"slices"
)

// atOnce is the number of rows drawn at once; for lineitem, the number of orders. All their
// comments are then requested from memory before the first one is written.
const atOnce = 16

// table generates the rows of one table.
type table interface {
	// draw draws the next n rows, at most atOnce, or the lines of n orders. It returns the number
	// of rows.
	draw(n int) int

	// put writes a drawn row at the beginning of a line, and returns its length.
	put(b *line, row int) int

	// add adds a drawn row to a batch.
	add(b *Batch, row int)
}

// Source generates a range of rows, in order. It belongs to one goroutine, and allocates nothing
// after its buffers have grown.
type Source struct {
	table      table
	left       int64 // rows, or orders of lineitem, that are not drawn yet
	row, drawn int   // the next drawn row, and the number of drawn rows
}

// more draws rows if none are left from the last draw.
func (s *Source) more() bool {
	if s.row < s.drawn {
		return true
	}
	if s.left == 0 {
		return false
	}
	n := min(s.left, atOnce)
	s.left -= n
	s.row, s.drawn = 0, s.table.draw(int(n))
	return true
}

// AppendRow appends the next row to buf as text, with a newline, and returns the longer slice. It
// returns false, and buf unchanged, if there are no more rows.
func (s *Source) AppendRow(buf []byte) ([]byte, bool) {
	if !s.more() {
		return buf, false
	}
	begin := len(buf)
	buf = slices.Grow(buf, len(line{}))
	size := s.table.put((*line)(buf[begin:cap(buf)]), s.row)
	s.row++
	return buf[:begin+size], true
}

// WriteTo writes all rows that are left, as text. It implements io.WriterTo.
func (s *Source) WriteTo(w io.Writer) (int64, error) {
	const size = 64 << 10
	buf := make([]byte, 0, size+len(line{}))
	var written int64
	for more := true; more; {
		buf = buf[:0]
		for more && len(buf) < size {
			buf, more = s.AppendRow(buf)
		}
		n, err := w.Write(buf)
		written += int64(n)
		if err != nil {
			return written, err
		}
	}
	return written, nil
}

// Read replaces the contents of b by the next rows, at most most of them. It returns their number,
// or 0 if there are no more.
func (s *Source) Read(b *Batch, most int) int {
	b.Rows = 0
	for i := range b.Columns {
		c := &b.Columns[i]
		c.Numbers, c.Bytes, c.Ends = c.Numbers[:0], c.Bytes[:0], c.Ends[:0]
	}
	for b.Rows < most && s.more() {
		s.table.add(b, s.row)
		s.row++
		b.Rows++
	}
	return b.Rows
}
