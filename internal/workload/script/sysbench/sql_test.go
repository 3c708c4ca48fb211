package sysbench

import (
	"context"
	"errors"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"sledge/internal/database"
	"sledge/internal/database/sqlite"
	"sledge/internal/option"
	"sledge/internal/workload"
)

// onSQLite returns a setup with an empty database, and how many sessions are open.
func onSQLite(t testing.TB) (setup Setup, opened *int) {
	t.Helper()
	o := sqlite.Database.Options.New(database.Use{Name: "tpcc"})
	if err := option.Bind(nil, option.Values{"file": filepath.Join(t.TempDir(), "script.db")}, o); err != nil {
		t.Fatal(err)
	}
	if err := sqlite.Database.Container.Create(t.Context(), o, nil); err != nil {
		t.Fatal(err)
	}
	opened = new(int)
	connect := func(ctx context.Context) (database.Session, error) {
		s, err := sqlite.Database.Sessions.Connect(ctx, o, database.Owner)
		if err != nil {
			return nil, err
		}
		*opened++
		return &counted{s, s.(database.Texter), opened}, nil
	}
	return Setup{Server: Server{
		Driver: "sqlite", Placeholder: func(int) string { return "?" }, Explain: sqlite.Database.Sessions.Explain, Classify: sqlite.Database.Sessions.Classify, Open: connect,
	}}, opened
}

// counted is a real session that counts down when it is closed.
type counted struct {
	database.Session
	database.Texter
	opened *int
}

// Close implements database.Session.
func (c *counted) Close() error {
	*c.opened--
	return c.Session.Close()
}

func TestSQL_ReturnsWhatScriptsExpect(t *testing.T) {
	for _, mode := range []string{"auto", "disable"} {
		setup, opened := onSQLite(t)
		setup.Options = map[string]string{"db_ps_mode": mode}
		var out strings.Builder
		setup.Out = &out
		s := open(t, `
function event()
   local driver = sysbench.sql.driver()
   local con = driver:connect()
   print(driver:name(), con:query("CREATE TABLE t (id INTEGER, name TEXT, real REAL)"))
   con:bulk_insert_init("INSERT INTO t VALUES")
   for i = 1, 3 do con:bulk_insert_next(string.format("(%d, 'it''s %d', %d.5)", i, i, i)) end
   con:bulk_insert_done()
   local rs = con:query("SELECT id, name, NULL FROM t ORDER BY id")
   print(rs.nrows, rs.nfields, rs.other)
   for i = 1, rs.nrows do local row = rs:fetch_row() print(type(row[1]), row[1], row[2], row[3], #row) end
   print(rs:fetch_row())
   print(con:query_row("SELECT count(*), max(id) FROM t"))
   print(con:query_row("SELECT 1 FROM t WHERE id = 99"))
   local st = con:prepare("SELECT name, real FROM t WHERE id = ? AND '?' = '?'")
   local id = st:bind_create(sysbench.sql.type.INT)
   st:bind_param(id)
   for i = 2, 3 do id:set(i) local row = st:execute():fetch_row() print(row[1], row[2]) end
   id:set("1") print(unpack(st:execute():fetch_row()))
   id:set(nil) print(st:execute().nrows)
   local insert = con:prepare("INSERT INTO t VALUES (?, ?, ?)")
   local a, b, c = insert:bind_create(sysbench.sql.type.BIGINT), insert:bind_create(sysbench.sql.type.VARCHAR, 5), insert:bind_create(sysbench.sql.type.DOUBLE)
   insert:bind_param(a, b, c)
   a:set(4) b:set("quote'quote") c:set(0.25) print(insert:execute())
   a:set(5) b:set_rand_str("@@@@@@@@") c:set(nil) insert:execute()
   print(con:query_row("SELECT name, real FROM t WHERE id = 4"))
   print(con:query_row("SELECT length(name), real FROM t WHERE id = 5"))
   con:disconnect()
   print(db_query("UPDATE t SET id = id"), db_driver)
   local list = {2}
   local legacy = db_prepare("SELECT name FROM t WHERE id = ?")
   db_bind_param(legacy, list)
   print(db_execute(legacy):fetch_row()[1])
   list[1] = "3"
   print(db_execute(legacy):fetch_row()[1])
   db_close(legacy)
end`, setup)
		_, err := s.Event(t.Context(), false)
		const want = "sqlite\n3\t3\tnil\nstring\t1\tit's 1\tnil\t2\nstring\t2\tit's 2\tnil\t2\nstring\t3\tit's 3\tnil\t2\nnil\n3\t3\n\nit's 2\t2.5\nit's 3\t3.5\nit's 1\t1.5\n0\n\nquote\t0.25\n5\tnil\n" +
			"nil\tsqlite\nit's 2\nit's 3\n"
		if out.String() != want || err != nil {
			t.Errorf("mode %s: got  %q, %v\nwant %q", mode, out.String(), err, want)
		}
		if c := &s.Counts; c.Read.Load() != 11 || c.Write.Load() != 4 || c.Other.Load() != 1 {
			t.Errorf("mode %s: counted %d %d %d, want 11 4 1", mode, c.Read.Load(), c.Write.Load(), c.Other.Load())
		}
		if err := s.Close(t.Context()); err != nil || *opened != 0 {
			t.Errorf("mode %s: got %v, and %d sessions are open", mode, err, *opened)
		}
	}
}

func TestSQL_MistakesEndWithPlaceAndReason(t *testing.T) {
	const begin = "function event() local con = sysbench.sql.driver():connect() local INT = sysbench.sql.type.INT local st = con:prepare('SELECT ?, ?') local p = st:bind_create(INT)\n"
	for text, want := range map[string]string{
		"con:query('nonsense')":                                     `SQL error, errno = 1, state = '': SQL logic error: near "nonsense": syntax error (1)`,
		"con:query(nil)":                                            "bad argument #2 to query (string expected, got nil)",
		"con:query({})":                                             "bad argument #2 to query (string expected, got table)",
		"con.query('SELECT 1')":                                     "bad argument #1 to query (userdata expected, got string)",
		"con.query(st, 'SELECT 1')":                                 "bad argument #1 to query (it must be a connection)",
		"con.query(newproxy(), 'SELECT 1')":                         "bad argument #1 to query (it must be a connection)",
		"getmetatable(con).__index(newproxy(), 'error')":            "it must be a connection",
		"getmetatable(con).__index(nil, 'error')":                   "userdata expected",
		"getmetatable(con:query('SELECT 1')).__index(con, 'nrows')": "it must be a result",
		"st:bind_param(p)":                                          "the statement has 2 parameters, but 1 are bound: SELECT ?, ?",
		"st:bind_param(p, 5)":                                       "bad argument #3 to bind_param (userdata expected, got number)",
		"st:bind_param(p, con)":                                     "bad argument #3 to bind_param (it must be a parameter)",
		"st:execute()":                                              "the parameters of a statement are not bound: SELECT ?, ?",
		"st:bind_create(99)":                                        "there is no such type in sysbench.sql.type",
		"st:bind_create(-1)":                                        "there is no such type in sysbench.sql.type",
		"st:bind_create('x')":                                       "number expected, got string",
		"p:set({})":                                                 "a parameter cannot be a table",
		"st:bind_create(sysbench.sql.type.CHAR):set(print)":         "a parameter cannot be a function",
		"p:set('x')":                                                `a parameter of type INT cannot be "x"`,
		"p.set(con, 5)":                                             "it must be a parameter",
		"con:disconnect() con:query('SELECT 1')":                    "the connection is closed",
		"con:disconnect() st:bind_param(p, p)":                      "the connection is closed",
		"st:bind_param(p, p) con:disconnect() st:execute()":         "the connection is closed",
		"con:disconnect() con:disconnect() con:bulk_insert_init('INSERT INTO t VALUES') con:bulk_insert_next('(1)') con:bulk_insert_done()": "the connection is closed",
		"con:bulk_insert_next('(1)') con:bulk_insert_done()": "syntax error",
		"con:prepare('SELECT * FROM absent')":                "no such table: absent",
		"con:prepare()":                                      "string expected, got nil",
		"con.nothing()":                                      "attempt to call a non-function object",
		"db_execute(con)":                                    "it must be a statement",
		"db_bind_param(st, 5)":                               "table expected, got number",
		"db_bind_param(st, {}) db_execute(st) db_bind_param(st, {{}}) db_execute(st)": "a parameter cannot be a table",
		"db_prepare(nil)": "string expected, got nil",
	} {
		setup, opened := onSQLite(t)
		s := open(t, begin+text+"\nend", setup)
		_, err := s.Event(t.Context(), false)
		if err == nil || !strings.HasPrefix(err.Error(), "script.lua:2: ") || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v\nwant %s", text, err, want)
		}
		if err := s.Close(t.Context()); err != nil || *opened != 0 {
			t.Errorf("%s: got %v, and %d sessions are open", text, err, *opened)
		}
	}
}

// The test goes on: later events work after a failed one.
func TestSQL_GoesOnAfterErrors(t *testing.T) {
	setup, _ := onSQLite(t)
	s := open(t, `
local n = 0
function thread_init() con = sysbench.sql.driver():connect() con:query("CREATE TABLE t (id INTEGER PRIMARY KEY)") con:query("INSERT INTO t VALUES (1)") end
function event()
   n = n + 1
   con:query("BEGIN")
   con:query("INSERT INTO t VALUES (" .. n .. ")")
   con:query("COMMIT")
   print(con.error, con.sql_errno, con.sql_errmsg)
end
function sysbench.hooks.sql_error_ignorable(err)
   print(err.query, err.sql_errno, err.errcode == sysbench.error.RESTART_EVENT, err.connection == con)
   return string.match(err.query, "INSERT")
end
function sysbench.hooks.before_restart_event(err) print("restart", err.query) end
`, setup)
	if err := s.Begin(t.Context()); err != nil {
		t.Fatal(err)
	}
	_, err := s.Event(t.Context(), false)
	if !workload.IsRepeat(err) || sqlite.Database.Sessions.Explain(errors.Unwrap(err)).Number == 0 {
		t.Fatalf("got %v, want one of the database that asks for a repetition", err)
	}
	for again := range 2 {
		if ended, err := s.Event(t.Context(), again == 0); ended || err != nil {
			t.Errorf("got %t, %v", ended, err)
		}
	}
	if err := s.Close(t.Context()); err != nil {
		t.Error(err)
	}
	if got := s.Counts.Errors.Load(); got != 1 {
		t.Errorf("counted %d errors, want 1", got)
	}
}

func TestSQL_FirstConnectionIsTheUsersOwn(t *testing.T) {
	setup, opened := onSQLite(t)
	own, err := setup.Server.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer own.Close()
	setup.Server.Own = own
	s := open(t, `function event()
   local a, b = sysbench.sql.driver():connect(), sysbench.sql.driver():connect()
   a:query("CREATE TEMP TABLE mine (id INTEGER)")
   a:query("SELECT * FROM mine")
   print(pcall(b.query, b, "SELECT * FROM mine"))
   a:reconnect()
   a:query("SELECT * FROM mine")
end`, setup)
	_, err = s.Event(t.Context(), false)
	if err == nil || !strings.Contains(err.Error(), "script.lua:7: SQL error") {
		t.Errorf("got %v, want an error because a new connection has no temporary table", err)
	}
	if *opened != 3 || s.Counts.Reconnects.Load() != 1 {
		t.Errorf("%d sessions are open, %d reconnects, want 3, 1", *opened, s.Counts.Reconnects.Load())
	}
	if err := s.Close(t.Context()); err != nil || *opened != 1 {
		t.Errorf("got %v, and %d sessions are open, want the own one", err, *opened)
	}
}

func TestNew_ClosesSessionsOfAFailedScript(t *testing.T) {
	setup, opened := onSQLite(t)
	if _, err := tryOpen(t, "db_connect()\nerror('bad')", setup); err == nil || err.Error() != "script.lua:2: bad" || *opened != 0 {
		t.Errorf("got %v, and %d sessions are open", err, *opened)
	}
}

func TestBundled_RunOnSQLite(t *testing.T) {
	for _, name := range Bundled() {
		setup, _ := onSQLite(t)
		p, err := NewProgram("main.lua", map[string]string{"main.lua": `require("` + name + `")`}, nil)
		if err != nil {
			t.Fatal(err)
		}
		setup.Program, setup.Options = p, map[string]string{"table_size": "100"}
		s := open(t, "", setup)
		prepare, found := s.Command("prepare")
		if !found {
			t.Fatalf("%s has no prepare", name)
		}
		if err := s.Do(t.Context(), prepare); err != nil {
			t.Errorf("%s prepare: %v", name, err)
		}
		if err := s.Begin(t.Context()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for range 20 {
			if ended, err := s.Event(t.Context(), false); ended || err != nil {
				t.Fatalf("%s: got %t, %v", name, ended, err)
			}
		}
		if err := s.Close(t.Context()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		s = open(t, "", setup)
		cleanup, _ := s.Command("cleanup")
		if err := s.Do(t.Context(), cleanup); err != nil {
			t.Errorf("%s cleanup: %v", name, err)
		}
		s.disconnect()
	}
}

// A state of the bundled workload needs 140 KB, of which half are the tables of Lua's and sysbench's functions.
func TestNew_NeedsLittleMemory(t *testing.T) {
	setup, _ := onSQLite(t)
	p, err := NewProgram("main.lua", map[string]string{"main.lua": `require("oltp_read_write")`}, nil)
	if err != nil {
		t.Fatal(err)
	}
	setup.Program, setup.Numbers = p, NewNumbers(1)
	used := func() uint64 {
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	const states, most = 50, 200_000
	list := []*State{open(t, "", setup)} // it compiles the bundled files
	before := used()
	for range states {
		list = append(list, open(t, "", setup))
	}
	if each := (used() - before) / states; each > most {
		t.Errorf("a state needs %d bytes, want at most %d", each, most)
	}
	runtime.KeepAlive(list)
}

// Functions may be called with any arguments. They may raise errors of Lua, but none of Go.
func TestFunctions_TakeAnyArguments(t *testing.T) {
	setup, _ := onSQLite(t)
	stopped := make(chan struct{})
	close(stopped) // so that pauses do not last
	var out strings.Builder
	setup.Stopped, setup.Out = stopped, &out
	s := open(t, `
local called, found, functions = {}, {}, {}
local without = { -- what would end, change or fill the test; and connections, which take long; and SQLite's driver fails at an empty text
   connect = 1, reconnect = 1, db_connect = 1, db_query = 1, query = 1, query_row = 1,
   print = 1, load = 1, require = 1, xpcall = 1, pcall = 1, sb_rand_uniq = 1, setfenv = 1, rawset = 1, getmetatable = 1, setmetatable = 1, write = 1, resume = 1, wrap = 1, varstring = 1,
}
local function gather(t)
   if called[t] then return end
   called[t] = true
   for name, v in pairs(t) do
      if type(v) == "table" then gather(v)
      elseif type(v) == "function" and not without[name] then functions[#functions + 1] = {name, v} end
   end
end
gather(_G)
local con = sysbench.sql.driver():connect()
local st = con:prepare("SELECT ?")
local p = st:bind_create(3)
local rs = con:query("SELECT 1")
for _, object in ipairs({sysbench.sql.driver(), con, st, p, rs}) do gather(getmetatable(object)) end
local print, pcall, type, ipairs, tostring, match, select = print, pcall, type, ipairs, tostring, string.match, select
local values = {true, -1, 0, 1, 2.5, 1e300, -1e300, 2^31, 2^53, 0/0, 1/0, "", "x", "%", "[%", "%d", "1e5", {}, {1, 2}, print, newproxy(true), coroutine.create(print), con, st, p, rs}
local function matchesGo(message)
   for _, text in ipairs({"runtime error", "interface conversion", "reflect", "strings:", "makeslice", "nil pointer", "goroutine"}) do
      if match(message, text) then return true end
   end
end
local n = 0
local function try(one, ...)
   n = n + 1
   local ok, message = pcall(one[2], ...)
   if not ok and type(message) == "string" and matchesGo(message) and not found[one[1] .. message] then
      found[one[1] .. message] = true
      print("found", one[1], message, ...)
   end
end
function event()
   for _, one in ipairs(functions) do
      try(one)
      try(one, nil, nil, nil)
      for _, a in ipairs(values) do
         try(one, a)
         try(one, nil, a)
         for i, b in ipairs(values) do
            try(one, a, b, values[(n * 7) % #values + 1], values[(i * 5) % #values + 1])
         end
      end
   end
   assert(n > 50000, n)
end`, setup)
	s.grace = time.Minute
	ends(t, func() {
		if _, err := s.Event(t.Context(), false); err != nil {
			t.Error(err)
		}
	})
	for line := range strings.Lines(out.String()) {
		if found, is := strings.CutPrefix(line, "found\t"); is {
			t.Error(found)
		}
	}
}
