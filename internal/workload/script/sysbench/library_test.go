package sysbench

import (
	"errors"
	"math/rand"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"sledge/internal/workload"
)

// printed returns what a script prints in an event, and its error.
func printed(t testing.TB, text string, setup Setup) (string, error) {
	t.Helper()
	var out strings.Builder
	setup.Out = &out
	s, err := tryOpen(t, text, setup)
	if err == nil {
		if s.Has("event") {
			_, err = s.Event(t.Context(), false)
		}
		err = errors.Join(err, s.Close(t.Context()))
	}
	return out.String(), err
}

func TestCage_RefusesFilesAndPrograms(t *testing.T) {
	for call, why := range map[string]string{
		`os.execute("ls")`: "runs programs", `os.execute()`: "runs programs", `os.execute("sleep 1; ls")`: "runs programs", `os.execute("sleep -1")`: "runs programs",
		`os.remove("x")`: "changes files", `os.rename("x", "y")`: "changes files", `os.tmpname()`: "changes files", `os.exit(0)`: "ends the program",
		`io.open("script.lua")`: "uses files", `io.popen("ls")`: "programs", `io.lines("x")`: "uses files", `io.read()`: "uses files", `io.input("x")`: "uses files",
		`io.output("x")`: "uses files", `io.tmpfile()`: "uses files",
		`debug.getinfo(1)`: "interpreter", `debug.sethook()`: "interpreter", `debug.getregistry()`: "interpreter", `debug.setmetatable("", {})`: "interpreter",
		`ffi.load("c")`: "libraries of C", `package.loadlib("libc.so.6", "system")`: "libraries of C", `require("ffi").load("c")`: "libraries of C",
	} {
		_, err := printed(t, "\n"+call, Setup{})
		if err == nil || !strings.HasPrefix(err.Error(), "script.lua:2: ") || !strings.Contains(err.Error(), why) || !strings.Contains(err.Error(), "--allow-unsafe") {
			t.Errorf("%s: got %v, want a refusal that names --allow-unsafe", call, err)
		}
	}
	out, err := printed(t, `print(pcall(string.dump, print)) print(module, _printregs, channel, io.stdin, package.cpath)`, Setup{})
	if err != nil || !strings.HasSuffix(out, "nil\tnil\tnil\tnil\t\n") {
		t.Errorf("got %q, %v", out, err)
	}
}

func TestUnsafe_AllowsFiles(t *testing.T) {
	t.Chdir(t.TempDir())
	out, err := printed(t, `
local f = io.open("x", "w") f:write("text") f:close()
for line in io.lines("x") do print(line) end
os.remove("x")
print(io.open("x"))
print(os.execute("exit 0"), debug.getinfo(1).currentline)`, Setup{Unsafe: true})
	if err != nil || !strings.HasPrefix(out, "text\nnil\t") || !strings.HasSuffix(out, "\n0\t6\n") {
		t.Errorf("got %q, %v", out, err)
	}
}

func TestSleep_PausesUntilTheRunEnds(t *testing.T) {
	for _, call := range []string{`os.execute("sleep 0.01")`, `ffi.C.usleep(10000)`, `ffi.C.poll(nil, 0, 10)`} {
		synctest.Test(t, func(t *testing.T) {
			began := time.Now()
			if _, err := printed(t, call, Setup{}); err != nil || time.Since(began) != 10*time.Millisecond {
				t.Errorf("%s: took %v, %v", call, time.Since(began), err)
			}
		})
		synctest.Test(t, func(t *testing.T) {
			stopped := make(chan struct{})
			time.AfterFunc(time.Millisecond, func() { close(stopped) })
			began := time.Now()
			_, err := printed(t, "function event() while true do "+call+" end end", Setup{Stopped: stopped})
			if !errors.Is(err, workload.ErrStopped) || time.Since(began) != time.Millisecond {
				t.Errorf("%s: took %v, %v, want %v", call, time.Since(began), err, workload.ErrStopped)
			}
		})
	}
}

func TestGetenv_HidesSecrets(t *testing.T) {
	for name, hidden := range map[string]bool{
		"SLEDGE_TEST_PASSWORD": true, "PGPASSWORD": true, "mysql_pwd_passphrase": true, "A_SECRET": true, "A_TOKEN": true, "SOME_KEY": true, "Key": true,
		"SLEDGE_TEST_PLAIN": false,
	} {
		t.Setenv(name, "value")
		want := "value\n"
		if hidden {
			want = "nil\n"
		}
		if got, err := printed(t, `print(os.getenv("`+name+`"))`, Setup{}); got != want || err != nil {
			t.Errorf("%s: got %q, %v, want %q", name, got, err, want)
		}
	}
}

func TestRequire_LoadsOnlyTheProgramsFiles(t *testing.T) {
	files := map[string]string{
		"main.lua": `#!/usr/bin/env sysbench
local m = require("lib.m")
print(m.name, require("lib.m") == m, m == package.loaded["lib.m"])
print(require("quiet"), require("folder"))
dofile("plain.lua") dofile("./plain.lua") dofile(string.match(test, "(.*/)") .. "plain.lua") loadfile("plain.lua")()
for _, name in ipairs({"../secret", "/etc/passwd", "lib/../../secret", "socket.core", "", "."}) do
   for _, f in ipairs({require, dofile, loadfile}) do
      local ok, message = pcall(f, name)
      if ok then print("loaded", name, message) end
   end
end
`,
		"lib/m.lua": "return {name = ...}", "quiet.lua": "", "folder/init.lua": "return 'folder'", "plain.lua": "io.write('plain ')",
	}
	p, err := NewProgram("main.lua", files, func(name string) (string, bool) {
		if strings.Contains(name, "secret") || strings.Contains(name, "passwd") {
			t.Errorf("the disk was asked for %q", name)
		}
		return "", false
	})
	if err != nil {
		t.Fatal(err)
	}
	const want = "lib.m\ttrue\ttrue\ntrue\tfolder\nplain plain plain plain "
	got, err := printed(t, "", Setup{Program: p, Path: "some/folder/main.lua"})
	if got != want || err != nil {
		t.Errorf("got  %q, %v\nwant %q", got, err, want)
	}
}

func TestProgram_ReadsMissingFilesFromDisk(t *testing.T) {
	files := map[string]string{"main.lua": `print(require("a.b")) print(select(2, pcall(require, "bad")))`}
	p, err := NewProgram("main.lua", files, func(name string) (string, bool) {
		text, is := map[string]string{"a/b.lua": "return 'from disk'", "bad.lua": "\nreturn return"}[name]
		return text, is
	})
	if err != nil {
		t.Fatal(err)
	}
	got, err := printed(t, "", Setup{Program: p})
	if want := "from disk\nmain.lua:1: error loading module 'bad': bad.lua:2: syntax error near \"return\"\n"; got != want || err != nil {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
	if p.Files["a/b.lua"] == "" {
		t.Error("the file is not part of the program")
	}
}

// The results are those of sysbench 1.0.20 with LuaJIT 2.1, except some texts of errors, and '%.0f' of 2.5.
func TestFormat_IsThatOfLua(t *testing.T) {
	for call, want := range map[string]string{
		`"%d|%5d|%-5d|%05d|%+d|%.3d", 3.0, 42, 42, 42, 42, 7`: "3|   42|42   |00042|+42|007",
		`"%d", "12"`: "12", `"%d", 3.7`: "3", `"%d", -3.7`: "-3", `"%i", 5`: "5",
		`"%5.2f|%f", 1.005, 2`: " 1.00|2.000000",
		`"%g|%g|%g|%g|%.3g|%10.4g|%g", 0.1, 100000000, 1e20, 0.1234567, 2/3, 2/3, 100000`: "0.1|1e+08|1e+20|0.123457|0.667|    0.6667|100000",
		`"%e|%E", 12345.678, 0`:                               "1.234568e+04|0.000000E+00",
		`"%s|%10s|%-10s|%.2s|%s", "a", "b", "c", "defg", nil`: "a|         b|c         |de|nil",
		`"%q", 'a "b"\n\\c'`:                                  "\"a \\\"b\\\"\\\n\\\\c\"",
		`"%c%c%c", 72, 105, 33`:                               "Hi!",
		`"100%%"`:                                             "100%",
		`"%x|%X|%#x|%o", 255, 255, 255, 8`:                    "ff|FF|0xff|10",
		`"%x", -1`:                                            "ffffffffffffffff",
		`"%s|%s|%s", true, 12, 1.5`:                           "true|12|1.5",
		`"%f|%5.1f|%g", 1/0, -1/0, math.huge`:                 "inf| -inf|inf",
		`"% d|%+.2e", 5, 12345`:                               " 5|+1.23e+04",
		`"%s", setmetatable({}, {__tostring = function() return "own" end})`: "own",
		`"%s %s", 1`: "! #3", `"%d"`: "! #2", `"%d", "x"`: "! number expected", `"%d", {}`: "! number expected", `"%y", 1`: "! invalid option '%y'",
		`"%", 1`: "! invalid option '%'", `"%123d", 1`: "! invalid format", `"%.123f", 1`: "! invalid format", `"%5"`: "! invalid option '%5'",
		`"%------d", 1`: "! invalid format", `"%*d", 1, 1`: "! invalid option '%*'", `nil`: "! string expected",
	} {
		got, err := printed(t, "io.write(string.format("+call+"))", Setup{})
		if reason, fails := strings.CutPrefix(want, "! "); fails {
			if err == nil || !strings.Contains(err.Error(), reason) {
				t.Errorf("%s: got %q, %v, want an error with %q", call, got, err, reason)
			}
		} else if got != want || err != nil {
			t.Errorf("%s: got %q, %v, want %q", call, got, err, want)
		}
	}
}

// Compared with sysbench 1.0.20 with LuaJIT 2.1.
func TestStringFunctions_AreThoseOfLua(t *testing.T) {
	for call, want := range map[string]string{
		`string.find("hello world", "o w")`: "5\t7", `string.find("a.b", ".", 1, true)`: "2\t2", `string.find("abc", "b()")`: "2\t2\t3", `string.find("abc", "x")`: "nil",
		`string.find("abc", "")`: "1\t0", `string.find("abc", "", 10)`: "4\t3", `string.find("abc", "^b", 2)`: "2\t2", `string.find("abc", "c", -1)`: "3\t3",
		`string.match("  trim  ", "^%s*(.-)%s*$")`: "trim", `string.match("some/folder/x.lua", "(.*/)")`: "some/folder/", `string.match("key = value", "(%w+)%s*=%s*(%w+)")`: "key\tvalue",
		`string.match("2024-01-02", "(%d+)-(%d+)-(%d+)")`: "2024\t01\t02", `string.match("[[x]]", "%[(%b[])%]")`: "[x]", `string.match("THE (quick) fox", "%((%a+)%)")`: "quick",
		`string.match("x", "(y?)")`: "", `string.match("\"it\"", "([\"'])(.-)%1")`: "\"\tit", `string.match("abc123", "%a+", 2)`: "bc", `string.match("a-b", "[a-]+")`: "a-",
		`string.match("]x", "[]]")`: "]", `string.match("a]", "[^]]")`: "a", `string.match("A1_", "[%u%d_]+")`: "A1_", `string.match("x\0y", "%z")`: "\x00", `string.match("ab", "%W")`: "nil",
		`string.gsub("hello", "l", "L")`: "heLLo\t2", `string.gsub("hello", "", "-")`: "-h-e-l-l-o-\t6", `string.gsub("abc", "%w", "%0%0", 2)`: "aabbc\t2", `string.gsub("a b", "(%w) (%w)", "%2 %1")`: "b a\t1",
		`string.gsub("$x $y", "%$(%w+)", {x = 1})`: "1 $y\t2", `string.gsub("abc", ".", function(c) return c == "b" and "B" end)`: "aBc\t3", `string.gsub("abc", "^a", "x")`: "xbc\t1",
		`string.gsub("THE (quick) fox", "%f[%a]%a+", "w")`: "w (w) w\t3", `string.gsub("abc", "b*", "x")`: "xaxxcx\t4", `string.gsub("100%", "%%", "%%%%")`: "100%%\t1", `string.gsub("abc", "b", 5)`: "a5c\t1",
		`string.rep("ab", 3)`: "ababab", `string.rep("x", 0) == "" and string.rep("x", -1) == ""`: "true", `("x"):rep(2)`: "xx",
		`table.concat({1, "b", 2.5}, ", ")`: "1, b, 2.5", `table.concat({})`: "", `table.concat({"a", "b", "c"}, "-", 2, 3)`: "b-c", `table.concat({"a"}, "-", 2, 1)`: "",
		`(function() local t = {} for k, v in string.gmatch("a=1, b=2", "(%w+)=(%w+)") do t[#t + 1] = k .. v end return table.concat(t, " ") end)()`: "a1 b2",
		`(function() local n = 0 for _ in string.gmatch("abc", "") do n = n + 1 end return n end)()`:                                                 "4",
		`(function() local t = {} for w in ("one two"):gmatch("%a+") do t[#t + 1] = w end return #t end)()`:                                          "2",
		`loadstring("return 1 + 1")()`: "2", `load((function() local n = 0 return function() n = n + 1 return ({"return ", "7"})[n] end end)())()`: "7",
		`select(2, loadstring("x = = 1", "=own"))`: "own:1: syntax error near \"=\"",
	} {
		got, err := printed(t, "print("+call+")", Setup{})
		if err != nil || got != want+"\n" {
			t.Errorf("%s: got %q, %v, want %q", call, got, err, want)
		}
	}
	if _, err := printed(t, `local n = 1000000 local s = ("a"):rep(n) assert(#s:gsub("a", "bb") == 2 * n) assert(s:find("^.*b") == nil) assert(#s:match(".*") == n)`, Setup{}); err != nil {
		t.Errorf("long text: %v", err)
	}
}

func TestBit_IsThatOfLuaJIT(t *testing.T) {
	const text = `print(bit.bor(1, 2, 8), bit.band(0xff, 0x0f), bit.bxor(5, 1), bit.bnot(0), bit.tobit(0xffffffff), bit.lshift(1, 31), bit.rshift(-1, 28), bit.arshift(-8, 1), bit.tohex(255), bit.lshift(1, 32))`
	if got, err := printed(t, text, Setup{}); got != "11\t15\t4\t-1\t-1\t-2147483648\t15\t-4\t000000ff\t1\n" || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestMathRandom_IsApartFromOthers(t *testing.T) {
	const text = `math.randomseed(%) for i = 1, 1000 do local n = math.random(3) assert(n >= 1 and n <= 3 and n % 1 == 0) n = math.random() assert(n >= 0 and n < 1) n = math.random(-5, 5) assert(n >= -5 and n <= 5) end
		print(sysbench.rand.uniform(1, 1000000), math.random(1000000))`
	t.Setenv("GODEBUG", "randseednop=0")
	own := rand.New(rand.NewSource(1)) //nolint:gosec // Go's global source is compared with it
	rand.Seed(1)                       //nolint:staticcheck // the global source must have a known state
	first, err := printed(t, strings.Replace(text, "%", "1", 1), Setup{Seed: 42})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := rand.Int63(), own.Int63(); got != want {
		t.Errorf("the next number of Go's global source is %d, want %d", got, want)
	}
	second, _ := printed(t, strings.Replace(text, "%", "2", 1), Setup{Seed: 42})
	a, b := strings.Fields(first), strings.Fields(second)
	if a[0] != b[0] {
		t.Errorf("math.random has changed sysbench.rand: got %s and %s", a[0], b[0])
	}
	if a[1] == b[1] {
		t.Errorf("math.randomseed has no effect: got %s twice", a[1])
	}
}

func TestFFI_CountsAndPauses(t *testing.T) {
	s := open(t, `
ffi.cdef("int usleep(int microseconds); void sb_counter_inc(int, int);")
assert(require("ffi") == ffi)
local C = ffi.C
local absent = function() return ffi.C.printf end
function event()
   C.sb_counter_inc(sysbench.tid, C.SB_CNT_ERROR)
   for i = 1, 2 do C.sb_counter_inc(sysbench.tid, C.SB_CNT_READ) end
   for i = 1, 3 do C.sb_counter_inc(sysbench.tid, C.SB_CNT_WRITE) end
   for i = 1, 4 do C.sb_counter_inc(sysbench.tid, C.SB_CNT_OTHER) end
   for i = 1, 5 do C.sb_counter_inc(sysbench.tid, C.SB_CNT_RECONNECT) end
   C.sb_counter_inc(sysbench.tid, C.SB_CNT_BYTES_READ)
end
function thread_done() absent() end`, Setup{})
	if _, err := s.Event(t.Context(), false); err != nil {
		t.Fatal(err)
	}
	c := &s.Counts
	if c.Errors.Load() != 1 || c.Read.Load() != 2 || c.Write.Load() != 3 || c.Other.Load() != 4 || c.Reconnects.Load() != 5 {
		t.Errorf("got %d %d %d %d %d, want 1 to 5", c.Errors.Load(), c.Read.Load(), c.Write.Load(), c.Other.Load(), c.Reconnects.Load())
	}
	if err := s.Close(t.Context()); err == nil || !strings.HasPrefix(err.Error(), "script.lua:5: ffi.C.printf: ") {
		t.Errorf("absent function: got %v", err)
	}
}

func TestTime_IsThatOfLua(t *testing.T) {
	got, err := printed(t, `
print(os.date("!%Y-%m-%d %H:%M:%S %j %%", 86400), os.date("!*t", 0).year, os.date("!%c", 0))
local t = os.time({year = 2024, month = 2, day = 30, hour = 0})
print(os.date("%Y-%m-%d", t), os.difftime(t, t - 5), os.clock() >= 0, os.time() > 1e9)`, Setup{})
	if want := "1970-01-02 00:00:00 002 %\t1970\tThu Jan  1 00:00:00 1970\n2024-03-01\t5\ttrue\ttrue\n"; got != want || err != nil {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
}
