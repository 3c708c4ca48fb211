package sysbench

import (
	"database/sql"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
	"unsafe"

	lua "github.com/yuin/gopher-lua"

	"sledge/internal/database"
	"sledge/internal/meter"
	"sledge/internal/sqlfile"
)

// The names of the types of objects.
const (
	ofDriver     = "driver"
	ofConnection = "connection"
	ofStatement  = "statement"
	ofParam      = "parameter"
	ofResult     = "result"
)

// types are the types of parameters, with the numbers that scripts know.
var types = []string{"NONE", "TINYINT", "SMALLINT", "INT", "BIGINT", "FLOAT", "DOUBLE", "TIME", "DATE", "DATETIME", "TIMESTAMP", "CHAR", "VARCHAR"}

// class defines a type of objects with methods. field returns other fields of the first argument by their names; it
// may be nil.
func (s *State) class(name string, methods functions, field func(l *lua.LState, name string) lua.LValue) {
	meta := s.lua.CreateTable(0, 1)
	s.classes[name] = meta
	table := s.table(methods)
	if field == nil {
		meta.RawSetString("__index", table)
		return
	}
	meta.RawSetString("__index", s.lua.NewFunction(func(l *lua.LState) int {
		key := l.CheckString(2)
		v := table.RawGetString(key)
		if v == lua.LNil {
			v = field(l, key)
		}
		l.Push(v)
		return 1
	}))
}

// object makes an object of a type.
func (s *State) object(name string, v any) *lua.LUserData {
	u := s.lua.NewUserData()
	u.Value, u.Metatable = v, s.classes[name]
	return u
}

// check returns the object that is an argument.
func check[T any](l *lua.LState, n int, name string) T {
	v, is := l.CheckUserData(n).Value.(T)
	if !is {
		l.ArgError(n, "it must be a "+name)
	}
	return v
}

func checkStatement(l *lua.LState, n int) *statement { return check[*statement](l, n, ofStatement) }

// openSQL defines sysbench.sql and the types of its objects.
func (s *State) openSQL(sysbench *lua.LTable) {
	l := s.lua
	s.class(ofDriver, functions{
		"connect": func(l *lua.LState) int { l.Push(s.connect(l).object); return 1 },
		"name":    func(l *lua.LState) int { l.Push(lua.LString(s.Server.Driver)); return 1 },
	}, nil)
	of := func(f func(c *connection, l *lua.LState) int) lua.LGFunction {
		return func(l *lua.LState) int { return f(check[*connection](l, 1, ofConnection), l) }
	}
	s.class(ofConnection, functions{
		"query": of(func(c *connection, l *lua.LState) int { return c.query(l, l.CheckString(2)) }),
		"query_row": of(func(c *connection, l *lua.LState) int {
			r := c.read(l, l.CheckString(2))
			if r == nil || r.rows == 0 {
				return 0
			}
			return r.push(l)
		}),
		"prepare":          of(func(c *connection, l *lua.LState) int { l.Push(c.prepare(l, l.CheckString(2)).object); return 1 }),
		"disconnect":       of(func(c *connection, _ *lua.LState) int { c.close(); return 0 }),
		"reconnect":        of(func(c *connection, l *lua.LState) int { c.reconnect(l); return 0 }),
		"bulk_insert_init": of(func(c *connection, l *lua.LState) int { c.bulk.begin(l.CheckString(2)); return 0 }),
		"bulk_insert_next": of(func(c *connection, l *lua.LState) int { c.addRow(l, l.CheckString(2)); return 0 }),
		"bulk_insert_done": of(func(c *connection, l *lua.LState) int { c.flush(l); return 0 }),
		"more_results":     of(func(_ *connection, l *lua.LState) int { l.Push(lua.LFalse); return 1 }),
		"next_result":      of(func(_ *connection, l *lua.LState) int { l.Push(lua.LNil); return 1 }),
		"check_error":      of(func(*connection, *lua.LState) int { return 0 }),
	}, func(l *lua.LState, name string) lua.LValue { return check[*connection](l, 1, ofConnection).field(name) })
	s.class(ofStatement, functions{
		"bind_create": func(l *lua.LState) int {
			st := checkStatement(l, 1)
			p := &param{kind: l.CheckInt(2), longest: l.OptInt(3, 0)}
			if p.kind < 0 || p.kind >= len(types) {
				l.ArgError(2, "there is no such type in sysbench.sql.type")
			}
			p.object = s.object(ofParam, p)
			st.created = append(st.created, p)
			l.Push(p.object)
			return 1
		},
		"bind_param": func(l *lua.LState) int {
			st := checkStatement(l, 1)
			st.params = st.params[:0]
			for i := 2; i <= l.GetTop(); i++ {
				st.params = append(st.params, check[*param](l, i, ofParam))
			}
			if st.prepared = nil; s.prepares {
				st.bind(l)
			}
			return 0
		},
		"execute":     func(l *lua.LState) int { return checkStatement(l, 1).execute(l) },
		"next_result": func(l *lua.LState) int { l.Push(lua.LNil); return 1 },
		"close":       func(*lua.LState) int { return 0 },
	}, nil)
	s.class(ofParam, functions{
		"set": func(l *lua.LState) int {
			check[*param](l, 1, ofParam).set(l, l.Get(2))
			return 0
		},
		"set_rand_str": func(l *lua.LState) int {
			p := check[*param](l, 1, ofParam)
			p.text, p.null = s.random.appendPattern(p.text[:0], l.CheckString(2)), false
			p.cut()
			return 0
		},
	}, nil)
	s.class(ofResult, functions{
		"fetch_row": func(l *lua.LState) int { return check[*result](l, 1, ofResult).fetch(l) },
		"free":      func(*lua.LState) int { return 0 },
	}, func(l *lua.LState, name string) lua.LValue {
		r := check[*result](l, 1, ofResult)
		switch name {
		case "nrows":
			return lua.LNumber(r.rows)
		case "nfields":
			return lua.LNumber(r.fields)
		}
		return lua.LNil
	})
	module := s.table(functions{"driver": func(l *lua.LState) int { l.Push(s.object(ofDriver, nil)); return 1 }})
	kinds := l.CreateTable(0, 1)
	for i, name := range types {
		kinds.RawSetString(name, lua.LNumber(i))
	}
	module.RawSetString("type", kinds)
	codes := l.CreateTable(0, 1)
	for i, name := range []string{"NONE", "IGNORABLE", "FATAL"} {
		codes.RawSetString(name, lua.LNumber(i))
	}
	module.RawSetString("error", codes)
	sysbench.RawSetString("sql", module)
}

// connection is a connection of a script.
type connection struct {
	state   *State
	session database.Session // nil while it is closed
	object  *lua.LUserData
	last    database.Explanation // of the last failure
	code    int                  // sysbench.sql.error
	bulk    bulk
	opened  int // how often, so that statements know when to prepare again
	texts   result
}

// connect opens a connection. The first one uses the session of the virtual user.
func (s *State) connect(l *lua.LState) *connection {
	c := &connection{state: s}
	c.object = s.object(ofConnection, c)
	c.open(l)
	s.connections = append(s.connections, c)
	return c
}

func (c *connection) open(l *lua.LState) {
	s := c.state
	c.opened++
	if s.Server.Own != nil && !s.ownTaken {
		c.session, s.ownTaken = s.Server.Own, true
		return
	}
	if s.Server.Open == nil {
		l.RaiseError("there is no database to connect to")
	}
	session, err := s.Server.Open(s.ctx)
	if err != nil {
		c.raise(l, "connect", err)
	}
	c.session = session
}

// close ends a connection. The session of the virtual user stays open, unused.
func (c *connection) close() {
	if c.session != nil && c.session != c.state.Server.Own {
		_ = c.session.Close() // it is given up in any case
	}
	c.session = nil
}

func (c *connection) reconnect(l *lua.LState) {
	c.close()
	c.open(l)
	c.state.Counts.Reconnects.Add(1)
}

// field returns a field of a connection.
func (c *connection) field(name string) lua.LValue {
	switch name {
	case "error":
		return lua.LNumber(c.code)
	case "sql_errno":
		return lua.LNumber(c.last.Number)
	case "sql_state":
		return lua.LString(c.last.State)
	case "sql_errmsg":
		return lua.LString(c.last.Message)
	}
	return lua.LNil
}

// raise raises an error of the database: for one that is ignored a table that asks for a repetition of the event,
// otherwise a text.
func (c *connection) raise(l *lua.LState, text string, err error) {
	s := c.state
	c.last = s.explanation(err)
	s.failure = err
	t := l.NewTable()
	t.RawSetString("connection", c.object)
	t.RawSetString("query", lua.LString(text))
	t.RawSetString("sql_errno", lua.LNumber(c.last.Number))
	t.RawSetString("sql_state", lua.LString(c.last.State))
	t.RawSetString("sql_errmsg", lua.LString(c.last.Message))
	t.RawSetString("errcode", restartEvent)
	ignored := s.ignores(err, c.last)
	if hook, is := s.hook("sql_error_ignorable"); is {
		l.Push(hook)
		l.Push(t)
		l.Call(1, 1)
		ignored = ignored || lua.LVAsBool(l.Get(-1))
		l.Pop(1)
	}
	const ignorable, fatal = 1, 2
	if ignored {
		c.code, s.restart = ignorable, t
		l.Error(t, 1)
	}
	c.code = fatal
	l.RaiseError("SQL error, errno = %d, state = '%s': %s", c.last.Number, c.last.State, c.last.Message)
}

// ignores reports whether an event is repeated after an error. On PostgreSQL, the errors are fixed.
func (s *State) ignores(err error, e database.Explanation) bool {
	if s.Server.Driver == "mysql" {
		return e.Number != 0 && (s.allErrs || s.ignored[e.Number])
	}
	if s.Server.Driver == "pgsql" {
		return e.State == "40P01" || e.State == "40001" || e.State == "23505"
	}
	class := meter.Other
	if s.Server.Classify != nil {
		class = s.Server.Classify(err)
	}
	return class.Retryable()
}

// must returns the session of an open connection.
func (c *connection) must(l *lua.LState) database.Session {
	if c.session == nil {
		l.RaiseError("the connection is closed")
	}
	return c.session
}

// count counts a statement.
func (s *State) count(r *result, affected int64) {
	switch {
	case r.fields > 0:
		s.Counts.Read.Add(1)
	case affected > 0:
		s.Counts.Write.Add(1)
	default:
		s.Counts.Other.Add(1)
	}
}

// query executes a text, and pushes its result or nothing.
func (c *connection) query(l *lua.LState, text string) int {
	r := c.read(l, text)
	if r == nil {
		return 0
	}
	own := &result{fields: r.fields, rows: r.rows, data: append([]byte(nil), r.data...), ends: append([]int32(nil), r.ends...)}
	l.Push(c.state.object(ofResult, own))
	return 1
}

// read executes a text. It returns nil if there is no result; the result is valid until the next call.
func (c *connection) read(l *lua.LState, text string) *result {
	session, r := c.must(l), &c.texts
	texter, is := session.(database.Texter)
	if !is {
		l.RaiseError("scripts of sysbench do not run on this database")
	}
	r.reset()
	n, err := texter.ExecText(c.state.ctx, text, &r.cells, r.take)
	if err != nil {
		c.raise(l, text, err)
	}
	r.fields = len(r.cells.Columns)
	c.state.count(r, n)
	if r.fields == 0 {
		return nil
	}
	return r
}

// result is the rows of a result, as text.
type result struct {
	cells  database.Cells
	fields int
	rows   int
	data   []byte
	ends   []int32 // the end of each value in data; negative for NULL
	next   int     // the row that fetch returns next
}

func (r *result) reset() {
	r.cells.Columns, r.fields, r.rows, r.next, r.data, r.ends = r.cells.Columns[:0], 0, 0, 0, r.data[:0], r.ends[:0]
}

// take keeps the row in cells.
func (r *result) take() error {
	const most = math.MaxInt32 / 2
	for _, v := range r.cells.Values {
		if len(r.data)+len(v) > most {
			return fmt.Errorf("a result has more than %d bytes", most)
		}
		r.data = append(r.data, v...)
		end := int32(len(r.data))
		if v == nil {
			end = -end - 1
		}
		r.ends = append(r.ends, end)
	}
	r.rows++
	return nil
}

// value returns a value of a row, in Lua.
func (r *result) value(row, column int) lua.LValue {
	i := row*r.fields + column
	if r.ends[i] < 0 {
		return lua.LNil
	}
	start := int32(0)
	if i > 0 {
		if start = r.ends[i-1]; start < 0 {
			start = -start - 1
		}
	}
	return lua.LString(r.data[start:r.ends[i]])
}

// fetch pushes the next row as a table, or nil after the last one.
func (r *result) fetch(l *lua.LState) int {
	if r.next >= r.rows {
		l.Push(lua.LNil)
		return 1
	}
	t := l.CreateTable(r.fields, 0)
	for i := range r.fields {
		t.RawSetInt(i+1, r.value(r.next, i))
	}
	r.next++
	l.Push(t)
	return 1
}

// push pushes the values of the first row.
func (r *result) push(l *lua.LState) int {
	for i := range r.fields {
		l.Push(r.value(0, i))
	}
	return r.fields
}

// bulk gathers rows for an INSERT of many rows.
type bulk struct {
	text   []byte
	prefix int
	rows   int
}

// mostBulk is how long a text of bulk becomes, as in sysbench.
const mostBulk = 524_288

func (b *bulk) begin(prefix string) {
	b.text, b.rows = append(append(b.text[:0], prefix...), ' '), 0
	b.prefix = len(b.text)
}

// addRow adds a row. It sends the rows before if they fill the buffer.
func (c *connection) addRow(l *lua.LState, row string) {
	b := &c.bulk
	if b.rows > 0 && len(b.text)+len(row)+1 > mostBulk {
		c.flush(l)
	}
	if b.rows > 0 {
		b.text = append(b.text, ',')
	}
	b.text = append(b.text, row...)
	b.rows++
}

// flush sends the rows.
func (c *connection) flush(l *lua.LState) {
	b := &c.bulk
	if b.rows == 0 {
		return
	}
	text := unsafe.String(unsafe.SliceData(b.text), len(b.text)) // it is not kept
	b.rows = 0
	c.read(l, text)
	b.text = b.text[:b.prefix]
}

// param is a parameter of statements.
type param struct {
	object  *lua.LUserData
	kind    int // sysbench.sql.type
	longest int // of texts, in bytes; 0 for no limit
	null    bool
	whole   int64
	real    float64
	text    []byte
}

// isWhole, isReal and others are texts.
func (p *param) isWhole() bool { return types[p.kind] != "NONE" && p.kind <= 4 }
func (p *param) isReal() bool  { return types[p.kind] == "FLOAT" || types[p.kind] == "DOUBLE" }

// cut shortens a text to the longest.
func (p *param) cut() {
	if p.longest > 0 && len(p.text) > p.longest {
		p.text = p.text[:p.longest]
	}
}

// set gives a parameter a value.
func (p *param) set(l *lua.LState, v lua.LValue) {
	p.null = v == lua.LNil
	n, isNumber := v.(lua.LNumber)
	if _, isText := v.(lua.LString); !isText && !isNumber && !p.null {
		l.RaiseError("a parameter cannot be a %s", v.Type())
	}
	if !isNumber && !p.null && (p.isWhole() || p.isReal()) {
		f, err := strconv.ParseFloat(strings.TrimSpace(lua.LVAsString(v)), 64)
		if err != nil {
			l.RaiseError("a parameter of type %s cannot be %q", types[p.kind], lua.LVAsString(v))
		}
		n = lua.LNumber(f)
	}
	switch {
	case p.null:
	case p.isWhole():
		p.whole = int64(n)
	case p.isReal():
		p.real = float64(n)
	default:
		p.text = append(p.text[:0], textOf(v)...)
		p.cut()
	}
}

// appendLiteral appends the value as a literal. escaped means that a backslash escapes in texts.
func (p *param) appendLiteral(buf []byte, escaped bool) []byte {
	switch {
	case p.null:
		return append(buf, "NULL"...)
	case p.isWhole():
		return strconv.AppendInt(buf, p.whole, 10)
	case p.isReal():
		return strconv.AppendFloat(buf, p.real, 'g', -1, 64)
	}
	buf = append(buf, '\'')
	for _, c := range p.text {
		if c == '\'' || c == '\\' && escaped {
			buf = append(buf, c)
		}
		buf = append(buf, c)
	}
	return append(buf, '\'')
}

// statement is a prepared statement of a script.
type statement struct {
	on      *connection
	object  *lua.LUserData
	pieces  []string // of the text, around its parameters
	created []*param
	params  []*param
	values  *lua.LTable // of the legacy interface; nil for params

	prepared database.Statement // nil if it is sent as text
	opened   int                // connection.opened when it was prepared
	fields   []any              // of the parameters
	result   result
	shown    *lua.LUserData // the result, for Lua
	text     []byte
}

// prepare makes a statement. It is prepared on the server as soon as the types of its parameters are known.
func (c *connection) prepare(l *lua.LState, text string) *statement {
	st := &statement{on: c, pieces: split(text)}
	if c.state.prepares && c.state.Server.Driver == "pgsql" {
		_, _ = c.state.random.next(), c.state.random.next() // sysbench names the statement by them
	}
	st.object = c.state.object(ofStatement, st)
	st.shown = c.state.object(ofResult, &st.result)
	if len(st.pieces) == 1 && c.state.prepares {
		st.bind(l)
	}
	return st
}

// split splits a text at its question marks, except those in quotes.
func split(text string) (pieces []string) {
	from, quote := 0, byte(0)
	for i := range len(text) {
		switch c := text[i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '\'' || c == '"' || c == '`':
			quote = c
		case c == '?':
			pieces, from = append(pieces, text[from:i]), i+1
		}
	}
	return append(pieces, text[from:])
}

// borders are statements that begin and end transactions, which are sent as text.
func isBorder(text string) bool {
	switch strings.ToUpper(strings.Trim(text, "; \n")) {
	case "BEGIN", "COMMIT", "ROLLBACK", "START TRANSACTION":
		return true
	}
	return false
}

// bind prepares a statement on the server.
func (st *statement) bind(l *lua.LState) {
	c := st.on
	if isBorder(st.pieces[0]) && len(st.pieces) == 1 {
		return
	}
	if len(st.params) != len(st.pieces)-1 {
		l.RaiseError("the statement has %d parameters, but %d are bound: %s", len(st.pieces)-1, len(st.params), strings.Join(st.pieces, "?"))
	}
	var text strings.Builder
	var list []reflect.StructField
	q := sqlfile.Query{Name: "statement"}
	for i, piece := range st.pieces {
		text.WriteString(piece)
		if i == len(st.params) {
			break
		}
		name := "P" + strconv.Itoa(i)
		text.WriteString(c.state.Server.Placeholder(i + 1))
		of := reflect.TypeFor[sql.Null[string]]()
		switch p := st.params[i]; {
		case p.isWhole():
			of = reflect.TypeFor[sql.Null[int64]]()
		case p.isReal():
			of = reflect.TypeFor[sql.Null[float64]]()
		}
		q.Params = append(q.Params, name)
		list = append(list, reflect.StructField{Name: name, Type: of, Tag: reflect.StructTag(fmt.Sprintf("sql:%q", name))})
	}
	q.Text = text.String()
	in := reflect.New(reflect.StructOf(list))
	st.fields = st.fields[:0]
	for i := range list {
		st.fields = append(st.fields, in.Elem().Field(i).Addr().Interface())
	}
	st.result.cells.Columns = nil
	prepared, err := c.must(l).Prepare(c.state.ctx, q, in.Interface(), &st.result.cells)
	if err != nil {
		c.raise(l, strings.Join(st.pieces, "?"), err)
	}
	st.prepared, st.opened = prepared, c.opened
}

// take reads the values of the legacy interface.
func (st *statement) take(l *lua.LState) {
	if st.values == nil {
		return
	}
	changed := len(st.params) != len(st.pieces)-1
	if changed {
		st.params = nil
		for range len(st.pieces) - 1 {
			st.params = append(st.params, &param{kind: 12})
		}
	}
	for i, p := range st.params {
		v := st.values.RawGetInt(i + 1)
		kind := 12
		if _, is := v.(lua.LNumber); is {
			kind = 4
		}
		changed = changed || kind != p.kind
		p.kind = kind
		p.set(l, v)
	}
	if changed && st.on.state.prepares {
		st.bind(l)
	}
}

// execute runs a statement, and pushes its result or nothing.
func (st *statement) execute(l *lua.LState) int {
	c, r := st.on, &st.result
	session := c.must(l)
	st.take(l)
	if st.opened != c.opened && st.prepared != nil {
		st.bind(l)
	}
	r.fields, r.rows, r.next, r.data, r.ends = 0, 0, 0, r.data[:0], r.ends[:0]
	if st.prepared == nil {
		return st.send(l, session)
	}
	for i, p := range st.params {
		switch f := st.fields[i].(type) {
		case *sql.Null[int64]:
			f.V, f.Valid = p.whole, !p.null
		case *sql.Null[float64]:
			f.V, f.Valid = p.real, !p.null
		case *sql.Null[string]:
			f.V, f.Valid = unsafe.String(unsafe.SliceData(p.text), len(p.text)), !p.null // statements do not keep it
		}
	}
	n, err := st.prepared.Run(c.state.ctx, r.take)
	if err != nil {
		c.raise(l, strings.Join(st.pieces, "?"), err)
	}
	r.fields = len(r.cells.Columns)
	return st.done(l, n)
}

// send executes a statement as text.
func (st *statement) send(l *lua.LState, session database.Session) int {
	c, r := st.on, &st.result
	if len(st.params) < len(st.pieces)-1 {
		l.RaiseError("the parameters of a statement are not bound: %s", strings.Join(st.pieces, "?"))
	}
	st.text = append(st.text[:0], st.pieces[0]...)
	for i, piece := range st.pieces[1:] {
		st.text = append(st.params[i].appendLiteral(st.text, c.state.Server.Driver == "mysql"), piece...)
	}
	texter, is := session.(database.Texter)
	if !is {
		l.RaiseError("scripts of sysbench do not run on this database")
	}
	n, err := texter.ExecText(c.state.ctx, unsafe.String(unsafe.SliceData(st.text), len(st.text)), &r.cells, r.take)
	if err != nil {
		c.raise(l, string(st.text), err)
	}
	r.fields = len(r.cells.Columns)
	return st.done(l, n)
}

func (st *statement) done(l *lua.LState, n int64) int {
	st.on.state.count(&st.result, n)
	if st.result.fields == 0 {
		return 0
	}
	l.Push(st.shown)
	return 1
}
