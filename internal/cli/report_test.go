package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sledge/internal/job"
)

// Package paper tests the contents of reports.
func TestReport_DoesNotReplaceFiles(t *testing.T) {
	w := withJobs(t)
	t.Chdir(t.TempDir())
	if code := w.run("jobs", "report", "last"); code != job.OK {
		t.Fatalf("got exit code %d: %s", code, &w.err)
	}
	files, err := filepath.Glob("sledge-*.html")
	if err != nil || len(files) != 1 || w.out.String() != "Wrote "+files[0]+"\n" {
		t.Fatalf("got the files %q, %v and the output %q", files, err, &w.out)
	}
	if code := w.run("jobs", "report", "last"); code != job.ExitUsage || !strings.Contains(w.err.String(), "--force") {
		t.Errorf("a second time: got exit code %d and %q, want a refusal that names --force", code, &w.err)
	}
	if err := os.WriteFile(files[0], nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if code := w.run("jobs", "report", "last", "--force"); code != job.OK {
		t.Errorf("with --force: got exit code %d: %s", code, &w.err)
	}
	text, err := os.ReadFile(files[0])
	if err != nil || !strings.HasPrefix(string(text), "<!doctype html>") {
		t.Errorf("with --force: got %.50q, %v", text, err)
	}
	if code := w.run("jobs", "report", "last", "--output", "-"); code != job.OK || !strings.HasPrefix(w.out.String(), "<!doctype html>") {
		t.Errorf("--output -: got exit code %d and %.50q", code, &w.out)
	}
}

func TestReport_RefusesMistakes(t *testing.T) {
	w := withJobs(t)
	t.Chdir(t.TempDir())
	for _, tt := range []struct {
		words string
		code  job.Exit
		says  string
	}{
		{"", job.ExitUsage, "--profile"},
		{"FFFF", job.ExitMissing, "FFFF"},
		{"last last", job.ExitUsage, "named twice"},
		{"last --profile 1", job.ExitUsage, "leave out --profile"},
		{"--profile 0", job.ExitUsage, "0 is not the number"},
		{"--profile 1 --profile 0", job.ExitUsage, "0 is not the number"},
		{"--profile 98 --profile 99", job.ExitMissing, "no performance profile 98"},
		{"--profile 99", job.ExitMissing, "no performance profile 99"},
		{"last --json", job.ExitUsage, "HTML"},
		{"last --output nowhere/x.html", job.ExitUsage, "--output"},
	} {
		if code := w.run(append([]string{"jobs", "report"}, strings.Fields(tt.words)...)...); code != tt.code || !strings.Contains(w.err.String(), tt.says) {
			t.Errorf("report %s: got exit code %d and %q, want %d and %q", tt.words, code, &w.err, tt.code, tt.says)
		}
	}
	if files, err := filepath.Glob("*"); err != nil || len(files) > 0 {
		t.Errorf("files were written: %q, %v", files, err)
	}
}
