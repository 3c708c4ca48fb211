package cli

import (
	"bytes"
	"database/sql"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	_ "github.com/jackc/pgx/v5/stdlib"

	"sledge/internal/catalog/edition"
	"sledge/internal/engine"
	"sledge/internal/job"
	"sledge/internal/testserver"
)

// pgbenchScript uses variables of all kinds, conditions and results of queries.
const pgbenchScript = `\set aid random(1, 100000 * :scale)
\set delta random_gaussian(-5000, 5000, 2.5) + hash(:aid) % 7 + permute(:aid, 10) - random_zipfian(1, 9, 1.2)
BEGIN;
UPDATE pgbench_accounts SET abalance = abalance + :delta WHERE aid = :aid;
SELECT abalance, bid FROM pgbench_accounts WHERE aid = :aid \gset now_
\if :now_abalance > 0
UPDATE pgbench_tellers SET tbalance = tbalance + :now_abalance WHERE tid = :now_bid * 10;
\elif :now_abalance = 0
SELECT 1;
\else
UPDATE pgbench_branches SET bbalance = bbalance + :now_abalance WHERE bid = :now_bid;
\endif
INSERT INTO pgbench_history (tid, bid, aid, delta) VALUES (:many, :now_bid, :aid, :delta);
END;
`

// The same arguments and seed give the same rows as with pgbench, and the same lines but for their numbers.
func TestPgbench_DoesWhatPgbenchDoes(t *testing.T) {
	server := testserver.Open(t, "postgresql")
	real := server.Tool("pgbench")
	folder := t.TempDir()
	script, failing, pipeline := filepath.Join(folder, "script.sql"), filepath.Join(folder, "failing.sql"), filepath.Join(folder, "pipeline.sql")
	for path, text := range map[string]string{
		script:   pgbenchScript,
		failing:  "SELECT 1 / 0;\n",
		pipeline: "\\set aid random(1, 100000)\n\\startpipeline\nUPDATE pgbench_accounts SET abalance = abalance + 1 WHERE aid = :aid;\nSELECT 1;\n\\endpipeline\n",
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	open := func(name string) *sql.DB { return openDatabase(t, "pgx", server.DataSource(name)) }
	const ours, theirs = "pgbench_ours", "pgbench_theirs"
	for _, name := range []string{ours, theirs} {
		if _, err := open("postgres").ExecContext(t.Context(), "CREATE DATABASE "+name); err != nil {
			t.Fatal(err)
		}
	}
	databases := map[string]*sql.DB{ours: open(ours), theirs: open(theirs)}
	state := func(name string) (text string) {
		err := databases[name].QueryRowContext(t.Context(), `SELECT format('%s %s %s %s',
			(SELECT md5(string_agg(abalance::text, ',' ORDER BY aid)) FROM pgbench_accounts), (SELECT md5(string_agg(tbalance::text, ',' ORDER BY tid)) FROM pgbench_tellers),
			(SELECT string_agg(bbalance::text, ',') FROM pgbench_branches), (SELECT md5(string_agg(concat_ws(' ', tid, bid, aid, delta), ',' ORDER BY aid, tid, delta)) FROM pgbench_history))`).Scan(&text)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	environment := []string{"PGHOST=" + server.Host, "PGPORT=" + strconv.Itoa(server.Port), "PGUSER=" + server.Superuser, "PGPASSWORD=" + server.Password, "PGSSLMODE=disable"}
	runReal := func(args ...string) (out, err string, code job.Exit) {
		var stdout, stderr bytes.Buffer
		c := exec.CommandContext(t.Context(), real, append(args, theirs)...)
		c.Env, c.Stdout, c.Stderr = append(os.Environ(), environment...), &stdout, &stderr
		failed, is := errors.AsType[*exec.ExitError](c.Run())
		if is {
			code = job.Exit(failed.ExitCode())
		}
		return stdout.String(), stderr.String(), code
	}
	runOurs := func(args ...string) (out, err string, code job.Exit) {
		w := newWorld(t)
		w.Runner, w.Name = engine.Local{Catalog: edition.Catalog, Version: w.Version}, "/usr/local/bin/pgbench"
		w.Environ = append(w.Environ, environment...)
		code = w.run(append(args, ours)...)
		return w.out.String(), w.err.String(), code
	}
	logs := filepath.Join(folder, "log")
	for _, args := range [][]string{
		{"-i", "-s", "2"},
		{"-i", "-I", "dtGvpf", "-q", "--partitions", "2", "--unlogged-tables", "-F", "90"},
		{"-i", "-n"},
		{"-t", "30", "--random-seed=42", "-b", "tpcb-like@2", "-b", "sim", "-r", "--max-tries=3", "--failures-detailed"},
		{"-t", "20", "--random-seed=7", "-c", "3", "-j", "3", "-n", "-S", "-N", "-P", "60", "-v"},
		{"-t", "30", "--random-seed=5", "-D", "many=5", "-f", script, "-n"},
		{"-t", "30", "--random-seed=5", "-D", "many=5", "-f", script, "-n", "-M", "prepared"},
		{"-t", "30", "--random-seed=5", "-D", "many=5", "-f", script, "-n", "-M", "extended", "-r"},
		{"-t", "30", "--random-seed=5", "-f", pipeline, "-n", "-M", "prepared", "-r"},
		{"-T", "1", "-n", "-S", "-R", "300", "-L", "100", "-l", "--log-prefix=" + logs},
		{"-T", "2", "-n", "-S", "-R", "300", "-l", "--aggregate-interval=1", "--log-prefix=" + logs + "s", "--max-tries=2"},
		{"-t", "5", "-n", "-f", failing},
		{"-t", "5", "-T", "5"},
	} {
		wantOut, wantErr, wantCode := runReal(args...)
		out, said, code := runOurs(args...)
		if code != wantCode || shape(out) != shape(wantOut) {
			t.Errorf("%v: got exit code %d and\n%swant %d and\n%s\nerrors: %s\nof pgbench: %s", args, code, out, wantCode, wantOut, said, wantErr)
		}
		if args[0] == "-i" && shape(said) != shape(strings.ReplaceAll(wantErr, "NOTICE:", "")) && !strings.Contains(wantErr, "NOTICE") {
			t.Errorf("%v: got %s, want %s", args, said, wantErr)
		}
		if got, want := state(ours), state(theirs); got != want && args[0] != "-T" {
			t.Errorf("%v: the tables are not those of pgbench: %s and %s", args, got, want)
		}
	}
	var shapes []string
	for _, pattern := range []string{logs + ".*", logs + "s.*"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) != 2 {
			t.Fatalf("%s: got the logs %v, %v", pattern, files, err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			line, _, _ := strings.Cut(string(text), "\n")
			shapes = append(shapes, shape(line))
		}
	}
	if shapes[0] != shapes[1] || shapes[2] != shapes[3] {
		t.Errorf("the logs have the lines %q", shapes)
	}
}

func openDatabase(t *testing.T, driver, source string) *sql.DB {
	t.Helper()
	db, err := sql.Open(driver, source)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

// numbers are the numbers in the output of pgbench, and its version.
var numbers = regexp.MustCompile(`-?\b\d+(\.\d+)?|NaN|pgbench \(.*\)`)

// shape is a text of pgbench or sysbench without its numbers, and without lines that occur again.
func shape(text string) string {
	var lines []string
	for line := range strings.Lines(text) {
		line = strings.Join(strings.Fields(numbers.ReplaceAllString(line, "N")), " ")
		if !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n") + "\n"
}

// On other databases, too, the tables are made and the scripts run. Tables of pgbench's names that are not pgbench's
// are not dropped.
func TestPgbench_OnOtherDatabases(t *testing.T) {
	testserver.SkipSQLiteUnderRace(t)
	server := testserver.Open(t, "mariadb")
	file := filepath.Join(t.TempDir(), "test.sqlite")
	for _, on := range []struct {
		name, driver, source string
		set                  map[string]string
	}{
		{"sqlite", "sqlite", file, map[string]string{"dbname": file}},
		{"mariadb", "mysql", server.DataSource("pgbench_tables"), map[string]string{
			"host": server.Host, "port": strconv.Itoa(server.Port), "user": server.Superuser, "password": server.Password, "dbname": "pgbench_tables", "socket": server.Socket,
		}},
	} {
		args := []string{"pgbench", "--db", on.name}
		for name, value := range on.set {
			args = append(args, "--set", name+"="+value)
		}
		w := newWorld(t)
		w.Runner = engine.Local{Catalog: edition.Catalog, Version: w.Version}
		run := func(more ...string) job.Exit { return w.run(append(slices.Clone(args), more...)...) }
		if on.name == "mariadb" {
			admin, err := sql.Open(on.driver, server.DataSource(""))
			if err != nil {
				t.Fatal(err)
			}
			defer admin.Close()
			if _, err := admin.ExecContext(t.Context(), "CREATE DATABASE pgbench_tables"); err != nil {
				t.Fatal(err)
			}
		}
		db, err := sql.Open(on.driver, on.source)
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		if code := run("-i"); code != job.OK {
			t.Fatalf("%s: got exit code %d: %s", on.name, code, &w.err)
		}
		for _, protocol := range []string{"simple", "prepared"} {
			if code := run("-t", "20", "-c", "2", "-r", "--max-tries", "10", "-M", protocol); code != job.OK || !strings.Contains(w.out.String(), "number of transactions actually processed: 40/40") {
				t.Errorf("%s: got exit code %d: %s%s", on.name, code, &w.out, &w.err)
			}
		}
		var rows int
		if err := db.QueryRowContext(t.Context(), "SELECT COUNT(*) FROM pgbench_history WHERE delta BETWEEN -5000 AND 5000").Scan(&rows); err != nil || rows != 80 {
			t.Errorf("%s: pgbench_history has %d rows, %v", on.name, rows, err)
		}
		for _, statement := range []string{"DROP TABLE pgbench_tellers", "CREATE TABLE pgbench_tellers (mine INTEGER)"} {
			if _, err := db.ExecContext(t.Context(), statement); err != nil {
				t.Fatal(err)
			}
		}
		if code := run("-i"); code != 1 || !strings.Contains(w.err.String(), "the table pgbench_tellers is not pgbench's") {
			t.Errorf("%s: got exit code %d: %s", on.name, code, &w.err)
		}
	}
}
