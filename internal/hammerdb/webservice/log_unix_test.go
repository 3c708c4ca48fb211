//go:build !windows

package webservice

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// Whoever may write to the folder can have a pipe take the place of a log that was looked
// at: nobody waits for who writes to it.
func TestAPipeInThePlaceOfALogIsNotWaitedFor(t *testing.T) {
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
		t.Errorf("got %v, want that it is no file", err)
	}
}
