package cli

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sledge/internal/database"
	"sledge/internal/document"
	"sledge/internal/job"
	"sledge/internal/option"
	"sledge/internal/report"
	"sledge/internal/testserver"
)

// hammerpostFile makes a file as hammerpost 0.1.0 does: two parameters with two values each, of which one run failed.
func hammerpostFile(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "local.db")
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, statement := range []string{
		`CREATE TABLE bench (benchmark_id INTEGER, name TEXT, test_id INTEGER PRIMARY KEY AUTOINCREMENT, start TEXT, end TEXT, status INT, output TEXT, error TEXT, parameters TEXT, nopm INT, tpm INT)`,
		`CREATE TABLE node_metrics (seq INTEGER PRIMARY KEY AUTOINCREMENT, test_id INTEGER, load_avg REAL, used_cpu_percent REAL, used_memory_percent REAL, used_disk_iops REAL, read_per_sec REAL, write_per_sec REAL, read_mbps REAL, write_mbps REAL, disk_util REAL, rec_time NUMERIC)`,
		`INSERT INTO bench (benchmark_id, name, start, end, status, output, error, parameters, nopm, tpm) VALUES
			(1, 'demo', '2026-11-29T18:46:16Z', '2026-11-29T18:47:18Z', 1, 'Vuser 1:64 Active Virtual Users configured' || char(10) || 'pg_raise_query_error', '', 'shared_buffers:126MB' || char(10) || 'work_mem:2MB' || char(10), 20000, 46000),
			(1, 'demo', '2026-11-29T18:48:16Z', '2026-11-29T18:49:18Z', 1, '', '', 'shared_buffers:1GB' || char(10) || 'work_mem:2MB' || char(10), 30000, 69000),
			(1, 'demo', '2026-11-29T18:50:16Z', '2026-11-29T18:51:18Z', 1, '', '', 'shared_buffers:126MB' || char(10) || 'work_mem:16MB' || char(10), 22000, 50600),
			(1, 'demo', '2026-11-29T18:52:16Z', '2026-11-29T18:52:17Z', 1, '', 'exit status 1', 'shared_buffers:1GB' || char(10) || 'work_mem:16MB' || char(10), 0, 0)`,
		`INSERT INTO node_metrics (test_id, load_avg, used_cpu_percent, used_memory_percent, rec_time) VALUES (1, 2.5, 85.4, 21.5, 1795977977), (1, 2.6, 95.4, 21.6, 1795977978)`,
	} {
		if _, err := db.ExecContext(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	return path
}

func TestImport_ReadsHammerpost(t *testing.T) {
	w, path := newWorld(t), hammerpostFile(t)
	before, _ := os.ReadFile(path)
	if code := w.run("experiment", "import", path); code != job.OK || w.out.String() != "Imported 4 jobs; 0 had been imported before.\n" {
		t.Fatalf("got exit code %d: %s%s", code, &w.out, &w.err)
	}
	if code := w.run("experiment", "import", path, "--json"); code != job.OK || !strings.Contains(w.out.String(), `"present": 4`) {
		t.Errorf("again: got exit code %d: %s%s", code, &w.out, &w.err)
	}
	if after, err := os.ReadFile(path); err != nil || string(after) != string(before) {
		t.Errorf("%v, or the file was changed", err)
	}
	if code := w.run("experiment", "show", "demo", "--json"); code != job.OK {
		t.Fatalf("show: got exit code %d: %s", code, &w.err)
	}
	var e report.Experiment
	if err := json.Unmarshal(w.out.Bytes(), &e); err != nil {
		t.Fatal(err)
	}
	if e.Figure != "NOPM" || fmt.Sprint(e.Factors) != "[server.shared_buffers server.work_mem]" || len(e.Cells) != 4 {
		t.Fatalf("got %+v, want four cells of two settings", e)
	}
	if first, last := e.Cells[0], e.Cells[3]; fmt.Sprint(first.Values) != "[126MB 2MB]" || first.Result.Median != 20000 || fmt.Sprint(last.Values) != "[1GB 16MB]" || last.Failed != 1 || last.Result != nil {
		t.Errorf("got %+v and %+v, want the smallest values first, and the failed run of the greatest", first, last)
	}
	if effect := e.Effects[0]; effect.Base != "126MB" || effect.Value != "1GB" || effect.Ratio != 1.5 {
		t.Errorf("got %+v, want 1.5 for more memory", effect)
	}
	for _, j := range w.jobs(t) {
		if j.Origin != "hammerpost" || j.Begun.IsZero() || j.Ended.IsZero() || j.Status == job.Failed && !strings.Contains(j.Reason, "exit status 1") {
			t.Errorf("got %+v", j)
		}
	}
	first := string(e.Cells[0].Runs[0])
	for _, args := range [][]string{{"jobs", "show", first}, {"jobs", "list"}, {"jobs", "samples", first}, {"experiment", "show", "demo"}} {
		if code := w.run(args...); code != job.OK || w.out.Len() == 0 {
			t.Errorf("sledge %v: got exit code %d: %s", args, code, &w.err)
		}
		if args[1] == "samples" && !strings.Contains(w.out.String(), "85.4") {
			t.Errorf("got samples %s, want the CPU", &w.out)
		}
	}
}

// Runs that Sledge made itself are not mixed with imported ones.
func TestImport_RefusesANameInUse(t *testing.T) {
	w, path := newWorld(t), hammerpostFile(t)
	if code := w.run("run", "--db", "sqlite", "--label", "experiment=demo"); code != job.OK {
		t.Fatalf("run: got exit code %d: %s", code, &w.err)
	}
	if code := w.run("experiment", "import", path); code != job.ExitExists || !strings.Contains(w.err.String(), "--name") || len(w.jobs(t)) != 1 {
		t.Errorf("got exit code %d: %s", code, &w.err)
	}
	if code := w.run("experiment", "import", path, "--name", "old demo"); code != job.OK || len(w.jobs(t)) != 5 {
		t.Errorf("with another name: got exit code %d: %s", code, &w.err)
	}
	other := filepath.Join(t.TempDir(), "x.db")
	if err := os.WriteFile(other, []byte("no database"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"experiment", "import"}, {"experiment", "export", "demo"}} {
		if code := w.run(args...); code != job.ExitUsage || !strings.Contains(w.err.String(), "--url postgres://user@host/results") {
			t.Errorf("%v without a database: got exit code %d: %s", args, code, &w.err)
		}
	}
	for _, wrong := range []struct {
		path string
		code job.Exit
		says string
	}{{other, job.ExitUsage, "not a database"}, {other + "x", job.ExitMissing, "local.db"}, {filepath.Dir(other), job.ExitUsage, "folder"}, {w.repository, job.ExitUsage, "no table bench"}} {
		if code := w.run("experiment", "import", wrong.path); code != wrong.code || !strings.Contains(w.err.String(), wrong.says) {
			t.Errorf("%s: got exit code %d: %s, want %d and %q", wrong.path, code, &w.err, wrong.code, wrong.says)
		}
	}
}

func TestImport_ReadsPgbenchTools(t *testing.T) {
	server := testserver.Open(t, "postgresql")
	w := newWorld(t)
	d, err := w.Resolver.Database("postgresql")
	if err != nil {
		t.Fatal(err)
	}
	const name = "sledge_import"
	drop := []string{"DROP DATABASE IF EXISTS " + name, "DROP ROLE IF EXISTS " + name}
	query(t, d, server, append(drop, "CREATE ROLE "+name+" LOGIN PASSWORD 's3cr3t'", "CREATE DATABASE "+name+" OWNER "+name)...)
	t.Cleanup(func() { query(t, d, server, drop...) })
	defer w.as("SLEDGE_PG_PASS=s3cr3t", "PGSSLMODE=disable")()
	at := fmt.Sprintf("postgres://%s@%s:%d/%s", name, server.Host, server.Port, name)
	if code := w.run("experiment", "import", "--url", at); code != job.ExitMissing || !strings.Contains(w.err.String(), "name the results database") {
		t.Errorf("an empty database: got exit code %d: %s", code, &w.err)
	}
	for _, wrong := range []struct {
		url  string
		code job.Exit
		says string
	}{
		{"postgres://nosuch@" + at[len("postgres://"+name+"@"):], job.ExitConnect, "the user does not exist"},
		{"mysql://root@127.0.0.1/results", job.ExitUsage, "a results database is one of PostgreSQL"},
	} {
		for _, args := range [][]string{{"experiment", "import"}, {"experiment", "export", "one"}} {
			if args[1] == "export" {
				w.run("run", "--db", "sqlite", "--label", "experiment=one")
			}
			if code := w.run(append(args, "--url", wrong.url)...); code != wrong.code || !strings.Contains(w.err.String(), wrong.says) {
				t.Errorf("%v with %s: got exit code %d: %s", args, wrong.url, code, &w.err)
			}
		}
	}
	for _, j := range w.jobs(t) {
		w.run("jobs", "delete", string(j.ID), "--yes")
	}
	session := resultsSession(t, d, server, name)
	for _, statement := range strings.Split(pgbenchToolsTables, ";\n") {
		if err := session.Exec(t.Context(), statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
	if code := w.run("experiment", "import", "--url", at, "--json"); code != job.OK {
		t.Fatalf("got exit code %d: %s", code, &w.err)
	}
	var done document.Import
	if err := json.Unmarshal(w.out.Bytes(), &done); err != nil || len(done.Added) != 6 || done.Present != 0 {
		t.Errorf("%v: got %s", err, &w.out)
	}
	if strings.Contains(w.out.String()+w.err.String(), "s3cr3t") {
		t.Errorf("got the password in %s", &w.err)
	}
	if code := w.run("experiment", "show", "o'db1", "--json"); code != job.OK {
		t.Fatalf("show: got exit code %d: %s", code, &w.err)
	}
	var e report.Experiment
	if err := json.Unmarshal(w.out.Bytes(), &e); err != nil {
		t.Fatal(err)
	}
	if e.Figure != "TPS" || fmt.Sprint(e.Factors) != "[clients set]" || len(e.Cells) != 3 {
		t.Fatalf("got %+v, want three cells of clients and sets", e)
	}
	if first := e.Cells[0]; fmt.Sprint(first.Values) != "[2 1 Initial config]" || len(first.Runs) != 2 || first.Result.Median != 1050 {
		t.Errorf("got %+v, want the median of two tests", first)
	}
	if last := e.Cells[2]; last.Failed != 1 || last.Result != nil {
		t.Errorf("got %+v, want a failed run of the test with tps = 0", last)
	}
	for _, j := range w.jobs(t) {
		switch {
		case j.Spec.Labels["experiment"] != "o'db1" || j.Origin != "pgbench-tools" || j.Facts == nil || j.Facts.Server != "15.18":
			t.Errorf("got %+v", j)
		case j.Spec.Action == job.Build && j.Status != job.Succeeded, j.Ended.IsZero() != (j.Status == job.Killed):
			t.Errorf("got %+v", j)
		}
	}
	if code := w.run("jobs", "show", string(e.Cells[0].Runs[0]), "--json"); code != job.OK || !strings.Contains(w.out.String(), `"work_mem": "4MB"`) || strings.Contains(w.out.String(), "hunter2") {
		t.Errorf("got exit code %d, and the settings in %s", code, &w.out)
	}
	if code := w.run("jobs", "samples", string(e.Cells[0].Runs[0])); code != job.OK || !strings.Contains(w.out.String(), "87.5") {
		t.Errorf("got exit code %d: %s%s", code, &w.out, &w.err)
	}
}

// Runs in tables of a server: the views have the figures of the experiment, a second export replaces them, and a schema of others stays.
func TestExperimentExport_WritesTablesAndViews(t *testing.T) {
	server := testserver.Open(t, "postgresql")
	w := newWorld(t)
	d, err := w.Resolver.Database("postgresql")
	if err != nil {
		t.Fatal(err)
	}
	const name = "sledge_export"
	drop := []string{"DROP DATABASE IF EXISTS " + name, "DROP ROLE IF EXISTS " + name}
	query(t, d, server, append(drop, "CREATE ROLE "+name+" LOGIN PASSWORD 's3cr3t'", "CREATE DATABASE "+name+" OWNER "+name)...)
	t.Cleanup(func() { query(t, d, server, drop...) })
	w.growing(nil)
	runs := w.Runner
	w.Runner = runner(func(ctx context.Context, spec job.Spec, control job.Control) (job.Result, error) {
		result, err := runs.Do(ctx, spec, control)
		result.Summary.Elapsed = time.Second
		for second := range 2 {
			tell(control, job.Event{Second: &job.Second{Moment: job.Moment{Phase: job.Measure, Offset: float64(second + 1)}, Measured: result.Summary.Coded()}})
		}
		return result, err
	})
	if code := w.run("experiment", "run", writePlan(t, "scaling.toml", scalingPlan)); code != job.OK {
		t.Fatalf("run: got exit code %d: %s", code, &w.err)
	}
	if code := w.run("jobs", "label", string(w.jobs(t)[0].ID), `odd='); DROP TABLE sledge.run; -- \'`); code != job.OK {
		t.Fatalf("label: got exit code %d: %s", code, &w.err)
	}
	defer w.as("SLEDGE_PG_PASS=s3cr3t", "PGSSLMODE=disable")()
	at := fmt.Sprintf("postgres://%s@%s:%d/%s", name, server.Host, server.Port, name)
	for range 2 {
		if code := w.run("experiment", "export", "scaling", "--url", at); code != job.OK || !strings.Contains(w.out.String(), "Wrote 18 runs into the schema sledge") {
			t.Fatalf("got exit code %d: %s%s", code, &w.out, &w.err)
		}
	}
	session := resultsSession(t, d, server, name)
	for statement, want := range map[string]string{
		"SELECT count(*), count(DISTINCT run) FROM sledge.run":                                                "18 18",
		"SELECT count(*), max(runs), sum(failed) FROM sledge.summary":                                         "7 3 0", // the odd label makes one more
		"SELECT combination ->> 'users', combination ->> 'client_sql', runs >= 2 FROM sledge.fastest LIMIT 1": "4 true t",
		"SELECT round(min(per_user)) BETWEEN 1000 AND 1020 FROM sledge.tps_per_client":                        "t",
		"SELECT count(*) FROM sledge.variation WHERE spread_pct > 0":                                          "5",
		"SELECT count(*) FROM sledge.report_latest":                                                           "18",
		"SELECT count(*) > 0 FROM sledge.lowest_latency":                                                      "t",
		"SELECT value FROM sledge.label WHERE name = 'odd'":                                                   `'); DROP TABLE sledge.run; -- \'`,
		"SELECT count(*) > 18 FROM sledge.figure WHERE name = 'response p99' AND unit = 'ms' AND kind <> ''":  "t",
		"SELECT count(DISTINCT value) FROM sledge.option WHERE name = 'client_sql'":                           "2",
		"SELECT count(*), sum(done), min(second), max(second), max(max_ms)::int FROM sledge.second":           "180 3600 1 2 100",
		"SELECT count(*), min(done_per_second), max(done_per_second) FROM sledge.rate":                        "36 100 100",
	} {
		rows, err := session.Query(t.Context(), statement, 2)
		if err != nil || len(rows.Rows) != 1 || strings.Join(rows.Rows[0], " ") != want {
			t.Errorf("%s: got %v and %v, want %s", statement, rows.Rows, err, want)
		}
	}
	for _, statement := range []string{"DROP SCHEMA sledge CASCADE", "CREATE SCHEMA sledge"} {
		if err := session.Exec(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	if code := w.run("experiment", "export", "scaling", "--url", at); code != job.ExitExists || !strings.Contains(w.err.String(), "did not create") {
		t.Errorf("a schema of others: got exit code %d: %s", code, &w.err)
	}
	if code := w.run("experiment", "export", "nosuch", "--url", at); code != job.ExitMissing {
		t.Errorf("no experiment: got exit code %d: %s", code, &w.err)
	}
	file := filepath.Join(t.TempDir(), "runs.parquet")
	if code := w.run("experiment", "show", "scaling", "--parquet", file); code != job.OK {
		t.Errorf("parquet: got exit code %d: %s", code, &w.err)
	}
	if text, err := os.ReadFile(file); err != nil || !strings.HasPrefix(string(text), "PAR1") {
		t.Errorf("%v, or it is not Parquet", err)
	}
	if code := w.run("experiment", "show", "scaling", "--parquet", file); code != job.ExitUsage || !strings.Contains(w.err.String(), "--parquet") {
		t.Errorf("parquet into an existing file: got exit code %d: %s", code, &w.err)
	}
}

// resultsSession connects to a database as its owner of the same name.
func resultsSession(t *testing.T, d *database.Database, server *testserver.Server, name string) database.Session {
	t.Helper()
	values, options := server.Values(), d.Options.New(database.Use{Name: "tpcc"})
	values["user"], values["password"], values["dbname"] = name, "s3cr3t", name
	if err := option.Bind(nil, values, options); err != nil {
		t.Fatal(err)
	}
	session, err := d.Sessions.Connect(t.Context(), options, database.Owner)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = session.Close() })
	return session
}

// pgbenchToolsTables are some of the tables of pgbench-tools' results database, and six tests in them: an initialisation, two
// with one configuration, of which one has no tps, one with other clients, one without a result, and one without an end.
const pgbenchToolsTables = `CREATE TABLE testset (server text NOT NULL, set serial NOT NULL, info text, category text);
CREATE TABLE tests (server text NOT NULL, test serial, set int NOT NULL, scale int, dbsize int8, start_time timestamp DEFAULT now(), end_time timestamp,
	tps decimal DEFAULT 0, script text, clients int, workers int, trans int, avg_latency float, max_latency float, percentile_90_latency float,
	wal_written numeric, rate_limit numeric, server_version text, multi numeric DEFAULT 0, server_mem_gb int, server_cpu text);
CREATE TABLE test_settings (server text, test int, name text, setting text, unit text, source text, boot_val text, value text);
CREATE TABLE test_metrics_data (collected timestamp, value float, metric text NOT NULL, test int NOT NULL, server text NOT NULL);
CREATE TABLE metrics_info (uname text, metric text, units text);
INSERT INTO testset VALUES ('o''db1', 1, 'Initial config'), ('o''db1', 2, 'more memory');
INSERT INTO tests (server, test, set, scale, dbsize, start_time, end_time, tps, script, clients, avg_latency, max_latency, percentile_90_latency, wal_written, server_version, trans)
	SELECT 'o''db1', n, s, 10, 160000000, '2026-03-01 10:00'::timestamp + n * interval '2 min', CASE WHEN n < 6 THEN '2026-03-01 10:01'::timestamp + n * interval '2 min' END,
		tps, script, clients, 1.9, 30, 2.5, 60000000, 'PostgreSQL 15.18', trans
	FROM (VALUES (1, 1, 0, ':-i', 1, 0), (2, 1, 1000, 'select', 2, 60000), (3, 1, 1100.5, 'select', 4, 66030), (4, 1, NULL, 'select', 2, 66000), (5, 2, 0, 'select', 4, 0), (6, 2, 0, 'select', 4, 0)) AS t (n, s, tps, script, clients, trans);
INSERT INTO test_settings VALUES ('o''db1', 2, 'work_mem', '4096', 'kB', 'configuration file', '1024', '4MB'), ('o''db1', 2, 'primary_conninfo', 'password=hunter2', NULL, 'configuration file', '', 'password=hunter2');
INSERT INTO metrics_info VALUES ('Linux', 'us', 'percent');
INSERT INTO test_metrics_data VALUES ('2026-03-01 10:04:01', 87.5, 'us', 2, 'o''db1'), ('2026-03-01 10:04:02', 'NaN', 'us', 2, 'o''db1')`
