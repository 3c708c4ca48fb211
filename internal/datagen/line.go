package datagen

import (
	"bytes"
	"fmt"

	"sledge/internal/schema"
)

// delimiter divides the values of a row in the files.
const delimiter = '|'

// lineMaker turns rows of load text into lines of the files: values divided by
// delimiter, none after the last one, and nothing at all where a value is NULL.
//
// The two texts differ in little, and nearly all rows have no special characters,
// so a row is mostly changed where it stands.
type lineMaker struct {
	table   schema.Table
	quoted  bool // special characters are kept by quotes, not by backslashes
	scratch []byte
}

func newLineMaker(t schema.Table, quoted bool) *lineMaker {
	return &lineMaker{table: t, quoted: quoted}
}

// convert turns the row that begins at start of buf, and ends it, into a line.
func (m *lineMaker) convert(buf []byte, start int) ([]byte, error) {
	row := buf[start:]
	if bytes.IndexByte(row, '\\') >= 0 || bytes.IndexByte(row, delimiter) >= 0 || m.quoted && bytes.IndexByte(row, '"') >= 0 {
		m.scratch = append(m.scratch[:0], row...)
		return m.rewrite(buf[:start], m.scratch)
	}
	for i := range m.table.Columns {
		end := bytes.IndexByte(row, m.separator(i))
		if end < 0 {
			return nil, m.torn(buf[start:])
		}
		if end == 0 {
			return nil, m.empty(i)
		}
		if row[end] == '\t' {
			row[end] = delimiter
		}
		row = row[end+1:]
	}
	if len(row) > 0 {
		return nil, m.torn(buf[start:])
	}
	return buf, nil
}

// rewrite appends the line of a row that has NULLs or special characters.
func (m *lineMaker) rewrite(buf, row []byte) ([]byte, error) {
	row = bytes.TrimSuffix(row, []byte("\n"))
	last := len(m.table.Columns) - 1
	for i := range m.table.Columns {
		field, rest, more := bytes.Cut(row, []byte("\t"))
		if more != (i < last) {
			return nil, m.torn(row)
		}
		switch {
		case string(field) == `\N`:
		case len(field) == 0:
			return nil, m.empty(i)
		case m.quoted:
			buf = appendQuoted(buf, field)
		default:
			buf = append(buf, bytes.ReplaceAll(field, []byte{delimiter}, []byte{'\\', delimiter})...)
		}
		if more {
			buf = append(buf, delimiter)
		}
		row = rest
	}
	return append(buf, '\n'), nil
}

// appendQuoted appends a value of load text without its backslashes, in quotes
// where it needs them.
func appendQuoted(buf, field []byte) []byte {
	value := schema.Unescape(field)
	if !bytes.ContainsAny([]byte(value), "|\"\r\n") {
		return append(buf, value...)
	}
	buf = append(buf, '"')
	buf = append(buf, bytes.ReplaceAll([]byte(value), []byte(`"`), []byte(`""`))...)
	return append(buf, '"')
}

// separator is what ends a column in load text.
func (m *lineMaker) separator(column int) byte {
	if column == len(m.table.Columns)-1 {
		return '\n'
	}
	return '\t'
}

// empty is an error because loaders take what is empty for NULL.
func (m *lineMaker) empty(column int) error {
	return fmt.Errorf("column %s of %s is an empty text, which these files cannot tell from NULL", m.table.Columns[column].Name, m.table.Name)
}

func (m *lineMaker) torn(row []byte) error {
	return fmt.Errorf("a row of load text of %s has not %d columns: %q", m.table.Name, len(m.table.Columns), row)
}
