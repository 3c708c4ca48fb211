//go:build !windows

package webservice

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// A user who may write to the folder can replace a log by a pipe after the check, so opening it
// must not block.
func TestLog_RefusesAPipe(t *testing.T) {
	folder := t.TempDir()
	if err := syscall.Mkfifo(filepath.Join(folder, "hammerdb.log"), 0o600); err != nil {
		t.Fatal(err)
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	if _, err := tailOf(root, "hammerdb.log"); !errors.Is(err, errNoFile) {
		t.Errorf("got %v, want errNoFile", err)
	}
}
