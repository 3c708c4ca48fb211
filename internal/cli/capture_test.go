package cli

import (
	"context"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"sledge/internal/catalog/edition"
	"sledge/internal/engine"
	"sledge/internal/job"
	"sledge/internal/testserver"
)

// application is what a captured application sends, and how often. All of it has values that must not be in a draft.
var application = []struct {
	text  string
	calls int
}{
	{"SELECT mail, spent FROM buyer WHERE id = 4711", 400},
	{"SELECT b.mail, o.total FROM buyer AS b JOIN purchase o ON o.buyer_id = b.id WHERE b.mail = 'private4712@example.org' /* of user Eve4713 */ ORDER BY o.total DESC LIMIT 3", 200},
	{"INSERT INTO purchase (id, buyer_id, total, day, note) VALUES (NUMBER, 4711, 47.11, '2020-04-17', 'private4714')", 100},
	{"UPDATE buyer SET spent = spent + 47.11, mail = 'private4715@example.org' WHERE id = 4711", 100},
	{"SELECT COUNT(*) FROM purchase WHERE id BETWEEN 4711 AND 4719 AND day >= '2020-04-17'", 80},
	{"SELECT id FROM purchase WHERE buyer_id IN (4711, 4712, 4713) AND note IS NOT NULL", 60},
	{"DELETE FROM purchase WHERE id = 47114711", 40},
	{"SELECT COALESCE(note, 'private4716') FROM purchase WHERE day < '2020-04-17' AND total > 47.11 AND id = 4711", 20},
}

// schemaOfApplication has its tables, with 5,000 and 500 rows.
var schemaOfApplication = []string{
	"CREATE TABLE buyer (id INT PRIMARY KEY, mail VARCHAR(60) NOT NULL UNIQUE, spent DECIMAL(12,2) NOT NULL)",
	"CREATE TABLE purchase (id BIGINT PRIMARY KEY, buyer_id INT NOT NULL, total DECIMAL(8,2) NOT NULL, day DATE NOT NULL, note VARCHAR(40))",
}

// capturable is a server whose statements can be captured.
type capturable struct {
	name, driver string
	first        string // a database that is there
	settings     []string
	prepare      string // in the application's database
}

var capturables = []capturable{
	{"postgresql", "pgx", "postgres", []string{"shared_preload_libraries=pg_stat_statements"}, "CREATE EXTENSION pg_stat_statements"},
	{"mysql", "mysql", "", nil, "SET @nothing = 0"},
	{"mariadb", "mysql", "", []string{"performance_schema=ON"}, "SET @nothing = 0"},
}

// A draft of what an application does has the frequencies of its statements, has not one of its values, and runs
// without a failure. What is neither a query nor a change of rows is left out and named.
func TestCapture_DraftsWhatAnApplicationDoes(t *testing.T) {
	for _, on := range capturables {
		t.Run(on.name, func(t *testing.T) {
			t.Parallel()
			a := on.open(t, "captured")
			for _, one := range application {
				for n := range one.calls {
					a.do(strings.ReplaceAll(one.text, "NUMBER", strconv.Itoa(990000+n)))
				}
			}
			folder := filepath.Join(t.TempDir(), "draft")
			if code := a.run(append([]string{"capture", folder, "--since-reset"}, a.where...)...); code != job.OK || !strings.Contains(a.out.String(), "CREATE TABLE buyer") && !strings.Contains(a.out.String(), "CREATE TABLE `buyer`") {
				t.Fatalf("got exit code %d: %s%s", code, &a.out, &a.err)
			}
			definition := textWithin(t, folder, "workload.toml")
			private := regexp.MustCompile(`471|private|2020|Eve|9900`)
			err := fs.WalkDir(os.DirFS(folder), ".", func(path string, entry fs.DirEntry, err error) error {
				if err == nil && !entry.IsDir() && private.MatchString(textWithin(t, folder, path)) {
					t.Errorf("%s has a value of the application:\n%s", path, textWithin(t, folder, path))
				}
				return err
			})
			if err != nil {
				t.Error(err)
			}
			weights := regexp.MustCompile(`(?m)^weight = (\d+)$`).FindAllStringSubmatch(definition, -1)
			if len(weights) < len(application) {
				t.Fatalf("got %d transactions, want %d: %s", len(weights), len(application), definition)
			}
			for i, one := range application {
				if got := weights[i][1]; got != strconv.Itoa(one.calls) {
					t.Errorf("got the weight %s, want %d: %s", got, one.calls, one.text)
				}
			}
			if code := a.run(append([]string{"run", "--workload", folder, "--users", "2", "--rampup", "0s", "--duration", "2s"}, a.where...)...); code != job.OK {
				t.Fatalf("got exit code %d: %s%s", code, &a.out, &a.err)
			}
			kinds := a.last.Summary.Kinds
			all, sum := 0.0, 0.0
			for i, k := range kinds {
				weight, _ := strconv.ParseFloat(weights[i][1], 64)
				all, sum = all+float64(k.Done), sum+weight
			}
			for i, one := range application {
				share := float64(one.calls) / sum
				if got, deviation := float64(kinds[i].Done)/all, math.Sqrt(share*(1-share)/all); math.Abs(got-share) > 6*deviation || kinds[i].Failures() > 0 {
					t.Errorf("%s: a share of %.4f of the run and %d failed, want %.4f", one.text, got, kinds[i].Failures(), share)
				}
			}
		})
	}
}

// A slow log of a server has the statements, with the same draft.
func TestCapture_ReadsSlowLogs(t *testing.T) {
	for _, on := range capturables[1:] {
		t.Run(on.name, func(t *testing.T) {
			t.Parallel()
			a := on.open(t, "captured_log")
			log := filepath.Join(t.TempDir(), "slow.log")
			if on.name == "mariadb" {
				a.do("SET SESSION slow_query_log = ON")
			}
			for _, text := range []string{"SET GLOBAL slow_query_log_file = '" + log + "'", "SET GLOBAL slow_query_log = ON", "SET SESSION long_query_time = 0"} {
				a.do(text)
			}
			for _, one := range application {
				for n := range one.calls / 20 {
					a.do(strings.ReplaceAll(one.text, "NUMBER", strconv.Itoa(990000+n)))
				}
			}
			a.do("SET GLOBAL slow_query_log = OFF")
			folder := filepath.Join(t.TempDir(), "draft")
			if code := a.run(append([]string{"capture", folder, "--slow-log", log}, a.where...)...); code != job.OK || !strings.Contains(a.out.String(), "from 50 calls of 8 statements") {
				t.Fatalf("got exit code %d: %s%s", code, &a.out, &a.err)
			}
			if text := textWithin(t, folder, "select_buyer.sql"); text != "SELECT mail, spent FROM buyer WHERE id = :id;\n" {
				t.Errorf("got %q", text)
			}
			definition := textWithin(t, folder, "workload.toml")
			if !strings.Contains(definition, "# 6 % of the calls, each with ") || !strings.Contains(definition, " ms in the server and 5.0 rows.") {
				t.Errorf("got\n%s", definition)
			}
			empty := filepath.Join(t.TempDir(), "empty.log")
			if err := os.WriteFile(empty, []byte("nothing\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			if code := a.run(append([]string{"capture", folder + "2", "--slow-log", empty}, a.where...)...); code != job.ExitUsage || !strings.Contains(a.err.String(), "set long_query_time = 0") {
				t.Errorf("got exit code %d: %s", code, &a.err)
			}
		})
	}
}

// Only the calls of the time count, and Ctrl-C ends it early.
func TestCapture_CountsForATime(t *testing.T) {
	a := capturables[0].open(t, "captured_for")
	a.do("SELECT mail FROM buyer WHERE id = 1")
	folder := filepath.Join(t.TempDir(), "draft")
	calling := make(chan struct{})
	go func() {
		defer close(calling)
		for end := time.Now().Add(2500 * time.Millisecond); time.Now().Before(end) && t.Context().Err() == nil; time.Sleep(10 * time.Millisecond) {
			a.do("SELECT spent FROM buyer WHERE id = 2")
		}
		a.interrupt()
	}()
	code := a.run(append([]string{"capture", folder, "--for", "1m"}, a.where...)...)
	<-calling
	if code != job.OK || !strings.Contains(a.out.String(), "of 1 statement.") {
		t.Fatalf("got exit code %d: %s%s", code, &a.out, &a.err)
	}
	if text := textWithin(t, folder, "select_buyer.sql"); text != "SELECT spent FROM buyer WHERE id = :id;\n" {
		t.Errorf("got %q", text)
	}
	for _, text := range []string{"CREATE ROLE plain LOGIN PASSWORD 'plain'", "GRANT SELECT ON ALL TABLES IN SCHEMA public TO plain"} {
		a.do(text)
	}
	restore := a.as("SLEDGE_PASSWORD=plain")
	if code := a.run(append([]string{"capture", folder + "3", "--since-reset"}, append(a.where, "--user", "plain")...)...); !strings.Contains(a.err.String(), "calls of other users from plain. To capture them, too: GRANT pg_read_all_stats TO plain") {
		t.Errorf("got exit code %d and %s", code, &a.err)
	}
	restore()
	for _, test := range []struct {
		want, folder string
		args         []string
	}{
		{"exists", folder, a.where},
		{"choose PostgreSQL", folder + "2", []string{"--db", "sqlite", "--dbname", filepath.Join(t.TempDir(), "a.db")}},
		{"the server counted no statements", folder + "2", append(a.where[:len(a.where):len(a.where)], "--for", "1s")},
		{"--for: 0s is too short", folder + "2", append(a.where[:len(a.where):len(a.where)], "--for", "0s")},
		{"a letter, and have", filepath.Join(t.TempDir(), "A draft"), append(a.where[:len(a.where):len(a.where)], "--since-reset")},
		{"does not exist", folder + "2", append(a.where[:len(a.where):len(a.where)], "--dbname", "nowhere")},
		{"CREATE EXTENSION pg_stat_statements", folder + "2", append(a.where[:len(a.where):len(a.where)], "--dbname", "postgres")},
	} {
		if code := a.run(append([]string{"capture", test.folder}, test.args...)...); code == job.OK || !strings.Contains(a.err.String(), test.want) {
			t.Errorf("%q: got exit code %d and %q, want %q", test.args, code, &a.err, test.want)
		}
	}
	if _, err := os.Stat(folder + "2"); err == nil {
		t.Error("a folder was made")
	}
}

// fill inserts the rows of the application's tables.
func fill(t *testing.T, do func(text string)) {
	t.Helper()
	for table, rows := range map[string]int{"buyer": 500, "purchase": 5000} {
		var values []string
		for n := 1; n <= rows; n++ {
			if table == "buyer" {
				values = append(values, fmt.Sprintf("(%d, 'mail%d', 0)", n, n))
			} else {
				values = append(values, fmt.Sprintf("(%d, %d, %d.5, '2019-0%d-11', %s)", n, n%500+1, n%90, n%9+1, map[bool]string{true: "NULL", false: fmt.Sprintf("'note %d'", n)}[n%4 == 0]))
			}
		}
		do("INSERT INTO " + table + " VALUES " + strings.Join(values, ", "))
	}
}

// applied is an application's database, and a command line beside it.
type applied struct {
	*world
	do    func(text string)
	where []string // the flags of its database
	last  *job.Result
}

// open creates the application's database, and gives its tables rows.
func (c capturable) open(t *testing.T, name string) applied {
	t.Helper()
	var options []testserver.Option
	for _, setting := range c.settings {
		options = append(options, testserver.Setting(setting))
	}
	server := testserver.Open(t, c.name, options...)
	if _, err := openDatabase(t, c.driver, server.DataSource(c.first)).ExecContext(t.Context(), "CREATE DATABASE "+name); err != nil {
		t.Fatal(err)
	}
	db := openDatabase(t, c.driver, server.DataSource(name))
	a := applied{world: newWorld(t), last: new(job.Result), do: func(text string) {
		if _, err := db.ExecContext(t.Context(), text); err != nil && t.Context().Err() == nil {
			t.Errorf("%s: %v", text, err)
		}
	}}
	local := engine.Local{Catalog: edition.Catalog, Version: a.Version}
	a.does(func(ctx context.Context, spec job.Spec, control job.Control) (r job.Result, err error) {
		r, err = local.Do(ctx, spec, control)
		*a.last = r
		return r, err
	})
	a.Environ = append(a.Environ, "SLEDGE_PASSWORD="+server.Password)
	a.where = []string{"--db", c.name, "--host", server.Host, "--port", strconv.Itoa(server.Port), "--dbname", name, "--user", server.Superuser}
	for _, text := range schemaOfApplication {
		a.do(text)
	}
	fill(t, a.do)
	a.do(c.prepare)
	return a
}

// textWithin returns the text of a file in a folder.
func textWithin(t *testing.T, folder, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(folder, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
