package datagen

import (
	"bytes"
	"fmt"

	"sledge/internal/schema"
)

// lineMaker is the encoder that turns rows of load text into lines: values separated by a
// delimiter, with nothing for a NULL.
//
// Load text and lines differ little, and few rows have special characters, so lineMaker changes
// most rows in place.
type lineMaker struct {
	table     schema.Table
	delimiter byte
	behind    bool // the delimiter also follows the last value
	quoted    bool // special characters are protected by quotes, not by backslashes
	empties   bool // an empty text is written as "", so it is not NULL
	scratch   []byte
}

func (m *lineMaker) encode(buf []byte, start int) ([]byte, error) {
	row := buf[start:]
	if m.special(row) {
		return m.again(buf, start)
	}
	for i := range m.table.Columns {
		end := bytes.IndexByte(row, m.separator(i))
		switch {
		case end < 0:
			return nil, m.torn(buf[start:])
		case end == 0 && m.empties:
			// Undo the changes so far, so that again starts from load text.
			for j, c := range buf[start : len(buf)-len(row)] {
				if c == m.delimiter {
					buf[start+j] = '\t'
				}
			}
			return m.again(buf, start)
		case end == 0:
			return nil, m.empty(i)
		case row[end] == '\t':
			row[end] = m.delimiter
		}
		row = row[end+1:]
	}
	if len(row) > 0 {
		return nil, m.torn(buf[start:])
	}
	if m.behind {
		return append(buf[:len(buf)-1], m.delimiter, '\n'), nil
	}
	return buf, nil
}

func (m *lineMaker) end() error { return nil }

// special reports whether a row has characters that must be escaped or quoted.
func (m *lineMaker) special(row []byte) bool {
	return bytes.IndexByte(row, '\\') >= 0 || bytes.IndexByte(row, m.delimiter) >= 0 ||
		m.quoted && (bytes.IndexByte(row, '"') >= 0 || bytes.IndexByte(row, '\r') >= 0)
}

// again writes the row at start of buf again, from its beginning.
func (m *lineMaker) again(buf []byte, start int) ([]byte, error) {
	m.scratch = append(m.scratch[:0], buf[start:]...)
	return m.rewrite(buf[:start], m.scratch)
}

// rewrite appends the line of a row that has NULLs, special characters or empty texts.
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
		case len(field) == 0 && m.empties:
			buf = append(buf, `""`...)
		case len(field) == 0:
			return nil, m.empty(i)
		case m.quoted:
			buf = m.appendQuoted(buf, field)
		default:
			buf = append(buf, bytes.ReplaceAll(field, []byte{m.delimiter}, []byte{'\\', m.delimiter})...)
		}
		if more || m.behind {
			buf = append(buf, m.delimiter)
		}
		row = rest
	}
	return append(buf, '\n'), nil
}

// appendQuoted appends a value of load text without its backslashes, in quotes if it needs them.
func (m *lineMaker) appendQuoted(buf, field []byte) []byte {
	value := field
	if bytes.IndexByte(field, '\\') >= 0 {
		value = []byte(schema.Unescape(field))
	}
	if bytes.IndexByte(value, m.delimiter) < 0 && !bytes.ContainsAny(value, "\"\r\n") {
		return append(buf, value...)
	}
	buf = append(buf, '"')
	for {
		before, after, found := bytes.Cut(value, []byte{'"'})
		buf = append(buf, before...)
		if !found {
			return append(buf, '"')
		}
		buf, value = append(buf, `""`...), after
	}
}

// separator ends a column in load text.
func (m *lineMaker) separator(column int) byte {
	if column == len(m.table.Columns)-1 {
		return '\n'
	}
	return '\t'
}

// empty returns the error for an empty text, which loaders would read as NULL.
func (m *lineMaker) empty(column int) error {
	return fmt.Errorf("column %s of %s is an empty text, which these files cannot distinguish from NULL", m.table.Columns[column].Name, m.table.Name)
}

func (m *lineMaker) torn(row []byte) error { return torn(m.table, row) }

func torn(t schema.Table, row []byte) error {
	return fmt.Errorf("a row of load text of %s does not have %d columns: %q", t.Name, len(t.Columns), row)
}
