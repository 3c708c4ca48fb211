package sysbench

import (
	"fmt"
	"strconv"

	lua "github.com/yuin/gopher-lua"
)

// openSysbench defines the global sysbench.
func (s *State) openSysbench() {
	l := s.lua
	sysbench := l.CreateTable(0, 1)
	l.SetGlobal("sysbench", sysbench)
	sysbench.RawSetString("tid", s.tid)
	sysbench.RawSetString("version", lua.LString(s.Version.Text()))
	sysbench.RawSetString("version_string", lua.LString("sysbench "+s.Version.Text()))
	opt := l.CreateTable(0, 1)
	sysbench.RawSetString("opt", opt)
	for _, name := range s.options.names() { // known before the script is executed
		opt.RawSetString(name, s.option(name))
	}
	sysbench.RawSetString("hooks", l.CreateTable(0, 1))
	failure := l.CreateTable(0, 1)
	failure.RawSetString("RESTART_EVENT", restartEvent)
	sysbench.RawSetString("error", failure)

	cmdline := s.table(functions{
		"read_cmdline_options": func(*lua.LState) int { return 0 },
		"command_defined": func(l *lua.LState) int {
			_, found := s.Command(l.CheckString(1))
			l.Push(lua.LBool(found))
			return 1
		},
		"command_parallel": func(l *lua.LState) int {
			c, _ := s.Command(l.CheckString(1))
			l.Push(lua.LBool(c.Parallel))
			return 1
		},
		"call_command": func(l *lua.LState) int {
			c, found := s.Command(l.CheckString(1))
			if found {
				l.Push(c.function)
				l.Call(0, 0)
			}
			l.Push(lua.LBool(found))
			return 1
		},
	})
	for i, name := range []string{"NULL", "BOOL", "INT", "SIZE", "DOUBLE", "STRING", "LIST", "FILE"} {
		cmdline.RawSetString("ARG_"+name, lua.LNumber(i))
	}
	cmdline.RawSetString("PARALLEL_COMMAND", parallelCommand)
	cmdline.RawSetString("script_path", lua.LString(s.Path))
	if s.Setup.Command != "" {
		cmdline.RawSetString("command", lua.LString(s.Setup.Command))
	}
	argv := l.CreateTable(0, 1)
	argv.RawSetInt(0, lua.LString("sysbench"))
	cmdline.RawSetString("argv", argv)
	sysbench.RawSetString("cmdline", cmdline)

	random := s.table(functions{
		"uniform_uint64": func(l *lua.LState) int {
			const exact = 1<<53 - 1 // a number of Lua has no more bits
			l.Push(lua.LNumber(s.random.next() & exact))
			return 1
		},
		"uniform_double": func(l *lua.LState) int { l.Push(lua.LNumber(s.random.double())); return 1 },
		"unique":         func(l *lua.LState) int { l.Push(lua.LNumber(s.Numbers.sequence.draw())); return 1 },
		"string": func(l *lua.LState) int {
			s.buf = s.random.appendPattern(s.buf[:0], l.CheckString(1))
			l.Push(lua.LString(s.buf))
			return 1
		},
		"varstring": func(l *lua.LState) int {
			n := uniform(&s.random, number32(l, 1), number32(l, 2))
			const most = 64 << 20
			if n > most {
				l.RaiseError("varstring: a text cannot have more than %d characters", most)
			}
			s.buf = s.buf[:0]
			for range n {
				s.buf = append(s.buf, byte(uniform(&s.random, '0', 'z')))
			}
			l.Push(lua.LString(s.buf))
			return 1
		},
		"default": func(l *lua.LState) int { return s.drawn(l, s.draw) },
	})
	for name, d := range s.shape.distributions() {
		random.RawSetString(name, l.NewFunction(func(l *lua.LState) int { return s.drawn(l, d) }))
	}
	sysbench.RawSetString("rand", random)
	s.openSQL(sysbench)
	s.openReports(sysbench)
}

// number32 is an argument with 32 bits.
func number32(l *lua.LState, n int) uint32 { return uint32(int64(l.CheckNumber(n))) }

// drawn draws a number between two arguments.
func (s *State) drawn(l *lua.LState, d distribution) int {
	l.Push(lua.LNumber(d(&s.random, number32(l, 1), number32(l, 2))))
	return 1
}

// Figures are the figures of a report, in the fields that scripts read. Times are in seconds.
type Figures struct {
	Threads                    int
	Interval, Total            float64
	Percentile                 float64
	Least, Most, Mean, Sum     float64
	Events, Read, Write, Other int64
	Errors, Reconnects         int64
}

// fields returns the figures by their names.
func (f *Figures) fields() map[string]float64 {
	return map[string]float64{
		"threads_running": float64(f.Threads), "time_interval": f.Interval, "time_total": f.Total, "latency_pct": f.Percentile,
		"latency_min": f.Least, "latency_max": f.Most, "latency_avg": f.Mean, "latency_sum": f.Sum,
		"events": float64(f.Events), "reads": float64(f.Read), "writes": float64(f.Write), "other": float64(f.Other),
		"errors": float64(f.Errors), "reconnects": float64(f.Reconnects), "queue_length": 0, "concurrency": 0, // not known
	}
}

// HasHook reports whether the script has set a hook.
func (s *State) HasHook(name string) bool {
	_, is := s.hook(name)
	return is
}

// Report calls a hook with figures.
func (s *State) Report(name string, f *Figures) error {
	hook, is := s.hook(name)
	if !is {
		return nil
	}
	t := s.lua.NewTable()
	for name, v := range f.fields() {
		t.RawSetString(name, lua.LNumber(v))
	}
	return s.call(0, hook, t)
}

// openReports defines the printers of reports.
func (s *State) openReports(sysbench *lua.LTable) {
	began := false
	for name, format := range map[string]func(v func(string) float64) string{
		"report_csv": func(v func(string) float64) string {
			i := v("time_interval")
			return fmt.Sprintf("%.0f,%.0f,%4.2f,%4.2f,%4.2f,%4.2f,%4.2f,%4.2f,%4.2f,%4.2f\n", v("time_total"), v("threads_running"), v("events")/i,
				(v("reads")+v("writes")+v("other"))/i, v("reads")/i, v("writes")/i, v("other")/i, v("latency_pct")*1000, v("errors")/i, v("reconnects")/i)
		},
		"report_json": func(v func(string) float64) string {
			i, before := v("time_interval"), ",\n"
			if !began {
				before = "[\n"
			}
			began = true
			return before + fmt.Sprintf("  {\n    \"time\": %4.0f,\n    \"threads\": %.0f,\n    \"tps\": %4.2f,\n    \"qps\": {\n      \"total\": %4.2f,\n      \"reads\": %4.2f,\n      \"writes\": %4.2f,\n      \"other\": %4.2f\n    },\n    \"latency\": %4.2f,\n    \"errors\": %4.2f,\n    \"reconnects\": %4.2f\n  }",
				v("time_total"), v("threads_running"), v("events")/i, (v("reads")+v("writes")+v("other"))/i, v("reads")/i, v("writes")/i, v("other")/i,
				v("latency_pct")*1000, v("errors")/i, v("reconnects")/i)
		},
		"report_default": func(v func(string) float64) string {
			i := v("time_interval")
			return fmt.Sprintf("[ %.0fs ] thds: %.0f tps: %4.2f qps: %4.2f (r/w/o: %4.2f/%4.2f/%4.2f) lat (ms,%s%%): %4.2f err/s %4.2f reconn/s: %4.2f\n", v("time_total"), v("threads_running"),
				v("events")/i, (v("reads")+v("writes")+v("other"))/i, v("reads")/i, v("writes")/i, v("other")/i, s.options.text("percentile"), v("latency_pct")*1000, v("errors")/i, v("reconnects")/i)
		},
	} {
		sysbench.RawSetString(name, s.lua.NewFunction(func(l *lua.LState) int {
			stat := l.CheckTable(1)
			line := format(func(name string) float64 {
				n, _ := stat.RawGetString(name).(lua.LNumber)
				return float64(n)
			})
			fmt.Fprint(s.Out, line)
			return 0
		}))
	}
	sysbench.RawSetString("histogram", s.table(functions{"new": s.newHistogram}))
}

// newHistogram is sysbench.histogram.new(size, min, max).
func (s *State) newHistogram(l *lua.LState) int {
	size, least, most := l.CheckInt(1), float64(l.CheckNumber(2)), float64(l.CheckNumber(3))
	const largest = 1 << 20
	if size < 2 || size > largest || !(least > 0 && most > least) {
		l.RaiseError("histogram.new: it needs a size of 2 or more, and limits with 0 < min < max")
	}
	h := NewHistogram(size, least, most)
	t := s.table(functions{
		"update": func(l *lua.LState) int { h.Add(float64(l.CheckNumber(2))); return 0 },
		"print":  func(*lua.LState) int { h.Print(s.Out); return 0 },
	})
	l.Push(t)
	return 1
}

// newFFI returns the part of LuaJIT's library ffi that scripts of sysbench use: its counters, its own loop over
// events, and pauses.
func (s *State) newFFI() *lua.LTable {
	counters := []string{"OTHER", "READ", "WRITE", "TRX", "ERROR", "RECONNECT", "BYTES_READ", "BYTES_WRITTEN"}
	c := s.table(functions{
		"sb_counter_inc": func(l *lua.LState) int {
			switch counters[max(0, min(l.CheckInt(2), len(counters)-1))] {
			case "OTHER":
				s.Counts.Other.Add(1)
			case "READ":
				s.Counts.Read.Add(1)
			case "WRITE":
				s.Counts.Write.Add(1)
			case "ERROR":
				s.Counts.Errors.Add(1)
			case "RECONNECT":
				s.Counts.Reconnects.Add(1)
			}
			return 0
		},
		"usleep": func(l *lua.LState) int {
			s.pause(l, float64(l.CheckNumber(1))/1e6)
			l.Push(lua.LNumber(0))
			return 1
		},
		"poll": func(l *lua.LState) int {
			s.pause(l, float64(l.CheckNumber(3))/1e3)
			l.Push(lua.LNumber(0))
			return 1
		},
		"sb_more_events": func(l *lua.LState) int {
			more := s.loop != nil
			select {
			case <-s.Stopped: // nil if it never ends
				more = false
			default:
			}
			l.Push(lua.LBool(more))
			return 1
		},
		"sb_event_start": func(*lua.LState) int {
			if s.loop != nil {
				s.loop.begin()
			}
			return 0
		},
		"sb_event_stop": func(l *lua.LState) int {
			if s.loop != nil && !s.loop.done() {
				l.RaiseError("the run has ended")
			}
			return 0
		},
	})
	for i, name := range counters {
		c.RawSetString("SB_CNT_"+name, lua.LNumber(i))
	}
	absent := func(l *lua.LState) int {
		l.RaiseError("ffi.C.%s: scripts can use the counters, events and pauses of sysbench, and no other functions of C", l.ToString(2))
		return 0
	}
	meta := s.table(functions{"__index": absent})
	c.Metatable = meta
	ffi := s.table(functions{
		"cdef":   func(*lua.LState) int { return 0 },
		"string": func(l *lua.LState) int { l.Push(l.ToStringMeta(l.Get(1))); return 1 },
		"gc":     func(l *lua.LState) int { l.Push(l.Get(1)); return 1 },
		"new": func(l *lua.LState) int {
			if v, is := l.Get(2).(lua.LNumber); is {
				l.Push(v)
			} else {
				l.Push(l.NewTable())
			}
			return 1
		},
		"load": noLibraries("ffi.load"),
	})
	ffi.RawSetString("C", c)
	return ffi
}

// openLegacy defines the globals of the interface of sysbench 0.5.
func (s *State) openLegacy() {
	l := s.lua
	l.SetGlobal("thread_id", s.tid)
	l.SetGlobal("test", lua.LString(s.Path))
	l.SetGlobal("mysql_table_engine", lua.LString("innodb"))
	l.SetGlobal("myisam_max_rows", lua.LNumber(1000000))
	sysbench := l.GetGlobal("sysbench").(*lua.LTable)
	random := sysbench.RawGetString("rand").(*lua.LTable)
	for global, name := range map[string]string{"sb_rand": "default", "sb_rand_uniform": "uniform", "sb_rand_gaussian": "gaussian", "sb_rand_special": "special", "sb_rand_str": "string"} {
		l.SetGlobal(global, random.RawGetString(name))
	}
	db := l.CreateTable(0, 1)
	for name, v := range map[string]int{"DB_ERROR_NONE": 0, "DB_ERROR_RESTART_TRANSACTION": 1, "DB_ERROR_FAILED": 2} {
		l.SetGlobal(name, lua.LNumber(v))
		db.RawSetString(name, lua.LNumber(v))
	}
	for name, f := range (functions{
		"sb_rnd": func(l *lua.LState) int { l.Push(lua.LNumber(uint32(s.random.next()))); return 1 },
		"sb_rand_uniq": func(l *lua.LState) int {
			least, most := l.OptNumber(1, 0), l.OptNumber(2, 4294967295)
			const often = 1 << 16
			for i := 1; least <= most; i++ {
				if v := lua.LNumber(s.Numbers.sequence.draw()); v >= least && v <= most {
					l.Push(v)
					return 1
				}
				if i%often == 0 && s.mustEnd() {
					l.RaiseError("%v", errEndless)
				}
			}
			l.ArgError(2, "interval is empty")
			return 0
		},
	}) {
		l.SetGlobal(name, l.NewFunction(f))
	}
	for name, f := range (functions{
		"connect": func(l *lua.LState) int {
			s.legacy = s.connect(l)
			l.SetGlobal("db_driver", lua.LString(s.Server.Driver))
			return 0
		},
		"disconnect": func(*lua.LState) int {
			if s.legacy != nil {
				s.legacy.close()
				s.legacy = nil
			}
			return 0
		},
		"query":            func(l *lua.LState) int { return s.legacyConnection(l).query(l, l.CheckString(1)) },
		"bulk_insert_init": func(l *lua.LState) int { s.legacyConnection(l).bulk.begin(l.CheckString(1)); return 0 },
		"bulk_insert_next": func(l *lua.LState) int { s.legacyConnection(l).addRow(l, l.CheckString(1)); return 0 },
		"bulk_insert_done": func(l *lua.LState) int { s.legacyConnection(l).flush(l); return 0 },
		"prepare": func(l *lua.LState) int {
			l.Push(s.legacyConnection(l).prepare(l, l.CheckString(1)).object)
			return 1
		},
		"bind_param": func(l *lua.LState) int {
			checkStatement(l, 1).values = l.CheckTable(2)
			return 0
		},
		"bind_result":   func(*lua.LState) int { return 0 },
		"store_results": func(*lua.LState) int { return 0 },
		"free_results":  func(*lua.LState) int { return 0 },
		"execute":       func(l *lua.LState) int { return checkStatement(l, 1).execute(l) },
		"close":         func(*lua.LState) int { return 0 },
	}) {
		function := l.NewFunction(f)
		l.SetGlobal("db_"+name, function)
		db.RawSetString(name, function)
	}
	sysbench.RawSetString("db", db)
}

// legacyConnection returns the connection of the legacy interface, and opens it the first time.
func (s *State) legacyConnection(l *lua.LState) *connection {
	if s.legacy == nil {
		s.legacy = s.connect(l)
		l.SetGlobal("db_driver", lua.LString(s.Server.Driver))
	}
	return s.legacy
}

// text converts a value for a statement.
func textOf(v lua.LValue) string {
	if n, is := v.(lua.LNumber); is && n == lua.LNumber(int64(n)) {
		return strconv.FormatInt(int64(n), 10)
	}
	return lua.LVAsString(v)
}
