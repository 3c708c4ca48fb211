package mysql

import (
	"context"
	"database/sql/driver"
	"encoding/hex"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"
	"unsafe"

	"sledge/internal/database"
	"sledge/internal/sqlfile"
)

// textStatement is a query that is sent as text that contains the values.
type textStatement struct {
	session *session
	pieces  []string // the parts of the text, before, between and after the values
	params  []any    // pointers to the values
	text    []byte   // reused for every run
	results results
}

// newTextStatement joins the statements into one text. The server reports an error if the numbers
// of placeholders and params differ.
func newTextStatement(s *session, q sqlfile.Query, statements [][]string, params []any, out any) *textStatement {
	return &textStatement{session: s, pieces: join(statements), params: params, results: results{query: q, out: out}}
}

// Run implements database.Statement.
func (t *textStatement) Run(ctx context.Context, each func() error) (int64, error) {
	text := append(t.text[:0], t.pieces[0]...)
	for i, p := range t.params {
		text = append(appendLiteral(text, p), t.pieces[i+1]...)
	}
	t.text = text
	// The driver copies the text into its own buffer before it returns, so the string need not be a
	// copy.
	query := unsafe.String(unsafe.SliceData(text), len(text))
	if t.results.out == nil {
		result, err := t.session.conn.ExecContext(ctx, query, nil)
		return affected(result, t.session.failed(err))
	}
	rows, err := t.session.conn.QueryContext(ctx, query, nil)
	if err != nil {
		return 0, t.session.failed(err)
	}
	n, err := t.results.read(rows, each)
	return n, t.session.failed(err)
}

func affected(result driver.Result, err error) (int64, error) {
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

// appendLiteral appends the value at p as an SQL literal.
func appendLiteral(buf []byte, p any) []byte {
	switch p := database.NotNull(p).(type) {
	case nil:
		return append(buf, "NULL"...)
	case *[]byte:
		return append(hex.AppendEncode(append(buf, "x'"...), *p), '\'')
	case *time.Time:
		return append(database.AppendTime(append(buf, '\''), *p), '\'')
	case *int64:
		return strconv.AppendInt(buf, *p, 10)
	case *float64:
		return strconv.AppendFloat(buf, *p, 'e', -1, 64)
	case *string:
		return appendText(buf, *p)
	}
	panic("mysql: no literal for a bound value") // BindParams returns no other types
}

// appendText appends a string literal with the same meaning in all modes of sql_mode. A backslash
// escapes in all modes but NO_BACKSLASH_ESCAPES, so a string with a backslash is written in
// hexadecimal digits. Doubled quotes work in all modes.
func appendText(buf []byte, text string) []byte {
	if strings.IndexByte(text, '\\') >= 0 {
		return fmt.Appendf(buf, "_utf8mb4 x'%x'", text)
	}
	buf = append(buf, '\'')
	for {
		i := strings.IndexByte(text, '\'')
		if i < 0 {
			break
		}
		buf = append(append(buf, text[:i]...), "''"...)
		text = text[i+1:]
	}
	return append(append(buf, text...), '\'')
}

// preparedStatement is one or more statements prepared on the server, run one after another. The
// last one fills the struct for output.
type preparedStatement struct {
	session *session
	steps   []step
	results results
}

// step is one statement prepared on the server.
type step struct {
	statement preparedOnServer
	isSelect  bool
	params    []any
	args      []driver.NamedValue // reused for every run
}

// preparedOnServer is the interface of the driver's statements.
type preparedOnServer interface {
	driver.Stmt
	driver.StmtQueryContext
	driver.StmtExecContext
}

func (s *session) prepareEach(ctx context.Context, q sqlfile.Query, statements [][]string, params []any, out any) (database.Statement, error) {
	p := &preparedStatement{session: s, results: results{query: q, out: out}}
	for _, pieces := range statements {
		n := len(pieces) - 1
		statement, err := s.conn.PrepareContext(ctx, strings.Join(pieces, "?"))
		if err != nil {
			return nil, fmt.Errorf("prepare %s: %w", q.Name, s.failed(err))
		}
		next := step{statement: statement.(preparedOnServer), isSelect: isSelect(pieces), params: params[:n], args: make([]driver.NamedValue, n)}
		for i := range next.args {
			next.args[i].Ordinal = i + 1
		}
		p.steps = append(p.steps, next)
		params = params[n:]
	}
	return p, nil
}

// Run implements database.Statement.
func (p *preparedStatement) Run(ctx context.Context, each func() error) (int64, error) {
	last := len(p.steps) - 1
	if p.results.out == nil {
		last++
	}
	var n int64
	for i := range p.steps[:last] {
		var err error
		if n, err = p.steps[i].exec(ctx); err != nil {
			return 0, p.session.failed(err)
		}
	}
	if p.results.out == nil {
		return n, nil
	}
	rows, err := p.steps[last].statement.QueryContext(ctx, p.steps[last].values())
	if err != nil {
		return 0, p.session.failed(err)
	}
	n, err = p.results.read(rows, each)
	return n, p.session.failed(err)
}

// exec runs a statement and discards its rows, if any. It uses Query, because the driver's
// ExecContext waits forever for the columns of a prepared SELECT, which MariaDB sends only the
// first time.
func (s *step) exec(ctx context.Context) (int64, error) {
	if s.isSelect {
		rows, err := s.statement.QueryContext(ctx, s.values())
		if err != nil {
			return 0, err
		}
		return 0, rows.Close()
	}
	return affected(s.statement.ExecContext(ctx, s.values()))
}

// values returns the current values of the parameters.
func (s *step) values() []driver.NamedValue {
	for i, p := range s.params {
		s.args[i].Value = database.Value(p)
	}
	return s.args
}

// results reads the rows of a query into the struct for output.
type results struct {
	query sqlfile.Query
	out   any // the struct; outputs, if a call has output parameters; or nil

	// sets holds pointers to the targets of the columns, for every result set of the query. The
	// entry is nil for a set that lacks columns of out, which is skipped; mismatch names the
	// missing columns of the last such set. Both are known after the first run.
	sets     [][]any
	mismatch error
	row      []driver.Value // reused for every row
}

// outputs are pointers to the fields of the output parameters.
type outputs []any

// read reads all rows of all result sets and closes them. It returns the number of rows in the last
// set that fills out.
func (r *results) read(rows driver.Rows, each func() error) (n int64, err error) {
	defer func() {
		if closeErr := rows.Close(); err == nil {
			err = closeErr
		}
	}()
	filled := false
	for set := 0; ; set++ {
		if set == len(r.sets) {
			r.bind(rows.Columns())
		}
		if pointers := r.sets[set]; pointers != nil {
			filled = true
			if n, err = r.readSet(rows, pointers, each); err != nil {
				return n, err
			}
		}
		err = rows.(driver.RowsNextResultSet).NextResultSet()
		if err == io.EOF && filled {
			return n, nil
		}
		if err == io.EOF {
			return 0, r.mismatch
		}
		if err != nil {
			return n, err
		}
	}
}

// bind finds the targets of the next set's columns.
func (r *results) bind(columns []string) {
	pointers, isOutput := r.out.(outputs)
	var err error
	switch {
	case !isOutput:
		pointers, err = database.BindColumns(r.query, columns, r.out)
	case len(columns) == 0 || columns[0] != outputVariable(0):
		pointers = nil // result sets of the call other than its output parameters
	}
	if err != nil {
		r.mismatch = err
	}
	r.sets = append(r.sets, pointers)
	r.row = slices.Grow(r.row, len(columns))
}

func (r *results) readSet(rows driver.Rows, pointers []any, each func() error) (int64, error) {
	row := r.row[:len(pointers)]
	for n := int64(0); ; n++ {
		switch err := rows.Next(row); err {
		case nil:
		case io.EOF:
			return n, nil
		default:
			return n, err
		}
		for i, p := range pointers {
			if err := database.Assign(p, row[i]); err != nil {
				return n, fmt.Errorf("sql %s: column %s: %w", r.query.Name, rows.Columns()[i], err)
			}
		}
		if each != nil {
			if err := each(); err != nil {
				return n + 1, err
			}
		}
	}
}
