package database

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"time"
)

// arrayStatement is a statement of an SQLSession whose driver takes an array for each
// parameter.
type arrayStatement struct {
	sqlStatement
	columns []arrayOf // the values of each parameter
}

// arrayOf gathers the values of one parameter in a slice of its type.
type arrayOf interface {
	add(pointer any)
	slice() any
	clear()
}

// RunMany implements Batch.
func (st *arrayStatement) RunMany(ctx context.Context, next func() bool) (affected int64, err error) {
	if st.columns == nil {
		st.columns = make([]arrayOf, len(st.params))
		for i, p := range st.params {
			st.columns[i] = newArray(p.Pointer)
		}
	}
	ctx, done, err := st.session.watched(ctx)
	if err != nil {
		return 0, err
	}
	defer done()
	for more := true; more; {
		n := 0
		for ; n < RowsPerBatch; n++ {
			if more = next(); !more {
				break
			}
			for i, p := range st.params {
				st.columns[i].add(p.Pointer)
			}
		}
		if n == 0 {
			break
		}
		for i, c := range st.columns {
			st.args[i] = c.slice()
		}
		result, err := st.stmt.ExecContext(ctx, st.args...)
		for _, c := range st.columns {
			c.clear()
		}
		if err != nil {
			return affected, st.session.ended(fmt.Errorf("%s, of %d rows at once: %w", st.query.Name, n, err))
		}
		did, err := result.RowsAffected()
		if err != nil {
			return affected, err
		}
		affected += did
	}
	return affected, nil
}

func newArray(pointer any) arrayOf {
	switch pointer.(type) {
	case *int64:
		return &array[int64]{}
	case *float64:
		return &array[float64]{}
	case *string:
		return &array[string]{}
	case *[]byte:
		return &byteArray{}
	case *time.Time:
		return &timeArray{}
	case *sql.Null[int64]:
		return &array[sql.Null[int64]]{}
	case *sql.Null[float64]:
		return &array[sql.Null[float64]]{}
	case *sql.Null[string]:
		return &array[sql.Null[string]]{}
	case *sql.Null[time.Time]:
		return &nullTimeArray{}
	}
	panic("database: no array of a bound value") // BindParams returns no other types
}

type array[T any] struct{ values []T }

func (a *array[T]) add(pointer any) { a.values = append(a.values, *pointer.(*T)) }
func (a *array[T]) slice() any      { return a.values }
func (a *array[T]) clear()          { clear(a.values); a.values = a.values[:0] }

// timeArray and nullTimeArray gather times in UTC, as times travel by themselves.
type (
	timeArray     struct{ array[time.Time] }
	nullTimeArray struct{ array[sql.Null[time.Time]] }
)

func (a *timeArray) add(pointer any) { a.values = append(a.values, pointer.(*time.Time).UTC()) }

func (a *nullTimeArray) add(pointer any) {
	n := *pointer.(*sql.Null[time.Time])
	n.V = n.V.UTC()
	a.values = append(a.values, n)
}

// byteArray copies what it gathers: who fills the next row may write over it.
type byteArray struct{ array[[]byte] }

func (a *byteArray) add(pointer any) { a.values = append(a.values, bytes.Clone(*pointer.(*[]byte))) }
