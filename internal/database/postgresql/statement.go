package postgresql

import (
	"bytes"
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5/pgproto3"

	"sledge/internal/database"
)

// statement is a prepared statement. Values are sent and received as text, which the server accepts
// for any type and converts at little cost; []byte is sent in binary.
type statement struct {
	session *session
	name    string
	params  []any // pointers to the fields of the parameters; nil for a NULL
	columns []any // pointers to the fields for the result; nil for a column without a field
	message
	buf   []byte          // holds the parameters' text
	cells *database.Cells // receives the rows of a text, whose columns the server describes
}

// bindCells prepares for the rows of a result.
func (st *statement) bindCells(m *pgproto3.RowDescription) {
	names := make([]string, len(m.Fields))
	for i := range m.Fields {
		names[i] = string(m.Fields[i].Name)
	}
	st.columns = st.cells.Bind(names)
}

// Run implements database.Statement. It allocates only strings that differ from the value that
// their field held before.
func (st *statement) Run(ctx context.Context, each func() error) (int64, error) {
	if err := ctx.Err(); err != nil {
		return 0, fmt.Errorf("%s: %w", st.name, err)
	}
	s := st.session
	if s.beginning {
		s.beginning = false
		s.send(&s.begin)
		s.frontend.SendExecute(&s.execute)
	}
	st.encode()
	s.send(&st.message)
	if s.syncs > 0 { // in a pipeline
		s.frontend.SendExecute(&s.execute)
		return 0, nil
	}
	n, err := s.converse(ctx, st, each)
	if err != nil {
		return n, fmt.Errorf("%s: %w", st.name, err)
	}
	return n, nil
}

var _ database.Batch = (*statement)(nil)

// RunMany implements database.Batch. It sends up to RowsPerBatch rows before it reads the
// responses, which fit into the network's buffers.
func (st *statement) RunMany(ctx context.Context, next func() bool) (affected int64, err error) {
	if err := ctx.Err(); err != nil {
		return 0, fmt.Errorf("%s: %w", st.name, err)
	}
	s := st.session
	if err := s.beginNow(ctx); err != nil {
		return 0, err
	}
	for more := next(); more; {
		for n := 1; ; n++ {
			st.encode()
			if n == 1 {
				s.send(&st.message)
			} else {
				s.frontend.SendBind(&st.bind)
			}
			if more = next(); !more || n == database.RowsPerBatch {
				break
			}
			s.frontend.SendExecute(&s.execute)
		}
		n, err := s.converse(ctx, nil, nil)
		if err != nil {
			return affected, fmt.Errorf("%s: %w", st.name, err)
		}
		affected += n
	}
	return affected, nil
}

// encode writes the current values of the parameters into the bind message. If buf must grow,
// parameters that were written before still point to the old buffer.
func (st *statement) encode() {
	buf := st.buf[:0]
	for i, p := range st.params {
		start := len(buf)
		switch p := database.NotNull(p).(type) {
		case nil:
			st.bind.Parameters[i] = nil
			continue
		case *int64:
			buf = strconv.AppendInt(buf, *p, 10)
		case *float64:
			buf = strconv.AppendFloat(buf, *p, 'g', -1, 64)
		case *string:
			buf = append(buf, *p...)
		case *[]byte:
			buf = append(buf, *p...)
		case *time.Time:
			buf = append(database.AppendTime(buf, *p), "+00"...) // types without a time zone ignore it
		}
		st.bind.Parameters[i] = buf[start:len(buf):len(buf)]
	}
	st.buf = buf
}

// take writes a row into the fields. A nil value is NULL.
func (st *statement) take(values [][]byte) (err error) {
	for i, column := range st.columns {
		value := values[i]
		target := database.SetNull(column, value == nil)
		if value == nil {
			continue
		}
		switch target := target.(type) {
		case *int64:
			*target, err = parseInt(value)
		case *float64:
			*target, err = strconv.ParseFloat(string(value), 64)
		case *string:
			if *target != string(value) { // comparing allocates nothing
				*target = string(value)
			}
		case *[]byte:
			*target = append((*target)[:0], value...)
		case *time.Time:
			*target, err = database.ParseTime(value)
		}
		if err != nil {
			return fmt.Errorf("result column %d: %w", i+1, err)
		}
	}
	return nil
}

// parseInt parses a whole number. The server may send it as a numeric with zeros after the point.
func parseInt(text []byte) (int64, error) {
	if whole, fraction, found := bytes.Cut(text, []byte(".")); found && len(bytes.Trim(fraction, "0")) == 0 {
		text = whole
	}
	return strconv.ParseInt(string(text), 10, 64)
}
