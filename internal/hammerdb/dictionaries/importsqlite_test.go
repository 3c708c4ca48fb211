package dictionaries_test

import (
	"bytes"
	"database/sql"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sledge/internal/sqlitefile"
)

// kept creates a SQLite file with statements.
func kept(t testing.TB, path string, statements ...string) {
	t.Helper()
	uri, err := sqlitefile.URI(path, "")
	if err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", uri)
	if err != nil {
		t.Fatal(err)
	}
	for _, statement := range statements {
		if _, err := db.Exec(statement); err != nil {
			t.Fatalf("%.100s: %v", statement, err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

// section returns the statements for a table like HammerDB's. The arguments alternate between keys
// and values.
func section(name string, settings ...string) string {
	text := "CREATE TABLE " + name + " (key TEXT, val TEXT);"
	for i := 0; i < len(settings); i += 2 {
		text += "INSERT INTO " + name + " VALUES ('" + settings[i] + "', '" + settings[i+1] + "');"
	}
	return text
}

func TestSQLiteFilesOfHammerDBAreImported(t *testing.T) {
	folder := t.TempDir()
	in := func(name string) string { return filepath.Join(folder, name) }
	kept(t, in("generic.db"),
		section("theme", "scaletheme", "dark"),
		section("benchmark", "rdbms", "PostgreSQL", "bm", "TPC-C", "first_result", "NOPM"),
		section("virtual_user_options", "virtual_users", "8"),
		section("mode", "hostname", "load1"),
		section("commandline", "sqlite_db", "/tmp/hammer.DB", "jobsoutput", "JSON"),
		section("hdb_version", "version", "v4.12"))
	kept(t, in("postgresql.db"),
		section("connection", "pg_host", " db1 ", "pg_port", "5433"),
		section("tpcc", "pg_count_ware", "10", "pg_pass", " blanks count ", "pg_future", "1", "pg_dbase", "first", "pg_dbase", "last"),
		"INSERT INTO tpcc VALUES ('pg_num_vu', 4)") // SQLite stores it as text
	kept(t, in("mysql.db"))
	kept(t, in("oracle.db"), section("tpcc", "rampup", "1"))
	kept(t, in("database.db"), section("postgresql", "name", "PostgreSQL"))
	kept(t, in("ci.db"), section("common", "repo", "x"))
	kept(t, in("hammer.DB"), "CREATE TABLE jobmain (jobid TEXT)")
	for name, text := range map[string]string{
		"another.db":     "this is not for us to look at",
		"mariadb.db":     "", // as if HammerDB had been stopped before it wrote
		"mariadb.xml":    "<mariadb><tpcc><maria_rampup>1</maria_rampup></tpcc></mariadb>",
		"postgresql.xml": "<postgresql><connection><pg_host>xml</pg_host><pg_sslmode>disable</pg_sslmode></connection></postgresql>",
	} {
		if err := os.WriteFile(in(name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	before, files := contents(t, folder)

	path := filepath.Join(t.TempDir(), "settings.db")
	b := open(t, path)
	choose(t, b, "maria")
	done, err := b.ImportConfig(folder)
	if err != nil {
		t.Fatal(err)
	}
	changes := []string{
		"Changed benchmark:rdbms from MariaDB to PostgreSQL for generic",
		"Changed virtual_user_options:virtual_users from 1 to 8 for generic",
		"Changed mode:hostname from localhost to load1 for generic",
		"Changed tpcc:maria_rampup from 2 to 1 for MariaDB",
		"Changed tpcc:rampup from 2 to 1 for Oracle",
		"Changed connection:pg_host from localhost to db1 for PostgreSQL",
		"Changed connection:pg_port from 5432 to 5433 for PostgreSQL",
		"Changed tpcc:pg_count_ware from 1 to 10 for PostgreSQL",
		"Changed tpcc:pg_pass from **** to **** for PostgreSQL",
		"Changed tpcc:pg_dbase from tpcc to first for PostgreSQL",
		"Changed tpcc:pg_dbase from first to last for PostgreSQL",
		"Changed tpcc:pg_num_vu from 1 to 4 for PostgreSQL",
	}
	passed := []string{
		"ci.db: it holds no settings of a database or of the console",
		"database.db: it holds no settings of a database or of the console",
		"postgresql.xml: postgresql.db beside it holds the settings that HammerDB uses",
		"generic.db: commandline:sqlite_db: HammerDB's jobs stay where they are: take them over with jobs import",
		"generic.db: hdb_version:version: it only says which version of HammerDB wrote the file",
		"postgresql.db: tpcc:pg_future: it is not known",
	}
	wantImport(t, done, changes, passed, 4)
	if after, left := contents(t, folder); !slices.Equal(files, left) || !bytes.Equal(before, after) {
		t.Errorf("got files %v, want %v unchanged", left, files)
	}
	later := open(t, path)
	if got := later.Values(); got["password"] != " blanks count " || got["host"] != "db1" || got["dbname"] != "last" {
		t.Errorf("got %v after a restart, want the imported values", got)
	}
}

// contents returns the contents of all files of a folder, and their names.
func contents(t *testing.T, folder string) (all []byte, names []string) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join(folder, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		all, names = append(all, text...), append(names, e.Name())
	}
	return all, names
}

func TestOneSQLiteFileIsImportedWhateverItsName(t *testing.T) {
	path := filepath.Join(t.TempDir(), "copy of last year's?")
	kept(t, path, section("tpcc", "pg_count_ware", "10"), `CREATE TABLE "odd "" name" (val TEXT, key TEXT, more TEXT)`,
		`INSERT INTO "odd "" name" VALUES ('1', 'line`+"\n\x1b"+`[31mbreak', NULL), (NULL, NULL, NULL)`)
	b := open(t, "")
	done, err := b.ImportConfig(path)
	if err != nil {
		t.Fatal(err)
	}
	if b.Value("count_ware") != "10" || len(done.Changes) != 1 {
		t.Errorf("got %q and %v, want 10 warehouses", b.Value("count_ware"), done.Changes)
	}
	for _, line := range done.Passed {
		if strings.ContainsAny(line, "\n\x1b") {
			t.Errorf("got %q, want printable text", line)
		}
	}
	if len(done.Passed) != 2 {
		t.Errorf("got %q, want the two unknown settings", done.Passed)
	}
}

func TestSQLiteFilesThatAreNotHammerDBsSettingsAreRefused(t *testing.T) {
	good := section("tpcc", "pg_count_ware", "10", "pg_pass", "SqlSecret")
	filled := good + "CREATE TABLE tpch (key TEXT, val TEXT); INSERT INTO tpch WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i < 2000) SELECT 'SqlSecret' || i, hex(randomblob(20)) FROM n"
	tests := []struct {
		name, file string
		make       func(path string)
		want       string
	}{
		{"text", "postgresql.db", func(path string) { write(t, path, "SqlSecret") }, "this is not a SQLite file"},
		{"XML in the wrong file", "postgresql.db", func(path string) {
			write(t, path, "<a><tpcc><pg_count_ware>2</pg_count_ware></tpcc></a>")
		}, "this is not a SQLite file"},
		{"only the head", "postgresql.db", func(path string) { write(t, path, "SQLite format 3\x00SqlSecret") }, "the file is damaged"},
		{"a half", "postgresql.db", func(path string) {
			kept(t, path, filled)
			if err := os.Truncate(path, size(t, path)/2); err != nil {
				t.Fatal(err)
			}
		}, "the file is damaged"},
		{"a page of something else", "postgresql.db", func(path string) {
			kept(t, path, filled)
			f, err := os.OpenFile(path, os.O_WRONLY, 0)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			if _, err := f.WriteAt(bytes.Repeat([]byte("SqlSecret"), 900), 8192); err != nil {
				t.Fatal(err)
			}
		}, "the file is damaged"},
		{"other columns", "postgresql.db", func(path string) {
			kept(t, path, good, "CREATE TABLE tpch (key TEXT, value TEXT)")
		}, "its table tpch has no columns key and val"},
		{"columns that are computed", "postgresql.db", func(path string) {
			kept(t, path, good, "CREATE TABLE tpch (key TEXT, val TEXT AS (hex(zeroblob(100000000))))", "INSERT INTO tpch VALUES ('pg_tpch_user')")
		}, "its table tpch has no columns key and val"},
		{"jobs", "jobs.DB", func(path string) {
			kept(t, path, "CREATE TABLE JOBMAIN (jobid TEXT)")
		}, "its table JOBMAIN has no columns key and val: take over its jobs with jobs import"},
		{"views and virtual tables", "x.db", func(path string) {
			kept(t, path, "CREATE VIEW tpcc AS SELECT 'pg_count_ware' AS key, '7' AS val", "CREATE VIRTUAL TABLE connection USING fts5(key, val)")
		}, "it holds no settings"},
		{"a huge value", "postgresql.db", func(path string) {
			kept(t, path, good, "UPDATE tpcc SET val = hex(zeroblob(1000000)) WHERE key = 'pg_pass'")
		}, "postgresql.db: tpcc:pg_pass: the value is 2000000 bytes long, and at most 4096 are allowed"},
		{"a huge file", "postgresql.db", func(path string) {
			kept(t, path, good)
			if err := os.Truncate(path, 1<<30); err != nil {
				t.Fatal(err)
			}
		}, "a regular file of at most 4 MB"},
		{"bytes that are not text", "postgresql.db", func(path string) {
			kept(t, path, good, "UPDATE tpcc SET val = x'00ff53716c536563726574' WHERE key = 'pg_pass'")
		}, "postgresql.db: tpcc:pg_pass: the value holds a line break or another character that cannot be printed"},
		{"wrong values", "postgresql.db", func(path string) {
			kept(t, path, good, section("connection", "pg_port", "0", "pg_sslmode", "maybe"))
		}, "postgresql.db: connection:pg_port: 0 is less than 1"},
		{"an unfinished transaction", "postgresql.db", func(path string) { unfinished(t, path, good) }, "its last writer did not finish"},
		{"nothing", "postgresql.db", func(path string) { kept(t, path, "CREATE TABLE x (key TEXT, val TEXT)") }, "it holds no settings"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			folder := t.TempDir()
			test.make(filepath.Join(folder, test.file))
			write(t, filepath.Join(folder, "mysql.xml"), "<mysql><tpcc><mysql_rampup>1</mysql_rampup></tpcc></mysql>")
			for _, path := range []string{filepath.Join(folder, test.file), folder} {
				if path == folder && (test.file != "postgresql.db" || test.name == "nothing") {
					continue // in a folder, files with other names are not opened
				}
				b := open(t, "")
				_, err := b.ImportConfig(path)
				if err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "SqlSecret") {
					t.Errorf("%s: got %v, want %q", path, err, test.want)
				}
				if len(b.Values()) > 0 || !slices.EqualFunc(b.Sections(), open(t, "").Sections(), sameSection) {
					t.Errorf("%s: settings were changed: %v", path, b.Values())
				}
			}
		})
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func size(t *testing.T, path string) int64 {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}

// unfinished creates a file like that of a killed program, with a journal that must be rolled back.
func unfinished(t *testing.T, path string, statements ...string) {
	t.Helper()
	alive := filepath.Join(t.TempDir(), "alive.db")
	kept(t, alive, statements...)
	db, err := sql.Open("sqlite", alive)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1) // all statements must use the connection of the transaction
	for _, statement := range []string{
		"PRAGMA cache_size = 1", "BEGIN IMMEDIATE", // a small cache, so that pages are written before the commit
		"INSERT INTO tpcc WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i < 200) SELECT i, hex(randomblob(1000)) FROM n",
	} {
		if _, err := db.Exec(statement); err != nil {
			t.Fatal(err)
		}
	}
	for _, ending := range []string{"", "-journal"} {
		part, err := os.ReadFile(alive + ending)
		if err != nil {
			t.Fatal(err)
		}
		write(t, path+ending, string(part))
	}
	if _, err := db.Exec("ROLLBACK"); err != nil {
		t.Fatal(err)
	}
}
