package history

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"sledge/internal/job"
	"sledge/internal/repository"
)

// The tables of HammerDB 6, and those of an old version that lacks some tables and columns.
const (
	tables = `
CREATE TABLE JOBMAIN (jobid TEXT, db TEXT, bm TEXT, jobdict TEXT, timestamp DATETIME NOT NULL DEFAULT (datetime(CURRENT_TIMESTAMP, 'localtime')), profile_id INTEGER NOT NULL DEFAULT 0, primary key (jobid));
CREATE TABLE JOBTIMING (jobid TEXT, vu INTEGER, procname TEXT, calls INTEGER, min_ms REAL, avg_ms REAL, max_ms REAL, total_ms REAL, p99_ms REAL, p95_ms REAL, p75_ms REAL, p50_ms REAL, p25_ms REAL, sd REAL, ratio_pct REAL, summary INTEGER, elapsed_ms REAL);
CREATE TABLE JOBTCOUNT (jobid TEXT, counter INTEGER, metric TEXT, timestamp DATETIME);
CREATE TABLE JOBMETRIC (jobid TEXT, usr REAL, sys REAL, irq REAL, idle REAL, iops REAL, mbps REAL, timestamp DATETIME);
CREATE TABLE JOBSYSTEM (jobid TEXT, hostname TEXT, cpumodel TEXT, cpucount INTEGER, system_vendor TEXT, system_type TEXT, os_name TEXT, memory TEXT, nic TEXT, storage TEXT, cloud_instance TEXT, other_software TEXT, extra TEXT);
CREATE TABLE JOBOUTPUT (jobid TEXT, vu INTEGER, output TEXT);
CREATE TABLE JOBCHART (jobid TEXT, chart TEXT, html TEXT);`

	oldTables = `
CREATE TABLE JOBMAIN (jobid TEXT, db TEXT, bm TEXT, jobdict TEXT, timestamp DATETIME);
CREATE TABLE JOBTIMING (jobid TEXT, vu INTEGER, procname TEXT, elapsed_ms REAL, calls INTEGER, min_ms REAL, avg_ms REAL, max_ms REAL, total_ms REAL, p99_ms REAL, p95_ms REAL, p50_ms REAL, sd REAL, ratio_pct REAL, summary INTEGER);
CREATE TABLE JOBOUTPUT (jobid TEXT, vu INTEGER, output TEXT);`

	settings = `connection {pg_host localhost pg_port 5432} tpcc {pg_count_ware 10 pg_superuserpass postgres pg_pass {a{b}c} pg_duration 5}`
)

const (
	run     = "67FD3345479A03E263133333"
	failing = "67FD3345479A03E263133334"
	built   = "67FD3345479A03E263133335"
	hanging = "67FD3345479A03E263133336"
	queries = "67FD3345479A03E263133337"
	checked = "67FD3345479A03E263133338"
	deleted = "67FD3345479A03E263133339"
)

// fixture creates a repository like HammerDB's.
func fixture(t *testing.T, statements ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "hammer?.DB")
	db, err := sql.Open("sqlite", "file:"+strings.ReplaceAll(path, "?", "%3F"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, s := range statements {
		if _, err := db.Exec(s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
	return path
}

// jobsOf creates a repository with a job of every kind.
func jobsOf(t *testing.T) string {
	t.Helper()
	return fixture(t, tables,
		`INSERT INTO JOBMAIN VALUES ('`+run+`', 'PostgreSQL', 'TPC-C', '`+settings+`', '2025-04-14 17:09:41', 7)`,
		`INSERT INTO JOBOUTPUT VALUES ('`+run+`', 0, 'Vuser 1:RUNNING'), ('`+run+`', 1, 'DBVersion:16.4'),
			('`+run+`', 1, 'Beginning rampup time of 2 minutes'), ('`+run+`', 0, 'Vuser 2:RUNNING'),
			('`+run+`', 1, '4 Active Virtual Users configured'),
			('`+run+`', 1, 'TEST RESULT : System achieved 15824 NOPM from 36400 PostgreSQL TPM'),
			('`+run+`', 0, 'Vuser 1:FINISHED SUCCESS'), ('`+run+`', 0, 'ALL VIRTUAL USERS COMPLETE')`,
		`INSERT INTO JOBTCOUNT VALUES ('`+run+`', 0, 'tpm', '2025-04-14 17:09:51'), ('`+run+`', 36000, 'tpm', '2025-04-14 17:10:01'),
			('`+run+`', 0, 'Error: connection lost', '2025-04-14 17:10:11')`,
		`INSERT INTO JOBTIMING VALUES ('`+run+`', 2, 'NEWORD', 10, 0.5, 5.7, 100, 57, 13.3, 9.8, 6.6, 5.4, 3.3, 2.4, 52.3, 0, 1000.5),
			('`+run+`', 4, 'NEWORD', 40, 0.5, 5.7, 100, 228, 13.3, 9.8, 6.6, 5.4, 3.3, 2.4, 52.3, 1, 1000.5)`,
		`INSERT INTO JOBSYSTEM (jobid, hostname, cpumodel, cpucount, memory) VALUES ('@@@', 'other', '', 0, ''), ('`+run+`', 'db1', 'Xeon', 8, '32 GB')`,
		`INSERT INTO JOBMETRIC VALUES ('`+run+`', 52.9, 6.5, 0, 40.5, NULL, NULL, '2025-04-14 17:10:01')`,

		`INSERT INTO JOBMAIN VALUES ('`+failing+`', 'MariaDB', 'TPC-C', 'connection {', '2025-04-14 18:00:00', 0)`,
		`INSERT INTO JOBOUTPUT VALUES ('`+failing+`', 0, 'Vuser 1:RUNNING'), ('`+failing+`', 1, 'Beginning rampup time of 0 minutes'),
			('`+failing+`', 0, 'Error in Virtual User 1: Access denied'), ('`+failing+`', 0, 'Vuser 1:FINISHED FAILED'), ('`+failing+`', 0, 'ALL VIRTUAL USERS COMPLETE')`,

		`INSERT INTO JOBMAIN VALUES ('`+built+`', 'MSSQLServer', 'TPC-C', '', '2025-04-13 10:00:00', 0)`,
		`INSERT INTO JOBOUTPUT VALUES ('`+built+`', 0, 'Vuser 1:RUNNING'), ('`+built+`', 1, 'CREATING TPCC TABLES'), ('`+built+`', 1, 'TPCC SCHEMA COMPLETE'), ('`+built+`', 0, 'Vuser 1:FINISHED SUCCESS')`,

		`INSERT INTO JOBMAIN VALUES ('`+hanging+`', 'PostgreSQL', 'TPC-C', '', '2025-04-15 10:00:00', 0)`,
		`INSERT INTO JOBOUTPUT VALUES ('`+hanging+`', 0, 'Vuser 1:RUNNING')`,

		`INSERT INTO JOBMAIN VALUES ('`+queries+`', 'PostgreSQL', 'TPC-H', '', '2025-04-15 11:00:00', 0)`,
		`INSERT INTO JOBOUTPUT VALUES ('`+queries+`', 0, 'Vuser 1:RUNNING'), ('`+queries+`', 1, 'Executing Query 14 (1 of 22)'),
			('`+queries+`', 1, 'Completed 1 query set(s) in 52 seconds'), ('`+queries+`', 1, 'Geometric mean of query times returning rows (22) is "1.23456"'), ('`+queries+`', 0, 'Vuser 1:FINISHED SUCCESS')`,

		`INSERT INTO JOBMAIN VALUES ('`+checked+`', 'PostgreSQL', 'TPC-C', '', '2025-04-15 12:00:00', 0)`,
		`INSERT INTO JOBOUTPUT VALUES ('`+checked+`', 1, 'Checking tpcc TPROC-C schema'), ('`+checked+`', 0, 'ALL VIRTUAL USERS COMPLETE')`,
		`INSERT INTO JOBMAIN VALUES ('`+deleted+`', 'PostgreSQL', 'TPC-C', '', '2025-04-15 13:00:00', 0)`,
		`INSERT INTO JOBOUTPUT VALUES ('`+deleted+`', 1, 'tpcc TPROC-C schema has been deleted successfully.'), ('`+deleted+`', 0, 'ALL VIRTUAL USERS COMPLETE')`,

		`INSERT INTO JOBMAIN VALUES ('strange id', 'PostgreSQL', 'TPC-C', '', '2025-04-15 13:00:00', 0)`,
		`INSERT INTO JOBMAIN VALUES ('67FD3345479A03E26313333A', 'PostgreSQL', 'TPC-C', '', 'yesterday', 0)`,
	)
}

func newStore(t *testing.T) *repository.Store {
	t.Helper()
	store, err := repository.Open(":memory:")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	return store
}

func get(t *testing.T, store *repository.Store, id job.ID) job.Job {
	t.Helper()
	j, err := store.Get(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return j
}

func list[T any](t *testing.T, seq iter.Seq2[T, error]) []T {
	t.Helper()
	var all []T
	for v, err := range seq {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, v)
	}
	return all
}

func TestImport_CopiesEachJobOnce(t *testing.T) {
	path, store := jobsOf(t), newStore(t)
	report, err := Import(t.Context(), store, path)
	if err != nil {
		t.Fatal(err)
	}
	if len(report.Added) != 7 || report.Present != 0 || len(report.Warnings) != 3 {
		t.Errorf("got %d added, %d present and warnings %q, want 7, 0 and 3", len(report.Added), report.Present, report.Warnings)
	}
	for _, want := range []string{"strange id", "yesterday", failing + ": imported without its settings"} {
		if !slices.ContainsFunc(report.Warnings, func(w string) bool { return strings.Contains(w, want) }) {
			t.Errorf("got warnings %q, want one with %q", report.Warnings, want)
		}
	}
	for _, c := range []struct {
		id                 job.ID
		database, workload string
		action             job.Action
		status             job.Status
		line               string
	}{
		{run, "postgresql", "tprocc", job.Run, job.Succeeded, "TEST RESULT : System achieved 15824 NOPM from 36400 PostgreSQL TPM"},
		{failing, "mariadb", "tprocc", job.Run, job.Failed, ""},
		{built, "sqlserver", "tprocc", job.Build, job.Succeeded, ""},
		{hanging, "postgresql", "tprocc", "", job.Killed, ""},
		{queries, "postgresql", "tproch", job.Run, job.Succeeded, `Geometric mean of query times returning rows (22) is "1.23456"`},
		{checked, "postgresql", "tprocc", job.Check, job.Succeeded, ""},
		{deleted, "postgresql", "tprocc", job.Delete, job.Succeeded, ""},
	} {
		j := get(t, store, c.id)
		if j.Origin != Origin || j.Spec.Database != c.database || j.Spec.Workload != c.workload || j.Spec.Action != c.action || j.Status != c.status || j.Result.Line != c.line {
			t.Errorf("job %s: got %+v, want %+v", c.id, j, c)
		}
	}
	if m := get(t, store, queries).Result.Metrics; !slices.Contains(m, job.Metric{Name: "geomean", Value: 1.23456}) || !slices.Contains(m, job.Metric{Name: "query set seconds", Value: 52}) {
		t.Errorf("got the figures %v, want the geometric mean that HammerDB quotes", m)
	}
	if j := get(t, store, failing); j.Reason != "Error in Virtual User 1: Access denied" {
		t.Errorf("got the reason %q, want HammerDB's error", j.Reason)
	}

	// A second import adds only the job that had no end, because HammerDB may have completed it.
	report, err = Import(t.Context(), store, path)
	if err != nil || len(report.Added) != 1 || report.Added[0] != hanging || report.Present != 6 {
		t.Errorf("again: got %v added, %d present and error %v, want only %s again", report.Added, report.Present, err, hanging)
	}
}

func TestImport_CopiesMeasurements(t *testing.T) {
	store := newStore(t)
	if _, err := Import(t.Context(), store, jobsOf(t)); err != nil {
		t.Fatal(err)
	}
	j := get(t, store, run)
	begun := time.Date(2025, 4, 14, 17, 9, 41, 0, time.Local)
	if !j.Begun.Equal(begun) || j.Profile != 7 || j.Spec.Users != 4 || j.Facts.Server != "16.4" || j.Host != "db1" {
		t.Errorf("got %+v", j)
	}
	if want := []job.Metric{{Name: "NOPM", Value: 15824}, {Name: "TPM", Value: 36400}}; !slices.Equal(j.Result.Metrics, want) {
		t.Errorf("got metrics %v, want %v", j.Result.Metrics, want)
	}
	if lines := list(t, store.Output(t.Context(), run)); len(lines) != 8 || lines[1].User != 1 || lines[1].Line != "DBVersion:16.4" {
		t.Errorf("got output %+v", lines)
	}
	counts := list(t, store.Seconds(t.Context(), run))
	if len(counts) != 2 || *counts[1].Second.ServerTPM != 36000 || !counts[1].At.Equal(begun.Add(20*time.Second)) {
		t.Errorf("got counts %+v, want two, without the error", counts)
	}
	d, err := store.ImportDetails(t.Context(), run)
	if err != nil {
		t.Fatal(err)
	}
	if len(d.Timings) != 2 || d.Timings[0].User != 2 || d.Timings[1].User != 0 || d.Timings[1].Calls != 40 || *d.Timings[1].P75 != 6.6 || d.Timings[1].SD != 2.4 || d.Timings[1].Ratio != 52.3 {
		t.Errorf("got timings %+v", d.Timings)
	}
	if want := []job.Setting{{Name: "hostname", Value: "db1"}, {Name: "cpumodel", Value: "Xeon"}, {Name: "cpucount", Value: "8"}, {Name: "memory", Value: "32 GB"}}; !slices.Equal(d.System, want) {
		t.Errorf("got system %v, want %v", d.System, want)
	}
	if len(d.Metrics) != 1 || *d.Metrics[0].User != 52.9 || d.Metrics[0].IOPS != nil {
		t.Errorf("got metrics %+v", d.Metrics)
	}
	q := get(t, store, queries)
	if want := []job.Metric{{Name: "query sets", Value: 1}, {Name: "query set seconds", Value: 52}, {Name: "geomean", Value: 1.23456}}; !slices.Equal(q.Result.Metrics, want) {
		t.Errorf("got metrics of the queries %v, want %v", q.Result.Metrics, want)
	}
}

func TestImport_OmitsPasswords(t *testing.T) {
	store := newStore(t)
	if _, err := Import(t.Context(), store, jobsOf(t)); err != nil {
		t.Fatal(err)
	}
	j := get(t, store, run)
	if _, kept := j.Spec.Options["superuser_password"]; kept || j.Spec.Options["password"] != "" || j.Spec.Options["warehouses"] != "10" {
		t.Errorf("got options %v", j.Spec.Options)
	}
	d, err := store.ImportDetails(t.Context(), run)
	want := []job.Section{
		{Name: "connection", Settings: []job.Setting{{Name: "pg_host", Value: "localhost"}, {Name: "pg_port", Value: "5432"}}},
		{Name: "tpcc", Settings: []job.Setting{{Name: "pg_count_ware", Value: "10"}, {Name: "pg_duration", Value: "5"}}},
	}
	if err != nil || !slices.EqualFunc(d.Settings, want, func(a, b job.Section) bool { return a.Name == b.Name && slices.Equal(a.Settings, b.Settings) }) {
		t.Errorf("got settings %v and error %v, want %v", d.Settings, err, want)
	}
}

func TestHistory_AcceptsOldVersions(t *testing.T) {
	path := fixture(t, oldTables,
		`INSERT INTO JOBMAIN VALUES ('`+run+`', 'MariaDB', 'TPC-C', '', '2023-04-14 17:09:41')`,
		`INSERT INTO JOBOUTPUT VALUES ('`+run+`', 1, 'TEST RESULT : System achieved 298394 MariaDB TPM at 128176 NOPM')`,
		`INSERT INTO JOBTIMING VALUES ('`+run+`', 1, 'neword', 1000, 10, 0.5, 8.121, 100, 57, 13.3, 9.8, 5.4, 4729.629, 52.3, 1)`)
	store := newStore(t)
	if report, err := Import(t.Context(), store, path); err != nil || len(report.Added) != 1 {
		t.Fatalf("got %+v and error %v", report, err)
	}
	j := get(t, store, run)
	if j.Profile != 0 || j.Result.Metrics[0].Value != 128176 || j.Status != job.Succeeded {
		t.Errorf("got %+v", j)
	}
	d, err := store.ImportDetails(t.Context(), run)
	if err != nil || len(d.Timings) != 1 || d.Timings[0].P75 != nil || d.Timings[0].Name != "NEWORD" {
		t.Fatalf("got %+v and error %v", d, err)
	}
	if got := d.Timings[0].SD; got < 4.729 || got > 4.730 {
		t.Errorf("got a standard deviation of %v ms, want 4.729629, because 4729.629 is in microseconds", got)
	}
}

func TestImport_DoesNotChangeTheFile(t *testing.T) {
	path := jobsOf(t)
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, 0o400); err != nil {
		t.Fatal(err)
	}
	if _, err := Import(t.Context(), newStore(t), path); err != nil {
		t.Fatal(err)
	}
	after, err := os.ReadFile(path)
	if err != nil || !bytes.Equal(before, after) {
		t.Errorf("the file was changed or is no longer readable: %v", err)
	}
	beside, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(beside) != 1 {
		t.Errorf("got %d files in the folder and error %v, want only the repository", len(beside), err)
	}
}

func TestHistory_RefusesForeignFiles(t *testing.T) {
	folder := t.TempDir()
	notes := filepath.Join(folder, "notes.txt")
	if err := os.WriteFile(notes, []byte("these are notes and nothing else"), 0o600); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]job.Exit{
		filepath.Join(folder, "hammer.DB"):   job.ExitMissing,
		folder:                               job.ExitUsage,
		notes:                                job.ExitUsage,
		fixture(t, "CREATE TABLE other (a)"): job.ExitUsage,
		fixture(t, "CREATE TABLE jobmain (other)"): job.ExitUsage,
	} {
		_, err := Import(t.Context(), newStore(t), path)
		if err == nil || job.ExitOf(err) != want || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: got %v with exit code %d, want one with %d that names the file", path, err, job.ExitOf(err), want)
		}
	}
}

func TestImport_CanBeAborted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Import(ctx, newStore(t), jobsOf(t)); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", err)
	}
}
