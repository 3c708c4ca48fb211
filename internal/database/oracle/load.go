package oracle

import (
	"bytes"
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	ora "github.com/sijms/go-ora/v2"

	"sledge/internal/database"
	"sledge/internal/schema"
)

// Load implements database.Session. It runs an INSERT with an array for each column, so a thousand
// rows take one round trip. It loads all rows or none.
func (s *session) Load(ctx context.Context, table schema.Table, rows schema.RowSource) (int64, error) {
	if s.tx != nil {
		return s.load(ctx, table, rows)
	}
	if err := s.Begin(ctx, database.ReadWrite); err != nil {
		return 0, err
	}
	n, err := s.load(ctx, table, rows)
	if err != nil {
		return 0, errors.Join(err, s.Rollback(context.WithoutCancel(ctx)))
	}
	return n, s.Commit(ctx)
}

func (s *session) load(ctx context.Context, table schema.Table, rows schema.RowSource) (loaded int64, err error) {
	stmt := ora.NewStmt(insertStatement(table), s.conn)
	defer func() {
		if closing := stmt.Close(); err == nil && loaded > 0 {
			err = closing
		}
	}()
	columns := make([]loadColumn, len(table.Columns))
	for i, c := range table.Columns {
		columns[i] = newLoadColumn(c)
	}
	args := make([]driver.NamedValue, len(columns))
	var values []any
	var row []byte
	for more := true; more; {
		n := int64(0)
		for ; n < database.RowsPerBatch; n++ {
			if row, more = rows.AppendRow(row[:0]); !more {
				break
			}
			if values, err = schema.Fields(values[:0], row, table.Columns); err != nil {
				return loaded, err
			}
			for i, v := range values {
				columns[i].add(v)
			}
		}
		if n == 0 {
			break
		}
		for i := range columns {
			args[i] = driver.NamedValue{Ordinal: i + 1, Value: columns[i].values()}
		}
		if err := s.insert(ctx, stmt, args); err != nil {
			return loaded, err
		}
		for i := range columns {
			columns[i].clear()
		}
		loaded += n
	}
	return loaded, nil
}

func (s *session) insert(ctx context.Context, stmt *ora.Stmt, args []driver.NamedValue) error {
	watched, done, err := s.watched(ctx)
	if err != nil {
		return err
	}
	defer done()
	_, err = stmt.ExecContext(watched, args)
	return s.ended(ctx, err)
}

// insertStatement returns the statement that inserts one row, or, with arrays as arguments, a row
// for each element.
func insertStatement(t schema.Table) string {
	places := make([]string, len(t.Columns))
	for i := range places {
		places[i] = ":p" + strconv.Itoa(i+1)
	}
	return fmt.Sprintf("INSERT INTO %s (%s) VALUES (%s)", t.Name, strings.Join(t.ColumnNames(), ", "), strings.Join(places, ", "))
}

// loadColumn collects the values of a column of load text. Whole numbers are sent as numbers. Other
// values are sent as text, which the server parses with the formats of the session; the empty text
// is NULL there.
type loadColumn struct {
	numbers []sql.NullInt64
	texts   []string
	whole   bool
}

func newLoadColumn(c schema.Column) loadColumn {
	whole := c.Type == schema.Integer || c.Type == schema.SmallInteger || c.Type == schema.BigInteger
	return loadColumn{whole: whole}
}

func (c *loadColumn) add(value any) {
	switch v := value.(type) {
	case int64:
		c.numbers = append(c.numbers, sql.NullInt64{Int64: v, Valid: true})
	case string:
		c.texts = append(c.texts, v)
	default:
		if c.whole {
			c.numbers = append(c.numbers, sql.NullInt64{})
		} else {
			c.texts = append(c.texts, "")
		}
	}
}

func (c *loadColumn) values() any {
	if c.whole {
		return c.numbers
	}
	return c.texts
}

func (c *loadColumn) clear() { c.numbers, c.texts = c.numbers[:0], c.texts[:0] }

// column collects the values of a parameter for many rows. They may be NULL.
type column interface {
	add(pointer any)
	values() any
	clear()
}

func newColumn(pointer any) column {
	switch pointer.(type) {
	case *[]byte:
		return &gathered[[]byte]{of: func(p any) []byte { return bytes.Clone(*p.(*[]byte)) }}
	case *int64, *sql.Null[int64]:
		return &gathered[sql.NullInt64]{of: func(p any) (v sql.NullInt64) {
			v.Int64, v.Valid = valueOf[int64](p)
			return v
		}}
	case *float64, *sql.Null[float64]:
		return &gathered[sql.NullFloat64]{of: func(p any) (v sql.NullFloat64) {
			v.Float64, v.Valid = valueOf[float64](p)
			return v
		}}
	case *time.Time, *sql.Null[time.Time]:
		return &gathered[sql.NullTime]{of: func(p any) (v sql.NullTime) {
			v.Time, v.Valid = valueOf[time.Time](p)
			v.Time = v.Time.UTC()
			return v
		}}
	}
	return &gathered[string]{of: func(p any) string { v, _ := valueOf[string](p); return v }}
}

// valueOf returns the value of a field, and whether it is valid, that is, not NULL.
func valueOf[T any](pointer any) (v T, valid bool) {
	p, valid := database.NotNull(pointer).(*T)
	if valid {
		v = *p
	}
	return v, valid
}

// gathered is a column with values of one type.
type gathered[T any] struct {
	list []T
	of   func(pointer any) T
}

func (g *gathered[T]) add(pointer any) { g.list = append(g.list, g.of(pointer)) }
func (g *gathered[T]) values() any     { return g.list }
func (g *gathered[T]) clear()          { clear(g.list); g.list = g.list[:0] }
