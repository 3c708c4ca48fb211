package redis

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"sledge/internal/database"
	"sledge/internal/schema"
)

// copy copies the wanted columns of tables into the SQLite database. One pass over the keys finds
// the keys of all tables.
func (s *session) copy(ctx context.Context, wanted map[string][]string) error {
	keys := map[string]*keySet{}
	for name := range wanted {
		keys[name] = newKeySet(s.layouts[name])
	}
	prefix := len(s.options.Prefix) + 1
	names := int64(0)
	err := s.eachName(ctx, func(key []byte) error {
		name, parts, _ := bytes.Cut(key[prefix:], []byte(":"))
		if names++; names%scanned == 0 {
			s.sayCopying(names, 0)
		}
		if set := keys[lent(name)]; set != nil {
			return set.add(key, parts)
		}
		return nil
	})
	if err != nil {
		return err
	}
	total, done := int64(0), int64(0)
	for _, set := range keys {
		set.sort()
		total += int64(set.Len())
	}
	for _, name := range slices.Sorted(maps.Keys(wanted)) {
		if err := s.copyTable(ctx, name, wanted[name], keys[name], func(read int) { s.sayCopying(done+int64(read), total) }); err != nil {
			return err
		}
		done += int64(keys[name].Len())
		s.answers.held[name] = wanted[name]
		delete(keys, name)
	}
	return nil
}

// sayCopying reports how many of all keys were read. The total is 0 while the names of the keys are
// being read.
func (s *session) sayCopying(done, total int64) {
	if s.copying != nil {
		s.copying(done, total)
	}
}

// copyTable reads the rows of a table while it inserts earlier ones into the SQLite database. It
// calls tell with the number of keys read.
func (s *session) copyTable(ctx context.Context, name string, columns []string, keys *keySet, tell func(read int)) error {
	l := s.layouts[name]
	t := schema.Table{Name: name}
	r := &rowReader{s: s, name: name, layout: l, keys: keys, tell: tell, full: make(chan []any, 1), empty: make(chan []any, 2)}
	for _, c := range l.Columns {
		if slices.Contains(columns, c.Name) {
			t.Columns = append(t.Columns, schema.Column{Name: c.Name, Type: c.Type, Scale: c.Scale})
			r.columns = append(r.columns, c)
		}
	}
	own := s.answers.Conn()
	for _, statement := range []string{"DROP TABLE IF EXISTS " + name, createStatement(t, l, keys.whole), "BEGIN"} {
		if _, err := own.ExecContext(ctx, statement); err != nil {
			return err
		}
	}
	var reading error
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	go func() {
		defer close(r.full)
		reading = r.read(ctx)
	}()
	err := insert(ctx, own, t, r)
	if err != nil {
		stop()
	}
	for range r.full { // wait for the reader to end
	}
	_, committing := own.ExecContext(context.WithoutCancel(ctx), "COMMIT")
	return errors.Join(reading, err, committing)
}

// createStatement returns the statement that creates a table. If inOrder is true and the identity
// consists of whole numbers, rows arrive in that order, and the table is clustered by the identity.
func createStatement(t schema.Table, l layout, inOrder bool) string {
	var list []string
	for _, c := range t.Columns {
		list = append(list, c.Name+" "+sqliteDialect.Type(c))
	}
	identity := l.identity()
	for _, c := range l.Columns {
		inOrder = inOrder && (c.isWhole() || !slices.Contains(identity, c.Name))
	}
	if !inOrder || l.Kind == streamKind {
		return fmt.Sprintf("CREATE TABLE %s (%s)", t.Name, strings.Join(list, ", "))
	}
	return fmt.Sprintf("CREATE TABLE %s (%s, PRIMARY KEY (%s)) WITHOUT ROWID", t.Name, strings.Join(list, ", "), strings.Join(identity, ", "))
}

// valuesAtOnce is the maximum number of values of an INSERT. SQLite's own limit is 32,766.
const valuesAtOnce = 1000

// insert inserts the rows of a reader.
func insert(ctx context.Context, own *sql.Conn, t schema.Table, r *rowReader) error {
	most := valuesAtOnce / len(t.Columns)
	many, err := own.PrepareContext(ctx, database.InsertStatement(t, most, sqliteDialect.Placeholder))
	if err != nil {
		return err
	}
	defer many.Close()
	for values := range r.full {
		if n := len(values) / len(t.Columns); n == most {
			_, err = many.ExecContext(ctx, values...)
		} else {
			_, err = own.ExecContext(ctx, database.InsertStatement(t, n, sqliteDialect.Placeholder), values...)
		}
		if err != nil {
			return err
		}
		select {
		case r.empty <- values[:0]:
		default: // the reader has enough buffers
		}
	}
	return nil
}
