package console

import (
	"bytes"
	"context"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sledge/internal/catalog/edition"
	"sledge/internal/job"
	"sledge/internal/settings"
)

var update = flag.Bool("update", false, "rewrite the golden files")

var resolver = settings.Resolver{Catalog: edition.Catalog}

// newConsole returns a console with its settings in the file path, and the buffer of its output.
func newConsole(t *testing.T, path string) (*Console, *bytes.Buffer) {
	t.Helper()
	var out bytes.Buffer
	c, err := New(Config{Resolver: resolver, Out: &out, Settings: path})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c, &out
}

// call runs a command whose words are separated by blanks; {} is an empty word.
func call(t *testing.T, c *Console, line string) {
	t.Helper()
	words := strings.Fields(line)
	for i := range words {
		if words[i] == "{}" {
			words[i] = ""
		}
	}
	if _, err := c.Call(context.Background(), Call{Name: words[0], Args: words[1:], Folder: "testdata"}); err != nil {
		t.Fatalf("%s: %v", line, err)
	}
}

// The golden file has each command after "> ", then its output, then "!" if it is recorded as a
// failure. A line that begins with "#" starts a new console.
func TestSettingsAreAnsweredAsInHammerDB(t *testing.T) {
	golden := filepath.Join("testdata", "settings.golden")
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	c, out := newConsole(t, "")
	for line := range strings.Lines(string(want)) {
		if strings.HasPrefix(line, "#") {
			got.WriteString(line)
			c, out = newConsole(t, "")
		}
		command, is := strings.CutPrefix(line, "> ")
		if !is {
			continue
		}
		out.Reset()
		c.failing.first = nil
		call(t, c, command)
		got.WriteString(line + out.String())
		if c.failing.first != nil {
			got.WriteString("!\n")
			if code := job.ExitOf(c.failing.first); code != job.ExitUsage {
				t.Errorf("%s: got exit code %d, want %d", command, code, job.ExitUsage)
			}
		}
	}
	if *update {
		if err := os.WriteFile(golden, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if got.String() != string(want) {
		t.Errorf("got\n%s\nwant\n%s", got.String(), want)
	}
}

func TestSettingsOutliveTheirConsole(t *testing.T) {
	path := filepath.Join(t.TempDir(), "settings.db")
	first, _ := newConsole(t, path)
	for _, line := range []string{"dbset db maria", "dbset bm TPROC-H", "diset connection maria_port 3307", "vuset vu 8", "giset commandline jobs_profile_id 5"} {
		call(t, first, line)
	}
	second, out := newConsole(t, path)
	for _, line := range []string{"print db", "print bm", "print dict", "print vuconf", "print generic"} {
		call(t, second, line)
	}
	for _, want := range []string{
		"Database MariaDB set.", "Benchmark set to TPC-H", " maria_port               = 3307", "Virtual Users = 8", " jobs_profile_id  = 5",
	} {
		if !strings.Contains(out.String(), want+"\n") {
			t.Errorf("got\n%s\nwant a line %q", out, want)
		}
	}
}

func TestSecret_IsNeverPrinted(t *testing.T) {
	c, out := newConsole(t, "")
	for _, line := range []string{
		"diset tpcc pg_pass hidden", "diset tpcc pg_pass hidden", "diset tpcc pg_superuserpass hidden",
		"diset tpcc pg_pas hidden", "diset connection pg_pass hidden", "diset tpch pg_tpch_pass hidden", "print dict",
	} {
		call(t, c, line)
	}
	if strings.Contains(out.String(), "hidden") {
		t.Errorf("got the password in\n%s", out)
	}
	if got := c.book.Values(); got["password"] != "hidden" || got["superuser_password"] != "hidden" {
		t.Errorf("got %v, want both passwords", got)
	}
}

func TestImportConfigIsRelativeToTheFolderOfTheScript(t *testing.T) {
	c, out := newConsole(t, "")
	call(t, c, "importconfig hammerdb/postgresql.xml")
	call(t, c, "importconfig nowhere.xml")
	if c.failing.first == nil {
		t.Error("got no failure for a missing file")
	}
	for _, want := range []string{
		"Changed tpcc:pg_count_ware from 1 to 10 for PostgreSQL",
		"Changed tpcc:pg_pass from **** to **** for PostgreSQL",
		"Skipped postgresql.xml: tpcc:pg_future: it is not known",
		"2 settings changed, 1 unchanged, 1 lines skipped",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("got\n%s\nwant %q in it", out, want)
		}
	}
}

// Scripts parse HammerDB's names and use the settings of its manual.
func TestSmallCommands_EqualHammerDBs(t *testing.T) {
	c, out := newConsole(t, "")
	for _, tt := range []struct{ line, want string }{
		{"dbset db mssqls", "Database set to MSSQLServer\n"},
		{"dbset bm TPC-C", "Benchmark set to TPC-C for MSSQLServer\n"},
		{"print db", "Database MSSQLServer set.\n"},
		{"print dict", "Dictionary Settings for MSSQLServer\n"},
		{"diset tpcc mssqls_count_ware 7", "Changed tpcc:mssqls_count_ware from 1 to 7 for MSSQLServer\n"},
		{"librarycheck", "Checking database library for MSSQLServer\n"},
		{"giset timeprofile profiler etprof", "Changed timeprofile:profiler from xtprof to etprof for generic\n"},
		{"print tcconf", "transaction_counter {\n tc_refresh_rate "},
		{"dbset db pg", "Database set to PostgreSQL\n"},
		{"dbset bm TPC-H", "Benchmark set to TPC-H for PostgreSQL\n"},
		{"diset tpch pg_scale_fact 0.001", "Changed tpch:pg_scale_fact from 1 to 0.001 for PostgreSQL\n"},
		{"dgset scale_fact 0.001", "Set scale factor to 0.001 for data generation\n"},
	} {
		out.Reset()
		call(t, c, tt.line)
		if !strings.Contains(out.String(), tt.want) {
			t.Errorf("%s: got %q, want %q in it", tt.line, out, tt.want)
		}
	}
	if done, err := c.Call(t.Context(), Call{Name: "vucomplete"}); err != nil || done != "true" {
		t.Errorf("vucomplete: got %q and %v, want true without virtual users", done, err)
	}
}

func TestDiset_WarnsOnceOfExposedScriptWithPassword(t *testing.T) {
	script := filepath.Join(t.TempDir(), "run.tcl")
	if err := os.WriteFile(script, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for mode, want := range map[os.FileMode]int{0o600: 0, 0o644: 1} {
		if err := os.Chmod(script, mode); err != nil {
			t.Fatal(err)
		}
		c, out := newConsole(t, "")
		c.Script = script
		for _, line := range []string{"dbset db pg", "diset connection pg_port 5433", "diset tpcc pg_pass tpcc"} {
			call(t, c, line)
		}
		if strings.Contains(out.String(), "Warning") {
			t.Errorf("mode %o: got %q before a password was set", mode, out)
		}
		call(t, c, "diset tpcc pg_pass one")
		call(t, c, "diset tpcc pg_superuserpass two")
		if got := strings.Count(out.String(), "Warning: others can read "+script+", which holds a password: chmod 600 "+script); got != want {
			t.Errorf("mode %o: got %d warnings in %q, want %d", mode, got, out, want)
		}
	}
}
