package redis

import (
	"bytes"
	"context"
	"fmt"
	"strconv"

	"sledge/internal/database"
	"sledge/internal/schema"
)

// Load implements database.Session. It converts rows into commands and sends many of them together.
func (s *session) Load(ctx context.Context, table schema.Table, rows schema.RowSource) (int64, error) {
	l, err := s.layout(ctx, table.Name)
	if err != nil {
		return 0, err
	}
	ld, err := newLoader(s, table, l)
	if err != nil {
		return 0, err
	}
	if s.inTx {
		return ld.load(ctx, rows)
	}
	if err := s.Begin(ctx, database.ReadWrite); err != nil {
		return 0, err
	}
	n, err := ld.load(ctx, rows)
	if err == nil {
		return n, s.Commit(ctx)
	}
	_ = s.Rollback(ctx) // if it fails, the connection and the transaction are lost
	return 0, err
}

// loader converts the rows of a table into commands.
type loader struct {
	s      *session
	name   string
	layout layout
	kinds  []column // columns of the rows' values, in order

	key, member, fields []int // positions of columns
	each                int   // position of the column that numbers rows within a hash; -1 if the table has no such column
	indexes             []loadIndex

	values [][]byte // values of the row
	last   []byte   // the key of the current hash
	buf    []byte
}

type loadIndex struct {
	name        string
	key, member []int
}

func newLoader(s *session, table schema.Table, l layout) (*loader, error) {
	ld := &loader{s: s, name: table.Name, layout: l, each: -1, values: make([][]byte, len(table.Columns))}
	for _, c := range table.Columns {
		ld.kinds = append(ld.kinds, column{c.Name, c.Type, c.Scale, c.Null})
	}
	asLoaded := layout{Columns: ld.kinds}
	var err error
	find := func(names []string) []int {
		list, wrong := asLoaded.at(names)
		if err == nil {
			err = wrong
		}
		return list
	}
	ld.key, ld.member = find(l.Key), find(l.Member)
	if l.Each != "" {
		ld.each = find([]string{l.Each})[0]
	}
	for _, i := range l.Indexes {
		ld.indexes = append(ld.indexes, loadIndex{i.Name, find(i.Key), find(i.Member)})
	}
	taken := map[int]bool{ld.each: true}
	for _, i := range append(append([]int{}, ld.key...), ld.member...) {
		taken[i] = true
	}
	for i := range ld.kinds {
		if !taken[i] {
			ld.fields = append(ld.fields, i)
		}
	}
	return ld, err
}

func (ld *loader) load(ctx context.Context, rows schema.RowSource) (loaded int64, err error) {
	q := &ld.s.queue
	var row []byte
	for {
		var more bool
		if row, more = rows.AppendRow(row[:0]); !more {
			return loaded, nil // the commit sends the rest
		}
		if err := ld.take(row); err != nil {
			return loaded, err
		}
		if err := ld.put(q); err != nil {
			return loaded, err
		}
		loaded++
		if len(q.firsts) >= ld.s.options.Pipeline {
			if _, err := ld.s.flush(ctx, false); err != nil {
				return loaded, err
			}
			q.reset()
			ld.last = ld.last[:0]
		}
	}
}

// take divides a row into its values; nil is NULL.
func (ld *loader) take(row []byte) error {
	row = bytes.TrimSuffix(row, []byte("\n"))
	for i := range ld.values {
		field, rest, more := bytes.Cut(row, []byte("\t"))
		if more != (i < len(ld.values)-1) {
			return fmt.Errorf("a row of %s does not have %d columns: %q", ld.name, len(ld.values), row)
		}
		row = rest
		switch {
		case string(field) == `\N`:
			field = nil
		case bytes.IndexByte(field, '\\') >= 0:
			field = []byte(schema.Unescape(field))
		case ld.kinds[i].Type == schema.Timestamp:
			moment, err := database.ParseTime(field)
			if err != nil {
				return err
			}
			field = strconv.AppendInt(nil, moment.UnixMicro(), 10)
		case ld.kinds[i].Type == schema.Decimal:
			field = scaled(field, ld.kinds[i].Scale)
		}
		ld.values[i] = field
	}
	return nil
}

// scaled converts a decimal into a whole number in units of its last digit, in place.
func scaled(text []byte, scale int) []byte {
	whole, digits, _ := bytes.Cut(text, []byte("."))
	out := whole[:len(whole):len(whole)]
	for n := range scale {
		if n < len(digits) {
			out = append(out, digits[n])
		} else {
			out = append(out, '0')
		}
	}
	sign := 0
	if len(out) > 0 && out[0] == '-' {
		sign = 1
	}
	for len(out) > sign+1 && out[sign] == '0' {
		out = append(out[:sign], out[sign+1:]...)
	}
	return out
}

// put queues the commands for a row.
func (ld *loader) put(q *queue) error {
	ld.buf = ld.keyName(ld.buf[:0], ld.name, ld.key)
	switch ld.layout.Kind {
	case hashKind:
		if ld.each < 0 || !bytes.Equal(ld.buf, ld.last) {
			q.begin()
			q.put("HSET")
			q.bytes = append(q.bytes, ld.buf...)
			q.end()
			ld.last = append(ld.last[:0], ld.buf...)
		}
		ld.putFields(q)
	case zsetKind:
		ld.putMember(q, ld.buf, ld.member)
	case streamKind:
		q.begin()
		q.put("XADD")
		q.bytes = append(q.bytes, ld.buf...)
		q.end()
		q.put("*")
		ld.putFields(q)
	default:
		return fmt.Errorf("rows of %s cannot be loaded, because it is stored as %s", ld.name, ld.layout.Kind)
	}
	for _, i := range ld.indexes {
		ld.buf = ld.keyName(ld.buf[:0], i.name, i.key)
		ld.putMember(q, ld.buf, i.member)
		ld.last = ld.last[:0] // the previous HSET is no longer the last command
	}
	return nil
}

// keyName appends the name of a row's key.
func (ld *loader) keyName(buf []byte, name string, key []int) []byte {
	buf = append(append(append(buf, ld.s.options.Prefix...), ':'), name...)
	for _, i := range key {
		buf = append(append(buf, ':'), ld.values[i]...)
	}
	return buf
}

// putFields queues the fields of a row with their values. If all columns of a row are in its key,
// it gets a field named ".", because a hash cannot be empty.
func (ld *loader) putFields(q *queue) {
	put := 0
	name := func(column string) {
		q.bytes = append(q.bytes, column...)
		if ld.each >= 0 {
			q.bytes = append(append(q.bytes, '/'), ld.values[ld.each]...)
		}
		q.end()
	}
	for _, i := range ld.fields {
		if ld.values[i] == nil {
			continue
		}
		put++
		name(ld.kinds[i].Name)
		q.bytes = append(q.bytes, ld.values[i]...)
		q.end()
	}
	if put == 0 {
		name(".")
		q.put("")
	}
}

// putMember queues a member of a sorted set.
func (ld *loader) putMember(q *queue, key []byte, columns []int) {
	q.begin()
	q.put("ZADD")
	q.bytes = append(q.bytes, key...)
	q.end()
	score := []byte("0")
	if len(columns) == 1 && ld.kinds[columns[0]].isWhole() {
		score = ld.values[columns[0]]
	}
	q.bytes = append(q.bytes, score...)
	q.end()
	for n, i := range columns {
		if n > 0 {
			q.bytes = append(q.bytes, '/')
		}
		q.bytes = append(q.bytes, ld.values[i]...)
	}
	q.end()
}

// isWhole reports whether the column contains whole numbers.
func (c column) isWhole() bool {
	return c.Type == schema.Integer || c.Type == schema.SmallInteger || c.Type == schema.BigInteger
}
