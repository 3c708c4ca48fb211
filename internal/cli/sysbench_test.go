package cli

import (
	"bytes"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"sledge/internal/catalog/edition"
	"sledge/internal/engine"
	"sledge/internal/job"
	"sledge/internal/testserver"
)

// legacyScript uses the interface of sysbench 0.5, in which options are globals.
const legacyScript = `
function thread_init()
   db_connect()
   statement = db_prepare("SELECT c FROM sbtest1 WHERE id = ?")
   params = {1}
   db_bind_param(statement, params)
end
function event()
   params[1] = sb_rand_uniform(1, tonumber(oltp_table_size))
   local rs = db_execute(statement)
   db_store_results(rs)
   db_free_results(rs)
   db_query("UPDATE sbtest1 SET k = " .. sb_rand(1, 9) .. " WHERE id = " .. sb_rand(1, tonumber(oltp_table_size)))
end
function thread_done() db_disconnect() end
`

// ownScript has options, a result that it reads, a loop of its own over events, and report hooks.
const ownScript = `#!/usr/bin/env sysbench
sysbench.cmdline.options = { size = {"rows", 100}, kind = {"kind of report", "csv"}, quick = {"no pauses", false} }
ffi.cdef("int usleep(int microseconds);")
function thread_init()
   con = sysbench.sql.driver():connect()
end
function event()
   local id = sysbench.rand.default(1, sysbench.opt.size)
   local k = con:query_row(string.format("SELECT k FROM sbtest1 WHERE id = %d", id))
   local rs = con:query("SELECT id, k FROM sbtest2 WHERE id <= " .. id % 5 + 1 .. " ORDER BY id")
   local sum = 0
   for i = 1, rs.nrows do
      local row = rs:fetch_row()
      sum = sum + row[1] * 2
   end
   con:query(("UPDATE sbtest2 SET k = %d WHERE id = %d"):format(sum + (k or 0), id))
   con:query("BEGIN")
   con:query("DELETE FROM sbtest1 WHERE id = 0")
   con:query("COMMIT")
end
function thread_run(id)
   while ffi.C.sb_more_events(id) do
      ffi.C.sb_event_start(id)
      event()
      ffi.C.sb_event_stop(id)
      if not sysbench.opt.quick then ffi.C.usleep(10) end
   end
end
function sysbench.hooks.report_intermediate(stat) sysbench.report_csv(stat) end
`

// The same arguments and seed give the same statements in the same order as with sysbench, and the same lines but for
// their numbers.
func TestSysbench_DoesWhatSysbenchDoes(t *testing.T) {
	real, err := exec.LookPath("sysbench")
	if err != nil {
		testserver.Lack(t, "sysbench", "sysbench is not installed: run scripts/test-servers")
	}
	server := testserver.Open(t, "postgresql", testserver.Setting("log_statement=all"), testserver.Setting("log_line_prefix=%d "))
	folder := t.TempDir()
	legacy, own, failing := filepath.Join(folder, "legacy.lua"), filepath.Join(folder, "own.lua"), filepath.Join(folder, "failing.lua")
	for path, text := range map[string]string{legacy: legacyScript, own: ownScript, failing: "function event()\n   error('it fails')\nend\n"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	open := func(name string) *sql.DB { return openDatabase(t, "pgx", server.DataSource(name)) }
	admin := open("postgres")
	execute := func(statements ...string) {
		t.Helper()
		for _, s := range statements {
			if _, err := admin.ExecContext(t.Context(), s); err != nil {
				t.Fatal(err)
			}
		}
	}
	const ours, theirs = "sysbench_ours", "sysbench_theirs"
	execute("CREATE DATABASE " + theirs)
	at := func(name string) []string {
		return []string{
			"--db-driver=pgsql", "--pgsql-host=" + server.Host, "--pgsql-port=" + strconv.Itoa(server.Port), "--pgsql-user=" + server.Superuser,
			"--pgsql-password=" + server.Password, "--pgsql-db=" + name,
		}
	}
	runReal := func(args ...string) (out string, code job.Exit) {
		var stdout, stderr bytes.Buffer
		c := exec.CommandContext(t.Context(), real, append(at(theirs), args...)...)
		c.Stdout, c.Stderr = &stdout, &stderr
		if failed, is := errors.AsType[*exec.ExitError](c.Run()); is {
			code = job.Exit(failed.ExitCode())
		}
		return stdout.String(), code
	}
	runOurs := func(args ...string) (out, said string, code job.Exit) {
		w := newWorld(t)
		w.Runner, w.Name = engine.Local{Catalog: edition.Catalog, Version: w.Version}, "/usr/local/bin/sysbench"
		code = w.run(slices.Concat(at(ours), []string{"--pgsql-sslmode=disable", "--no-repo"}, args)...)
		return w.out.String(), w.err.String(), code
	}
	tables := []string{"--tables=2", "--table-size=100"}
	if out, code := runReal(slices.Concat([]string{"oltp_read_write", "--tables=3", "--table-size=100"}, []string{"prepare"})...); code != 0 {
		t.Fatalf("sysbench prepare: %s", out)
	}
	for _, args := range [][]string{
		slices.Concat([]string{"oltp_read_write"}, tables),
		slices.Concat([]string{"oltp_read_write", "--rand-type=uniform", "--skip-trx=on"}, tables),
		slices.Concat([]string{"oltp_read_write", "--rand-type=pareto", "--percentile=0", "--range-selects=off", "--db-ps-mode=disable"}, tables),
		slices.Concat([]string{"oltp_read_only", "--rand-type=gaussian", "--sum-ranges=2", "--range-size=7"}, tables),
		slices.Concat([]string{"oltp_write_only", "--delete-inserts=2", "--index-updates=3"}, tables),
		slices.Concat([]string{"oltp_point_select", "--point-selects=5"}, tables),
		slices.Concat([]string{"oltp_update_index"}, tables),
		slices.Concat([]string{"oltp_update_non_index"}, tables),
		slices.Concat([]string{"oltp_delete"}, tables),
		slices.Concat([]string{"oltp_insert"}, tables),
		{"select_random_points", "--table-size=100"},
		{"select_random_ranges", "--table-size=100", "--number-of-ranges=3"},
		{legacy, "--oltp-table-size=100"},
		{own, "--size=90"},
		{own, "--quick=on", "--rand-spec-pct=20"},
	} {
		execute("DROP DATABASE IF EXISTS "+ours, "CREATE DATABASE "+ours+" TEMPLATE "+theirs)
		args = append(args, "--rand-seed=7", "--events=20", "--time=0", "run")
		from := len(server.Log())
		wantOut, wantCode := runReal(args...)
		out, said, code := runOurs(args...)
		if code != wantCode || shape(plain(out)) != shape(plain(wantOut)) {
			t.Errorf("%v: got exit code %d and\n%swant %d and\n%s\nerrors: %s", args, code, out, wantCode, wantOut, said)
		}
		log := server.Log()[from:]
		got, want := statements(log, ours), statements(log, theirs)
		if !slices.Equal(got, want) || len(got) < 2 {
			t.Errorf("%v: got %d statements, want %d: %s", args, len(got), len(want), firstDifference(got, want))
		}
	}
	for _, args := range [][]string{
		{"oltp_point_select", "--table-size=100", "--time=2", "--threads=2", "--report-interval=1", "run"},
		{"oltp_read_only", "--table-size=100", "--time=2", "--rate=50", "--report-checkpoints=1", "run"},
		{own, "--time=2", "--report-interval=1", "run"},
		{"--num-threads=2", "--max-requests=4", "--test=" + legacy, "--oltp-table-size=100", "run"},
		{"oltp_read_only", "--tables=2", "cleanup"},
		{"oltp_read_only", "--tables=2", "--table-size=50", "--create-secondary=off", "prepare"},
		{"oltp_read_only", "--tables=2", "--table-size=50", "prepare"}, // they exist
		{"oltp_read_only"},
		{"oltp_read_only", "--tabels=2", "run"},
		{"oltp_read_only", "fly"},
		{"nonsense", "run"},
		{"oltp_read_only", "--threads=x", "run"},
		{"oltp_read_only", "--tables=2", "cleanup"},
		{"bulk_insert", "--threads=2", "prepare"},
		{"bulk_insert", "--threads=2", "--events=30", "--time=0", "run"},
		{"bulk_insert", "--threads=2", "cleanup"},
		{"oltp_read_only", "--table-size=50", "prepare"},
		{failing, "--events=5", "run"},
	} {
		wantOut, wantCode := runReal(args...)
		out, said, code := runOurs(args...)
		if code != wantCode || code == 0 && shape(plain(out)) != shape(plain(wantOut)) {
			t.Errorf("%v: got exit code %d and\n%swant %d and\n%s\nerrors: %s", args, code, out, wantCode, wantOut, said)
		}
	}
	for _, name := range []string{ours, theirs} {
		var rows, columns int
		if err := open(name).QueryRowContext(t.Context(), "SELECT (SELECT count(*) FROM sbtest1 WHERE length(c) = 119 AND length(pad) = 59 AND k BETWEEN 1 AND 50), (SELECT count(*) FROM information_schema.columns WHERE table_name = 'sbtest1')").Scan(&rows, &columns); err != nil || rows != 50 || columns != 4 {
			t.Errorf("%s: got %d rows and %d columns, %v", name, rows, columns, err)
		}
	}
}

// plain is an output of sysbench without its version and the rows of a histogram.
func plain(out string) string {
	out = regexp.MustCompile(`(\S)SQL statistics:`).ReplaceAllString(out, "$1\nSQL statistics:") // the end of its last interval's line may be late
	return regexp.MustCompile(`(?m)^sysbench \d.*$|(?m)^ *[\d.]+ \|.*\n`).ReplaceAllString(out, "")
}

// statements are the statements of a script in a server's log, with their parameters.
func statements(log, database string) (list []string) {
	taken := false
	for line := range strings.Lines(log) {
		line, of := strings.CutPrefix(strings.TrimSpace(line), database+" ")
		_, text, _ := strings.Cut(line, ": ")
		switch {
		case !of:
			continue
		case strings.HasPrefix(line, "DETAIL") && taken:
			list = append(list, strings.TrimSpace(line))
		case strings.Contains(line, "statement: ") || strings.Contains(line, "execute "):
			var is bool
			_, text, is = strings.Cut(text, ": ")
			if i := strings.Index(line, "statement: "); i >= 0 {
				text = line[i+len("statement: "):]
			}
			words := strings.Fields(text)
			taken = is && (strings.Contains(text, "sbtest") || slices.Equal(words, []string{"BEGIN"}) || slices.Equal(words, []string{"COMMIT"}) || strings.HasPrefix(strings.Join(words, " "), "SELECT count(k)") || strings.HasPrefix(strings.Join(words, " "), "SELECT id, k, c, pad"))
			if taken {
				list = append(list, strings.Join(words, " "))
			}
		}
	}
	for i, text := range list { // sysbench breaks these lines
		for _, begin := range []string{"SELECT id, k, c, pad", "SELECT count(k)"} {
			if strings.HasPrefix(text, begin) {
				list[i] = begin
			}
		}
	}
	return list
}

func firstDifference(got, want []string) string {
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			return fmt.Sprintf("statement %d is %q, want %q", i+1, got[i], want[i])
		}
	}
	return "one list is longer"
}

// The workloads run on other databases, too.
func TestSysbench_OnOtherDatabases(t *testing.T) {
	testserver.SkipSQLiteUnderRace(t)
	server := testserver.Open(t, "mariadb")
	const database = "sysbench_tables"
	admin, err := sql.Open("mysql", server.DataSource(""))
	if err != nil {
		t.Fatal(err)
	}
	defer admin.Close()
	if _, err := admin.ExecContext(t.Context(), "CREATE DATABASE "+database); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "test.sqlite")
	for _, on := range []struct {
		name, driver, source string
		args                 []string
	}{
		{"sqlite", "sqlite", file, []string{"--db=sqlite", "--set=file=" + file}},
		{"mariadb", "mysql", server.DataSource(database), []string{
			"--mysql-host=" + server.Host, "--mysql-port=" + strconv.Itoa(server.Port), "--mysql-user=" + server.Superuser, "--mysql-password=" + server.Password,
			"--mysql-db=" + database, "--mysql-socket=" + server.Socket,
		}},
	} {
		w := newWorld(t)
		w.Runner = engine.Local{Catalog: edition.Catalog, Version: w.Version}
		run := func(args ...string) job.Exit {
			return w.run(slices.Concat([]string{"sysbench"}, on.args, args)...)
		}
		db, err := sql.Open(on.driver, on.source)
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		if code := run("oltp_read_write", "--tables=2", "--table-size=200", "--threads=2", "prepare"); code != job.OK {
			t.Fatalf("%s: got exit code %d: %s", on.name, code, &w.err)
		}
		for _, name := range []string{
			"oltp_read_write", "oltp_read_only", "oltp_write_only", "oltp_point_select", "oltp_update_index", "oltp_update_non_index", "oltp_delete", "select_random_points", "select_random_ranges",
		} {
			args := []string{name, "--table-size=200", "--threads=2", "--events=20", "--time=0", "run"}
			if code := run(args...); code != job.OK || !strings.Contains(w.out.String(), "total number of events:              20\n") {
				t.Errorf("%s, %s: got exit code %d: %s%s", on.name, name, code, &w.out, &w.err)
			}
		}
		if code := run("oltp_insert", "--auto-inc=off", "--events=30", "--time=0", "run"); code != job.OK {
			t.Errorf("%s, oltp_insert: got exit code %d: %s%s", on.name, code, &w.out, &w.err)
		}
		var rows, wrong int
		if err := db.QueryRowContext(t.Context(), "SELECT (SELECT COUNT(*) FROM sbtest2), (SELECT COUNT(*) FROM sbtest1 WHERE LENGTH(c) <> 119)").Scan(&rows, &wrong); err != nil || rows != 200 || wrong != 0 {
			t.Errorf("%s: sbtest2 has %d rows, sbtest1 has %d wrong ones: %v", on.name, rows, wrong, err)
		}
		time.AfterFunc(2*time.Second, w.interrupt) // usually in the run
		if code := run("oltp_read_only", "--table-size=200", "--time=600", "run"); code != job.ExitStopped {
			t.Errorf("%s: got exit code %d after Ctrl-C: %s%s", on.name, code, &w.out, &w.err)
		}
		if code := run("oltp_read_write", "--tables=2", "cleanup"); code != job.OK {
			t.Errorf("%s: got exit code %d: %s", on.name, code, &w.err)
		}
	}
}
