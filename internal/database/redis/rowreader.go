package redis

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"sledge/internal/database"
	"sledge/internal/schema"
)

// rowReader reads the wanted columns of a table's rows for the SQLite database. It sends batches of
// at most valuesAtOnce values to full, and reuses the buffers from empty.
type rowReader struct {
	s       *session
	name    string
	layout  layout
	columns []column
	keys    *keySet
	tell    func(read int) // receives the number of keys read, at intervals and at the end

	full, empty chan []any
	values      []any

	queue  queue
	buf    bytes.Buffer
	ofKey  []any // values of the columns in the key's name; others are nil
	inKey  []int // for each part of a key's name, the index of its wanted column, or -1
	stored []int // the columns that are neither in the key's name nor the number of a row
	lines  []line
}

// line is a row in a hash that several rows share.
type line struct {
	number int64
	values []any
}

// read reads all rows.
func (r *rowReader) read(ctx context.Context) error {
	r.inKey = r.positions(r.layout.Key)
	r.ofKey = make([]any, len(r.columns))
	for i, c := range r.columns {
		if !slices.Contains(r.inKey, i) && c.Name != r.layout.Each {
			r.stored = append(r.stored, i)
		}
	}
	for first := 0; first < r.keys.Len(); {
		n := min(r.keys.Len()-first, r.s.options.Pipeline)
		if err := r.fetch(ctx, first, n); err != nil {
			return err
		}
		first += n
		if (first-n)/scanned < first/scanned || first == r.keys.Len() {
			r.tell(first)
		}
	}
	return r.handOver(ctx)
}

// positions returns the indexes of columns among the wanted ones.
func (r *rowReader) positions(names []string) []int {
	list := make([]int, len(names))
	for i, name := range names {
		list[i] = slices.IndexFunc(r.columns, func(c column) bool { return c.Name == name })
	}
	return list
}

// handOver hands over the rows read so far.
func (r *rowReader) handOver(ctx context.Context) error {
	if len(r.values) == 0 {
		return nil
	}
	select {
	case r.full <- r.values:
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case r.values = <-r.empty:
	default:
		r.values = nil
	}
	return nil
}

// put adds a row.
func (r *rowReader) put(ctx context.Context, row []any) error {
	r.values = append(r.values, row...)
	if len(r.values)+len(r.columns) > valuesAtOnce {
		return r.handOver(ctx)
	}
	return nil
}

// fetch reads the rows of n keys.
func (r *rowReader) fetch(ctx context.Context, first, n int) error {
	onlyKeys := r.layout.Kind == hashKind && r.layout.Each == "" && len(r.stored) == 0
	r.queue.reset()
	for i := first; i < first+n && !onlyKeys; i++ {
		if r.layout.Kind == streamKind {
			if err := r.fetchStream(ctx, i); err != nil {
				return err
			}
			continue
		}
		r.ask(i)
	}
	if r.layout.Kind == streamKind {
		return nil
	}
	said := &reply{}
	if !onlyKeys {
		var err error
		if said, err = r.s.askMany(ctx, &r.queue, &r.buf); err != nil {
			return err
		}
	}
	for i := first; i < first+n; i++ {
		if err := r.begin(i); err != nil {
			return err
		}
		if err := r.take(ctx, said); err != nil {
			return err
		}
		if said.err != nil {
			return fmt.Errorf("the key %s does not have the form of a row of %s: %w", r.keyName(i), r.name, said.err)
		}
	}
	return nil
}

// ask queues the command that reads a key.
func (r *rowReader) ask(i int) {
	q := &r.queue
	q.begin()
	switch {
	case r.layout.Kind == zsetKind:
		q.put("ZRANGE")
		q.put(r.keyName(i))
		q.put("0")
		q.put("-1")
	case r.layout.Each != "":
		q.put("HGETALL")
		q.put(r.keyName(i))
	default:
		q.put("HMGET")
		q.put(r.keyName(i))
		for _, column := range r.stored {
			q.put(r.columns[column].Name)
		}
	}
}

// keyName returns the name of the key with index n.
func (r *rowReader) keyName(n int) string {
	if !r.keys.whole {
		return r.keys.names[n]
	}
	name := append(append([]byte(r.s.options.Prefix), ':'), r.name...)
	for _, part := range r.keys.at(n) {
		name = strconv.AppendInt(append(name, ':'), part, 10)
	}
	return string(name)
}

// begin begins the rows of a key with the columns in its name.
func (r *rowReader) begin(n int) error {
	var parts []string
	if !r.keys.whole {
		parts = strings.Split(r.keys.names[n], ":")[2:]
	}
	for i, column := range r.inKey {
		if column < 0 {
			continue
		}
		if r.keys.whole {
			r.ofKey[column] = r.keys.at(n)[i]
			continue
		}
		var err error
		if r.ofKey[column], err = r.value(column, []byte(parts[i])); err != nil {
			return err
		}
	}
	return nil
}

// take reads the rows of a key from the server's reply.
func (r *rowReader) take(ctx context.Context, said *reply) error {
	switch {
	case r.layout.Kind == zsetKind:
		return r.takeMembers(ctx, said)
	case r.layout.Each != "":
		return r.takeLines(ctx, said)
	}
	if len(r.stored) > 0 {
		said.list()
		for _, column := range r.stored {
			r.ofKey[column] = nil
			if text, there := said.value(); there {
				var err error
				if r.ofKey[column], err = r.value(column, text); err != nil {
					return err
				}
			}
		}
	}
	return r.put(ctx, r.ofKey)
}

func (r *rowReader) takeMembers(ctx context.Context, said *reply) error {
	at := r.positions(r.layout.Member)
	for range said.list() {
		rest, _ := said.value()
		for i, column := range at {
			part := rest
			if i+1 < len(at) {
				part, rest, _ = bytes.Cut(rest, []byte("/"))
			}
			if column < 0 {
				continue
			}
			var err error
			if r.ofKey[column], err = r.value(column, part); err != nil {
				return err
			}
		}
		if err := r.put(ctx, r.ofKey); err != nil {
			return err
		}
	}
	return nil
}

// takeLines reads the rows that share a hash. The number at the end of a field's name identifies
// the row.
func (r *rowReader) takeLines(ctx context.Context, said *reply) error {
	each := r.positions([]string{r.layout.Each})[0]
	lines := r.lines[:0]
	for range said.list() / 2 {
		field, _ := said.value()
		text, _ := said.value()
		name, digits, _ := bytes.Cut(field, []byte("/"))
		number, err := strconv.ParseInt(lent(digits), 10, 64)
		if err != nil {
			continue
		}
		at := slices.IndexFunc(lines, func(l line) bool { return l.number == number })
		if at < 0 {
			if at = len(lines); at < cap(lines) {
				lines = lines[:at+1] // reuses the memory of the last key
			} else {
				lines = append(lines, line{})
			}
			lines[at] = line{number, append(lines[at].values[:0], r.ofKey...)}
			if each >= 0 {
				lines[at].values[each] = number
			}
		}
		for _, column := range r.stored {
			if r.columns[column].Name == lent(name) {
				if lines[at].values[column], err = r.value(column, text); err != nil {
					return err
				}
				break
			}
		}
	}
	slices.SortFunc(lines, func(a, b line) int { return cmp.Compare(a.number, b.number) })
	r.lines = lines
	for _, l := range lines {
		if err := r.put(ctx, l.values); err != nil {
			return err
		}
	}
	return nil
}

// fetchStream reads the rows of a stream in parts.
func (r *rowReader) fetchStream(ctx context.Context, n int) error {
	if err := r.begin(n); err != nil {
		return err
	}
	const piece = 10000
	for from, read := "-", piece; read == piece; {
		r.queue.reset()
		r.queue.begin()
		for _, word := range []string{"XRANGE", r.keyName(n), from, "+", "COUNT", strconv.Itoa(piece)} {
			r.queue.put(word)
		}
		said, err := r.s.askMany(ctx, &r.queue, &r.buf)
		if err != nil {
			return err
		}
		read = said.list()
		for range read {
			said.list()
			id, _ := said.value()
			for _, column := range r.stored {
				r.ofKey[column] = nil
			}
			for range said.list() / 2 {
				name, _ := said.value()
				text, _ := said.value()
				for _, column := range r.stored {
					if r.columns[column].Name != lent(name) {
						continue
					}
					if r.ofKey[column], err = r.value(column, text); err != nil {
						return err
					}
				}
			}
			if said.err != nil {
				break
			}
			if err := r.put(ctx, r.ofKey); err != nil {
				return err
			}
			from = "(" + string(id)
		}
		if said.err != nil {
			return fmt.Errorf("the key %s does not have the form of rows of %s: %w", r.keyName(n), r.name, said.err)
		}
	}
	return nil
}

// exact is the greatest number up to which a float64 holds every whole number exactly.
const exact = 1 << 53

// value converts the value of a column for the SQLite database. An empty value in the member of a
// sorted set is NULL.
func (r *rowReader) value(column int, text []byte) (any, error) {
	c := r.columns[column]
	if !c.isWhole() && c.Type != schema.Decimal && c.Type != schema.Timestamp {
		return string(text), nil
	}
	if len(text) == 0 {
		return nil, nil
	}
	n, err := strconv.ParseInt(lent(text), 10, 64)
	if err != nil {
		return nil, fmt.Errorf("column %s of %s contains %q, which is not a whole number", c.Name, r.name, text)
	}
	switch {
	case c.Type == schema.Timestamp:
		return string(database.AppendTime(nil, time.UnixMicro(n))), nil
	case c.isWhole() || c.Scale == 0:
		return n, nil
	case n > exact || n < -exact:
		return string(appendDecimal(nil, string(text), c.Scale)), nil
	}
	return float64(n) / powers[c.Scale], nil
}

// powers are the powers of ten by which stored decimals are multiplied, by scale. Division by one
// of them gives the floating-point number nearest to the decimal.
var powers = [...]float64{1, 10, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15}

// appendDecimal appends a stored decimal, a whole number in units of its last digit, with its
// decimal point.
func appendDecimal(buf []byte, value string, scale int) []byte {
	if strings.HasPrefix(value, "-") {
		buf, value = append(buf, '-'), value[1:]
	}
	for len(value) <= scale {
		value = "0" + value
	}
	buf = append(buf, value[:len(value)-scale]...)
	if scale > 0 {
		buf = append(append(buf, '.'), value[len(value)-scale:]...)
	}
	return buf
}
