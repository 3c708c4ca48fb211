package db2

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"sledge/internal/database"
	"sledge/internal/database/db2/cli"
	"sledge/internal/sqlfile"
)

// statement is a prepared query with its values bound.
type statement struct {
	session *session
	handle  *cli.Statement
	query   sqlfile.Query
	out     any
	params  []*parameter
	outputs bool // the result row consists of output parameters

	columns []column
	many    *cli.Statement // the same statement for RunMany, created at its first use
}

// parameter is a parameter with its buffer.
type parameter struct {
	database.Param
	buffer *cli.Buffer
}

// column is a column of the result that has a field in out. A column with long values has no
// buffer: it is read in pieces after a row was fetched.
type column struct {
	name   string
	number int
	kind   cli.Kind
	target any
	buffer *cli.Buffer
}

// bindCall returns the fields of the parameters in order. In a CALL, the parameters without a field
// in in are outputs, whose fields are in out.
func bindCall(q sqlfile.Query, in, out any) (params []database.Param, outputs bool, err error) {
	if out == nil || !isCall(q.Text) {
		params, err = database.BindParams(q, in)
		return params, false, err
	}
	var missing []string
	params = make([]database.Param, len(q.Params))
	for i, name := range q.Params {
		one, err := database.BindParams(sqlfile.Query{Name: q.Name, Params: []string{name}}, in)
		if err != nil {
			missing = append(missing, name)
			continue
		}
		params[i] = one[0]
	}
	if len(missing) == 0 {
		return params, false, nil
	}
	pointers, err := database.BindColumns(q, missing, out)
	if err != nil {
		return nil, false, err
	}
	for i := range params {
		if params[i].Pointer != nil {
			continue
		}
		if params[i] = (database.Param{Pointer: pointers[0], Mode: database.Out}); pointers[0] == nil {
			params[i].Pointer = new(string) // discarded
		}
		pointers = pointers[1:]
	}
	return params, true, nil
}

// isCall reports whether a text calls a routine.
func isCall(text string) bool {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "--") {
			return len(line) > 4 && strings.EqualFold(line[:4], "call")
		}
	}
	return false
}

// shortText is the minimum room for a text parameter, and longestOutput the maximum length of an
// output, in bytes.
const shortText, longestOutput = 64, 1000

// bind binds parameters and columns.
func (st *statement) bind() error {
	for i, p := range st.params {
		width := shortText
		if p.Mode != database.In {
			width = longestOutput
		}
		p.buffer = cli.NewBuffer(kindOf(p.Pointer), width, 1)
		if err := st.bindParameter(i); err != nil {
			return err
		}
	}
	if st.out == nil || st.outputs {
		return nil
	}
	described, err := st.handle.Columns()
	if err != nil {
		return err
	}
	names := make([]string, len(described))
	for i, c := range described {
		names[i] = plainName(c.Name)
	}
	targets, err := database.BindColumns(st.query, names, st.out)
	if err != nil {
		return err
	}
	for i, target := range targets {
		if target == nil {
			continue
		}
		c := column{name: names[i], number: i + 1, target: target, kind: kindOf(target)}
		if c.kind == cli.Timestamp && !isTime(described[i].Type.Number) {
			c.kind = cli.Text
		}
		// Columns without a buffer must come after all bound ones.
		if width := c.kind.Width(described[i].Type); width <= longestBound && !slices.ContainsFunc(st.columns, func(c column) bool { return c.buffer == nil }) {
			c.buffer = cli.NewBuffer(c.kind, width, 1)
			if err := st.handle.BindColumn(c.number, c.buffer); err != nil {
				return err
			}
		}
		st.columns = append(st.columns, c)
	}
	return nil
}

// longestBound is the maximum length of the values of a bound column.
const longestBound = 32 << 10

func isTime(number int) bool {
	return number == cli.TypeDate || number == cli.TypeTime || number == cli.TypeTimestamp
}

func (st *statement) bindParameter(i int) error {
	p := st.params[i]
	mode := cli.In
	switch p.Mode {
	case database.Out:
		mode = cli.Out
	case database.InOut:
		mode = cli.InOut
	}
	return st.handle.BindParameter(i+1, mode, cli.Of(p.buffer.Kind(), p.buffer.Width()), p.buffer)
}

// kindOf returns the kind in which the library exchanges the value of a field.
func kindOf(pointer any) cli.Kind {
	switch pointer.(type) {
	case *int64, *sql.Null[int64]:
		return cli.Int
	case *float64, *sql.Null[float64]:
		return cli.Float
	case *[]byte:
		return cli.Bytes
	case *time.Time, *sql.Null[time.Time]:
		return cli.Timestamp
	default:
		return cli.Text
	}
}

// length returns the number of bytes of a text or of bytes, and 0 for other values.
func length(pointer any) int {
	switch p := pointer.(type) {
	case *string:
		return len(*p)
	case *[]byte:
		return len(*p)
	}
	return 0
}

// set writes the value of a field into a buffer.
func set(b *cli.Buffer, row int, pointer any) {
	switch p := database.NotNull(pointer).(type) {
	case nil:
		b.SetNull(row)
	case *int64:
		b.SetInt(row, *p)
	case *float64:
		b.SetFloat(row, *p)
	case *string:
		b.SetText(row, *p)
	case *[]byte:
		b.SetBytes(row, *p)
	case *time.Time:
		b.SetTime(row, *p)
	}
}

// Run implements database.Statement.
func (st *statement) Run(ctx context.Context, each func() error) (int64, error) {
	for i, p := range st.params {
		if p.Mode == database.Out {
			continue
		}
		if n := length(database.NotNull(p.Pointer)); !p.buffer.Fits(n) {
			p.buffer = cli.NewBuffer(p.buffer.Kind(), 2*n, 1)
			if err := st.bindParameter(i); err != nil {
				return 0, st.session.Ended(err)
			}
		}
		set(p.buffer, 0, p.Pointer)
	}
	if err := st.session.do(ctx, st.handle, (*cli.Statement).Execute); err != nil {
		return 0, err
	}
	switch {
	case st.outputs:
		return st.readOutputs(each)
	case st.out != nil:
		return st.read(ctx, each)
	}
	for _, p := range st.params {
		if p.Mode != database.In {
			if err := take(p.buffer, p.Pointer); err != nil {
				return 0, fmt.Errorf("sql %s: %w", st.query.Name, err)
			}
		}
	}
	n, err := st.handle.Affected()
	return n, st.session.Ended(errors.Join(err, st.handle.Close()))
}

// readOutputs reads the output parameters as a row.
func (st *statement) readOutputs(each func() error) (int64, error) {
	for _, p := range st.params {
		if p.Mode != database.In {
			if err := take(p.buffer, p.Pointer); err != nil {
				return 0, fmt.Errorf("sql %s: %w", st.query.Name, err)
			}
		}
	}
	err := st.handle.Close()
	if err == nil && each != nil {
		err = each()
	}
	return 1, st.session.Ended(err)
}

// read reads all rows and closes the cursor.
func (st *statement) read(ctx context.Context, each func() error) (n int64, err error) {
	defer func() {
		if closeErr := st.handle.Close(); err == nil {
			err = st.session.Ended(closeErr)
		}
	}()
	for {
		there := false
		if ctx.Done() == nil && st.session.inTx { // most rows have already arrived, so the call does not wait
			there, err = st.fetch()
		} else {
			err = st.session.do(ctx, st.handle, func(*cli.Statement) (err error) {
				there, err = st.handle.Fetch()
				return err
			})
		}
		if err != nil || !there {
			return n, err
		}
		n++
		for i := range st.columns {
			if err := st.takeColumn(&st.columns[i]); err != nil {
				return n, fmt.Errorf("sql %s: column %s: %w", st.query.Name, st.columns[i].name, err)
			}
		}
		if each != nil {
			if err := each(); err != nil {
				return n, err
			}
		}
	}
}

// fetch reads the next row. Interrupt can end it.
func (st *statement) fetch() (bool, error) {
	s := st.session
	s.underway.Store(st.handle)
	defer s.underway.Store(nil)
	if s.Interrupted.Load() {
		return false, database.ErrInterrupted
	}
	there, err := st.handle.Fetch()
	return there, s.Ended(err)
}

func (st *statement) takeColumn(c *column) error {
	if c.buffer != nil {
		return take(c.buffer, c.target)
	}
	value, null, err := st.handle.Get(c.number, c.kind, nil)
	if err != nil {
		return err
	}
	if null {
		return database.Assign(c.target, nil)
	}
	return database.Assign(c.target, value)
}

// take reads the value of a buffer into a field.
func take(b *cli.Buffer, target any) error {
	null := b.Null(0)
	target = database.SetNull(target, null)
	if null {
		return nil
	}
	switch target := target.(type) {
	case *int64:
		*target = b.Int(0)
	case *float64:
		*target = b.Float(0)
	case *string:
		if value := b.Bytes(0); *target != string(value) { // the value is often unchanged
			*target = string(value)
		}
	case *[]byte:
		*target = append((*target)[:0], b.Bytes(0)...)
	case *time.Time:
		if b.Kind() == cli.Timestamp {
			*target = b.Time(0)
			return nil
		}
		return database.Assign(target, b.Bytes(0))
	}
	return nil
}

// batchBytes limits the memory for the values of one call of RunMany.
const batchBytes = 4 << 20

// RunMany implements database.Batch.
func (st *statement) RunMany(ctx context.Context, next func() bool) (affected int64, err error) {
	if st.out != nil || len(st.params) == 0 || slices.ContainsFunc(st.params, func(p *parameter) bool { return p.Mode != database.In }) {
		return st.oneByOne(ctx, next)
	}
	if st.many == nil {
		handle, err := st.session.statement()
		if err != nil {
			return 0, err
		}
		if err := handle.Prepare(st.query.Text); err != nil {
			return 0, st.session.Ended(err)
		}
		st.many = handle
	}
	values := make([]fieldValues, len(st.params))
	for more := true; more; {
		rows, size := 0, 0
		for rows < database.RowsPerBatch && size < batchBytes {
			if more = next(); !more {
				break
			}
			for i, p := range st.params {
				size += values[i].add(p.Pointer)
			}
			rows++
		}
		if rows == 0 {
			break
		}
		n, err := st.runBatch(ctx, values, rows)
		if err != nil {
			return affected, err
		}
		affected += n
		for i := range values {
			values[i].clear()
		}
	}
	return affected, nil
}

func (st *statement) oneByOne(ctx context.Context, next func() bool) (affected int64, err error) {
	for next() {
		n, err := st.Run(ctx, nil)
		if err != nil {
			return affected, err
		}
		affected += n
	}
	return affected, nil
}

// fieldValues holds the values of a field for many rows.
type fieldValues struct {
	numbers []int64
	reals   []float64
	times   []time.Time
	bytes   []byte
	ends    []int
	nulls   []bool
	longest int
}

func (v *fieldValues) clear() {
	*v = fieldValues{v.numbers[:0], v.reals[:0], v.times[:0], v.bytes[:0], v.ends[:0], v.nulls[:0], 0}
}

// add adds the current value of a field, and returns its approximate size in bytes.
func (v *fieldValues) add(pointer any) int {
	set := database.NotNull(pointer)
	v.nulls = append(v.nulls, set == nil)
	var number int64
	var real float64
	var moment time.Time
	before := len(v.bytes)
	switch p := set.(type) {
	case *int64:
		number = *p
	case *float64:
		real = *p
	case *time.Time:
		moment = *p
	case *string:
		v.bytes = append(v.bytes, *p...)
	case *[]byte:
		v.bytes = append(v.bytes, *p...)
	}
	v.numbers, v.reals, v.times, v.ends = append(v.numbers, number), append(v.reals, real), append(v.times, moment), append(v.ends, len(v.bytes))
	v.longest = max(v.longest, len(v.bytes)-before)
	return 8 + len(v.bytes) - before
}

// fill returns a buffer with the values.
func (v *fieldValues) fill(kind cli.Kind) *cli.Buffer {
	b := cli.NewBuffer(kind, max(1, v.longest), len(v.nulls))
	begin := 0
	for row, null := range v.nulls {
		end := v.ends[row]
		switch {
		case null:
			b.SetNull(row)
		case kind == cli.Int:
			b.SetInt(row, v.numbers[row])
		case kind == cli.Float:
			b.SetFloat(row, v.reals[row])
		case kind == cli.Timestamp:
			b.SetTime(row, v.times[row])
		default:
			b.SetBytes(row, v.bytes[begin:end])
		}
		begin = end
	}
	return b
}

// runBatch runs the statement with many rows in one call.
func (st *statement) runBatch(ctx context.Context, values []fieldValues, rows int) (int64, error) {
	h := st.many
	h.Unbind()
	for i, p := range st.params {
		b := values[i].fill(kindOf(p.Pointer))
		if err := h.BindParameter(i+1, cli.In, cli.Of(b.Kind(), b.Width()), b); err != nil {
			return 0, st.session.Ended(err)
		}
	}
	return st.session.many(ctx, h, rows)
}

// many runs a statement with a number of parameter sets.
func (s *session) many(ctx context.Context, h *cli.Statement, rows int) (int64, error) {
	if err := h.Rows(rows); err != nil {
		return 0, s.Ended(err)
	}
	if err := s.do(ctx, h, (*cli.Statement).Execute); err != nil {
		return 0, errors.Join(err, h.Close())
	}
	n, err := h.Affected()
	return n, s.Ended(errors.Join(err, h.Close()))
}
