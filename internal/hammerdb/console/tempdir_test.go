package console

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

func TestTempDirIsTheFirstFolderOneCanWriteTo(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the order of the variables differs on Windows")
	}
	one, two, missing := t.TempDir(), t.TempDir(), filepath.Join(t.TempDir(), "missing")
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name    string
		environ []string
		want    string
	}{
		{"TMP before TMPDIR", []string{"TMPDIR=" + two, "TMP=" + one}, one},
		{"TMPDIR before TEMP", []string{"TEMP=" + one, "TMPDIR=" + two}, two},
		{"TEMP as the only one", []string{"TEMP=" + one}, one},
		{"skips a missing folder", []string{"TMP=" + missing, "TEMP=" + two}, two},
		{"skips a file", []string{"TMP=" + file, "TMPDIR=" + one}, one},
		{"the last of two lines", []string{"TMP=" + one, "TMP=" + two}, two},
		{"the system's without variables", []string{"TMPX=" + one}, os.TempDir()},
	} {
		if got := TempDir(tt.environ); got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.name, got, tt.want)
		}
	}
}
