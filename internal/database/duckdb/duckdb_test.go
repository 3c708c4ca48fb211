//go:build duckdb

package duckdb_test

import (
	"bufio"
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"sledge/internal/catalog"
	"sledge/internal/database"
	"sledge/internal/database/duckdb"
	"sledge/internal/engine"
	"sledge/internal/job"
	"sledge/internal/meter"
	"sledge/internal/option"
	"sledge/internal/schema"
	"sledge/internal/sqlfile"
	"sledge/internal/suite/databasetest"
	"sledge/internal/suite/workloadtest"
	"sledge/internal/workload"
	"sledge/internal/workload/tprocc"
	"sledge/internal/workload/tproch"
)

func Test(t *testing.T) {
	databasetest.Run(t, duckdb.Database, option.Values{
		"file":    filepath.Join(t.TempDir(), "test 1.db"),
		"threads": "2",
	})
}

// holdVariable is an environment variable that makes the test program keep a file open until its
// input ends.
const holdVariable = "SLEDGE_TEST_HOLD"

func TestMain(m *testing.M) {
	if file := os.Getenv(holdVariable); file != "" {
		hold(file)
		return
	}
	os.Exit(m.Run())
}

func hold(file string) {
	db, err := sql.Open("duckdb", file)
	if err == nil {
		err = db.Ping()
	}
	fmt.Println("held:", err)
	_, _ = bufio.NewReader(os.Stdin).ReadString('\n')
}

// options returns options for a file.
func options(t *testing.T, file string, more ...string) any {
	t.Helper()
	values := option.Values{"file": file}
	for i := 0; i < len(more); i += 2 {
		values[more[i]] = more[i+1]
	}
	o := duckdb.Database.Options.New(database.Use{Name: "tpch", Analytic: true})
	if err := option.Bind(nil, values, o); err != nil {
		t.Fatal(err)
	}
	return o
}

// made creates a file, executes statements in it, and returns its options.
func made(t *testing.T, statements ...string) any {
	t.Helper()
	o := options(t, filepath.Join(t.TempDir(), "made.duckdb"))
	if err := duckdb.Database.Container.Create(t.Context(), o, nil); err != nil {
		t.Fatal(err)
	}
	s, err := duckdb.Database.Sessions.Connect(t.Context(), o, database.Owner)
	if err != nil {
		t.Fatal(err)
	}
	for _, statement := range statements {
		if err := s.Exec(t.Context(), statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return o
}

func connect(t *testing.T, o any) database.Session {
	t.Helper()
	s, err := duckdb.Database.Sessions.Connect(t.Context(), o, database.Owner)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func TestConnect_ExplainsUnusableFile(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	lite := filepath.Join(dir, "lite.db")
	db, err := sql.Open("sqlite", lite)
	if err == nil {
		_, err = db.Exec("CREATE TABLE a (b)")
	}
	if err = errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name, file, want string
		missing          bool
	}{
		{"no file", filepath.Join(dir, "none.duckdb"), "there is no file", true},
		{"a folder", dir, "is a folder", false},
		{"an empty file", write("empty", ""), "is not a DuckDB file", false},
		{"a short file", write("short", "hello"), "is not a DuckDB file", false},
		{"a text", write("text", strings.Repeat("hello\n", 10_000)), "is not a DuckDB file", false},
		{"a file of SQLite", lite, "is not a DuckDB file", false},
		{"a newer format", newer(t, dir), "was written by another version of DuckDB, in the format 9999", false},
		{"a damaged file", damaged(t, dir), "Corrupt database file", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			before, _ := os.ReadFile(test.file)
			_, err := duckdb.Database.Sessions.Connect(t.Context(), options(t, test.file), database.Owner)
			if err == nil || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), "option file") || strings.Contains(err.Error(), "\n") {
				t.Errorf("got %v, want one line that names the option, and says: %s", err, test.want)
			}
			if errors.Is(err, database.ErrMissing) != test.missing {
				t.Errorf("%v is ErrMissing: got %v, want %v", err, !test.missing, test.missing)
			}
			if err := duckdb.Database.Container.Create(t.Context(), options(t, test.file), nil); !test.missing && err != nil {
				t.Errorf("create: got %v, want no error for an existing file, which connect checks", err)
			}
			if after, _ := os.ReadFile(test.file); !test.missing && string(after) != string(before) {
				t.Error("the file was changed")
			}
		})
	}
	err = duckdb.Database.Container.Create(t.Context(), options(t, filepath.Join(dir, "nowhere", "a.duckdb")), nil)
	if !errors.Is(err, database.ErrMissing) || !strings.Contains(err.Error(), "folder of the file") {
		t.Errorf("in a missing folder: got %v, want ErrMissing", err)
	}
	err = option.Bind(nil, option.Values{"file": "what?.duckdb"}, duckdb.Database.Options.New(database.Use{Name: "tpch", Analytic: true}))
	if err == nil || !strings.Contains(err.Error(), "option file") {
		t.Errorf("got %v for a name that the driver would truncate, want an error about the option", err)
	}
}

// bytesOf returns the content of a small DuckDB file.
func bytesOf(t *testing.T) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a.duckdb")
	if err := duckdb.Database.Container.Create(t.Context(), options(t, path), nil); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// newer creates a file in a future format. The first word of the header is the checksum of the
// following words, one of which is the number of the format.
func newer(t *testing.T, dir string) string {
	text := bytesOf(t)
	word := func(at int) uint64 { return binary.LittleEndian.Uint64(text[at:]) }
	const factor = 0xbf58476d1ce4e5b9
	sum := word(0) ^ word(8)*factor
	binary.LittleEndian.PutUint32(text[12:], 9999)
	binary.LittleEndian.PutUint64(text, sum^word(8)*factor)
	path := filepath.Join(dir, "newer.duckdb")
	if err := os.WriteFile(path, text, 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func damaged(t *testing.T, dir string) string {
	text := bytesOf(t)
	text[100]++
	path := filepath.Join(dir, "damaged.duckdb")
	if err := os.WriteFile(path, text, 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestConnect_NamesProcessThatHasFileOpen(t *testing.T) {
	o := made(t)
	file := o.(*duckdb.Options).File
	other := exec.Command(os.Args[0])
	other.Env = append(os.Environ(), holdVariable+"="+file)
	in, err := other.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := other.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := other.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil || line != "held: <nil>\n" {
		t.Fatalf("the other process: got %q, %v", line, err)
	}
	want := fmt.Sprintf("(process %d), and only one process at a time can open a DuckDB file", other.Process.Pid)
	if _, err := duckdb.Database.Sessions.Connect(t.Context(), o, database.Owner); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("connect: got %v, want %q", err, want)
	}
	if _, err := duckdb.Database.Container.Claim(t.Context(), o, false); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("claim: got %v, want %q", err, want)
	}
	if err := in.Close(); err != nil {
		t.Fatal(err)
	}
	if err := other.Wait(); err != nil {
		t.Fatal(err)
	}
	release, err := duckdb.Database.Container.Claim(t.Context(), o, false)
	if err != nil {
		t.Fatalf("after the other process has ended: got %v", err)
	}
	if err := release(); err != nil {
		t.Error(err)
	}
}

func TestClaim_ResolvesLinks(t *testing.T) {
	o := made(t)
	file := o.(*duckdb.Options).File
	link := filepath.Join(t.TempDir(), "link.duckdb")
	if err := os.Symlink(file, link); err != nil {
		t.Skip(err)
	}
	release, err := duckdb.Database.Container.Claim(t.Context(), o, false)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := duckdb.Database.Container.Claim(t.Context(), options(t, link), false); !errors.Is(err, database.ErrClaimed) {
		t.Errorf("by the other name: got %v, want %v", err, database.ErrClaimed)
	}
	connect(t, options(t, link)) // the same file by another name
	if err := release(); err != nil {
		t.Fatal(err)
	}
	release, err = duckdb.Database.Container.Claim(t.Context(), options(t, link), false)
	if err != nil {
		t.Fatalf("got %v after the release, want the claim", err)
	}
	if err := release(); err != nil {
		t.Error(err)
	}
}

func TestConnect_AppliesOptions(t *testing.T) {
	file := made(t).(*duckdb.Options).File
	s := connect(t, options(t, file, "threads", "3", "memory_mib", "512"))
	for query, want := range map[string]string{
		"SELECT current_setting('threads')":                      "3",
		"SELECT current_setting('memory_limit')":                 "512.0 MiB",
		"SELECT current_setting('autoinstall_known_extensions')": "false",
	} {
		got, err := s.Query(t.Context(), query, 1)
		if err != nil || got.Rows[0][0] != want {
			t.Errorf("%s: got %v, %v, want %s", query, got.Rows, err, want)
		}
	}
}

func TestQuery_ReturnsFullValues(t *testing.T) {
	s := connect(t, made(t))
	got, err := s.Query(t.Context(), `SELECT 0.50::DECIMAL(12,2) AS a, -1234.05::DECIMAL(12,2) AS b, 7::DECIMAL(4,0) AS c, SUM(9223372036854775807::BIGINT) * 2 AS d,
		DATE '1998-09-02' AS e, TIMESTAMP '2026-01-02 03:04:05' AS f, 2.5::FLOAT AS g, true AS h, -0.05::DECIMAL(4,2) AS i, 200::UTINYINT AS j, NULL AS k`, 0)
	if err != nil {
		t.Fatal(err)
	}
	want := "0.50 -1234.05 7 18446744073709551614 1998-09-02 2026-01-02T03:04:05Z 2.5 true -0.05 200 NULL"
	if got := strings.Join(got.Rows[0], " "); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestObjects(t *testing.T) {
	o := made(t, "CREATE TABLE Orders (a INTEGER PRIMARY KEY, b VARCHAR)", "CREATE INDEX b ON orders (b)", "CREATE TABLE lines (a INTEGER REFERENCES orders (a))",
		"CREATE VIEW recent AS SELECT * FROM orders", "CREATE VIEW others AS SELECT 1 AS reorders", "CREATE SEQUENCE numbers", "CREATE TYPE mood AS ENUM ('glad')",
		"CREATE SCHEMA mine", "CREATE TABLE mine.orders (z INTEGER)", "CREATE MACRO latest() AS (SELECT MAX(a) FROM orders)")
	schemas := kept(t)
	s := connect(t, o)
	objects, err := schemas.Objects(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, o := range objects {
		got = append(got, strings.TrimRight(fmt.Sprintf("%s|%s|%s|%s", o.What, o.Bond, o.Name, o.PartOf), "|"))
	}
	want := `foreign key of table lines|upon|orders|lines; macro latest; macro latest|upon|orders; schema mine; sequence numbers; table lines|table|lines; ` +
		`table mine.orders; table orders|table|orders; type mood; view others; view recent; view recent|upon|orders`
	if got := strings.Join(got, "; "); got != want {
		t.Errorf("got the objects\n%s\nwant\n%s", got, want)
	}
	relations, err := schemas.Relations(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"orders": "table main [a b]", "lines": "table main [a]", "recent": "view main [a b]"} {
		r := relations[name]
		if got := fmt.Sprint(r.Kind, " ", r.Schema, " ", r.Columns); got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
}

// kept returns DuckDB's Schema.
func kept(t *testing.T) database.Schema {
	t.Helper()
	d := duckdb.Database
	sql, err := sqlfile.NewLibrary(d.Dialect.Placeholder, sqlfile.Place{Files: d.SQL, Dir: "sql"})
	if err != nil {
		t.Fatal(err)
	}
	return d.Schema(d, sql, nil)
}

// broken cancels a build as soon as the first rows are loaded.
type broken struct{ cancel context.CancelFunc }

func (b broken) Watch(e job.Event) {
	if e.Progress != nil {
		b.cancel()
	}
}

func TestBuild_IsResumedCheckedAndDeleted(t *testing.T) {
	w := tproch.Workload
	local := engine.Local{Catalog: catalog.New([]*database.Database{duckdb.Database}, []*workload.Workload{w})}
	file := filepath.Join(t.TempDir(), "tpch.duckdb")
	spec := func(action job.Action) job.Spec {
		return job.Spec{Action: action, Database: "duckdb", Workload: w.Name, Seed: 1, Users: 1, Options: option.Values{"file": file, "scale_factor": "0.03", "builders": "2"}}
	}
	do := func(s job.Spec) {
		t.Helper()
		if _, err := local.Do(t.Context(), s, job.Control{}); err != nil {
			t.Fatalf("%s: %v", s.Action, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	if _, err := local.Do(ctx, spec(job.Build), job.Control{Watchers: []job.Watcher{broken{cancel}}}); err == nil {
		t.Fatal("an interrupted build succeeded")
	}
	if _, err := local.Do(t.Context(), spec(job.Check), job.Control{}); job.ExitOf(err) != job.ExitExists {
		t.Errorf("a check of an incomplete schema: got %v, want an error", err)
	}
	resumed := spec(job.Build)
	resumed.Resume = true
	do(resumed)
	plan, err := local.Plan(spec(job.Check))
	if err != nil {
		t.Fatal(err)
	}
	workloadtest.CompareRows(t, plan)
	do(spec(job.Check))
	if left, err := os.Stat(file + ".wal"); err == nil && left.Size() > 0 {
		t.Errorf("%d bytes are still in the log after the build", left.Size())
	}

	s := connect(t, options(t, file))
	if err := s.Exec(t.Context(), "CREATE VIEW rich AS SELECT * FROM customer"); err != nil {
		t.Fatal(err)
	}
	if _, err := local.Do(t.Context(), spec(job.Delete), job.Control{}); err == nil || !strings.Contains(err.Error(), "view rich") {
		t.Errorf("a delete with a view on a table: got %v, want an error about the view", err)
	}
	for _, statement := range []string{"DROP VIEW rich", "CREATE TABLE mine (a INTEGER)"} {
		if err := s.Exec(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	do(spec(job.Delete))
	left, err := s.Query(t.Context(), "SELECT table_name FROM duckdb_tables() WHERE table_name <> 'sledge_created'", 0)
	if err != nil || len(left.Rows) != 1 || left.Rows[0][0] != "mine" {
		t.Errorf("got the tables %v, %v after the delete, want mine only", left.Rows, err)
	}
	if _, err := os.Stat(file); err != nil {
		t.Errorf("the file with a foreign table is gone: %v", err)
	}
}

// Concurrent builders load into the same table without conflicts.
func TestLoad_HasNoConflicts(t *testing.T) {
	const loaders, rows = 4, 30_000
	o := made(t, "CREATE TABLE noise (a VARCHAR)")
	sessions := make([]database.Session, loaders)
	for i := range sessions {
		sessions[i] = connect(t, o)
	}
	var group errgroup.Group
	for i, s := range sessions {
		group.Go(func() error {
			source := &noise{left: rows}
			source.Seed(1, uint64(i))
			if err := s.Begin(t.Context(), database.ReadWrite); err != nil {
				return err
			}
			if n, err := s.Load(t.Context(), noisy, source); err != nil || n != rows {
				return fmt.Errorf("loaded %d: %w", n, err)
			}
			return s.Commit(t.Context())
		})
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	got, err := sessions[0].Query(t.Context(), "SELECT COUNT(*), COUNT(DISTINCT a) FROM noise", 0)
	if err != nil || fmt.Sprint(got.Rows) != fmt.Sprintf("[[%d %d]]", loaders*rows, loaders*rows) {
		t.Errorf("got %v, %v, want %d different rows", got.Rows, err, loaders*rows)
	}
}

// The load is interrupted at a random point. At one point the driver leaves the statement pending,
// which would keep the file open. At another, a thread of DuckDB does not notice it, and would read rows
// until the disk is full.
func TestLoad_CanBeInterrupted(t *testing.T) {
	o := made(t, "CREATE TABLE noise (a VARCHAR)")
	for range 30 {
		interrupted(t, o)
	}
	left, err := connect(t, o).Query(t.Context(), "SELECT COUNT(*) FROM noise", 0)
	if err != nil || left.Rows[0][0] != "0" {
		t.Errorf("got %v rows, %v after interrupted loads, want none", left.Rows, err)
	}
}

// interrupted opens the file, interrupts a load, and closes it.
func interrupted(t *testing.T, o any) {
	t.Helper()
	s, err := duckdb.Database.Sessions.Connect(t.Context(), o, database.Owner)
	if err != nil {
		t.Fatal(err)
	}
	endless := &noise{left: -1, begun: make(chan struct{})}
	begun, ended := endless.begun, make(chan error, 1)
	go func() {
		_, err := s.Load(context.Background(), noisy, endless)
		ended <- err
	}()
	<-begun
	s.Interrupt()
	select {
	case err := <-ended:
		if err == nil || duckdb.Database.Sessions.Classify(err) != meter.Connection {
			t.Errorf("got %v of class %v, want class %v", err, duckdb.Database.Sessions.Classify(err), meter.Connection)
		}
		endless.returned.Store(true)
	case <-time.After(20 * time.Second):
		t.Fatal("the load did not end")
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if endless.late.Load() {
		t.Error("a row was read after the load had returned")
	}
}

// given is a row source over the given rows.
type given struct{ rows []string }

func (g *given) AppendRow(buf []byte) ([]byte, bool) {
	if len(g.rows) == 0 {
		return buf, false
	}
	buf = append(append(buf, g.rows[0]...), '\n')
	g.rows = g.rows[1:]
	return buf, true
}

func TestLoad_ErrorNamesColumn(t *testing.T) {
	s := connect(t, made(t, "CREATE TABLE things (id INTEGER, price DECIMAL(6, 2), day DATE)"))
	things := schema.Table{Name: "things", Columns: []schema.Column{
		{Name: "id"}, {Name: "price", Type: schema.Decimal, Size: 6, Scale: 2}, {Name: "day", Type: schema.Date},
	}}
	for row, want := range map[string]string{
		"1\t2.50":                      "does not have 3 columns",
		"1\t2.50\t1998-09-02\t":        "does not have 3 columns",
		"one\t2.50\t1998-09-02":        "column id",
		"1\t2,50\t1998-09-02":          "column price",
		"1\t10000.00\t1998-09-02":      "DECIMAL(6,2)",
		"3000000000\t2.50\t1998-09-02": "INT32",
		"1\t2.50\t1998-09-31":          "1998-09-31",
	} {
		if n, err := s.Load(t.Context(), things, &given{[]string{"1\t\\N\t1998-09-02", row}}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %d rows, %v, want an error with %q", row, n, err, want)
		}
	}
	if n, err := s.Load(t.Context(), things, &given{[]string{"1\t2.5\t1998-09-02", "2\t\\N\t\\N"}}); err != nil || n != 2 {
		t.Errorf("rows that fit: got %d, %v, want 2", n, err)
	}
	got, err := s.Query(t.Context(), "SELECT * FROM things ORDER BY id", 0)
	if want := "[[1 2.50 1998-09-02] [2 NULL NULL]]"; err != nil || fmt.Sprint(got.Rows) != want {
		t.Errorf("got the rows %v, %v, want %s", got.Rows, err, want)
	}
}

func TestRefuses_ShortTransactions(t *testing.T) {
	c := catalog.New([]*database.Database{duckdb.Database}, []*workload.Workload{tprocc.Workload, tproch.Workload})
	if _, err := c.Pair("duckdb", "tprocc"); err == nil || !strings.Contains(err.Error(), "DuckDB is not for TPROC-C: ") || !strings.Contains(err.Error(), "(it is for tproch)") {
		t.Errorf("got %v, want the reason, and the workloads that DuckDB supports", err)
	}
}

// TestLoad_ReportsFullDisk loads until the disk is full.
func TestLoad_ReportsFullDisk(t *testing.T) {
	dir := t.TempDir()
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", dir).CombinedOutput(); err != nil {
		t.Skipf("cannot mount a small file system, which needs root: %v %s", err, out)
	}
	t.Cleanup(func() {
		if out, err := exec.Command("umount", dir).CombinedOutput(); err != nil {
			t.Errorf("umount: %v %s", err, out)
		}
	})
	o := options(t, filepath.Join(dir, "full.duckdb"))
	if err := duckdb.Database.Container.Create(t.Context(), o, nil); err != nil {
		t.Fatal(err)
	}
	s, err := duckdb.Database.Sessions.Connect(t.Context(), o, database.Owner)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Exec(t.Context(), "CREATE TABLE noise (a VARCHAR)"); err != nil {
		t.Fatal(err)
	}
	_, err = s.Load(t.Context(), noisy, &noise{left: 1_000_000})
	if err == nil || duckdb.Database.Sessions.Classify(err) != meter.Resource || !strings.Contains(err.Error(), "No space left") {
		t.Errorf("got %v of class %v, want an error about the space, of class %v", err, duckdb.Database.Sessions.Classify(err), meter.Resource)
	}
	_ = s.Close()
}

// noisy is the table for noise.
var noisy = schema.Table{Name: "noise", Columns: []schema.Column{{Name: "a", Type: schema.Varchar, Size: 100}}}

// noise is a source of rows that cannot be compressed: left rows, or an endless number if left is
// negative.
type noise struct {
	left  int
	begun chan struct{} // closed with the first row; optional

	returned atomic.Bool // Load has returned
	late     atomic.Bool // a row was read after that
	rand.PCG
}

func (n *noise) AppendRow(buf []byte) ([]byte, bool) {
	if n.left == 0 {
		return buf, false
	}
	n.left--
	if n.returned.Load() {
		n.late.Store(true)
	}
	if n.begun != nil {
		close(n.begun)
		n.begun = nil
	}
	return fmt.Appendf(buf, "%016x%016x%016x%016x\n", n.Uint64(), n.Uint64(), n.Uint64(), n.Uint64()), true
}
