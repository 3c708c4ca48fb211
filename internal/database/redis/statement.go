package redis

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"sledge/internal/database"
	"sledge/internal/schema"
	"sledge/internal/sqlfile"
)

// pendingRead is a read that was sent, with the target of its row.
type pendingRead struct {
	c       *command
	columns []any // pointers to the fields of out, by column

	// kinds are the columns of the table, if out is a database.Row.
	kinds []column
}

// assign stores a value in the field of a column.
func (r *pendingRead) assign(n int, value any) error {
	if kept, there := value.(string); there && r.kinds != nil {
		value = r.kinds[n].shown(kept)
	}
	return database.Assign(r.columns[n], value)
}

// shown converts a stored value of the column for display. It returns a value that does not have
// the column's type unchanged.
func (c column) shown(kept string) string {
	n, err := strconv.ParseInt(kept, 10, 64)
	switch {
	case err != nil:
	case c.Type == schema.Decimal:
		return string(appendDecimal(nil, kept, c.Scale))
	case c.Type == schema.Timestamp:
		return string(database.AppendTime(nil, time.UnixMicro(n)))
	}
	return kept
}

// kindsOf returns the columns of a command's rows, as the table of its key declares them.
func (s *session) kindsOf(ctx context.Context, c *command) ([]column, error) {
	name := strings.Split(c.args[0].begins(), ":")
	if len(name) < 2 {
		return nil, nil
	}
	l, err := s.layout(ctx, name[1])
	if err != nil {
		return nil, err
	}
	kinds := make([]column, len(c.columns))
	for i, name := range c.columns {
		if c.shape == fields { // AS may rename the columns of the row
			name = c.args[1+i].begins()
		}
		if at := slices.Index(l.names(), name); at >= 0 {
			kinds[i] = l.Columns[at]
		} else {
			kinds[i].Type = schema.Varchar
		}
	}
	return kinds, nil
}

// commandStatement is a prepared text of commands.
type commandStatement struct {
	session *session
	query   sqlfile.Query
	reads   []pendingRead
	writes  []*command
	each    []*command // HSET EACH
	out     any

	queue queue // queue of the reads
	cmds  []goredis.Cmder
}

func (s *session) prepareCommands(ctx context.Context, q sqlfile.Query, params []database.Param, out any) (database.Statement, error) {
	list, err := s.parse(q, params)
	if err != nil {
		return nil, fmt.Errorf("sql %w", err)
	}
	if len(list) == 1 && (list[0].shape == table || list[0].shape == routineList) {
		return s.prepareCall(ctx, q, &list[0], out)
	}
	st := &commandStatement{session: s, query: q, out: out}
	var columns []string
	for i := range list {
		c := &list[i]
		switch {
		case c.shape == setEach:
			st.each = append(st.each, c)
		case c.writes():
			st.writes = append(st.writes, c)
		default:
			st.reads = append(st.reads, pendingRead{c: c})
			columns = append(columns, c.rowColumns()...)
		}
	}
	if out == nil {
		return st, nil
	}
	pointers, err := database.BindColumns(q, columns, out)
	if err != nil {
		return nil, err
	}
	for i := range st.reads {
		r := &st.reads[i]
		n := len(r.c.rowColumns())
		r.columns, pointers = pointers[:n], pointers[n:]
		if _, shown := out.(*database.Row); shown && (r.c.shape == fields || r.c.shape == lines) {
			if r.kinds, err = s.kindsOf(ctx, r.c); err != nil {
				return nil, err
			}
		}
	}
	return st, nil
}

// rowColumns returns the names of the columns of the command's rows.
func (c *command) rowColumns() []string {
	switch c.shape {
	case sum:
		return c.columns[:1]
	case nothing, existence, presence:
		return nil
	}
	return c.columns
}

// Run implements database.Statement.
func (st *commandStatement) Run(ctx context.Context, each func() error) (int64, error) {
	s := st.session
	rows := int64(1)
	if len(st.reads) > 0 {
		var err error
		if rows, err = st.read(ctx, each); err != nil || rows == 0 {
			return rows, err
		}
	}
	if len(st.writes)+len(st.each) == 0 {
		return rows, nil
	}
	if !s.inTx {
		s.queue.reset()
	}
	for _, c := range st.each {
		if err := s.setEach(ctx, c); err != nil {
			return 0, err
		}
	}
	for _, c := range st.writes {
		c.enqueue(&s.queue)
	}
	if s.inTx {
		return rows, nil
	}
	answers, err := s.flushAlone(ctx)
	if err == nil && st.out == nil && st.removedNothing(answers) {
		return 0, nil
	}
	return rows, err
}

// removedNothing reports whether the first write was to remove something that did not exist.
func (st *commandStatement) removedNothing(answers []any) bool {
	first := st.writes
	if len(first) == 0 || len(answers) == 0 {
		return false
	}
	removes := slices.Contains([]string{"ZREM", "HDEL", "DEL", "UNLINK", "SREM", "XDEL"}, first[0].verb)
	n, isNumber := answers[0].(int64)
	return removes && isNumber && n == 0
}

// setEach sets a field of each existing row of a hash.
func (s *session) setEach(ctx context.Context, c *command) error {
	key := string(c.args[0].append(nil))
	said, err := s.ask(ctx, "HKEYS", key)
	if err != nil {
		return err
	}
	list, _ := said.([]any)
	seen := make(map[string]bool, len(list))
	var numbers []string
	for _, field := range list {
		if _, n, ok := strings.Cut(field.(string), "/"); ok && !seen[n] {
			seen[n] = true
			numbers = append(numbers, n)
		}
	}
	if len(numbers) == 0 {
		return nil
	}
	q := &s.queue
	q.begin()
	q.put("HSET")
	q.put(key)
	for _, n := range numbers {
		q.bytes = append(append(append(q.bytes, c.columns[0]...), '/'), n...)
		q.end()
		q.bytes = c.args[1].append(q.bytes)
		q.end()
	}
	return nil
}

// read sends the reads together and reads their rows.
func (st *commandStatement) read(ctx context.Context, each func() error) (int64, error) {
	s := st.session
	if s.multi {
		return 0, fmt.Errorf("sql %s: a load has sent MULTI, so the transaction can no longer read", st.query.Name)
	}
	st.queue.reset()
	for i := range st.reads {
		st.reads[i].c.enqueue(&st.queue)
	}
	st.cmds = st.queue.commands(st.cmds[:0])
	if err := s.doAll(ctx, st.cmds); err != nil {
		return 0, err
	}
	last := len(st.reads) - 1
	for last > 0 && !st.reads[last].c.hasRows() {
		last--
	}
	for i := range st.reads {
		cmd := st.cmds[i].(*goredis.Cmd)
		switch err := cmd.Err(); {
		case errors.Is(err, goredis.Nil) && st.reads[i].c.shape == presence:
			return 0, errConflict
		case err != nil && !errors.Is(err, goredis.Nil):
			return 0, s.advised(err)
		}
	}
	for i := range st.reads {
		if i == last {
			continue
		}
		if n, err := st.take(i, nil); err != nil || n == 0 {
			return 0, err
		}
	}
	return st.take(last, each)
}

// hasRows reports whether the command may return any number of rows.
func (c *command) hasRows() bool { return c.shape == members || c.shape == lines }

// take stores the rows of a read in out, and returns their number.
func (st *commandStatement) take(n int, each func() error) (int64, error) {
	r := &st.reads[n]
	answer := st.cmds[n].(*goredis.Cmd).Val()
	list, _ := answer.([]any)
	switch r.c.shape {
	case fields:
		return st.takeFields(n, list, each)
	case existence:
		if answer == int64(0) {
			return 0, nil
		}
	case members:
		return st.takeMembers(r, list, each)
	case lines:
		return st.takeLines(r, list, each)
	case sum:
		if err := st.takeSum(r, list); err != nil {
			return 0, err
		}
	}
	return 1, called(each)
}

func called(each func() error) error {
	if each == nil {
		return nil
	}
	return each()
}

// takeFields reads the row of an HMGET.
func (st *commandStatement) takeFields(n int, list []any, each func() error) (int64, error) {
	r, s := &st.reads[n], st.session
	if !slices.ContainsFunc(list, func(v any) bool { return v != nil }) {
		return 0, nil
	}
	first, _ := st.queue.span(n)
	for i, value := range list {
		if s.inTx && len(s.queue.firsts) > 0 {
			value = s.queue.change(st.queue.argument(first+1), st.queue.argument(first+2+i), value)
		}
		if st.out == nil {
			continue
		}
		if err := r.assign(i, value); err != nil {
			return 0, err
		}
	}
	return 1, called(each)
}

// takeMembers reads the members of a sorted set, a row each.
func (st *commandStatement) takeMembers(r *pendingRead, list []any, each func() error) (n int64, err error) {
	for _, member := range list {
		rest, _ := member.(string)
		for i, target := range r.columns {
			value := rest
			if i+1 < len(r.columns) {
				value, rest, _ = strings.Cut(rest, "/")
			}
			if err := database.Assign(target, value); err != nil {
				return n, err
			}
		}
		n++
		if err := called(each); err != nil {
			return n, err
		}
	}
	return n, nil
}

// takeLines reads the rows of a hash, by number.
func (st *commandStatement) takeLines(r *pendingRead, list []any, each func() error) (n int64, err error) {
	found := linesOf(list)
	for _, line := range found.numbers {
		for i, column := range r.c.columns {
			if st.out == nil {
				break
			}
			var value any
			if v, there := found.values[lineField{column, line}]; there {
				value = v
			}
			if err := r.assign(i, value); err != nil {
				return n, err
			}
		}
		n++
		if err := called(each); err != nil {
			return n, err
		}
	}
	return n, nil
}

// takeSum sums a column over the rows of a hash.
func (st *commandStatement) takeSum(r *pendingRead, list []any) error {
	var total int64
	for i := 0; i+1 < len(list); i += 2 {
		field, _ := list[i].(string)
		column, _, _ := strings.Cut(field, "/")
		if column != r.c.columns[1] {
			continue
		}
		text, _ := list[i+1].(string)
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return err
		}
		total += n
	}
	if st.out == nil {
		return nil
	}
	return database.Assign(r.columns[0], total)
}

// lineField is a column of a row in a hash.
type lineField struct {
	column string
	number int
}

// lineFields holds the values of a hash with several rows.
type lineFields struct {
	numbers []int // in order
	values  map[lineField]string
}

// linesOf groups the fields of a hash by row.
func linesOf(list []any) lineFields {
	found := lineFields{values: make(map[lineField]string, len(list)/2)}
	for i := 0; i+1 < len(list); i += 2 {
		field, _ := list[i].(string)
		column, number, _ := strings.Cut(field, "/")
		n, err := strconv.Atoi(number)
		if err != nil {
			continue
		}
		if !slices.Contains(found.numbers, n) {
			found.numbers = append(found.numbers, n)
		}
		found.values[lineField{column, n}], _ = list[i+1].(string)
	}
	slices.Sort(found.numbers)
	return found
}
