package sysbench

import (
	"context"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// FuzzScript executes texts for 50 ms at most. They must neither panic nor hang.
func FuzzScript(f *testing.F) {
	for _, name := range Bundled() {
		text, _ := BundledText(name + ".lua")
		f.Add(text)
	}
	own, _ := filepath.Glob("testdata/*.lua")
	for _, name := range own {
		text, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	for _, name := range slices.Sorted(maps.Keys(loops)) {
		f.Add(loops[name])
	}
	for _, text := range []string{
		loopScript, "local t = setmetatable({}, {__index = function(t, k) return t[k .. k] end, __call = print, __newindex = rawset}) t.x = t() .. t",
		"function event() pcall(event) return coroutine.wrap(event)() end", "goto x ::x:: local a <const> = 1", "x = [==[ text ]==] .. '\\z\\x41\\065' .. 0x10 .. 1e3",
		"for i = 1, 10 do for k, v in pairs({i, x = i}) do if k then break else return end end end repeat until true", "print(string.format('%5.2f %q', 1, 'x'), ('x'):gsub('(.)', '%1%0'))",
		"sysbench.opt.x = sysbench.rand.default(1, 10) print(sysbench.rand.string('##@@'), bit.bor(1, 2), os.date(), #arg)", "event = loadstring('return ...') error({errcode = 1})",
		"sysbench.cmdline.options = {x = {'x', 1}} sysbench.cmdline.commands = {x = {print}} con = sysbench.sql.driver():connect()", "table.sort({3, 2, 1}, function(a, b) return true end) unpack({}, 1, 1e9)",
		"coroutine.wrap(function() pcall(coroutine.yield, 1) string.gsub('abc', '.', coroutine.yield) end)()", "setfenv(1, {}) x = 1 getfenv(0).y = 2 select('#', select(-1, 1, 2))",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := NewProgram("script.lua", map[string]string{"script.lua": text}, nil)
		if err != nil {
			return
		}
		ends(t, func() {
			ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
			defer cancel()
			var s *State
			check := func(err error) {
				if err != nil && s != nil && s.broken == nil && strings.Contains(err.Error(), "interpreter failed") {
					t.Error(err)
				}
			}
			s, err = New(ctx, Setup{Program: p, Out: io.Discard, Path: "script.lua", Command: "run", Stopped: ctx.Done()})
			if check(err); err != nil {
				return
			}
			s.grace, s.mostUsed = 0, 1<<30
			for _, c := range []string{"prepare", "cleanup", "help"} {
				if command, found := s.Command(c); found {
					check(s.Do(ctx, command))
				}
			}
			s.Declared()
			if err := s.Begin(ctx); err != nil {
				check(err)
			} else {
				for i := range 3 {
					_, err := s.Event(ctx, i > 0)
					check(err)
				}
			}
			check(s.Report("report_intermediate", &Figures{Interval: 1}))
			check(s.Close(ctx))
		})
	})
}
