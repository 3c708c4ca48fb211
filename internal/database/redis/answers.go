package redis

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	goredis "github.com/redis/go-redis/v9"
	_ "modernc.org/sqlite" // which answers

	"sledge/internal/database"
	"sledge/internal/schema"
	"sledge/internal/sqlfile"
)

// answers answers SQL over many rows, as a check asks it: the client reads the rows of the
// tables and columns that a statement names, puts them into a SQLite database of its own, and
// asks that. So the rules are the very statements that every other database is asked.
//
// Rows are read again where anything on the server has changed since. A copy is of one
// moment: if something changed while it was made, it is made again, and after a few times
// given up.
type answers struct {
	*database.SQLSession
	held map[string][]string // the columns of the tables that were read
	mark string              // of the server when they were
}

var sqliteDialect = database.Dialect{
	Placeholder: func(int) string { return "?" },
	TimesAsText: true,
	Type: func(c schema.Column) string {
		switch c.Type {
		case schema.Decimal:
			return "NUMERIC"
		case schema.Integer, schema.SmallInteger, schema.BigInteger:
			return "INTEGER"
		}
		return "TEXT"
	},
}

// tries is how often rows are read that others change meanwhile.
const tries = 3

// errBusy says that rows were changed while they were read.
var errBusy = errors.New("others change data on the server while its rows are read to answer this: ask when nobody works on it")

// answering returns what answers a statement, with the rows that it names.
func (s *session) answering(ctx context.Context, statement string) (*answers, error) {
	if s.inTx && len(s.queue.firsts) > 0 {
		return nil, errors.New("a transaction that has written asks over many rows, and they would not show what it wrote: commit first")
	}
	if s.answers == nil {
		own, err := database.OpenSQL(ctx, "sqlite", "", sqliteDialect)
		if err != nil {
			return nil, err
		}
		s.answers = &answers{SQLSession: own, held: map[string][]string{}}
	}
	tables, err := s.catalogue(ctx)
	if err != nil {
		return nil, err
	}
	s.layouts = tables
	wanted := mentioned(statement, tables)
	for range tries {
		mark, err := s.mark(ctx)
		if err != nil {
			return nil, err
		}
		if mark != s.answers.mark {
			clear(s.answers.held)
			s.answers.mark = mark
		}
		missing := s.answers.missing(wanted)
		if len(missing) == 0 {
			return s.answers, nil
		}
		if err := s.copy(ctx, missing); err != nil {
			return nil, err
		}
	}
	return nil, errBusy
}

// mark returns what is different as soon as anything on the server has changed.
func (s *session) mark(ctx context.Context) (string, error) {
	said, err := s.ask(ctx, "INFO", "persistence")
	if err != nil {
		return "", err
	}
	var mark strings.Builder
	for line := range strings.Lines(text(said)) {
		for _, name := range []string{"rdb_changes_since_last_save:", "rdb_last_save_time:", "rdb_saves:"} {
			if strings.HasPrefix(line, name) {
				mark.WriteString(line)
			}
		}
	}
	return mark.String(), nil
}

var words = regexp.MustCompile(`[A-Za-z_][A-Za-z_0-9]*`)

// mentioned returns the tables that a statement names, with the columns of theirs that it does,
// and those that cost little besides, which the next statement may name: all that are no text.
func mentioned(statement string, tables map[string]layout) map[string][]string {
	said := map[string]bool{}
	for _, word := range words.FindAllString(statement, -1) {
		said[strings.ToLower(word)] = true
	}
	wanted := map[string][]string{}
	for name, l := range tables {
		if !said[name] || l.Kind == setKind {
			continue
		}
		var columns []string
		for _, c := range l.Columns {
			if said[c.Name] || c.isWhole() || c.Type == schema.Decimal || c.Type == schema.Timestamp {
				columns = append(columns, c.Name)
			}
		}
		if len(columns) == 0 { // rows are counted
			columns = l.Key[:1]
		}
		wanted[name] = columns
	}
	return wanted
}

// missing returns the tables whose rows are not held with all these columns, each with those
// and the ones that were held.
func (a *answers) missing(wanted map[string][]string) map[string][]string {
	missing := map[string][]string{}
	for name, columns := range wanted {
		held, there := a.held[name]
		all := slices.Clone(held)
		for _, c := range columns {
			if !slices.Contains(all, c) {
				all = append(all, c)
			}
		}
		if !there || len(all) > len(held) {
			missing[name] = all
		}
	}
	return missing
}

// copy reads rows of tables, all in one pass over the keys.
func (s *session) copy(ctx context.Context, wanted map[string][]string) error {
	keys := map[string]map[string][]string{} // the parts of keys' names, by table and key
	for name := range wanted {
		keys[name] = map[string][]string{}
	}
	if err := s.eachKey(ctx, func(key, name string, parts []string) error {
		if _, is := wanted[name]; is && len(parts) == len(s.layouts[name].Key) {
			keys[name][key] = parts
		}
		return nil
	}); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(wanted)) {
		l := s.layouts[name]
		t := schema.Table{Name: name}
		for _, c := range l.Columns {
			if slices.Contains(wanted[name], c.Name) {
				t.Columns = append(t.Columns, schema.Column{Name: c.Name, Type: c.Type, Scale: c.Scale, Null: true})
			}
		}
		own := s.answers
		for _, statement := range []string{"DROP TABLE IF EXISTS " + name, createStatement(t), "BEGIN"} {
			if err := own.Exec(ctx, statement); err != nil {
				return err
			}
		}
		r := &rowReader{ctx: ctx, s: s, layout: l, table: t, keys: keys[name], names: slices.Collect(maps.Keys(keys[name]))}
		_, err := own.Load(ctx, t, r)
		if err == nil {
			err = r.err
		}
		if err := errors.Join(err, own.Exec(ctx, "COMMIT")); err != nil {
			return err
		}
		own.held[name] = t.ColumnNames()
	}
	return nil
}

func createStatement(t schema.Table) string {
	var list []string
	for _, c := range t.Columns {
		list = append(list, c.Name+" "+sqliteDialect.Type(c))
	}
	return fmt.Sprintf("CREATE TABLE %s (%s)", t.Name, strings.Join(list, ", "))
}

// rowReader reads the rows of a table as load text.
type rowReader struct {
	ctx    context.Context
	s      *session
	layout layout
	table  schema.Table
	keys   map[string][]string
	names  []string // of the keys that are left

	ready [][]string // rows, by column of the table; "" with null
	err   error
}

// null stands for NULL among values.
const nullValue = "\x00NULL"

// AppendRow implements schema.RowSource.
func (r *rowReader) AppendRow(buf []byte) ([]byte, bool) {
	for len(r.ready) == 0 {
		if r.err != nil || len(r.names) == 0 {
			return buf, false
		}
		r.err = r.fetch()
	}
	row := r.ready[0]
	r.ready = r.ready[1:]
	for i, value := range row {
		if i > 0 {
			buf = append(buf, '\t')
		}
		buf = appendLoadText(buf, value, r.table.Columns[i])
	}
	return append(buf, '\n'), true
}

// appendLoadText appends a value that is kept for a column.
func appendLoadText(buf []byte, value string, c schema.Column) []byte {
	if value == nullValue {
		return append(buf, `\N`...)
	}
	switch c.Type {
	case schema.Decimal:
		return appendDecimal(buf, value, c.Scale)
	case schema.Timestamp:
		if n, err := strconv.ParseInt(value, 10, 64); err == nil {
			return database.AppendTime(buf, time.UnixMicro(n))
		}
	}
	for i := range len(value) {
		switch b := value[i]; b {
		case '\t':
			buf = append(buf, `\t`...)
		case '\n':
			buf = append(buf, `\n`...)
		case '\\':
			buf = append(buf, `\\`...)
		default:
			buf = append(buf, b)
		}
	}
	return buf
}

// appendDecimal appends a whole number of a decimal's last digit as that decimal.
func appendDecimal(buf []byte, value string, scale int) []byte {
	if strings.HasPrefix(value, "-") {
		buf, value = append(buf, '-'), value[1:]
	}
	for len(value) <= scale {
		value = "0" + value
	}
	buf = append(buf, value[:len(value)-scale]...)
	if scale > 0 {
		buf = append(append(buf, '.'), value[len(value)-scale:]...)
	}
	return buf
}

// fetch reads the rows of some keys.
func (r *rowReader) fetch() error {
	n := min(len(r.names), r.s.options.Pipeline)
	names := r.names[:n]
	r.names = r.names[n:]
	stored := r.stored()
	if r.layout.Kind == streamKind {
		for _, name := range names {
			if err := r.fetchStream(name); err != nil {
				return err
			}
		}
		return nil
	}
	if r.layout.Kind == hashKind && r.layout.Each == "" && len(stored) == 0 {
		for _, name := range names {
			r.add(name, nil)
		}
		return nil
	}
	cmds := make([]goredis.Cmder, n)
	for i, name := range names {
		switch {
		case r.layout.Kind == zsetKind:
			cmds[i] = goredis.NewCmd(r.ctx, "ZRANGE", name, 0, -1)
		case r.layout.Each != "":
			cmds[i] = goredis.NewCmd(r.ctx, "HGETALL", name)
		default:
			args := []any{"HMGET", name}
			for _, c := range stored {
				args = append(args, c)
			}
			cmds[i] = goredis.NewCmd(r.ctx, args...)
		}
	}
	if err := r.s.doAll(r.ctx, cmds); err != nil {
		return err
	}
	for i, name := range names {
		if err := cmds[i].Err(); err != nil {
			return fmt.Errorf("the key %s is not as a row of %s is kept: %w", name, r.table.Name, err)
		}
		list, _ := cmds[i].(*goredis.Cmd).Val().([]any)
		r.addAll(name, stored, list)
	}
	return nil
}

// stored lists the columns that are wanted and are not in keys' names.
func (r *rowReader) stored() []string {
	var list []string
	for _, c := range r.table.Columns {
		if !slices.Contains(r.layout.Key, c.Name) && !slices.Contains(r.layout.Member, c.Name) && c.Name != r.layout.Each {
			list = append(list, c.Name)
		}
	}
	return list
}

// addAll adds the rows of a key, given what was answered of it.
func (r *rowReader) addAll(name string, stored []string, list []any) {
	switch {
	case r.layout.Kind == zsetKind:
		for _, member := range list {
			values := map[string]string{}
			parts := strings.SplitN(text(member), "/", len(r.layout.Member))
			for i, column := range r.layout.Member {
				if i < len(parts) {
					values[column] = parts[i]
				}
			}
			r.add(name, values)
		}
	case r.layout.Each != "":
		found := linesOf(list)
		for _, n := range found.numbers {
			values := map[string]string{r.layout.Each: strconv.Itoa(n)}
			for _, column := range stored {
				if v, there := found.values[lineField{column, n}]; there {
					values[column] = v
				}
			}
			r.add(name, values)
		}
	default:
		values := map[string]string{}
		for i, v := range list {
			if v != nil && i < len(stored) {
				values[stored[i]] = text(v)
			}
		}
		r.add(name, values)
	}
}

// fetchStream reads the rows of a stream, piece by piece.
func (r *rowReader) fetchStream(name string) error {
	const piece = 10000
	for from := "-"; ; {
		said, err := r.s.ask(r.ctx, "XRANGE", name, from, "+", "COUNT", piece)
		if err != nil {
			return fmt.Errorf("the key %s is not as rows of %s are kept: %w", name, r.table.Name, err)
		}
		entries, _ := said.([]any)
		for _, e := range entries {
			entry, _ := e.([]any)
			if len(entry) != 2 {
				continue
			}
			from = "(" + text(entry[0])
			r.add(name, facts(entry[1]))
		}
		if len(entries) < piece {
			return nil
		}
	}
}

// add adds a row, of which the columns in the key's name are known by that.
func (r *rowReader) add(name string, values map[string]string) {
	row := make([]string, len(r.table.Columns))
	for i, c := range r.table.Columns {
		if at := slices.Index(r.layout.Key, c.Name); at >= 0 {
			row[i] = r.keys[name][at]
		} else if v, there := values[c.Name]; there {
			row[i] = v
		} else {
			row[i] = nullValue
		}
	}
	r.ready = append(r.ready, row)
}

// sqlStatement is a prepared statement in SQL, whose rows are read before it runs.
type sqlStatement struct {
	session *session
	text    string
	own     database.Statement
}

func (s *session) prepareSQL(ctx context.Context, q sqlfile.Query, in, out any) (database.Statement, error) {
	a, err := s.answering(ctx, q.Text)
	if err != nil {
		return nil, err
	}
	text := q.Text
	q.Text = parameter.ReplaceAllString(q.Text, "?$1")
	own, err := a.Prepare(ctx, q, in, out)
	return &sqlStatement{s, text, own}, err
}

// Run implements database.Statement.
func (st *sqlStatement) Run(ctx context.Context, each func() error) (int64, error) {
	if _, err := st.session.answering(ctx, st.text); err != nil {
		return 0, err
	}
	return st.own.Run(ctx, each)
}
