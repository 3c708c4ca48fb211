package cli

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sledge/internal/cli/hammerdb"
	"sledge/internal/hammerdb/console"
	"sledge/internal/job"
	"sledge/internal/settings"
)

func TestConsole_NamesAMissingScript(t *testing.T) {
	w := newWorld(t)
	name := filepath.Join(t.TempDir(), "nosuch.tcl")
	if exit := w.run("console", "auto", name); exit != job.ExitMissing || !strings.Contains(w.err.String(), name) {
		t.Errorf("got %d and %q", exit, w.err.String())
	}
}

func TestConsole_NamesTheVariableForOtherSettings(t *testing.T) {
	w := newWorld(t)
	damaged := filepath.Join(t.TempDir(), "damaged.db")
	if err := os.WriteFile(damaged, []byte(strings.Repeat("no database ", 1000)), 0o600); err != nil {
		t.Fatal(err)
	}
	w.Environ = append(w.Environ, settings.EnvSettings+"="+damaged)
	if exit := w.run("console"); exit != job.ExitUsage || !strings.Contains(w.err.String(), "(choose another file with SLEDGE_SETTINGS)") {
		t.Errorf("got %d and %q", exit, w.err.String())
	}
}

func TestBanner_NamesTheJobRepository(t *testing.T) {
	w := newWorld(t)
	other := filepath.Join(t.TempDir(), "other.db")
	for _, test := range []struct {
		settings [][]string
		want     string   // the beginning of the last line; "" for no output
		there    []string // the files that exist afterwards
	}{
		{[][]string{{"sqlite_db", ":memory:"}}, "Initialized new Jobs in-memory database\n", nil},
		{[][]string{{"sqlite_db", other}, {"jobs_disable", "1"}}, "", nil},
		{[][]string{{"sqlite_db", other}}, "Initialized new Jobs on-disk database " + other + "\n", []string{other}},
		{[][]string{{"sqlite_db", other}}, "Initialized Jobs on-disk database " + other + " using existing tables (", []string{other}},
		{[][]string{{"sqlite_db", "TMP"}}, "Initialized new Jobs on-disk database " + w.repository + "\n", []string{other, w.repository}},
	} {
		made, err := console.New(console.Config{Resolver: w.Resolver, Out: io.Discard})
		if err != nil {
			t.Fatal(err)
		}
		for _, setting := range test.settings {
			if _, err := made.Call(t.Context(), console.Call{Name: "giset", Args: append([]string{"commandline"}, setting...)}); err != nil {
				t.Fatal(err)
			}
		}
		if err := made.Failure(); err != nil {
			t.Fatal(err)
		}
		w.out.Reset()
		w.Stdout = &w.out
		s := &hammerdb.Session{Program: w.Program, Console: made}
		s.Banner(w.repository)
		_, last, _ := strings.Cut(w.out.String(), "for a list of commands\n")
		if !strings.HasPrefix(last, test.want) || (last == "") != (test.want == "") {
			t.Errorf("%v: got %q, want %q", test.settings, last, test.want)
		}
		var there []string
		for _, path := range []string{other, w.repository} {
			if _, err := os.Stat(path); err == nil {
				there = append(there, path)
			}
		}
		if !slices.Equal(there, test.there) {
			t.Errorf("%v: got the files %q, want %q", test.settings, there, test.there)
		}
		if err := made.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
