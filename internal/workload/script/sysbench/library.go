package sysbench

import (
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path"
	"strconv"
	"strings"
	"time"

	lua "github.com/yuin/gopher-lua"

	"sledge/internal/workload"
)

// functions are functions of a table of Lua.
type functions map[string]lua.LGFunction

// table makes a table with functions.
func (s *State) table(of functions) *lua.LTable {
	t := s.lua.CreateTable(0, max(1, len(of))) // tables without a size are large
	for name, f := range of {
		t.RawSetString(name, s.lua.NewFunction(f))
	}
	return t
}

// openLibraries defines the globals: Lua's own, in the cage, and those of sysbench.
func (s *State) openLibraries() {
	l := s.lua
	for name, open := range map[string]lua.LGFunction{
		lua.BaseLibName: lua.OpenBase, lua.TabLibName: lua.OpenTable, lua.StringLibName: lua.OpenString, lua.MathLibName: lua.OpenMath, lua.CoroutineLibName: lua.OpenCoroutine,
	} {
		l.Push(l.NewFunction(open))
		l.Push(lua.LString(name))
		l.Call(1, 0)
	}
	if s.Unsafe {
		for name, open := range map[string]lua.LGFunction{lua.OsLibName: lua.OpenOs, lua.IoLibName: lua.OpenIo, lua.DebugLibName: lua.OpenDebug} {
			l.Push(l.NewFunction(open))
			l.Push(lua.LString(name))
			l.Call(1, 0)
		}
	} else {
		s.openCage()
	}
	co := l.GetGlobal("coroutine")
	for _, name := range []string{"create", "wrap", "resume"} {
		l.SetField(co, name, l.NewFunction(s.coroutine(name, l.GetField(co, name).(*lua.LFunction).GFunction)))
	}
	for name, f := range (functions{
		"loadstring": s.loadString, "load": s.loadString, "unpack": unpack, "print": s.print, "require": s.require, "dofile": s.doFile, "loadfile": s.loadFile, "collectgarbage": s.collectGarbage, "newproxy": s.newProxy,
	}) {
		l.SetGlobal(name, l.NewFunction(f))
	}
	for _, name := range []string{"module", "_printregs"} {
		l.SetGlobal(name, lua.LNil)
	}
	for name, f := range s.patternFunctions() {
		l.SetField(l.GetGlobal("string"), name, l.NewFunction(f))
	}
	l.SetField(l.GetGlobal("string"), "rep", l.NewFunction(rep))
	l.SetField(l.GetGlobal("string"), "format", l.NewFunction(format))
	l.SetField(l.GetGlobal("table"), "concat", l.NewFunction(concat))
	own := seededRand(s.Thread)
	mathLib := l.GetGlobal("math")
	l.SetField(mathLib, "huge", lua.LNumber(math.Inf(1))) // the library's is finite
	l.SetField(mathLib, "random", l.NewFunction(func(l *lua.LState) int { return drawOwn(l, own) }))
	l.SetField(mathLib, "randomseed", l.NewFunction(func(l *lua.LState) int {
		own = rand.New(rand.NewPCG(uint64(l.CheckNumber(1)), uint64(s.Thread)))
		return 0
	}))
	l.SetGlobal("bit", s.table(bitFunctions))
	loaded := l.CreateTable(0, 1)
	l.SetGlobal("package", l.CreateTable(0, 1))
	l.SetField(l.GetGlobal("package"), "loaded", loaded)
	l.SetField(l.GetGlobal("package"), "path", lua.LString("./?.lua"))
	l.SetField(l.GetGlobal("package"), "cpath", lua.LString(""))
	l.SetField(l.GetGlobal("package"), "loadlib", l.NewFunction(noLibraries("package.loadlib")))
	for _, name := range []string{"string", "table", "math", "os", "io", "bit", "coroutine"} {
		loaded.RawSetString(name, l.GetGlobal(name))
	}
	s.openSysbench()
	ffi := s.newFFI()
	l.SetGlobal("ffi", ffi)
	loaded.RawSetString("ffi", ffi)
	s.openLegacy()
}

// mostText is how long a text can be that a function of Lua makes.
const mostText = 64 << 20

func checkLength(l *lua.LState, function string, n int) {
	if n > mostText {
		l.RaiseError("%s: the result would have more than %d MiB", function, mostText>>20)
	}
}

// rep is string.rep with a limit on the result.
func rep(l *lua.LState) int {
	text, n := l.CheckString(1), max(0, int(min(l.CheckNumber(2), mostText+1)))
	checkLength(l, "string.rep", len(text)*n)
	l.Push(lua.LString(strings.Repeat(text, n)))
	return 1
}

// unpack is unpack, with a limit on the results. That of the library panics at NaN.
func unpack(l *lua.LState) int {
	const most = 1 << 15
	t, first, last := l.CheckTable(1), l.OptInt(2, 1), l.OptInt(3, l.CheckTable(1).Len())
	if first > last {
		return 0
	}
	if n := last - first; n < 0 || n >= most {
		l.RaiseError("too many results to unpack")
	}
	for i := first; i <= last; i++ {
		l.Push(t.RawGetInt(i))
	}
	return last - first + 1
}

// concat is table.concat. That of the library needs a place on the stack for each text.
func concat(l *lua.LState) int {
	t, between := l.CheckTable(1), l.OptString(2, "")
	first, last := l.OptInt(3, 1), l.OptInt(4, t.Len())
	var b strings.Builder
	for i := first; i <= last; i++ {
		v := t.RawGetInt(i)
		if !lua.LVCanConvToString(v) {
			l.RaiseError("invalid value (%s) at index %d in table for 'concat'", v.Type(), i)
		}
		if i > first {
			b.WriteString(between)
		}
		b.WriteString(v.String())
		checkLength(l, "table.concat", b.Len())
	}
	l.Push(lua.LString(b.String()))
	return 1
}

// coroutine is a function of coroutine. The library gives a coroutine a context of its own, which would not end it,
// and does not limit how many run in each other.
func (s *State) coroutine(name string, own lua.LGFunction) lua.LGFunction {
	resume := func(l *lua.LState, resume lua.LGFunction) int {
		const most = 32
		if s.nested == most {
			l.RaiseError("more than %d coroutines run in each other", most)
		}
		s.nested++
		defer func() { s.nested-- }()
		return resume(l)
	}
	switch name {
	case "resume":
		return func(l *lua.LState) int { return resume(l, own) }
	case "wrap":
		return func(l *lua.LState) int {
			own(l)
			wrapped := l.Get(-1).(*lua.LFunction)
			thread := wrapped.Upvalues[0].Value()
			thread.(*lua.LState).SetContext(watch{s})
			l.Push(l.NewClosure(func(l *lua.LState) int { return resume(l, wrapped.GFunction) }, thread))
			return 1
		}
	}
	return func(l *lua.LState) int {
		own(l)
		l.Get(-1).(*lua.LState).SetContext(watch{s})
		return 1
	}
}

// loadString is loadstring of a text, and load of a function that returns the pieces of one.
func (s *State) loadString(l *lua.LState) int {
	var text string
	name := l.OptString(2, "<string>")
	if f, is := l.Get(1).(*lua.LFunction); is {
		var b strings.Builder
		for {
			l.Push(f)
			l.Call(0, 1)
			piece := lua.LVAsString(l.Get(-1))
			if l.Pop(1); piece == "" {
				break
			}
			b.WriteString(piece)
			checkLength(l, "load", b.Len())
		}
		text = b.String()
	} else {
		text = l.CheckString(1)
	}
	proto, err := compile(strings.TrimLeft(name, "@="), text)
	if err != nil {
		l.Push(lua.LNil)
		l.Push(lua.LString(err.Error()))
		return 2
	}
	l.Push(l.NewFunctionFromProto(proto))
	return 1
}

// drawOwn is math.random.
func drawOwn(l *lua.LState, r *rand.Rand) int {
	switch l.GetTop() {
	case 0:
		l.Push(lua.LNumber(r.Float64()))
	default:
		least, most := 1.0, math.Floor(float64(l.CheckNumber(1)))
		if l.GetTop() > 1 {
			least, most = most, math.Floor(float64(l.CheckNumber(2)))
		}
		if !(least <= most) {
			l.ArgError(l.GetTop(), "interval is empty")
		}
		l.Push(lua.LNumber(least + math.Floor(r.Float64()*(most-least+1))))
	}
	return 1
}

func (s *State) print(l *lua.LState) int {
	s.write(l, "\t", "\n")
	return 0
}

// write prints the arguments.
func (s *State) write(l *lua.LState, between, end string) {
	var b strings.Builder
	for i := 1; i <= l.GetTop(); i++ {
		if i > 1 {
			b.WriteString(between)
		}
		b.WriteString(l.ToStringMeta(l.Get(i)).String())
	}
	b.WriteString(end)
	_, _ = io.WriteString(s.Out, b.String()) // as print of Lua, it ignores errors
}

func (s *State) collectGarbage(l *lua.LState) int {
	l.Push(lua.LNumber(float64(inUse()) / 1024))
	return 1
}

func (s *State) newProxy(l *lua.LState) int {
	proxy := l.NewUserData()
	if lua.LVAsBool(l.Get(1)) {
		proxy.Metatable = l.CreateTable(0, 1)
	}
	l.Push(proxy)
	return 1
}

// within returns the path of a file in the folder of the script; a path below the folder of the script, as it was
// given, counts from there.
func (s *State) within(name string) string {
	if folder := path.Dir(s.Path) + "/"; strings.HasPrefix(name, folder) {
		name = name[len(folder):]
	}
	return path.Clean(name)
}

// loadText loads a file, and raises an error if that fails.
func (s *State) loadText(l *lua.LState, name string) *lua.LFunction {
	proto, err := s.Program.load(s.within(name))
	if err != nil {
		l.RaiseError("cannot open %s: %v", name, err)
	}
	return l.NewFunctionFromProto(proto)
}

func (s *State) doFile(l *lua.LState) int {
	top := l.GetTop()
	l.Push(s.loadText(l, l.CheckString(1)))
	l.Call(0, lua.MultRet)
	return l.GetTop() - top
}

func (s *State) loadFile(l *lua.LState) int {
	l.Push(s.loadText(l, l.CheckString(1)))
	return 1
}

// require loads a module once.
func (s *State) require(l *lua.LState) int {
	name := l.CheckString(1)
	loaded, is := field(l.GetGlobal("package"), "loaded").(*lua.LTable)
	if !is {
		l.RaiseError("package.loaded is not a table")
	}
	if v := loaded.RawGetString(name); v != lua.LNil {
		l.Push(v)
		return 1
	}
	file := strings.ReplaceAll(name, ".", "/")
	for _, candidate := range []string{file + ".lua", file + "/init.lua", name} {
		proto, err := s.Program.load(candidate)
		if _, mistaken := err.(*Mistake); mistaken {
			l.RaiseError("error loading module '%s': %s", name, err)
		}
		if err != nil {
			continue
		}
		l.Push(l.NewFunctionFromProto(proto))
		l.Push(lua.LString(name))
		l.Call(1, 1)
		v := l.Get(-1)
		if v == lua.LNil {
			if v = loaded.RawGetString(name); v == lua.LNil {
				v = lua.LTrue
			}
		}
		loaded.RawSetString(name, v)
		l.Push(v)
		return 1
	}
	l.RaiseError("module '%s' not found: it must be a file %s.lua beside the script or on the path of Lua; modules in C cannot be loaded", name, file)
	return 0
}

// openCage defines the parts of os and io that reach neither files nor programs.
func (s *State) openCage() {
	began := time.Now()
	refuse := func(name, what string) lua.LGFunction {
		return func(l *lua.LState) int {
			l.RaiseError("%s %s: allow it with --allow-unsafe, after reading the script", name, what)
			return 0
		}
	}
	os := s.table(functions{
		"time": s.time, "clock": func(l *lua.LState) int { l.Push(lua.LNumber(time.Since(began).Seconds())); return 1 },
		"date": date, "getenv": getenv, "difftime": func(l *lua.LState) int { l.Push(l.CheckNumber(1) - l.CheckNumber(2)); return 1 },
		"execute": func(l *lua.LState) int {
			words := strings.Fields(l.OptString(1, ""))
			if len(words) == 2 && words[0] == "sleep" {
				if seconds, err := strconv.ParseFloat(words[1], 64); err == nil && seconds >= 0 {
					s.pause(l, seconds)
					l.Push(lua.LNumber(0))
					return 1
				}
			}
			return refuse("os.execute", "runs programs")(l)
		},
	})
	for _, name := range []string{"exit", "remove", "rename", "tmpname"} {
		os.RawSetString(name, s.lua.NewFunction(refuse("os."+name, "changes files or ends the program")))
	}
	s.lua.SetGlobal("os", os)
	stdout := s.table(functions{
		"write":   func(l *lua.LState) int { l.Remove(1); s.write(l, "", ""); return 0 },
		"flush":   func(*lua.LState) int { return 0 },
		"close":   func(*lua.LState) int { return 0 },
		"setvbuf": func(*lua.LState) int { return 0 },
	})
	files := s.table(functions{
		"write": func(l *lua.LState) int { s.write(l, "", ""); return 0 },
		"flush": func(*lua.LState) int { return 0 },
	})
	files.RawSetString("stdout", stdout)
	files.RawSetString("stderr", stdout)
	for _, name := range []string{"open", "popen", "lines", "read", "input", "output", "tmpfile"} {
		files.RawSetString(name, s.lua.NewFunction(refuse("io."+name, "uses files or programs")))
	}
	s.lua.SetGlobal("io", files)
	debug := s.table(functions{"traceback": func(l *lua.LState) int { l.Push(lua.LString(l.OptString(1, ""))); return 1 }})
	for _, name := range []string{
		"debug", "getfenv", "gethook", "getinfo", "getlocal", "getmetatable", "getregistry", "getupvalue", "setfenv", "sethook", "setlocal", "setmetatable", "setupvalue",
	} {
		debug.RawSetString(name, s.lua.NewFunction(refuse("debug."+name, "reaches into the interpreter")))
	}
	s.lua.SetGlobal("debug", debug)
}

// noLibraries refuses a function that loads libraries of C.
func noLibraries(name string) lua.LGFunction {
	return func(l *lua.LState) int {
		l.RaiseError("%s: scripts cannot load libraries of C, not even with --allow-unsafe", name)
		return 0
	}
}

func getenv(l *lua.LState) int {
	name := l.CheckString(1)
	upper := strings.ToUpper(name)
	v, set := os.LookupEnv(name)
	if secret := strings.Contains(upper, "PASS") || strings.Contains(upper, "SECRET") || strings.Contains(upper, "TOKEN") || strings.Contains(upper, "KEY"); !set || secret {
		l.Push(lua.LNil)
		return 1
	}
	l.Push(lua.LString(v))
	return 1
}

// time is os.time.
func (s *State) time(l *lua.LState) int {
	t := time.Now()
	if of, is := l.Get(1).(*lua.LTable); is {
		part := func(name string, otherwise int) int {
			if v, is := of.RawGetString(name).(lua.LNumber); is {
				return int(v)
			}
			return otherwise
		}
		const noon = 12
		t = time.Date(part("year", 1970), time.Month(part("month", 1)), part("day", 1), part("hour", noon), part("min", 0), part("sec", 0), 0, time.Local)
	}
	l.Push(lua.LNumber(t.Unix()))
	return 1
}

// formats are the layouts of the directives of os.date.
var formats = map[byte]string{
	'Y': "2006", 'y': "06", 'm': "01", 'd': "02", 'H': "15", 'M': "04", 'S': "05", 'p': "PM", 'I': "03", 'B': "January", 'b': "Jan", 'A': "Monday", 'a': "Mon",
	'c': "Mon Jan _2 15:04:05 2006", 'x': "01/02/06", 'X': "15:04:05", 'F': "2006-01-02", 'T': "15:04:05", 'j': "002", 'Z': "MST", 'z': "-0700",
}

// date is os.date.
func date(l *lua.LState) int {
	format := l.OptString(1, "%c")
	t := time.Now()
	if n, is := l.Get(2).(lua.LNumber); is {
		t = time.Unix(int64(n), 0)
	}
	if utc, is := strings.CutPrefix(format, "!"); is {
		t, format = t.UTC(), utc
	}
	if strings.HasPrefix(format, "*t") {
		of := l.NewTable()
		for name, v := range map[string]int{
			"year": t.Year(), "month": int(t.Month()), "day": t.Day(), "hour": t.Hour(), "min": t.Minute(), "sec": t.Second(), "wday": int(t.Weekday()) + 1, "yday": t.YearDay(),
		} {
			of.RawSetString(name, lua.LNumber(v))
		}
		of.RawSetString("isdst", lua.LBool(t.IsDST()))
		l.Push(of)
		return 1
	}
	var b strings.Builder
	for i := 0; i < len(format); i++ {
		if format[i] != '%' || i+1 == len(format) {
			b.WriteByte(format[i])
			continue
		}
		i++
		switch layout, is := formats[format[i]]; {
		case is:
			b.WriteString(t.Format(layout))
		case format[i] == 's':
			fmt.Fprint(&b, t.Unix())
		default:
			b.WriteByte(format[i])
		}
	}
	l.Push(lua.LString(b.String()))
	return 1
}

// napping limits the threads of the system that nap.
var napping = make(chan struct{}, 64)

// pause waits some seconds, or raises an error if the run ends first.
func (s *State) pause(l *lua.LState, seconds float64) {
	const longest = 1e9
	d := time.Duration(min(max(seconds, 0), longest) * float64(time.Second))
	if d < time.Millisecond {
		select {
		case napping <- struct{}{}:
			nap(d)
			<-napping
			return
		default: // a pause with a timer is a little longer
		}
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-s.Stopped:
		s.failure = workload.ErrStopped
		l.RaiseError("%v", workload.ErrStopped)
	case <-s.ctx.Done():
		l.RaiseError("%v", s.ctx.Err())
	}
}

// bitFunctions is the library bit of LuaJIT. Numbers have 32 bits.
var bitFunctions = functions{
	"tobit": func(l *lua.LState) int { return pushBits(l, bitsOf(l, 1)) },
	"bnot":  func(l *lua.LState) int { return pushBits(l, ^bitsOf(l, 1)) },
	"band":  func(l *lua.LState) int { return fold(l, func(a, b uint32) uint32 { return a & b }) },
	"bor":   func(l *lua.LState) int { return fold(l, func(a, b uint32) uint32 { return a | b }) },
	"bxor":  func(l *lua.LState) int { return fold(l, func(a, b uint32) uint32 { return a ^ b }) },
	"lshift": func(l *lua.LState) int {
		return pushBits(l, bitsOf(l, 1)<<(bitsOf(l, 2)&31))
	},
	"rshift": func(l *lua.LState) int {
		return pushBits(l, bitsOf(l, 1)>>(bitsOf(l, 2)&31))
	},
	"arshift": func(l *lua.LState) int {
		return pushBits(l, uint32(int32(bitsOf(l, 1))>>(bitsOf(l, 2)&31)))
	},
	"tohex": func(l *lua.LState) int { l.Push(lua.LString(fmt.Sprintf("%08x", bitsOf(l, 1)))); return 1 },
}

func bitsOf(l *lua.LState, n int) uint32 { return uint32(int64(l.CheckNumber(n))) }

func pushBits(l *lua.LState, v uint32) int {
	l.Push(lua.LNumber(int32(v)))
	return 1
}

func fold(l *lua.LState, f func(a, b uint32) uint32) int {
	v := bitsOf(l, 1)
	for i := 2; i <= l.GetTop(); i++ {
		v = f(v, bitsOf(l, i))
	}
	return pushBits(l, v)
}
