package oracle

import (
	"context"
	"database/sql/driver"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"time"

	ora "github.com/sijms/go-ora/v2"

	"sledge/internal/database"
	"sledge/internal/sqlfile"
)

// Prepare implements database.Session. The server receives the statement with its first run, and
// identifies it by a number from then on.
//
// A PL/SQL block returns one row: each of its parameters without a field in in is a column of that
// row. So the outputs of a routine bind to fields of out, like the columns of a query.
func (s *session) Prepare(_ context.Context, q sqlfile.Query, in, out any) (database.Statement, error) {
	if isBlock(q.Text) {
		text := guarded(q.Text)
		return newBlock(statement{session: s, query: q, text: text, stmt: ora.NewStmt(text, s.conn)}, in, out)
	}
	base := statement{session: s, query: q, text: q.Text, stmt: ora.NewStmt(q.Text, s.conn)}
	params, err := database.BindParams(q, in)
	if err != nil {
		return nil, err
	}
	if err := database.NoOutputs(q, params); err != nil {
		return nil, err
	}
	base.bind(params)
	switch {
	case isQuestion(q.Text):
		return &question{statement: base, out: out}, nil
	case out != nil:
		return nil, fmt.Errorf("sql %s: it returns no rows to read", q.Name)
	}
	return &change{statement: base}, nil
}

// statement has the fields that all kinds of prepared statements share.
type statement struct {
	session *session
	query   sqlfile.Query
	text    string // the text that is sent to the server
	stmt    *ora.Stmt
	stale   bool // its last run failed
	params  []database.Param
	args    []driver.Value // reused for every run
	named   []driver.NamedValue
}

var errNoData = errors.New("ORA-01403: no data found")

// guarded wraps a PL/SQL block so that NO_DATA_FOUND becomes another error. The driver treats the
// number of NO_DATA_FOUND as the end of a query's rows, and so as success, even if a block raised
// it (github.com/sijms/go-ora, issue 576).
func guarded(block string) string {
	return "BEGIN\n" + block + "\nEXCEPTION\n  WHEN NO_DATA_FOUND THEN\n    RAISE_APPLICATION_ERROR(-20403, 'ORA-01403: no data found', TRUE);\nEND;"
}

// renew sends a failed statement to the server again. Its number there may have become invalid;
// Oracle's own drivers do not reuse it either.
func (st *statement) renew() {
	if st.stale {
		_ = st.stmt.Close() // its errors do not matter any more
		st.stmt, st.stale = ora.NewStmt(st.text, st.session.conn), false
	}
}

// failed records whether the server refused a run, and returns the run's error; nil if err is nil.
func (st *statement) failed(ctx context.Context, err error) error {
	st.stale = number(err) != 0 || errors.Is(err, errNoData)
	return st.session.ended(ctx, err)
}

// bind creates the arguments.
func (st *statement) bind(params []database.Param) {
	st.params = params
	st.args = make([]driver.Value, len(params))
}

// fill copies the values of the fields into the arguments, because the driver would allocate twice
// for a pointer.
func (st *statement) fill() {
	for i, p := range st.params {
		if p.Mode != database.In {
			continue
		}
		st.args[i] = database.Value(p.Pointer)
		if moment, is := st.args[i].(time.Time); is {
			st.args[i] = moment.UTC()
		}
	}
}

// exec runs a statement that returns no rows. It starts no goroutine if ctx cannot be cancelled.
func (st *statement) exec(ctx context.Context) (int64, error) {
	var result driver.Result
	var err error
	if ctx.Done() == nil {
		st.renew()
		result, err = st.stmt.Exec(st.args)
	} else {
		var watched context.Context
		var done func()
		if watched, done, err = st.session.watched(ctx); err != nil {
			return 0, err
		}
		defer done()
		st.renew()
		result, err = st.stmt.ExecContext(watched, st.namedArgs())
	}
	if err != nil {
		return 0, st.failed(ctx, err)
	}
	if result == (*ora.QueryResult)(nil) { // a trigger raised NO_DATA_FOUND, for which the driver reports success: see guarded
		return 0, st.failed(ctx, errNoData)
	}
	return result.RowsAffected()
}

func (st *statement) namedArgs() []driver.NamedValue {
	if st.named == nil {
		st.named = make([]driver.NamedValue, len(st.args))
	}
	for i, v := range st.args {
		st.named[i] = driver.NamedValue{Ordinal: i + 1, Value: v}
	}
	return st.named
}

// change is a statement that returns no rows.
type change struct {
	statement
	arrays []column // values of many rows
}

// Run implements database.Statement.
func (c *change) Run(ctx context.Context, _ func() error) (int64, error) {
	c.fill()
	return c.exec(ctx)
}

// RunMany implements database.Batch. It binds an array for each parameter.
func (c *change) RunMany(ctx context.Context, next func() bool) (affected int64, err error) {
	if len(c.params) == 0 {
		for next() {
			n, err := c.Run(ctx, nil)
			if err != nil {
				return affected, err
			}
			affected += n
		}
		return affected, nil
	}
	if c.arrays == nil {
		for _, p := range c.params {
			c.arrays = append(c.arrays, newColumn(p.Pointer))
		}
	}
	for more := true; more; {
		n := 0
		for ; n < database.RowsPerBatch; n++ {
			if more = next(); !more {
				break
			}
			for i, p := range c.params {
				c.arrays[i].add(p.Pointer)
			}
		}
		if n == 0 {
			break
		}
		for i, a := range c.arrays {
			c.args[i] = a.values()
		}
		did, err := c.exec(ctx)
		for _, a := range c.arrays {
			a.clear()
		}
		if err != nil {
			return affected, fmt.Errorf("%s, of %d rows at once: %w", c.query.Name, n, err)
		}
		affected += did
	}
	return affected, nil
}

// question is a statement that returns rows.
type question struct {
	statement
	out     any
	columns []any          // targets of the columns, known after the first run
	row     []driver.Value // reused for every row
}

// Run implements database.Statement.
func (q *question) Run(ctx context.Context, each func() error) (n int64, err error) {
	q.fill()
	var rows driver.Rows
	if ctx.Done() == nil {
		q.renew()
		rows, err = q.stmt.Query(q.args)
	} else {
		watched, done, watchErr := q.session.watched(ctx)
		if watchErr != nil {
			return 0, watchErr
		}
		defer done()
		q.renew()
		rows, err = q.stmt.QueryContext(watched, q.namedArgs())
	}
	if err != nil {
		return 0, q.failed(ctx, err)
	}
	n, err = q.read(rows, each)
	if closing := rows.Close(); err == nil {
		err = closing
	}
	return n, q.failed(ctx, err)
}

func (q *question) read(rows driver.Rows, each func() error) (n int64, err error) {
	if q.row == nil {
		names := rows.Columns()
		if q.out != nil {
			if q.columns, err = database.BindColumns(q.query, lower(names), q.out); err != nil {
				return 0, err
			}
		}
		q.row = make([]driver.Value, len(names))
	}
	for {
		switch err := rows.Next(q.row); err {
		case nil:
		case io.EOF:
			if q.out == nil {
				return 0, nil
			}
			return n, nil
		default:
			return n, err
		}
		n++
		for i, target := range q.columns {
			if err := assign(target, q.row[i]); err != nil {
				return n, fmt.Errorf("sql %s: %w", q.query.Name, err)
			}
		}
		if each != nil {
			if err := each(); err != nil {
				return n, err
			}
		}
	}
}

// assign converts a value of the driver and stores it.
func assign(target, value any) error {
	if lob, is := value.(ora.Lob); is {
		return fmt.Errorf("a %T was not fetched with its row", lob)
	}
	return database.Assign(target, value)
}

// block is a PL/SQL block, which may have output parameters.
type block struct {
	statement
	outputs []output
	answers bool // Run fills out with a row
}

// output is an output parameter. All of them are transferred as text, into which the server
// converts numbers and dates with the formats of the session. An empty text is NULL.
type output struct {
	field any // *int64 and so on; nil to discard it
	inout bool
	text  string
	bound ora.Out
}

// outputSize is the maximum number of bytes of an output.
const outputSize = 4000

func newBlock(base statement, in, out any) (database.Statement, error) {
	b := &block{statement: base}
	var params []database.Param
	var columns []string
	var places []int // positions of the columns among the parameters
	for _, name := range base.query.Params {
		one := sqlfile.Query{Name: base.query.Name, Params: []string{name}}
		found, err := database.BindParams(one, in)
		if err != nil {
			places = append(places, len(params))
			columns = append(columns, name)
			found = []database.Param{{Mode: database.Out}}
		}
		params = append(params, found[0])
	}
	if len(columns) > 0 && out != nil {
		pointers, err := database.BindColumns(base.query, columns, out)
		if err != nil {
			return nil, err
		}
		for i, place := range places {
			params[place].Pointer = pointers[i]
		}
	} else if out != nil {
		return nil, fmt.Errorf("sql %s: it has no output parameters for a row", base.query.Name)
	}
	b.bind(params)
	b.answers = out != nil
	for _, p := range params {
		if p.Mode != database.In {
			b.outputs = append(b.outputs, output{field: p.Pointer, inout: p.Mode == database.InOut})
		}
	}
	n := 0
	for i, p := range params {
		if p.Mode != database.In {
			o := &b.outputs[n]
			o.bound = ora.Out{Dest: &o.text, Size: outputSize, In: o.inout}
			b.args[i] = &o.bound
			n++
		}
	}
	return b, nil
}

// Run implements database.Statement.
func (b *block) Run(ctx context.Context, each func() error) (int64, error) {
	b.fill()
	for i := range b.outputs {
		o := &b.outputs[i]
		o.text = ""
		if o.inout {
			o.text = texts([]driver.Value{database.Value(o.field)})[0]
			if database.Value(o.field) == nil {
				o.text = ""
			}
		}
	}
	if _, err := b.exec(ctx); err != nil {
		return 0, err
	}
	for i := range b.outputs {
		o := &b.outputs[i]
		if o.field == nil {
			continue
		}
		var value any = o.text
		if o.text == "" {
			value = nil
		} else if _, is := o.field.(*[]byte); is { // the server returns hexadecimal digits
			data, err := hex.DecodeString(o.text)
			if err != nil {
				return 0, fmt.Errorf("sql %s: %w", b.query.Name, err)
			}
			value = data
		}
		if err := database.Assign(o.field, value); err != nil {
			return 0, fmt.Errorf("sql %s: %w", b.query.Name, err)
		}
	}
	if !b.answers {
		return 0, nil
	}
	if each != nil {
		if err := each(); err != nil {
			return 1, err
		}
	}
	return 1, nil
}
