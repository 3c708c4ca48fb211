package cli

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sledge/internal/job"
)

func TestDatagenWritesFilesOnce(t *testing.T) {
	w := newWorld(t)
	folder := filepath.Join(t.TempDir(), "files")
	for _, step := range []struct {
		args     string
		want     job.Exit
		out, err string
	}{
		{"", job.OK, "rows, 78 MB at ", ""},
		{"", job.ExitExists, "", "already exists: choose another --dir, or replace the files with --overwrite"},
		{"--overwrite --hammerdb", job.OK, "9 files in " + folder, "Vuser 1:1 WAREHOUSE SCHEMA GENERATED in "},
		{"--gzip --overwrite --seed 2 --verbose", job.OK, ", compressed to ", "Vuser 1:Generating Stock Wid=1"},
	} {
		args := append([]string{"datagen", "--db", "sqlite", "--dir", folder}, strings.Fields(step.args)...)
		code := w.run(args...)
		if strings.Contains(w.out.String()+w.err.String(), "Vuser") != strings.HasPrefix(step.err, "Vuser") {
			t.Errorf("sledge %s: got %q and %q, want HammerDB's lines only where they are asked for", strings.Join(args, " "), &w.out, &w.err)
		}
		if code != step.want || !strings.Contains(w.out.String(), step.out) || !strings.Contains(w.err.String(), step.err) {
			t.Errorf("sledge %s: got exit code %d, %q and %q, want %d, %q and %q", strings.Join(args, " "),
				code, &w.out, &w.err, step.want, step.out, step.err)
		}
	}
	if _, err := os.Stat(filepath.Join(folder, "stock_1.tbl")); err == nil {
		t.Error("stock_1.tbl is still there beside its compressed successor")
	}
	if len(w.asked) > 0 {
		t.Errorf("the runner was asked for %v, want nothing: files are no job", w.asked)
	}
}

func TestDatagenRefusesMistakes(t *testing.T) {
	folder := t.TempDir()
	for _, tt := range []struct{ args, want string }{
		{"--db pg", "--dir is missing"},
		{"--dir " + folder, "no database chosen"},
		{"--db pg --workers 0 --dir " + folder, "--workers: 0 is not between 1 and 1024"},
		{"--db pg --workers 2 --dir " + folder, "2 workers are more than the 1 warehouses: each needs one of its own"},
		{"--db pg --warehouses none --dir " + folder, "option warehouses"},
		{"--db pg --dir " + filepath.Join(folder, "a", "b"), "is not a writable location"},
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

// presser presses Ctrl-C when a line is shown.
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

func TestCtrlCEndsDatagenWithoutFiles(t *testing.T) {
	w := newWorld(t)
	folder := t.TempDir()
	stderr := &presser{at: "Generating Stock Wid=1", signals: w.signals}
	w.Args = []string{"datagen", "--db", "pg", "--warehouses", "4", "--dir", folder, "--verbose"}
	w.Stdout, w.Stderr = &w.out, stderr
	if code := w.Run(context.Background()); code != job.ExitStopped {
		t.Errorf("got exit code %d, want %d", code, job.ExitStopped)
	}
	if !strings.HasSuffix(stderr.String(), "sledge: stopped: no file was left behind\n") {
		t.Errorf("got %q, want that it was cancelled", stderr.String())
	}
	if left, err := os.ReadDir(folder); err != nil || len(left) > 0 {
		t.Errorf("got files %v, %v, want none", left, err)
	}
}
