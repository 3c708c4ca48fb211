package files

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"time"
	"unsafe"

	"sledge/internal/database"
	"sledge/internal/job"
	"sledge/internal/schema"
	"sledge/internal/workload"
	"sledge/internal/workload/script/pgbench"
	"sledge/internal/workload/script/sysbench"
)

// executor executes transactions on one session.
type executor struct {
	workload.Connection
	kinds []prepared
	trial bool
	shown []string // the results of the last transaction; only in a test
}

// prepared is a transaction with its statements prepared.
type prepared struct {
	*ownTransaction
	begins     bool // in a transaction of its own
	access     database.Access
	parameters []any // pointers to the fields of the parameters
	columns    []schema.Column
	statements []preparedStatement
	amount     []byte // of decimals

	script *pgbench.Runner // nil for SQL
	state  *sysbench.State // of a script in Lua
}

type preparedStatement struct {
	database.Statement
	line    int
	results []schema.Column
	from    []any // pointers to the fields of the results, and to the fields of the parameters with their names
	to      []any
}

// fieldType returns the type of the field that is bound to a column.
func fieldType(c schema.Column) reflect.Type {
	switch {
	case isWhole(c):
		return reflect.TypeFor[sql.Null[int64]]()
	case c.Type == schema.Date || c.Type == schema.Timestamp:
		return reflect.TypeFor[sql.Null[time.Time]]()
	}
	return reflect.TypeFor[sql.Null[string]]()
}

// newStruct returns a pointer to a struct with a field for each column, and pointers to the fields
// by the names of the columns.
func newStruct(columns []schema.Column) (structure any, fields map[string]any) {
	var list []reflect.StructField
	for i, c := range columns {
		list = append(list, reflect.StructField{Name: fieldOf(i), Type: fieldType(c), Tag: reflect.StructTag(fmt.Sprintf("sql:%q", c.Name))})
	}
	v := reflect.New(reflect.StructOf(list))
	fields = map[string]any{}
	for i, c := range columns {
		fields[c.Name] = v.Elem().Field(i).Addr().Interface()
	}
	return v.Interface(), fields
}

// newExecutor prepares the statements of all transactions. In a trial every transaction begins and
// ends by the session's methods.
func (d *definition) newExecutor(ctx context.Context, c workload.Connection, trial bool) (workload.Executor, error) {
	e := &executor{Connection: c, trial: trial}
	for _, t := range d.transactions {
		if t.Language == ofSysbench {
			s, err := d.newThread(ctx, c, t, trial)
			if err != nil {
				return nil, err
			}
			if e.kinds = append(e.kinds, prepared{ownTransaction: t, state: s}); !trial {
				continue
			}
			if err := s.Close(ctx); err != nil {
				return nil, err
			}
			continue
		}
		if t.Language == ofPgbench {
			script := d.scripts[c.SQL.Text(t.name)]
			if _, can := c.Session.(database.Pipeliner); !can && !trial && script.HasPipeline() {
				return nil, job.WithExit(job.ExitUsage, fmt.Errorf("%s.sql has a pipeline, which this database does not have", t.name))
			}
			r := pgbench.NewRunner(t.name+".sql", script, c, t.Protocol)
			e.kinds = append(e.kinds, prepared{ownTransaction: t, script: r})
			continue
		}
		p, err := d.prepare(ctx, c, t)
		if err != nil {
			return nil, err
		}
		p.begins = trial || !t.Autocommit
		if t.ReadOnly {
			p.access = database.ReadOnly
		}
		e.kinds = append(e.kinds, p)
	}
	return e, nil
}

// prepare prepares the statements of a transaction.
func (d *definition) prepare(ctx context.Context, c workload.Connection, t *ownTransaction) (prepared, error) {
	p := prepared{ownTransaction: t}
	list, err := d.statements(t, c.SQL.Text(t.name))
	if err != nil {
		return p, fmt.Errorf("transaction %s: %w", t.name, err)
	}
	var all []schema.Column
	known := map[string]bool{}
	for _, parameter := range t.parameters {
		p.columns = append(p.columns, parameter.schema())
	}
	for _, one := range append([]statement{{results: p.columns}}, list...) {
		for _, column := range one.results {
			if !known[column.Name] {
				known[column.Name] = true
				all = append(all, column)
			}
		}
	}
	in, fields := newStruct(all)
	for _, column := range p.columns {
		p.parameters = append(p.parameters, fields[column.Name])
	}
	for _, one := range list {
		s := preparedStatement{line: one.line, results: one.results}
		var out any
		if len(one.results) > 0 {
			var from map[string]any
			out, from = newStruct(one.results)
			for _, column := range one.results {
				s.from, s.to = append(s.from, from[column.Name]), append(s.to, fields[column.Name])
			}
		}
		q, err := c.SQL.Parse(t.name, one.text)
		if err != nil {
			return p, err
		}
		if s.Statement, err = c.Session.Prepare(ctx, q, in, out); err != nil {
			return p, p.wrong(s, err)
		}
		p.statements = append(p.statements, s)
	}
	return p, nil
}

// wrong says in which statement an error occurred.
func (p *prepared) wrong(s preparedStatement, err error) error {
	return fmt.Errorf("statement at line %d of %s.sql: %w", s.line, p.name, err)
}

// Do implements workload.Executor.
func (e *executor) Do(ctx context.Context, t workload.Transaction) error {
	p := &e.kinds[t.Kind]
	if p.state != nil {
		return e.runState(ctx, p, t.Inputs.(*thread))
	}
	if p.script != nil {
		return e.runScript(ctx, p, t.Inputs.(*pgbench.Client))
	}
	in := t.Inputs.(*inputs)
	if in.err != nil {
		return in.err
	}
	p.take(in.values)
	e.shown = e.shown[:0]
	if p.begins {
		if err := e.Session.Begin(ctx, p.access); err != nil {
			return err
		}
	}
	for i := range p.statements {
		s := &p.statements[i]
		n, err := s.Run(ctx, nil)
		switch {
		case err != nil:
			return p.wrong(*s, err)
		case s.results == nil:
			continue
		case n > 1:
			return p.wrong(*s, fmt.Errorf("it has results, so it must return one row, but it returned %d", n))
		case n == 0 && p.Empty == emptyCommits:
			return e.commit(ctx, p)
		case n == 0 && p.Empty == emptyRollback:
			if err := e.Session.Rollback(ctx); err != nil {
				return err
			}
			return workload.ErrRolledBack
		case n == 0:
			return p.wrong(*s, errNoRow)
		}
		for i := range s.from {
			pass(s.from[i], s.to[i])
			if e.Test {
				e.shown = append(e.shown, s.results[i].Name+" "+spell(s.to[i]))
			}
		}
	}
	return e.commit(ctx, p)
}

// runScript runs a transaction that is a script. In a trial it only prepares the statements, because a script may
// commit.
func (e *executor) runScript(ctx context.Context, p *prepared, c *pgbench.Client) error {
	if e.trial {
		return p.script.Rehearse(ctx, c)
	}
	err := p.script.Do(ctx, c)
	if err != nil && err != workload.ErrStopped && p.OnError == errorStops {
		class := e.Classify(err)
		c.Ended = !class.Retryable()
	}
	return err
}

// Commands implements workload.Itemizer.
func (e *executor) Commands() (list []job.Command) {
	for _, p := range e.kinds {
		if p.script != nil {
			list = append(list, p.script.Commands(strings.ReplaceAll(p.name, "_", " "))...)
		}
	}
	return list
}

// errNoRow means that a statement found no row although later statements need its results.
var errNoRow = errors.New(`it found no row, and later statements need its results: set empty = "commit" or "rollback" in its transaction if that may happen`)

func (e *executor) commit(ctx context.Context, p *prepared) error {
	if !p.begins {
		return nil
	}
	return e.Session.Commit(ctx)
}

// take writes the inputs of a transaction to the fields of its parameters.
func (p *prepared) take(values []value) {
	p.amount = p.amount[:0]
	for i := range values {
		v := &values[i]
		switch field := p.parameters[i].(type) {
		case *sql.Null[int64]:
			field.V, field.Valid = v.number, !v.null
		case *sql.Null[time.Time]:
			field.Valid = !v.null
			if p.columns[i].Type == schema.Date {
				field.V = time.Unix(v.number*secondsADay, 0).UTC()
			} else {
				field.V = time.UnixMicro(v.number).UTC()
			}
		case *sql.Null[string]:
			if field.Valid = !v.null; isText(p.columns[i]) {
				field.V = lent(v.text)
				continue
			}
			start := len(p.amount)
			p.amount = appendNumber(p.amount, p.columns[i], v.number)
			field.V = lent(p.amount[start:])
		}
	}
}

// lent is a string over bytes that are reused for every transaction. It may only be bound to
// statements, which do not retain values.
func lent(buf []byte) string { return unsafe.String(unsafe.SliceData(buf), len(buf)) }

// pass copies a result to the parameter with its name.
func pass(from, to any) {
	switch f := from.(type) {
	case *sql.Null[int64]:
		*to.(*sql.Null[int64]) = *f
	case *sql.Null[time.Time]:
		*to.(*sql.Null[time.Time]) = *f
	case *sql.Null[string]:
		*to.(*sql.Null[string]) = *f
	}
}

func spell(field any) string {
	if v := database.Value(field); v != nil {
		return fmt.Sprint(v)
	}
	return "NULL"
}

// Outcome implements workload.Teller.
func (e *executor) Outcome() string {
	return strings.Join(e.shown, ", ")
}
