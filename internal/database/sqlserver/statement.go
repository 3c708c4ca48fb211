package sqlserver

import (
	"bytes"
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"time"

	mssql "github.com/microsoft/go-mssqldb"

	"sledge/internal/database"
	"sledge/internal/sqlfile"
)

// call is a procedure call that is sent as an RPC, not as text.
type call struct {
	procedure string
	names     []string // names of the procedure's parameters, in the order of the query's
}

var (
	anExecute = regexp.MustCompile(`(?is)^\s*EXEC(?:UTE)?\s+([\w.]+)\s+(@\w+\s*=\s*@p\d+\s*(?:,\s*@\w+\s*=\s*@p\d+\s*)*);?\s*$`)
	mention   = regexp.MustCompile(`(?i)\bEXEC(UTE)?\b`)
)

// parseCall parses a query that consists of a procedure call: EXECUTE name @a = :b.
func parseCall(q sqlfile.Query) (call, bool) {
	m := anExecute.FindStringSubmatch(q.Text)
	if m == nil {
		return call{}, false
	}
	c := call{procedure: m[1]}
	for i, argument := range strings.Split(m[2], ",") {
		name, value, _ := strings.Cut(argument, "=")
		if strings.TrimSpace(value) != fmt.Sprintf("@p%d", i+1) {
			return call{}, false
		}
		c.names = append(c.names, strings.TrimPrefix(strings.TrimSpace(name), "@"))
	}
	return c, true
}

// calls reports whether a text calls a procedure.
func calls(text string) bool { return mention.MatchString(text) }

// statement is a query with its values bound.
type statement struct {
	session  *session
	prepared *mssql.Stmt
	params   []database.Param
	args     []driver.NamedValue // reused for every run
	outputs  []output
	calls    bool // the query calls a procedure, whose rows may report an error
	results  results
}

// Run implements database.Statement.
func (st *statement) Run(ctx context.Context, each func() error) (int64, error) {
	ctx, done, err := st.session.Watched(ctx)
	if err != nil {
		return 0, err
	}
	defer done()
	n, err := st.run(ctx, each)
	return n, st.session.failed(err)
}

func (st *statement) run(ctx context.Context, each func() error) (int64, error) {
	for i, p := range st.params {
		if p.Mode == database.In {
			st.args[i].Value = value(p.Pointer)
		}
	}
	for i := range st.outputs {
		if err := st.outputs[i].bind(st); err != nil {
			return 0, err
		}
	}
	if st.results.out == nil && !st.calls {
		result, err := st.prepared.ExecContext(ctx, st.args)
		if err != nil {
			return 0, err
		}
		return result.RowsAffected()
	}
	rows, err := st.prepared.QueryContext(ctx, st.args)
	if err != nil {
		return 0, err
	}
	n, err := st.results.read(rows, st.calls, each)
	if err != nil {
		return n, err
	}
	for i := range st.outputs {
		if err := st.outputs[i].assign(); err != nil {
			return n, fmt.Errorf("sql %s: output parameter %s: %w", st.results.query.Name, st.args[st.outputs[i].number].Name, err)
		}
	}
	return n, nil
}

// fewCharacters is the maximum length of a text whose exact length is part of the parameter's type,
// and so of the key of the server's plan cache.
const fewCharacters = 40

// value returns the value of a field in the form that the driver takes. ASCII text is sent as
// varchar, the type of the columns: with an nvarchar the server would convert each row of the
// column instead of using its index.
func value(pointer any) driver.Value {
	switch p := database.NotNull(pointer).(type) {
	case *int64:
		return *p
	case *float64:
		return *p
	case *string:
		switch {
		case !isASCII(*p):
			return *p
		case len(*p) > fewCharacters:
			return mssql.VarCharMax(*p)
		}
		return mssql.VarChar(*p)
	case *[]byte:
		return *p
	case *time.Time:
		return p.UTC()
	}
	return nullOf(pointer)
}

// nullOf returns a NULL of the field's type.
func nullOf(pointer any) driver.Value {
	switch pointer.(type) {
	case *sql.Null[int64]:
		return sql.NullInt64{}
	case *sql.Null[float64]:
		return sql.NullFloat64{}
	case *sql.Null[time.Time]:
		return sql.NullTime{}
	case *[]byte:
		return []byte(nil)
	}
	return sql.NullString{}
}

func isASCII(text string) bool {
	for i := range len(text) {
		if text[i] >= 0x80 {
			return false
		}
	}
	return true
}

// output is an output parameter. The driver writes to a holder that may be NULL, and assign copies
// it to the field.
type output struct {
	number int // number of the parameter
	param  database.Param
	holder any
}

func newOutput(number int, p database.Param) output {
	o := output{number: number, param: p}
	switch p.Pointer.(type) {
	case *int64, *sql.Null[int64]:
		o.holder = new(sql.NullInt64)
	case *float64, *sql.Null[float64]:
		o.holder = new(sql.NullFloat64)
	case *time.Time, *sql.Null[time.Time]:
		o.holder = new(sql.NullTime)
	case *[]byte:
		o.holder = new([]byte)
	default:
		o.holder = new(sql.NullString)
	}
	return o
}

// bind passes the holder to the driver, with the field's value if the parameter is also an input.
func (o *output) bind(st *statement) error {
	var in any
	if o.param.Mode == database.InOut {
		in = database.Value(database.NotNull(o.param.Pointer))
	}
	var err error
	switch holder := o.holder.(type) {
	case *[]byte:
		*holder, _ = in.([]byte)
	case sql.Scanner:
		err = holder.Scan(in)
	}
	if err != nil {
		return err
	}
	argument := &st.args[o.number]
	argument.Value = sql.Out{Dest: o.holder, In: o.param.Mode == database.InOut}
	return st.session.conn.CheckNamedValue(argument)
}

func (o *output) assign() error {
	var v any
	switch holder := o.holder.(type) {
	case *[]byte:
		if *holder != nil {
			v = *holder
		}
	case driver.Valuer:
		var err error
		if v, err = holder.Value(); err != nil {
			return err
		}
	}
	return database.Assign(o.param.Pointer, v)
}

// results reads the rows of a query into the struct for output.
type results struct {
	query sqlfile.Query
	out   any // the struct, or nil

	// sets caches the columns of every result set of the query after its first run. mismatch names
	// the columns that the last set lacks.
	sets     []set
	mismatch error
	failed   error          // the procedure's error, as a row reported it
	row      []driver.Value // reused for every row
}

// set is a result set.
type set struct {
	columns  []string
	pointers []any // targets of its columns; nil if the set is skipped
	failure  bool  // whether its rows report that a procedure has failed
}

// read reads all rows of all sets and closes them. It returns the number of rows in the
// last set that fills out.
func (r *results) read(rows driver.Rows, calls bool, each func() error) (n int64, err error) {
	defer func() {
		if closed := rows.Close(); err == nil {
			err = closed
		}
	}()
	filled := r.out == nil
	r.failed = nil
	for number := 0; ; number++ {
		columns := rows.Columns()
		if number == len(r.sets) || !r.sets[number].has(columns) {
			r.bind(number, columns, calls)
		}
		set := &r.sets[number]
		read, err := r.readSet(rows, set, calls, each)
		if err != nil {
			return read, err
		}
		if set.pointers != nil {
			filled, n = true, read
		}
		err = rows.(driver.RowsNextResultSet).NextResultSet()
		switch {
		case err == io.EOF && r.failed != nil:
			return 0, r.failed
		case err == io.EOF && filled:
			return n, nil
		case err == io.EOF:
			return 0, r.mismatch
		case err != nil:
			return n, err
		}
	}
}

// has reports whether a set has these columns. A procedure that fails may return different sets.
func (s *set) has(columns []string) bool {
	if len(columns) != len(s.columns) {
		return false
	}
	for i, name := range columns {
		if name != s.columns[i] {
			return false
		}
	}
	return true
}

// bind determines the targets of a set's columns. Procedures of other programs name columns after
// variables.
func (r *results) bind(number int, columns []string, calls bool) {
	bare := make([]string, len(columns))
	for i, name := range columns {
		bare[i] = strings.TrimPrefix(name, "@")
	}
	s := set{columns: columns, failure: calls && len(columns) > 0 && strings.EqualFold(bare[0], "ErrorNumber")}
	if r.out != nil && !s.failure {
		pointers, err := database.BindColumns(r.query, bare, r.out)
		if err != nil {
			r.mismatch = err
		}
		s.pointers = pointers
	}
	r.sets = append(r.sets[:number], s)
	if len(r.row) < len(columns) {
		r.row = make([]driver.Value, len(columns))
	}
}

func (r *results) readSet(rows driver.Rows, s *set, calls bool, each func() error) (int64, error) {
	row := r.row[:len(s.columns)]
	for n := int64(0); ; n++ {
		switch err := rows.Next(row); err {
		case nil:
		case io.EOF:
			return n, nil
		default:
			return n, err
		}
		if calls && r.failed == nil {
			r.failed = failure(s, row) // returned only after all rows were read, because the session must read the whole reply
		}
		if s.pointers == nil || r.failed != nil {
			continue
		}
		for i, p := range s.pointers {
			if err := assign(p, row[i]); err != nil {
				return n, fmt.Errorf("sql %s: column %s: %w", r.query.Name, s.columns[i], err)
			}
		}
		if each != nil {
			if err := each(); err != nil {
				return n + 1, err
			}
		}
	}
}

// assign stores a value in the field of its column. Whole numbers may arrive as decimals or as
// amounts of money.
func assign(target any, v driver.Value) error {
	if text, is := v.([]byte); is {
		switch target.(type) {
		case *int64, *sql.Null[int64]:
			whole, fraction, _ := bytes.Cut(text, []byte("."))
			if len(bytes.Trim(fraction, "0")) == 0 {
				v = whole
			}
		}
	}
	return database.Assign(target, v)
}

// routineError is an error that a procedure reports in its rows: other programs' procedures for
// TPROC-C catch errors and return them as rows.
type routineError struct {
	number   int32
	inMemory bool // whether it is a conflict of memory-optimized tables
	text     string
}

func (e *routineError) Error() string { return e.text }

// inMemoryConflict begins the row with which such procedures report a conflict of memory-optimized
// tables.
const inMemoryConflict = "IMOLTPERROR"

// failure returns the error that a procedure's row reports.
func failure(s *set, row []driver.Value) error {
	if len(row) == 0 {
		return nil
	}
	if s.failure {
		values := texts(row, nil)
		n, err := strconv.ParseInt(values[0], 10, 32)
		if err != nil {
			return nil
		}
		return &routineError{number: int32(n), text: fmt.Sprintf("the procedure has caught error %s: %s", values[0], strings.Join(values[1:], ", "))}
	}
	if text, is := row[0].(string); is && strings.HasPrefix(text, inMemoryConflict) {
		return &routineError{inMemory: true, text: "the procedure has caught a conflict: " + strings.Join(texts(row, nil), ", ")}
	}
	return nil
}
