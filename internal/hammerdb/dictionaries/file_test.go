package dictionaries

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sledge/internal/catalog/edition"
	"sledge/internal/job"
	"sledge/internal/repository"
	"sledge/internal/settings"
)

var resolver = settings.Resolver{Catalog: edition.Catalog}

func TestFile_KeepsUnusableSettingsWithAWarning(t *testing.T) {
	path := filepath.Join(t.TempDir(), "settings.db")
	f, _, err := openFile(path)
	if err != nil {
		t.Fatal(err)
	}
	err = f.write(
		setting{"postgresql", "tpcc", "pg_future", "1"},
		setting{"duckdb", "tpcc", "duck_count_ware", "1"},
		setting{"postgresql", "tpcc", "pg_count_ware", "0"},
		setting{"postgresql", "tpcc", "pg_pass", "sec\x00ret"},
		setting{"generic", "benchmark", "rdbms", "Ingres"},
		setting{"postgresql", "tpcc", "pg_num_vu", "3"},
	)
	if err != nil {
		t.Fatal(err)
	}
	b, err := Open(resolver, path)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	warnings := strings.Join(b.Warnings(), "\n")
	for _, want := range []string{
		"ignoring what this version does not know: duckdb tpcc:duck_count_ware, postgresql tpcc:pg_future",
		"postgresql tpcc:pg_count_ware: 0 is less than 1",
		`generic benchmark:rdbms: "Ingres" is not one of`,
		"postgresql tpcc:pg_pass: the value holds a line break",
	} {
		if !strings.Contains(warnings, want) {
			t.Errorf("got warnings\n%s\nwant %q in them", warnings, want)
		}
	}
	if strings.Contains(warnings, "sec") {
		t.Errorf("the warnings show a password: %s", warnings)
	}
	if got := b.Value("count_ware") + b.Value("num_vu") + b.Database().Name; got != "13postgresql" {
		t.Errorf("got %s, want defaults for wrong settings, and the other settings", got)
	}
	if _, err := b.Set("tpcc", "pg_rampup", "1"); err != nil {
		t.Fatal(err)
	}
	kept, err := f.read()
	if err != nil {
		t.Fatal(err)
	}
	if len(kept) != 7 {
		t.Errorf("got %d settings in the file, want the 6 from before and 1 new one", len(kept))
	}
	if err := f.close(); err != nil {
		t.Error(err)
	}
}

func TestFile_RefusesForeignFiles(t *testing.T) {
	folder := t.TempDir()
	damaged := filepath.Join(folder, "damaged.db")
	if err := os.WriteFile(damaged, []byte(strings.Repeat("this was once a database ", 400)), 0o600); err != nil {
		t.Fatal(err)
	}
	torn := filepath.Join(folder, "torn.db")
	b, err := Open(resolver, torn)
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	// Overwrite the second page, which contains the table.
	text, err := os.ReadFile(torn)
	if err != nil {
		t.Fatal(err)
	}
	copy(text[4096:], strings.Repeat("\xff", 4096))
	if err := os.WriteFile(torn, text, 0o600); err != nil {
		t.Fatal(err)
	}
	jobs := filepath.Join(folder, "jobs.db")
	store, err := repository.Open(jobs)
	if err != nil {
		t.Fatal(err)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		damaged: "move it away to start with the defaults",
		torn:    "move it away to start with the defaults",
		jobs:    "the file belongs to another program",
		folder:  "is a directory",
	} {
		_, err := Open(resolver, path)
		if err == nil || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want an error that names %s and says %q", err, path, want)
		}
		if got := job.ExitOf(err); got != job.ExitUsage {
			t.Errorf("%s: got exit code %d, want %d", path, got, job.ExitUsage)
		}
	}
}
