package database

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"sledge/internal/schema"
	"sledge/internal/sqlfile"
)

// SQLSession is a Session over database/sql, for drivers without a better interface. A database
// embeds it and replaces the methods that it can improve.
type SQLSession struct {
	pool    *sql.DB
	conn    *sql.Conn
	inTx    bool
	dialect Dialect

	timesAsText bool // columns of times hold text, so times are sent in TimeFormat

	// Prepared statements must be closed with the session: a pool does not close those of a
	// connection that was taken out of it, and some drivers keep the database open until all are
	// closed.
	prepared []*sql.Stmt

	// Calls can end the session's calls, because each driver can watch a context.
	Calls

	// Brief says that no call in a transaction waits for long, so its calls are not watched.
	Brief bool

	// BeginStatement is the statement that begins a transaction; "BEGIN" if it is nil.
	BeginStatement func(Access) string

	// RolledBack reports whether an error of ROLLBACK says that no transaction is open, because the
	// database has rolled it back itself. Optional.
	RolledBack func(error) bool
}

// OpenSQL opens one connection with the named database/sql driver.
func OpenSQL(ctx context.Context, driver, source string, dialect Dialect) (*SQLSession, error) {
	pool, err := sql.Open(driver, source)
	if err != nil {
		return nil, err
	}
	conn, err := pool.Conn(ctx)
	if err != nil {
		return nil, errors.Join(err, pool.Close())
	}
	s := &SQLSession{pool: pool, conn: conn, dialect: dialect}
	if t := dialect.Type; t != nil {
		s.timesAsText = t(schema.Column{Type: schema.Timestamp}) == t(schema.Column{Type: schema.Varchar})
	}
	s.Open()
	return s, nil
}

// Conn returns the session's connection, for features that only its driver has.
func (s *SQLSession) Conn() *sql.Conn { return s.conn }

// Prepare implements Session.
func (s *SQLSession) Prepare(ctx context.Context, q sqlfile.Query, in, out any) (Statement, error) {
	params, err := BindParams(q, in)
	if err != nil {
		return nil, err
	}
	if err := NoOutputs(q, params); err != nil {
		return nil, err
	}
	ctx, done, err := s.Watched(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	stmt, err := s.conn.PrepareContext(ctx, q.Text)
	if err != nil {
		return nil, s.ended(fmt.Errorf("prepare %s: %w", q.Name, err))
	}
	s.prepared = append(s.prepared, stmt)
	if _, any := out.(*Cells); any && !ReturnsRows(q.Text) {
		out = nil // so that the driver tells the number of rows affected
	}
	return &sqlStatement{session: s, query: q, stmt: stmt, params: params, args: make([]any, len(params)), out: out}, nil
}

// Exec implements Session.
func (s *SQLSession) Exec(ctx context.Context, statement string) error {
	ctx, done, err := s.Watched(ctx)
	if err != nil {
		return err
	}
	defer done()
	_, err = s.conn.ExecContext(ctx, statement)
	return s.ended(err)
}

// ExecText implements Texter.
func (s *SQLSession) ExecText(ctx context.Context, text string, out *Cells, each func() error) (int64, error) {
	switch statement := strings.ToUpper(strings.TrimRight(strings.TrimSpace(text), "; ")); statement {
	case "BEGIN":
		return 0, s.Begin(ctx, ReadWrite)
	case "COMMIT", "END":
		return 0, s.Commit(ctx)
	case "ROLLBACK":
		return 0, s.Rollback(ctx)
	}
	if isBlank(text) {
		return 0, nil
	}
	ctx, done, err := s.Watched(ctx)
	if err != nil {
		return 0, err
	}
	defer done()
	out.Columns = out.Columns[:0]
	if !ReturnsRows(text) {
		result, err := s.conn.ExecContext(ctx, text)
		if err != nil {
			return 0, s.ended(err)
		}
		return result.RowsAffected()
	}
	st := &sqlStatement{session: s, out: out}
	rows, err := s.conn.QueryContext(ctx, text)
	if err != nil {
		return 0, s.ended(err)
	}
	n, err := st.read(rows, each)
	return n, s.ended(err)
}

// isBlank reports whether a text has no statement. Some drivers return no result of such a text, which database/sql does
// not expect.
func isBlank(text string) bool {
	for line := range strings.Lines(text) {
		statement, _, _ := strings.Cut(line, "--")
		if strings.Trim(statement, "; \t\r\n") != "" {
			return false
		}
	}
	return true
}

// Query implements Session.
func (s *SQLSession) Query(ctx context.Context, statement string, limit int) (Table, error) {
	ctx, done, err := s.Watched(ctx)
	if err != nil {
		return Table{}, err
	}
	defer done()
	t, err := s.query(ctx, statement, limit)
	return t, s.ended(err)
}

func (s *SQLSession) query(ctx context.Context, statement string, limit int) (Table, error) {
	rows, err := s.conn.QueryContext(ctx, statement)
	if err != nil {
		return Table{}, err
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return Table{}, err
	}
	t := Table{Columns: columns}
	values := make([]sql.NullString, len(columns))
	pointers := make([]any, len(columns))
	for i := range values {
		pointers[i] = &values[i]
	}
	if pointers, err = s.plain(rows, pointers); err != nil {
		return t, err
	}
	for (limit == 0 || len(t.Rows) < limit) && rows.Next() {
		if err := rows.Scan(pointers...); err != nil {
			return t, err
		}
		row := make([]string, len(values))
		for i, v := range values {
			if row[i] = v.String; !v.Valid {
				row[i] = "NULL"
			}
		}
		t.Rows = append(t.Rows, row)
	}
	return t, rows.Err()
}

// Begin implements Session.
func (s *SQLSession) Begin(ctx context.Context, access Access) error {
	begin := "BEGIN"
	if s.BeginStatement != nil {
		begin = s.BeginStatement(access)
	}
	err := s.border(ctx, begin)
	s.inTx = err == nil
	return err
}

// Commit implements Session. If it fails, the caller must roll the transaction back.
func (s *SQLSession) Commit(ctx context.Context) error {
	err := s.border(ctx, "COMMIT")
	s.inTx = err != nil
	return err
}

// border executes a statement that begins or ends a transaction.
func (s *SQLSession) border(ctx context.Context, statement string) error {
	if !s.Brief {
		return s.Exec(ctx, statement)
	}
	_, err := s.conn.ExecContext(ctx, statement)
	return s.ended(err)
}

// Rollback implements Session.
func (s *SQLSession) Rollback(ctx context.Context) error {
	if !s.inTx {
		return nil
	}
	s.inTx = false
	err := s.border(ctx, "ROLLBACK")
	if err != nil && s.RolledBack != nil && s.RolledBack(err) {
		return nil
	}
	return err
}

// Load inserts many rows with each statement, which is prepared once.
func (s *SQLSession) Load(ctx context.Context, table schema.Table, rows schema.RowSource) (int64, error) {
	ctx, done, err := s.Watched(ctx)
	if err != nil {
		return 0, err
	}
	defer done()
	n, err := s.load(ctx, table, rows)
	return n, s.ended(err)
}

func (s *SQLSession) load(ctx context.Context, table schema.Table, rows schema.RowSource) (loaded int64, err error) {
	const valuesPerInsert = 900 // the limit of old versions of SQLite is 999
	rowsPerInsert := valuesPerInsert / len(table.Columns)
	full, err := s.conn.PrepareContext(ctx, InsertStatement(table, rowsPerInsert, s.dialect.Placeholder))
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, full.Close()) }()
	var values []any
	var buf []byte
	for pending := 0; ; {
		row, more := rows.AppendRow(buf[:0])
		if more {
			if values, err = schema.Fields(values, row, table.Columns); err != nil {
				return loaded, err
			}
			buf = row
			pending++
		}
		switch {
		case pending == rowsPerInsert:
			_, err = full.ExecContext(ctx, values...)
		case !more && pending > 0:
			_, err = s.conn.ExecContext(ctx, InsertStatement(table, pending, s.dialect.Placeholder), values...)
		case !more:
			return loaded, nil
		default:
			continue
		}
		if err != nil {
			return loaded, err
		}
		loaded += int64(pending)
		pending, values = 0, values[:0]
	}
}

// InsertStatement returns an INSERT for a number of rows, with a placeholder for each value.
func InsertStatement(table schema.Table, rows int, placeholder func(n int) string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "INSERT INTO %s (%s) VALUES ", table.Name, strings.Join(table.ColumnNames(), ", "))
	n := 0
	for r := range rows {
		if r > 0 {
			b.WriteString(", ")
		}
		for c := range table.Columns {
			b.WriteString([]string{"(", ", "}[min(c, 1)])
			n++
			b.WriteString(placeholder(n))
		}
		b.WriteString(")")
	}
	return b.String()
}

// Interrupt implements Session.
func (s *SQLSession) Interrupt() {
	s.Interrupted.Store(true)
	s.End()
}

// ended returns the error of a call, given the driver's error.
func (s *SQLSession) ended(err error) error { return s.Ended(Short(err)) }

// Close implements Session. A lost connection is not an error of Close.
func (s *SQLSession) Close() error {
	defer s.End()
	for _, stmt := range s.prepared {
		_ = stmt.Close() // the connection is closed in any case
	}
	s.prepared = nil
	err := s.conn.Close()
	if s.Interrupted.Load() || errors.Is(err, sql.ErrConnDone) {
		err = nil
	}
	return errors.Join(err, s.pool.Close())
}

type sqlStatement struct {
	session *SQLSession
	query   sqlfile.Query
	stmt    *sql.Stmt
	params  []Param // where the values of args come from
	args    []any
	out     any
	columns []any // scanners of the result's columns, known after the first run
}

// Run implements Statement.
func (st *sqlStatement) Run(ctx context.Context, each func() error) (int64, error) {
	if !st.session.Brief || !st.session.inTx {
		watched, done, err := st.session.Watched(ctx)
		if err != nil {
			return 0, err
		}
		defer done()
		ctx = watched
	}
	n, err := st.run(ctx, each)
	return n, st.session.ended(err)
}

func (st *sqlStatement) run(ctx context.Context, each func() error) (int64, error) {
	for i, p := range st.params {
		st.args[i] = st.session.value(p.Pointer)
	}
	if st.out == nil {
		result, err := st.stmt.ExecContext(ctx, st.args...)
		if err != nil {
			return 0, err
		}
		return result.RowsAffected()
	}
	rows, err := st.stmt.QueryContext(ctx, st.args...)
	if err != nil {
		return 0, err
	}
	return st.read(rows, each)
}

// read reads all rows and closes them.
func (st *sqlStatement) read(rows *sql.Rows, each func() error) (int64, error) {
	defer rows.Close()
	if st.columns == nil {
		if err := st.bindColumns(rows); err != nil {
			return 0, err
		}
	}
	var n int64
	for rows.Next() {
		if err := rows.Scan(st.columns...); err != nil {
			return n, err
		}
		n++
		if each != nil {
			if err := each(); err != nil {
				return n, err
			}
		}
	}
	return n, rows.Err()
}

// value returns the value of a field as the driver takes it.
func (s *SQLSession) value(pointer any) any {
	v := Value(pointer)
	if t, ok := v.(time.Time); ok {
		if t = t.UTC(); s.timesAsText {
			return t.Format(TimeFormat)
		}
		return t
	}
	return v
}

func (st *sqlStatement) bindColumns(rows *sql.Rows) error {
	names, err := rows.Columns()
	if err != nil {
		return err
	}
	pointers, err := BindColumns(st.query, names, st.out)
	if err != nil {
		return err
	}
	for i, p := range pointers {
		pointers[i] = &scanner{target: p}
	}
	st.columns, err = st.session.plain(rows, pointers)
	return err
}

// plain converts the driver's values for the scanners, if the dialect has a conversion.
func (s *SQLSession) plain(rows *sql.Rows, scanners []any) ([]any, error) {
	if s.dialect.Plain == nil {
		return scanners, nil
	}
	types, err := rows.ColumnTypes()
	if err != nil {
		return nil, err
	}
	for i, next := range scanners {
		scanners[i] = &plainer{s.dialect.Plain, types[i].DatabaseTypeName(), next.(sql.Scanner)}
	}
	return scanners, nil
}

// plainer converts the values of a column for its scanner.
type plainer struct {
	plain      func(columnType string, value any) any
	columnType string
	next       sql.Scanner
}

// Scan implements sql.Scanner.
func (p *plainer) Scan(value any) error {
	if value != nil {
		value = p.plain(p.columnType, value)
	}
	return p.next.Scan(value)
}

// scanner takes the values of one result column.
type scanner struct{ target any }

// Scan implements sql.Scanner.
func (s *scanner) Scan(value any) error { return Assign(s.target, value) }

// Assign writes a value that a database/sql driver returned to the field that BindColumns found for
// its column. NULL sets the zero value; a column without a field is ignored. The value may be
// reused for the next row.
func Assign(target, value any) error {
	if target == nil {
		return nil
	}
	target = SetNull(target, value == nil)
	if value == nil {
		return nil
	}
	switch target := target.(type) {
	case *int64:
		return scanInt(target, value)
	case *float64:
		return scanFloat(target, value)
	case *string:
		return scanString(target, value)
	case *[]byte:
		return scanBytes(target, value)
	case *time.Time:
		return scanTime(target, value)
	}
	return nil
}

func scanInt(target *int64, value any) (err error) {
	switch v := value.(type) {
	case int64:
		*target = v
	case []byte:
		*target, err = strconv.ParseInt(string(v), 10, 64)
	case string:
		*target, err = strconv.ParseInt(v, 10, 64)
	case float64:
		if *target = int64(v); float64(*target) != v {
			err = fmt.Errorf("%v is not a whole number", v)
		}
	default:
		err = fmt.Errorf("a %T is not a whole number", value)
	}
	return err
}

func scanFloat(target *float64, value any) (err error) {
	switch v := value.(type) {
	case float64:
		*target = v
	case int64:
		*target = float64(v)
	case []byte:
		*target, err = strconv.ParseFloat(string(v), 64)
	case string:
		*target, err = strconv.ParseFloat(v, 64)
	default:
		err = fmt.Errorf("a %T is not a number", value)
	}
	return err
}

func scanString(target *string, value any) error {
	switch v := value.(type) {
	case string:
		*target = v
	case []byte:
		if *target != string(v) { // compares without copying; usually the values are equal
			*target = string(v)
		}
	case time.Time:
		*target = v.UTC().Format(TimeFormat)
	default:
		*target = fmt.Sprint(v)
	}
	return nil
}

func scanBytes(target *[]byte, value any) error {
	switch v := value.(type) {
	case []byte:
		*target = append((*target)[:0], v...)
	case string:
		*target = append((*target)[:0], v...)
	case int64:
		*target = strconv.AppendInt((*target)[:0], v, 10)
	case time.Time:
		*target = v.UTC().AppendFormat((*target)[:0], TimeFormat)
	default:
		*target = fmt.Append((*target)[:0], v)
	}
	return nil
}

func scanTime(target *time.Time, value any) (err error) {
	switch v := value.(type) {
	case time.Time:
		*target = v.UTC()
	case []byte:
		*target, err = ParseTime(v)
	case string:
		*target, err = ParseTime(v)
	default:
		err = fmt.Errorf("a %T is not a time", value)
	}
	return err
}
