package dbgen

import (
	"io"
	"slices"
)

// atOnce is how many rows are drawn at once, of lineitem the lines of how many orders. Where
// their comments stand in the text has then been asked of the memory for all of them before the
// first is written.
const atOnce = 16

// table makes the rows of one table.
type table interface {
	// draw draws the next rows, n of them but no more than atOnce, or the lines of n orders. It
	// returns how many rows it has drawn.
	draw(n int) int

	// put writes one of the drawn rows at the beginning of a line, and returns its length.
	put(b *line, row int) int

	// add adds one of the drawn rows to a batch.
	add(b *Batch, row int)
}

// Source makes a range of rows, in order. It belongs to one goroutine, and allocates nothing once
// buffers have grown.
type Source struct {
	table      table
	left       int64 // rows that are not drawn yet, or orders
	row, drawn int   // the next row of those that are drawn, and their number
}

// more makes sure that a row is drawn, unless there is none.
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

// AppendRow appends the next row to buf as text, with a newline, and returns the longer slice.
// It returns false, and buf as it was, when there are no more rows.
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

// Read puts the next rows into b, most of them at most, in place of what was there. It returns
// how many there are, and 0 when there are no more.
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
