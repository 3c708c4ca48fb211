package sysbench

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"
	"time"

	"sledge/internal/workload"
)

// ends fails the test if f does not return soon.
func ends(t testing.TB, f func()) {
	t.Helper()
	const soon = 20 * time.Second
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	select {
	case <-done:
	case <-time.After(soon):
		t.Fatal("it does not end")
	}
}

// run makes a state of a script, runs an event and ends the thread. It returns the first error.
func run(t testing.TB, text string, change func(s *State)) (err error) {
	t.Helper()
	ends(t, func() {
		var s *State
		if s, err = tryOpen(t, text, Setup{}); err != nil {
			return
		}
		if change != nil {
			change(s)
		}
		if err = s.Begin(t.Context()); err == nil {
			_, err = s.Event(t.Context(), false)
		}
		err = errors.Join(err, s.Close(context.WithoutCancel(t.Context())))
	})
	return err
}

func TestBadScripts_EndWithPlaceAndReason(t *testing.T) {
	deep := func(piece, middle, end string, n int) string {
		return "local y = 1\nx = " + strings.Repeat(piece, n) + middle + strings.Repeat(end, n)
	}
	for _, test := range []struct{ text, want string }{
		{"x = = 1", "script.lua:1: syntax error near \"=\""},
		{"function event()\n  local x = nil + 1 end", "script.lua:2: cannot perform add operation between nil and number"},
		{"function event()\n error('bad')\nend", "script.lua:2: bad"},
		{"function event() error('bad', 0) end", "bad"},
		{"function event()\n\nerror(nil) end", "script.lua:3: it raised an error without a text: nil"},
		{"function event()\n error({}) end", "script.lua:2: it raised an error without a text: table"},
		{"function event()\n error(setmetatable({}, {__tostring = function() error('no') end})) end", "script.lua:2: it raised an error without a text: table"},
		{"function event()\n error(setmetatable({}, {__index = function() error('no') end})) end", "script.lua:2: it raised an error without a text: table"},
		{"function event()\n local x = nope.field end", "script.lua:2: attempt to index a non-table object(nil) with key 'field'"},
		{"function event()\n nope() end", "script.lua:2: attempt to call a non-function object"},
		{"function event()\n coroutine.yield(1) end", "script.lua:2: can not yield from outside of a coroutine"},
		{"event = 5", "script.lua: it defines no function event, which a run needs"},
		{"function thread_init() event = nil end\nfunction event() end", "attempt to call a non-function object"},

		// Recursion.
		{"function event()\n return 1 + event() end", "script.lua:2: stack overflow"},
		{"function f() local ok, e = pcall(f)\n error(e, 0) end\nevent = f", "script.lua:1: stack overflow"},
		{"function event() local t = setmetatable({}, {__index = function(t, k) return t[k] end})\n return t.x end", "script.lua:1: stack overflow"},
		{"function event() local t = setmetatable({}, {})\ngetmetatable(t).__index = t\n return t.x end", "script.lua:3: too many recursions in gettable"},
		{"function event() local t = setmetatable({}, {__tostring = function(t)\n return tostring(t) end}) tostring(t) end", "script.lua:2: stack overflow"},
		{"function event() return (string.gsub('aaa', 'a',\n event)) end", "stack overflow"},
		{"function event()\n table.sort({1, 2, 3}, function() event() end) end", "script.lua:2: stack overflow"},
		{"function event()\n coroutine.wrap(event)() end", "script.lua:2: more than 32 coroutines run in each other"},
		{"function event() local _, e = coroutine.resume(coroutine.create(event))\n error(e, 0) end", "script.lua:1: more than 32 coroutines run in each other"},

		// Sizes.
		{"function event()\n unpack({}, 1, 1e8) end", "script.lua:2: too many results to unpack"},
		{"function event() for i = 1, 1e5 do table.insert({}, i) end local t = {} for i = 1, 7e4 do t[i] = i end\n select('#', unpack(t)) end", "script.lua:2: too many results to unpack"},
		{"function event() local function f(n)\n if n > 0 then return 1, f(n - 1) end end f(1e5) end", "script.lua:2: stack overflow"},
		{"function event() local function f(...)\n return 1 + f(1, ...) end f() end", "script.lua:2: stack overflow"},
		{"function event()\n string.rep('x', 1e9) end", "script.lua:2: string.rep: the result would have more than 64 MiB"},
		{"function event()\n string.rep(string.rep('x', 1e7), 1e300) end", "script.lua:2: string.rep: the result would have more than 64 MiB"},
		{"function event() local s = string.rep('x', 1e6)\n s:gsub('x', s) end", "script.lua:2: string.gsub: the result would have more than 64 MiB"},
		{"function event() local t = {} local s = string.rep('x', 1e6) for i = 1, 100 do t[i] = s end\n table.concat(t) end", "script.lua:2: table.concat: the result would have more than 64 MiB"},
		{"function event()\n sysbench.rand.varstring(4e9, 4e9) end", "script.lua:2: varstring: a text cannot have more than 67108864 characters"},
		{deep("(", "1", ")", 100_000) + "\nfunction event() error('fine') end", "fine"},
		{deep("- ", "y", "", 6000), "script.lua:2: it is nested too deeply"},
		{deep("{", "1", "}", 6000), "script.lua:2: it is nested too deeply"},
		{deep("function() return ", "1", " end", 6000), "script.lua:2: it is nested too deeply"},
		{deep("y + ", "y", "", 6000), "script.lua:2: it is nested too deeply"},
		{deep("{", "1", "}", 1000), "script.lua: register overflow(too many local variables)"},
		{strings.Repeat("-", 5<<20), "script.lua: it is longer than 4 MiB"},
		{"function event()\n assert(loadstring('x = ' .. string.rep('- ', 6000) .. 'y')) end", "<string>:1: it is nested too deeply"},
		{"function event()\n string.find('', string.rep('(', 1000)) end", "script.lua:2: too many captures"},
		{"function event()\n string.find(string.rep('x', 20000), string.rep('x?', 20000)) end", "script.lua:2: pattern too complex"},

		// The global sysbench.
		{"sysbench = nil function event() error('fine') end", "fine"},
		{"sysbench.hooks = 5 function event() error('fine') end", "fine"},
		{"sysbench.hooks = {before_restart_event = 5} function event() error('fine') end", "fine"},
		{"sysbench.opt = nil function event() error('fine') end", "fine"},
		{"sysbench.cmdline = 'x' function event() error('fine') end", "fine"},
		{"sysbench.cmdline.options = {x = 5, [1] = {}, [true] = {}, y = {nil, {}, 'z'}, z = {print, print, 99}} function event() error('fine') end", "fine"},
		{"sysbench.cmdline.commands = {x = 5, [1] = {}, y = {5}} function event() error('fine') end", "fine"},
		{"setmetatable(_G, {__index = function(_, name) error('unknown ' .. name) end, __newindex = function() error('new') end})\nrawset(_G, 'event', function() error('fine') end)", "fine"},
		{"setmetatable(sysbench, {__index = function() error('x') end}) sysbench.hooks = nil function event() error('fine') end", "fine"},
		{"string = nil table = nil package = nil pcall = nil function event() error('fine') end", "fine"},
		{"package.loaded = nil\nrequire('x')", "script.lua:2: package.loaded is not a table"},
		{"local g = _G for name in pairs(g) do g[name] = nil end", "script.lua: it defines no function event"},
		{"_G = nil function event() error('fine') end", "fine"},

		// Functions with wrong arguments.
		{"function event()\n math.random(2, 1) end", "script.lua:2: bad argument #2 to random (interval is empty)"},
		{"function event() for _, n in ipairs({2^63, 1e300, 1/0, -5e18, 0/0}) do pcall(math.random, n) pcall(math.random, -n, n) pcall(math.randomseed, n) end error('fine') end", "fine"},
		{"function event() for _, n in ipairs({2^63, 1e300, 1/0, -5e18, 0/0, 'x'}) do for _, f in pairs(sysbench.rand) do pcall(f, n, n) end end error('fine') end", "fine"},
		{"function event() ffi.C.usleep(-1) ffi.C.usleep(0/0) ffi.C.poll(nil, 0, -1) ffi.C.sb_counter_inc(0, 99) ffi.C.sb_counter_inc(0, -1) error('fine') end", "fine"},
		{"function event()\n sb_rand_uniq(5, 4) end", "script.lua:2: bad argument #2 to sb_rand_uniq (interval is empty)"},
		{"function event()\n getmetatable('').__index = nil\n ('x'):rep(2) end", "script.lua:3: attempt to index a non-table object(string) with key 'rep'"},
		{"function event()\n for _, p in ipairs({'%', '[', '[a', '[^', '[]', '%b', '%bx', '%f', '%1', '(', ')', '(()', '[%', '[a-', '[a-]', '%9'}) do for _, f in ipairs({string.find, string.match, string.gsub}) do pcall(f, 'abc', p, '%1%9') end end error('fine') end", "fine"},
		{"function event()\n string.gsub('x', 'x', {x = {}}) end", "script.lua:2: invalid replacement value (a table)"},
		{"function event()\n sysbench.histogram.new(0, 1, 2) end", "script.lua:2: histogram.new: it needs a size of 2 or more, and limits with 0 < min < max"},
		{"function event()\n os.date('%', 1e300) os.time({year = 1e300, month = 0/0}) error('fine') end", "fine"},
	} {
		t.Run(test.text[:min(len(test.text), 60)], func(t *testing.T) {
			t.Parallel()
			err := run(t, test.text, nil)
			if err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "interpreter failed") {
				t.Errorf("got %v\nwant %s", err, test.want)
			}
		})
	}
}

// The library panics while it handles this error (gopher-lua 1.1.2, where with the first instruction of a frame).
func TestBrokenInterpreter_EndsTheThread(t *testing.T) {
	const failed = "the interpreter failed"
	for call, want := range map[string]string{"f()": failed, "pcall(f)": failed, "coroutine.wrap(f)()": failed, "pcall(coroutine.wrap(f))": "script.lua:3: fine"} {
		s := open(t, `
local function f(...) return f(`+strings.Repeat("1, ", 100)+`...) end
function event() `+call+` error('fine') end`, Setup{})
		for range 2 {
			if _, err := s.Event(t.Context(), false); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: got %v, want %s", call, err, want)
			}
		}
		_ = s.Close(t.Context()) // it does not panic
	}
}

// loops are endless loops that the end of a run must end.
var loops = map[string]string{
	"plain":           "while true do end",
	"protected":       "while true do pcall(function() while true do end end) end",
	"recursive":       "local function f() pcall(f) pcall(f) pcall(f) end while true do f() end",
	"handled":         "while true do xpcall(function() while true do end end, function() while true do end end) end",
	"coroutine":       "coroutine.wrap(function() while true do end end)()",
	"coroutines":      "while true do coroutine.resume(coroutine.create(function() while true do end end)) end",
	"yields":          "local c = coroutine.wrap(function() while true do coroutine.yield() end end) while true do c() end",
	"pattern":         "string.find(string.rep('a', 40), string.rep('a?', 40) .. string.rep('a', 40) .. 'b')",
	"patterns":        "while true do pcall(string.find, string.rep('a', 1000), '.-.-.-.-.-b') end",
	"unique":          "sb_rand_uniq(0.2, 0.3)",
	"load":            "load(function() return ' ' end)",
	"sort":            "local t = {} for i = 1, 100000 do t[i] = i end while true do table.sort(t, function(a, b) return a > b end) end",
	"pause":           "os.execute('sleep 1e30')",
	"protected pause": "while true do pcall(ffi.C.usleep, 1e12) end",
	"metamethod":      "local t = setmetatable({}, {__index = function(t, k) while true do end end}) return t.x",
	"goto":            "::again:: goto again",
	"error":           "while true do pcall(error, {}) end",
}

func TestEndlessLoop_EndsWithTheRun(t *testing.T) {
	for name, text := range loops {
		for _, how := range []string{"context", "stop", "main chunk"} {
			t.Run(name+" "+how, func(t *testing.T) {
				t.Parallel()
				ends(t, func() {
					ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
					defer cancel()
					stopped := make(chan struct{})
					var err error
					if how == "main chunk" {
						p, mistake := NewProgram("script.lua", map[string]string{"script.lua": text}, nil)
						if mistake != nil {
							t.Error(mistake)
							return
						}
						_, err = New(ctx, Setup{Program: p, Out: t.Output()})
					} else {
						s := open(t, "function event()\n"+text+"\nend", Setup{Stopped: stopped})
						s.grace = 50 * time.Millisecond
						if how == "stop" {
							close(stopped)
							ctx = t.Context()
						}
						_, err = s.Event(ctx, false)
						_ = s.Close(t.Context())
					}
					if err == nil || !strings.Contains(err.Error(), "script.lua:") && !errors.Is(err, workload.ErrStopped) {
						t.Errorf("got %v, want an error with the place", err)
					}
				})
			})
		}
	}
}

func TestMemory_IsLimited(t *testing.T) {
	for name, text := range map[string]string{
		"table":      "local t = {} while true do t[#t + 1] = {} end",
		"text":       "local s = 'x' while true do s = s .. s end",
		"caught":     "local t = {} while true do pcall(function() while true do t[#t + 1] = {} end end) end",
		"freed":      "while true do pcall(function() local t = {} while true do t[#t + 1] = {} end end) end",
		"sparse":     "local t = {} for i = 1, 100 do t[i] = {} t[i][1000000] = 1 end",
		"coroutines": "local t = {} while true do t[#t + 1] = coroutine.create(print) end",
		"texts":      "local t = {} while true do t[#t + 1] = string.rep('x', 1e6) end",
	} {
		t.Run(name, func(t *testing.T) {
			runtime.GC()
			limit := inUse() + 30<<20
			err := run(t, "function event()\n"+text+"\nend", func(s *State) { s.mostUsed = limit })
			if !errors.Is(err, errMemory) || !strings.HasPrefix(err.Error(), "script.lua:2: scripts have filled the memory") {
				t.Errorf("got %v", err)
			}
		})
	}
}
