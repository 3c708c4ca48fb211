package sysbench

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"sledge/internal/workload"
)

// open makes a state that executes a text.
func open(t testing.TB, text string, setup Setup) *State {
	t.Helper()
	s, err := tryOpen(t, text, setup)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// tryOpen is open that returns the error of the script.
func tryOpen(t testing.TB, text string, setup Setup) (*State, error) {
	t.Helper()
	if setup.Program == nil {
		p, err := NewProgram("script.lua", map[string]string{"script.lua": text}, nil)
		if err != nil {
			return nil, err
		}
		setup.Program = p
	}
	if setup.Path == "" {
		setup.Path = "script.lua"
	}
	if setup.Command == "" {
		setup.Command = "run"
	}
	if setup.Out == nil {
		setup.Out = t.Output()
	}
	return New(t.Context(), setup)
}

func TestOptions_AreTypedByTheirDefaults(t *testing.T) {
	const text = `
sysbench.cmdline.options = {
   table_size = {"rows", 10000}, ["point-selects"] = {"reads", 10}, skip_trx = {"no transactions", false}, engine = {"engine", "innodb"},
   share = {"a share", 0.5}, size = {"a size", "1K", sysbench.cmdline.ARG_SIZE}, count = {"a count", nil, sysbench.cmdline.ARG_INT},
}
local names = {"table_size", "point_selects", "skip_trx", "engine", "share", "size", "count", "threads", "rand_type", "mysql_host", "debug", "pgsql_port"}
function event()
   for _, name in ipairs(names) do print(name, type(sysbench.opt[name]), sysbench.opt[name]) end
   print(table_size, sysbench.opt.absent)
end`
	given := map[string]string{"table_size": "5", "skip_trx": "on", "share": "0.25", "count": "7", "threads": "4", "size": "2M"}
	got, err := printed(t, text, Setup{Options: given})
	const want = "table_size\tnumber\t5\npoint_selects\tnumber\t10\nskip_trx\tboolean\ttrue\nengine\tstring\tinnodb\nshare\tnumber\t0.25\nsize\tnumber\t2097152\ncount\tnumber\t7\n" +
		"threads\tnumber\t4\nrand_type\tstring\tspecial\nmysql_host\tstring\tlocalhost\ndebug\tboolean\tfalse\npgsql_port\tstring\t5432\nnil\tnil\n"
	if got != want || err != nil {
		t.Errorf("got  %q, %v\nwant %q", got, err, want)
	}
	s := open(t, text, Setup{})
	if s.AnyOption() {
		t.Error("the script declares its options, but accepts any")
	}
	names := map[string]Kind{}
	for _, o := range s.Declared() {
		names[o.Name] = o.Kind
	}
	wanted := map[string]Kind{"table_size": Double, "point_selects": Double, "skip_trx": Bool, "engine": String, "share": Double, "size": Size, "count": Int}
	if !maps.Equal(names, wanted) {
		t.Errorf("got %v, want %v", names, wanted)
	}
}

func TestLegacy_HasOptionsAsGlobals(t *testing.T) {
	const text = `
print(thread_id, test, mysql_table_engine, DB_ERROR_RESTART_TRANSACTION, sysbench.db.query == db_query)
function event() print(type(oltp_table_size), oltp_table_size, sysbench.opt.oltp_table_size, threads, type(help), sb_rand_uniq(3) >= 3) end
function help() end`
	got, err := printed(t, text, Setup{Options: map[string]string{"oltp_table_size": "10000", "help": "x"}, Thread: 3, Path: "a/script.lua"})
	if want := "3\ta/script.lua\tinnodb\t1\ttrue\nstring\t10000\t10000\t1\tfunction\ttrue\n"; got != want || err != nil {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
	if !open(t, text, Setup{}).AnyOption() {
		t.Error("a script without declared options must accept any")
	}
}

func TestCheck_FindsWrongOptions(t *testing.T) {
	declared := append(General(Version10), Option{Name: "table_size", Default: "1", Kind: Double})
	for _, test := range []struct {
		name, text string
		any        bool
		want       string
	}{
		{"table_size", "10", false, ""},
		{"table_sise", "10", false, "there is no option --table_sise: did you mean table_size?"},
		{"table_sise", "10", true, ""},
		{"table_size", "x", false, "--table_size=x: it must be a number"},
		{"threads", "1.5", false, "--threads=1.5: it must be a number"},
		{"threads", "0", false, "--threads=0: it must be between 1 and 100000"},
		{"debug", "maybe", false, "--debug=maybe: write on or off"},
		{"thread_stack_size", "64K", false, ""},
		{"rand_type", "zipf", false, "--rand-type zipf: it must be uniform, gaussian, special, pareto or zipfian"},
		{"rand_pareto_h", "NaN", false, "--rand_pareto_h=NaN: it must be a number"},
		{"db_ps_mode", "x", false, "--db-ps-mode=x: it must be auto or disable"},
	} {
		err := Check(declared, map[string]string{test.name: test.text}, test.any)
		if fmt.Sprint(err) != test.want && (err != nil || test.want != "") {
			t.Errorf("--%s=%s: got %v, want %q", test.name, test.text, err, test.want)
		}
	}
}

func TestCommand_FindsDeclaredAndDefinedOnes(t *testing.T) {
	var out strings.Builder
	s := open(t, `
local function check() print("check") end
sysbench.cmdline.commands = {["golden-check"] = {check}, golden_again = {check}, prepare = {check, sysbench.cmdline.PARALLEL_COMMAND}}
function cleanup() print("cleanup") end
number = 5
print(sysbench.cmdline.command_defined("golden-check"), sysbench.cmdline.command_parallel("prepare"), sysbench.cmdline.call_command("golden_check"), sysbench.cmdline.call_command("none"))
print(sysbench.cmdline.command, sysbench.cmdline.script_path, sysbench.cmdline.argv[0], sysbench.version, sysbench.version_string)`, Setup{Out: &out})
	if want := "check\ntrue\ttrue\ttrue\tfalse\nrun\tscript.lua\tsysbench\t1.0.20\tsysbench 1.0.20\n"; out.String() != want {
		t.Errorf("got %q, want %q", out.String(), want)
	}
	for name, parallel := range map[string]bool{"golden-check": false, "golden_check": false, "golden-again": false, "prepare": true, "cleanup": false} {
		c, found := s.Command(name)
		if !found || c.Parallel != parallel {
			t.Errorf("%s: got %t, parallel %t, want true, %t", name, found, c.Parallel, parallel)
		}
		if err := s.Do(t.Context(), c); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, name := range []string{"none", "number", ""} {
		if _, found := s.Command(name); found {
			t.Errorf("found a command %q", name)
		}
	}
}

func TestEvent_EndsTheThreadIfItReturnsTrue(t *testing.T) {
	s := open(t, `local n = 0 function event(id) n = n + 1 assert(id == 2) return ({false, nil, 0})[n] end`, Setup{Thread: 2})
	for i, want := range []bool{false, false, true} {
		ended, err := s.Event(t.Context(), false)
		if ended != want || err != nil {
			t.Errorf("event %d: got %t, %v, want %t", i+1, ended, err, want)
		}
	}
}

func TestEvent_MayBeChosenInThreadInit(t *testing.T) {
	s := open(t, `function event() error("the wrong one") end function thread_init() event = function() return true end end`, Setup{})
	if err := s.Begin(t.Context()); err != nil {
		t.Fatal(err)
	}
	if ended, err := s.Event(t.Context(), false); !ended || err != nil {
		t.Errorf("got %t, %v, want true", ended, err)
	}
}

func TestHooks_AreCalled(t *testing.T) {
	var out strings.Builder
	s := open(t, `
function event() error({errcode = sysbench.error.RESTART_EVENT}) end
function sysbench.hooks.before_restart_event(err) print("restart", err) end
function sysbench.hooks.report_intermediate(stat)
   print(stat.threads_running, stat.events, stat.latency_pct, stat.queue_length)
   sysbench.report_default(stat) sysbench.report_csv(stat) sysbench.report_json(stat) sysbench.report_json(stat) print()
end
sysbench.hooks.before_test = function() error("there is no such hook") end
sysbench.hooks.report_cumulative = function() error("bad report") end`, Setup{Out: &out})
	_, err := s.Event(t.Context(), false)
	if !workload.IsRepeat(err) {
		t.Errorf("got %v, want one that asks for a repetition", err)
	}
	s.restart = s.lua.NewTable() // as of an error of a database
	if _, err := s.Event(t.Context(), true); !workload.IsRepeat(err) || !strings.HasPrefix(out.String(), "restart\ttable: ") || s.Counts.Errors.Load() != 1 {
		t.Errorf("got %v, %q, %d errors", err, out.String(), s.Counts.Errors.Load())
	}
	out.Reset()
	if !s.HasHook("report_intermediate") || s.HasHook("sql_error_ignorable") {
		t.Error("HasHook is wrong")
	}
	f := Figures{Threads: 2, Interval: 2, Total: 10, Percentile: 0.005, Events: 10, Read: 20, Write: 8, Other: 4, Errors: 2}
	if err := s.Report("report_intermediate", &f); err != nil {
		t.Fatal(err)
	}
	const one = "{\n    \"time\":   10,\n    \"threads\": 2,\n    \"tps\": 5.00,\n    \"qps\": {\n      \"total\": 16.00,\n      \"reads\": 10.00,\n      \"writes\": 4.00,\n      \"other\": 2.00\n    },\n    \"latency\": 5.00,\n    \"errors\": 1.00,\n    \"reconnects\": 0.00\n  }"
	const want = "2\t10\t0.005\t0\n[ 10s ] thds: 2 tps: 5.00 qps: 16.00 (r/w/o: 10.00/4.00/2.00) lat (ms,95%): 5.00 err/s 1.00 reconn/s: 0.00\n10,2,5.00,16.00,10.00,4.00,2.00,5.00,1.00,0.00\n[\n  " + one + ",\n  " + one + "\n"
	if out.String() != want {
		t.Errorf("got %q, want %q", out.String(), want)
	}
	if err := s.Report("report_cumulative", &f); err == nil || err.Error() != "script.lua:9: bad report" {
		t.Errorf("got %v", err)
	}
	if err := s.Report("absent", &f); err != nil {
		t.Errorf("absent: %v", err)
	}
}

// The script waits 5 ms before each event, which takes 3 ms.
const loopScript = `
function thread_run(id)
   while ffi.C.sb_more_events(id) do
      ffi.C.usleep(5000)
      ffi.C.sb_event_start(id)
      pcall(event, id)
      ffi.C.sb_event_stop(id)
   end
   print("left")
end
function event() ffi.C.usleep(3000) end
function thread_done() print("done") end`

func TestThreadRun_GetsEventsOneByOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out strings.Builder
		stopped := make(chan struct{})
		s := open(t, loopScript, Setup{Stopped: stopped, Out: &out})
		if err := s.Begin(t.Context()); err != nil {
			t.Fatal(err)
		}
		for i := range 3 {
			began := time.Now()
			ended, err := s.Event(t.Context(), false)
			if took := time.Since(began); ended || err != nil || took != 8*time.Millisecond || s.Waited() != 5*time.Millisecond {
				t.Errorf("event %d: got %t, %v, took %v, waited %v", i, ended, err, took, s.Waited())
			}
		}
		close(stopped)
		for range 2 {
			if ended, err := s.Event(t.Context(), false); !ended || err != nil {
				t.Errorf("after the end: got %t, %v", ended, err)
			}
		}
		if err := s.Close(t.Context()); err != nil || out.String() != "left\ndone\n" {
			t.Errorf("got %v, %q", err, out.String())
		}
	})
}

// In a bubble, the test fails if a goroutine is left.
func TestClose_EndsThreadRun(t *testing.T) {
	for name, text := range map[string]string{
		"not begun":  loopScript,
		"in between": loopScript,
		"stubborn":   "function thread_run(id) while true do ffi.C.sb_event_start(id) pcall(ffi.C.sb_event_stop, id) end end",
		"own error":  "function thread_run(id) ffi.C.sb_event_stop(id) end function thread_done() error('last words') end",
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := open(t, text, Setup{})
				if err := s.Begin(t.Context()); err != nil {
					t.Fatal(err)
				}
				if name != "not begun" {
					if ended, err := s.Event(t.Context(), false); ended || err != nil {
						t.Fatalf("got %t, %v", ended, err)
					}
				}
				err := s.Close(t.Context())
				if (name == "own error") != (err != nil && strings.Contains(err.Error(), "last words")) {
					t.Errorf("got %v", err)
				}
			})
		})
	}
}

func TestThreadRun_ReportsItsErrors(t *testing.T) {
	s := open(t, "function thread_run(id)\n ffi.C.sb_event_start(id) error('bad') end", Setup{})
	if err := s.Begin(t.Context()); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if ended, err := s.Event(t.Context(), false); !ended || err == nil || err.Error() != "script.lua:2: bad" {
			t.Errorf("got %t, %v", ended, err)
		}
	}
}

func TestBegin_NeedsAnEvent(t *testing.T) {
	s := open(t, "function init() end", Setup{})
	err := s.Begin(t.Context())
	if m, is := errors.AsType[*Mistake](err); !is || m.Error() != "script.lua: it defines no function event, which a run needs" {
		t.Errorf("got %v", err)
	}
}

func TestBundled_AreCompiledOnce(t *testing.T) {
	for _, name := range append(Bundled(), "oltp_common") {
		a, err := loadBundled(name + ".lua")
		b, _ := loadBundled(name + ".lua")
		if err != nil || a != b {
			t.Errorf("%s: got %p and %p, %v", name, a, b, err)
		}
	}
	if !slices.Contains(Bundled(), "oltp_read_write") || slices.Contains(Bundled(), "oltp_common") {
		t.Errorf("got %v", Bundled())
	}
}

func TestHistogram_HasSysbenchsBuckets(t *testing.T) {
	h := NewHistogram(1024, 0.001, 100_000)
	for range 99 {
		h.Add(1)
	}
	h.Add(1000)
	h.Add(-1)
	if got := h.Percentile(50); got < 0.98 || got > 1.02 {
		t.Errorf("got %g, want 1 within 1.8 %%", got)
	}
	if got := h.Percentile(100); got < 980 || got > 1020 {
		t.Errorf("got %g, want 1000 within 1.8 %%", got)
	}
	got, err := printed(t, `local h = sysbench.histogram.new(10, 1, 1000) for i = 1, 8 do h:update(10) end for i = 1, 2 do h:update(200) end h:print()`, Setup{})
	want := "       value  ------------- distribution ------------- count\n      10.000 |" + strings.Repeat("*", 40) + " 8\n     215.443 |" + strings.Repeat("*", 10) + strings.Repeat(" ", 30) + " 2\n"
	if got != want || err != nil {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
}
