package sqlserver

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf16"

	"sledge/internal/schema"
)

// Babelfish 4.3 reads two parts of a bulk copy wrongly. It reads 16 bytes for every decimal, even a
// shorter one. If a packet ends within the last token of the message, it takes the next packet for
// another request. So rows are copied into a temporary table in which decimals have 16 bytes and
// the length of each row is known. A row of padding moves the last token if a packet would end
// within it.

// copyStaged loads rows with INSERT BULK into a temporary table, and with INSERT from there.
func (s *session) copyStaged(ctx context.Context, table schema.Table, rows schema.RowSource) (int64, error) {
	packet, err := s.packetSize(ctx)
	if err != nil {
		return 0, err
	}
	ctx, done, err := s.Watched(ctx)
	if err != nil {
		return 0, err
	}
	defer done()
	st := newStaging(table.Columns, packet)
	name := "#sledge_" + table.Name
	if _, err := s.exec(ctx, fmt.Sprintf("CREATE TABLE %s (%s)", identifier(name), strings.Join(st.declarations, ", "))); err != nil {
		return 0, s.failed(err)
	}
	columns := table.ColumnNames()
	if _, err := s.send(s.conn.CreateBulkContext(ctx, name, append(columns[:len(columns):len(columns)], padding)), table, rows, st); err != nil {
		return 0, err
	}
	n, err := s.exec(ctx, fmt.Sprintf("INSERT INTO %s (%s) SELECT %[2]s FROM %s WHERE %s IS NULL",
		table.Name, strings.Join(columns, ", "), identifier(name), padding))
	if err != nil {
		return 0, s.failed(fmt.Errorf("load table %s: %w", table.Name, err))
	}
	_, err = s.exec(ctx, "DROP TABLE "+identifier(name))
	return n, s.failed(err)
}

// packetSize returns the size in bytes of the session's packets, which the server determines. The
// server's view shows the requested size; the actual size is the multiple of 4 below it.
func (s *session) packetSize(ctx context.Context) (int, error) {
	if s.packet > 0 {
		return s.packet, nil
	}
	t, err := s.Query(ctx, "SELECT net_packet_size FROM sys.dm_exec_connections WHERE session_id = @@SPID", 1)
	if err == nil && len(t.Rows) == 1 {
		s.packet, err = strconv.Atoi(t.Rows[0][0])
	}
	s.packet &^= 3
	if err == nil && s.packet <= packetHeader+lastToken {
		err = fmt.Errorf("the server returned %v", t.Rows)
	}
	if err != nil {
		return 0, fmt.Errorf("ask for the size of the session's packets: %w", err)
	}
	return s.packet, nil
}

// padding is the column of a temporary table that is NULL in all rows except the row of padding.
const padding = "sledge_padding"

// Lengths in the message of a bulk copy, from MS-TDS 2.2.3.1, 2.2.6.1, 2.2.7.4, 2.2.7.6 and
// 2.2.7.19.
const (
	packetHeader = 8
	columnsStart = 1 + 2         // the token, and the number of columns
	columnStart  = 4 + 2 + 1     // user type, flags, and the length of the name
	rowStart     = 1             // the token
	lastToken    = 1 + 2 + 2 + 8 // DONE
)

// staging describes a temporary table, and tracks the length of the message that fills it.
type staging struct {
	declarations []string
	types        []stagingType // types of the columns, padding included
	length       int           // length of the message so far, without the last token
	payload      int           // payload of a packet
}

// stagingType is the type of a column in a temporary table.
type stagingType struct {
	sql   string
	info  int // length of the type's description in bytes
	value int // length of a value with its length prefix; 0 for text, whose length varies
}

// longestStaged is the maximum number of characters of a text.
const longestStaged = 4000

// canStage reports whether rows of the table can be copied into a temporary table.
func canStage(table schema.Table) bool {
	for _, c := range table.Columns {
		if c.Type == schema.Bytes || c.Size > longestStaged {
			return false
		}
	}
	return true
}

// typeFor returns the type of a column in the temporary table. The server converts values from it
// to the column's own type.
func typeFor(c schema.Column) stagingType {
	switch c.Type {
	case schema.Integer, schema.SmallInteger:
		return stagingType{"int", 2, 1 + 4}
	case schema.BigInteger:
		return stagingType{"bigint", 2, 1 + 8}
	case schema.Decimal:
		return stagingType{fmt.Sprintf("decimal(38,%d)", c.Scale), 4, 1 + 1 + 16}
	case schema.Date:
		return stagingType{"date", 1, 1 + 3}
	case schema.Timestamp:
		return stagingType{"datetime2(6)", 2, 1 + 8}
	}
	return stagingType{fmt.Sprintf("nvarchar(%d)", longestStaged), 8, 0}
}

func newStaging(columns []schema.Column, packet int) *staging {
	st := &staging{length: columnsStart, payload: packet - packetHeader}
	for _, c := range append(columns[:len(columns):len(columns)], schema.Column{Name: padding, Type: schema.Varchar}) {
		t := typeFor(c)
		st.types = append(st.types, t)
		st.declarations = append(st.declarations, fmt.Sprintf("%s %s NULL", c.Name, t.sql))
		st.length += columnStart + 2*len(c.Name) + t.info
	}
	return st
}

// add adds the length of a row, and returns the row with all columns.
func (st *staging) add(values []any) []any {
	if len(values) < len(st.types) {
		values = append(values, nil) // NULL marks it as a row of the table
	}
	st.length += st.rowLength(values)
	return values
}

func (st *staging) rowLength(values []any) int {
	n := rowStart
	for i, v := range values {
		text, isText := v.(string)
		switch {
		case st.types[i].value == 0 && isText:
			n += 2 + 2*characters(text)
		case st.types[i].value == 0:
			n += 2
		case v == nil:
			n++
		default:
			n += st.types[i].value
		}
	}
	return n
}

// characters returns the number of UTF-16 units in a text.
func characters(text string) int {
	if isASCII(text) {
		return len(text)
	}
	return len(utf16.Encode([]rune(text)))
}

// pad returns a row of padding, or nil if st is nil or no packet ends within the last token.
func (st *staging) pad() []any {
	if st == nil || !st.splits(st.length) {
		return nil
	}
	row := make([]any, len(st.types))
	last := len(row) - 1
	for text := "-"; ; text += "-" {
		if row[last] = text; !st.splits(st.length + st.rowLength(row)) {
			return row
		}
	}
}

// splits reports whether a packet ends within the last token, if that token begins after length
// bytes.
func (st *staging) splits(length int) bool {
	beyond := (length + lastToken) % st.payload
	return 0 < beyond && beyond < lastToken
}
