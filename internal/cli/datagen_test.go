package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sledge/internal/datagen"
	"sledge/internal/job"
)

func TestDatagen_WritesFilesOnce(t *testing.T) {
	w := newWorld(t)
	folder := filepath.Join(t.TempDir(), "files")
	for _, step := range []struct {
		args     string
		want     job.Exit
		out, err string
	}{
		{"", job.OK, "rows, 78 MB at ", ""},
		{"", job.ExitExists, "", "already exists: choose another --dir, or replace the files with --overwrite"},
		{"--overwrite --hammerdb", job.OK, "9 files and datagen.manifest.json in " + folder, "Vuser 1:1 WAREHOUSE SCHEMA GENERATED in "},
		{"--gzip --overwrite --seed 2 --verbose", job.OK, ", compressed to ", "Vuser 1:Generating Stock Wid=1"},
	} {
		args := append([]string{"datagen", "--db", "sqlite", "--dir", folder}, strings.Fields(step.args)...)
		code := w.run(args...)
		if strings.Contains(w.out.String()+w.err.String(), "Vuser") != strings.HasPrefix(step.err, "Vuser") {
			t.Errorf("sledge %s: got %q and %q, want HammerDB's lines only if they are requested", strings.Join(args, " "), &w.out, &w.err)
		}
		if code != step.want || !strings.Contains(w.out.String(), step.out) || !strings.Contains(w.err.String(), step.err) {
			t.Errorf("sledge %s: got exit code %d, %q and %q, want %d, %q and %q", strings.Join(args, " "),
				code, &w.out, &w.err, step.want, step.out, step.err)
		}
	}
	if _, err := os.Stat(filepath.Join(folder, "stock_1.tbl")); err == nil {
		t.Error("stock_1.tbl exists beside its compressed successor")
	}
	if len(w.asked) > 0 {
		t.Errorf("the runner got the jobs %v, want none, because datagen is not a job", w.asked)
	}
}

func TestDatagen_RefusesMistakes(t *testing.T) {
	folder := t.TempDir()
	for _, tt := range []struct{ args, want string }{
		{"--db pg", "--dir is missing"},
		{"--warehouses none --dir " + folder, "option warehouses"},
		{"--db pg --workers 0 --dir " + folder, "--workers: 0 is not between 1 and 1024"},
		{"--db pg --workers 2 --dir " + folder, "2 workers are more than the 1 warehouses: each needs one"},
		{"--db pg --warehouses none --dir " + folder, "option warehouses"},
		{"--db pg --dir " + filepath.Join(folder, "a", "b"), "is not a writable location"},
		{"--db pg --format orc --dir " + folder, "format orc is not one of tbl, dbgen, csv, parquet"},
		{"--db pg --header --dir " + folder, "only csv files have a header"},
		{"--db pg --gzip --compress zstd --dir " + folder, "--gzip and --compress zstd contradict each other"},
		{"--db pg --compress snappy --dir " + folder, "compression snappy is not one of those for tbl files"},
		{"--db pg --parts -1 --dir " + folder, "--parts: -1 is not between 1 and 100000"},
		{"--db pg --workload tproch --scale 0.001 --parts 11 --dir " + folder, "11 parts are more than the 10 suppliers: each needs one"},
		{"--db pg --workload tproch --warehouses 2 --dir " + folder, "warehouses"},
		{"--db pg --workload tproch --scale 0 --dir " + folder, "scale factor 0: choose one from 0.001"},
		{"verify", "sledge datagen verify: name the folder whose files to compare"},
		{"verify " + folder + " " + folder, "name the folder"},
		{"--db pg --host db1 --dir " + folder, "no flag --host"},
	} {
		w := newWorld(t)
		code := w.run(append([]string{"datagen"}, strings.Fields(tt.args)...)...)
		if code != job.ExitUsage || !strings.Contains(w.err.String(), tt.want) {
			t.Errorf("sledge datagen %s: got exit code %d and %q, want %d and %q", tt.args, code, &w.err, job.ExitUsage, tt.want)
		}
	}
	if left, err := os.ReadDir(folder); err != nil || len(left) > 0 {
		t.Errorf("got files %v, %v, want none", left, err)
	}
}

// Files for a database that Sledge does not support can be written without --db.
func TestDatagen_NeedsNoDatabase(t *testing.T) {
	w := newWorld(t)
	folder := t.TempDir()
	if code := w.run("datagen", "--workload", "tproch", "--scale", "0.01", "--format", "csv", "--dir", folder); code != job.OK ||
		!strings.Contains(w.out.String(), "No scripts were written: --db names the database that will load the files.") {
		t.Fatalf("got exit code %d, %q and %q", code, &w.out, &w.err)
	}
	if scripts, err := filepath.Glob(filepath.Join(folder, "*.sql")); err != nil || len(scripts) > 0 {
		t.Errorf("got scripts %v and error %v, want none", scripts, err)
	}
	if code := w.run("datagen", "verify", folder); code != job.OK {
		t.Errorf("got exit code %d and %q, want all files", code, &w.err)
	}
}

func TestDatagenVerify_ComparesFiles(t *testing.T) {
	w := newWorld(t)
	folder := t.TempDir()
	if code := w.run("datagen", "--db", "pg", "--workload", "tproch", "--scale", "0.001", "--format", "parquet", "--parts", "2", "--dir", folder); code != job.OK {
		t.Fatalf("got exit code %d and %q", code, &w.err)
	}
	if code := w.run("datagen", "verify", folder); code != job.OK || !strings.Contains(w.out.String(), "All 14 files in "+folder+" match their manifest: scale factor 0.001") {
		t.Errorf("got exit code %d and %q, want a message that all files match", code, &w.out)
	}
	if err := os.Truncate(filepath.Join(folder, "part_2.parquet"), 7); err != nil {
		t.Fatal(err)
	}
	if code := w.run("datagen", "verify", folder); code != job.ExitError || !strings.HasPrefix(w.out.String(), "part_2.parquet has 7 bytes instead of ") ||
		!strings.Contains(w.err.String(), "files in "+folder+" that differ from their manifest: 1") {
		t.Errorf("got exit code %d, %q and %q, want one different file", code, &w.out, &w.err)
	}
	folder = t.TempDir()
	strange := "\x1b]0;owned\a"
	manifest, err := json.Marshal(datagen.Manifest{Schema: "sledge-datagen-1", Format: datagen.Tbl, Files: []datagen.File{{Name: strange + "_1.tbl", Table: strange, Part: 1, Parts: 1}}})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, datagen.ManifestName), manifest, 0o600); err != nil {
		t.Fatal(err)
	}
	if code := w.run("datagen", "verify", folder); code != job.ExitError || !strings.Contains(w.out.String(), "owned") || strings.ContainsAny(w.out.String(), "\x1b\a") {
		t.Errorf("got exit code %d and %q, want a missing file, and no control characters", code, &w.out)
	}
	if code := w.run("datagen", "verify", t.TempDir()); code != job.ExitMissing {
		t.Errorf("an empty folder: got exit code %d, want %d", code, job.ExitMissing)
	}
}

// presser is a writer that presses Ctrl-C when a given line is printed.
type presser struct {
	bytes.Buffer
	at      string
	signals chan<- os.Signal
}

func (p *presser) Write(text []byte) (int, error) {
	if bytes.Contains(text, []byte(p.at)) {
		p.signals <- os.Interrupt
	}
	return p.Buffer.Write(text)
}

func TestDatagen_CtrlCLeavesNoFiles(t *testing.T) {
	w := newWorld(t)
	folder := t.TempDir()
	stderr := &presser{at: "Generating Stock Wid=1", signals: w.signals}
	w.Args = []string{"datagen", "--db", "pg", "--warehouses", "4", "--dir", folder, "--verbose"}
	w.Stdout, w.Stderr = &w.out, stderr
	if code := Run(context.Background(), w.Program); code != job.ExitStopped {
		t.Errorf("got exit code %d, want %d", code, job.ExitStopped)
	}
	if !strings.HasSuffix(stderr.String(), "sledge: stopped: no file was left behind\n") {
		t.Errorf("got %q, want the message that it was stopped", stderr.String())
	}
	if left, err := os.ReadDir(folder); err != nil || len(left) > 0 {
		t.Errorf("got files %v, %v, want none", left, err)
	}
}
