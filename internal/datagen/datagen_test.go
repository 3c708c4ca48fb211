package datagen_test

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"sledge/internal/catalog"
	"sledge/internal/database/postgresql"
	"sledge/internal/database/sqlite"
	"sledge/internal/datagen"
	"sledge/internal/engine/plan"
	"sledge/internal/job"
	"sledge/internal/option"
	"sledge/internal/workload"
	"sledge/internal/workload/tprocc"
)

// offline returns a plan for PostgreSQL. The tests that use it do not connect.
func offline(t *testing.T, w *workload.Workload, values option.Values) plan.Plan {
	t.Helper()
	plan, err := plan.New(catalog.Pair{Database: postgresql.Database, Workload: w}, job.Spec{Database: "postgresql", Workload: w.Name, Seed: 1, Options: values})
	if err != nil {
		t.Fatal(err)
	}
	return plan
}

// generate fills a new folder and returns the texts of its files by name.
func generate(t *testing.T, c datagen.Config) map[string]string {
	t.Helper()
	c.Folder = t.TempDir()
	if _, err := datagen.Generate(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	return texts(t, c.Folder)
}

func texts(t *testing.T, folder string) map[string]string {
	t.Helper()
	texts := map[string]string{}
	for _, name := range list(t, folder) {
		text, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		texts[name] = string(text)
	}
	return texts
}

func list(t *testing.T, folder string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func TestFilesHaveTheirFormat(t *testing.T) {
	backslashes := map[string]string{
		"notes_1.tbl":  "1|a\\|b|plain\n2||\"quoted\", and 'so'\n",
		"notes_2.tbl":  "3|\\\\.|back\\\\slash \\| at its end\\\\\n4|two\\nlines\\||\\ttab; and \\\\N\n",
		"places_1.tbl": "1|\n2|2026-01-01 12:00:00\n3|\n4|\n",
		"places_2.tbl": "5|\n6|\n7|\n8|2026-01-02 00:00:00\n",
		"words_1.tbl":  "one\ntwo\nthree\n",
	}
	got := generate(t, datagen.Config{Plan: offline(t, special, nil), Workers: 2})
	for name, want := range backslashes {
		if got[name] != want {
			t.Errorf("%s: got %q, want %q", name, got[name], want)
		}
	}
	if len(got) != len(backslashes)+4 { // and the scripts and the manifest
		t.Errorf("got %d files %v", len(got), got)
	}

	plan, err := plan.New(catalog.Pair{Database: sqlite.Database, Workload: special}, job.Spec{Database: "sqlite", Workload: "special"})
	if err != nil {
		t.Fatal(err)
	}
	quoted := "1|\"a|b\"|plain\n2||\"\"\"quoted\"\", and 'so'\"\n3|\\.|\"back\\slash | at its end\\\"\n4|\"two\nlines|\"|\ttab; and \\N\n"
	if got := generate(t, datagen.Config{Plan: plan}); got["notes_1.tbl"] != quoted {
		t.Errorf("for quotes: got %q, want %q", got["notes_1.tbl"], quoted)
	}
}

// The test has three warehouses, because each of the three workers needs one.
func TestWorkersWriteWhatOneWouldWrite(t *testing.T) {
	if testing.Short() {
		t.Skip("three warehouses are two hundred megabytes, twice")
	}
	plan := offline(t, tprocc.Workload, option.Values{"warehouses": "3"})
	one := generate(t, datagen.Config{Plan: plan})
	three := generate(t, datagen.Config{Plan: plan, Workers: 3})
	for _, table := range tprocc.Workload.Schema.Tables(plan.Settings, 1) {
		together := three[table.Name+"_1.tbl"] + three[table.Name+"_2.tbl"] + three[table.Name+"_3.tbl"]
		if alone := one[table.Name+"_1.tbl"]; together != alone {
			t.Errorf("%s: the %d bytes of three workers differ from the %d bytes of one", table.Name, len(together), len(alone))
		}
		if _, ok := three[table.Name+"_3.tbl"]; ok == (table.Name == "item") {
			t.Errorf("%s: a third file exists: got %t", table.Name, ok)
		}
	}
}

func TestCompressedFilesHoldTheSame(t *testing.T) {
	plan := offline(t, special, nil)
	plain := generate(t, datagen.Config{Plan: plan})
	compressed := generate(t, datagen.Config{Plan: plan, Compression: datagen.Gzip})
	for name, want := range plain {
		if !strings.HasSuffix(name, ".tbl") {
			continue
		}
		z, err := gzip.NewReader(strings.NewReader(compressed[name+".gz"]))
		if err != nil {
			t.Fatalf("%s.gz: %v", name, err)
		}
		if got, err := io.ReadAll(z); err != nil || string(got) != want {
			t.Errorf("%s.gz: got %q and %v, want %q", name, got, err, want)
		}
	}
}

func TestOverwrite_IsRequiredToReplaceFiles(t *testing.T) {
	for _, there := range []string{"notes_1.tbl", "words_7.tbl.gz", "load-postgresql.sql"} {
		t.Run(there, func(t *testing.T) {
			folder := t.TempDir()
			old := filepath.Join(folder, there)
			if err := os.WriteFile(old, []byte("old"), 0o600); err != nil {
				t.Fatal(err)
			}
			c := datagen.Config{Plan: offline(t, special, nil), Folder: folder}
			_, err := datagen.Generate(t.Context(), c)
			if got := new(datagen.ExistsError); !errors.As(err, got) || got.File != old || job.ExitOf(err) != job.ExitExists {
				t.Errorf("got error %v, want one of %s", err, old)
			}
			if got := texts(t, folder); len(got) != 1 || got[there] != "old" {
				t.Errorf("got %v in the folder, want the earlier files", got)
			}
			c.Overwrite = true
			if _, err := datagen.Generate(t.Context(), c); err != nil {
				t.Fatal(err)
			}
			want := []string{"create-postgresql.sql", "datagen.manifest.json", "finish-postgresql.sql", "load-postgresql.sql", "notes_1.tbl", "places_1.tbl", "words_1.tbl"}
			got := texts(t, folder)
			if names := list(t, folder); !slices.Equal(names, want) || got[there] == "old" {
				t.Errorf("got files %v, want %v", names, want)
			}
		})
	}
}

func TestGeneration_LeavesForeignFiles(t *testing.T) {
	folder := t.TempDir()
	for _, name := range []string{"notes.tbl", "notes_x.tbl", "mine_1.tbl", "notes_1.tbl.bak"} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte("mine"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := datagen.Generate(t.Context(), datagen.Config{Plan: offline(t, special, nil), Folder: folder, Overwrite: true}); err != nil {
		t.Fatal(err)
	}
	if got := texts(t, folder); got["notes.tbl"]+got["notes_x.tbl"]+got["mine_1.tbl"]+got["notes_1.tbl.bak"] != "minemineminemine" {
		t.Errorf("got %v, want the files of other programs unchanged", got)
	}
}

func TestGeneration_LeavesNothingIfInterrupted(t *testing.T) {
	for name, folder := range map[string]string{
		"in an existing folder": t.TempDir(),
		"in a new folder":       filepath.Join(t.TempDir(), "made"),
	} {
		t.Run(name, func(t *testing.T) {
			_, missing := os.Stat(folder)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			var once sync.Once
			_, err := datagen.Generate(ctx, datagen.Config{
				Plan: offline(t, tprocc.Workload, nil), Folder: folder,
				Tell: func(e job.Event) {
					if e.Step != nil && e.Step.Name == job.StepRows && e.Step.Of == "stock" { // when order_line is whole
						once.Do(cancel)
					}
				},
			})
			if job.ExitOf(err) != job.ExitStopped {
				t.Errorf("got error %v, want one of having been stopped", err)
			}
			if missing != nil {
				if _, err := os.Stat(folder); err == nil {
					t.Error("the new folder still exists")
				}
				return
			}
			if left := list(t, folder); len(left) > 0 {
				t.Errorf("got files %v, want none", left)
			}
		})
	}
}

func TestGeneration_LeavesEarlierFilesIfInterrupted(t *testing.T) {
	c := datagen.Config{Plan: offline(t, special, nil), Folder: t.TempDir(), Overwrite: true}
	if _, err := datagen.Generate(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	before := texts(t, c.Folder)
	ctx, cancel := context.WithCancel(t.Context())
	c.Tell = func(job.Event) { cancel() }
	c.Workers = 2
	if _, err := datagen.Generate(ctx, c); job.ExitOf(err) != job.ExitStopped {
		t.Errorf("got error %v, want one of having been stopped", err)
	}
	after := texts(t, c.Folder)
	if len(after) != len(before) || after["notes_1.tbl"] != before["notes_1.tbl"] {
		t.Errorf("got files %v, want the files from before", after)
	}
}

func TestGeneration_ClaimsItsFolder(t *testing.T) {
	c := datagen.Config{Plan: offline(t, special, nil), Folder: t.TempDir()}
	var second error
	var once sync.Once
	c.Tell = func(job.Event) {
		once.Do(func() {
			_, second = datagen.Generate(t.Context(), datagen.Config{Plan: c.Plan, Folder: c.Folder})
		})
	}
	if _, err := datagen.Generate(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	if job.ExitOf(second) != job.ExitExists {
		t.Errorf("got error %v of the second generation, want an error that the folder is in use", second)
	}
}

func TestMistakesAreRefusedBeforeAnythingIsWritten(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	empty := *special
	empty.Schema.DataFiles = nil
	at := func(folder string) datagen.Config {
		return datagen.Config{Plan: offline(t, special, nil), Folder: folder}
	}
	with := func(change func(*datagen.Config)) datagen.Config {
		c := at(t.TempDir())
		change(&c)
		return c
	}
	for _, tt := range []struct {
		name string
		c    datagen.Config
		want string
	}{
		{"a file for a folder", at(file), "directory " + file + " is not a writable location: not a directory"},
		{"a folder in no folder", at(filepath.Join(file, "a", "b")), "is not a writable location"},
		{"more workers than units", with(func(c *datagen.Config) { c.Workers = 5 }), "5 workers are more than the 4 units: each needs one"},
		{"more parts than units", with(func(c *datagen.Config) { c.Parts = 5 }), "5 parts are more than the 4 units: each needs one"},
		{"too many workers", with(func(c *datagen.Config) { c.Workers, c.Parts = 1025, 1 }), "1025 workers are more than the limit of 1024"},
		{"a workload without files", with(func(c *datagen.Config) { c.Plan = offline(t, &empty, nil) }), "Special has no data files: use sledge build"},
		{"an unknown format", with(func(c *datagen.Config) { c.Format = "orc" }), "format orc is not one of tbl, dbgen, csv, parquet"},
		{"a compression for others", with(func(c *datagen.Config) { c.Compression = datagen.Snappy }), "compression snappy is not one of those for tbl files: none, gzip, zstd"},
		{"a header of no CSV", with(func(c *datagen.Config) { c.Header = true }), "only csv files have a header, and these are tbl files"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := datagen.Generate(t.Context(), tt.c)
			if err == nil || !strings.Contains(err.Error(), tt.want) || job.ExitOf(err) != job.ExitUsage {
				t.Errorf("got error %v (exit code %d), want %q", err, job.ExitOf(err), tt.want)
			}
		})
	}
}

func TestFormats_RefuseEmptyTextThatLoadsAsNull(t *testing.T) {
	for _, row := range []string{"1\t\tx\n", "1\t\\N\t\n", "1\tx\t\n"} {
		before := notes[2]
		notes[2] = row
		_, err := datagen.Generate(t.Context(), datagen.Config{Plan: offline(t, special, nil), Folder: t.TempDir()})
		notes[2] = before
		if err == nil || !strings.Contains(err.Error(), "is an empty text, which these files cannot distinguish from NULL") {
			t.Errorf("%q: got error %v, want an error about an empty text", row, err)
		}
	}
}

func TestVirtualUsers_DescribeTheirWork(t *testing.T) {
	if testing.Short() {
		t.Skip("two warehouses are a hundred and fifty megabytes")
	}
	plan := offline(t, tprocc.Workload, option.Values{"warehouses": "2"})
	folder := t.TempDir()
	var mu sync.Mutex
	told := map[int][]string{}
	_, err := datagen.Generate(t.Context(), datagen.Config{Plan: plan, Folder: folder, Workers: 2, Tell: func(e job.Event) {
		mu.Lock()
		defer mu.Unlock()
		if e.Step == nil || e.Step.Stage == job.GoesOn && e.Step.Count < 2 { // only slow machines report this
			return
		}
		told[e.User] = append(told[e.User], strings.ReplaceAll(fmt.Sprintf("%s %s %s %d", e.Step.Name, e.Step.Stage, e.Step.Of, e.Step.Count), folder, "DIR"))
	}})
	if err != nil {
		t.Fatal(err)
	}
	for user, want := range map[int][]string{
		1: {"file begins DIR/item_1.tbl 0", "rows begins item 0", "generate goes on  2", "generate ends 2 0"},
		2: {
			"file begins DIR/order_line_1.tbl 0", "rows begins order_line 1", "file begins DIR/stock_1.tbl 0", "rows begins stock 1",
			"file begins DIR/customer_1.tbl 0", "rows begins customer 1", "file begins DIR/history_1.tbl 0", "rows begins history 1",
			"file begins DIR/orders_1.tbl 0", "rows begins orders 1", "file begins DIR/new_order_1.tbl 0", "rows begins new_order 1",
			"file begins DIR/district_1.tbl 0", "rows begins district 0", "file begins DIR/warehouse_1.tbl 0", "rows begins warehouse 0",
		},
	} {
		if !slices.Equal(slices.Compact(told[user]), want) {
			t.Errorf("virtual user %d: got %q, want %q", user, told[user], want)
		}
	}
	if !slices.Contains(told[3], "rows begins stock 2") {
		t.Errorf("virtual user 3: got %q, want the second warehouse", told[3])
	}
}
