package results

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// A file that is overwritten keeps its text, its mode and its link until the new one is complete.
func TestWriteNew_KeepsTheOldFileUntilTheNewOneIsComplete(t *testing.T) {
	folder := t.TempDir()
	path, link := filepath.Join(folder, "a.html"), filepath.Join(folder, "link.html")
	if err := os.WriteFile(path, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("a.html", link); err != nil {
		t.Skip(err) // Windows allows links only to some users
	}
	has := func(want string) {
		t.Helper()
		text, err := os.ReadFile(path)
		info, err2 := os.Stat(path)
		files, err3 := os.ReadDir(folder)
		if err = errors.Join(err, err2, err3); err != nil || string(text) != want || info.Mode().Perm() != 0o600 || len(files) != 2 {
			t.Errorf("%v: got %q, mode %v and %d files, want %q in one file and its link", err, text, info.Mode(), len(files), want)
		}
	}
	failed := errors.New("the disk is full")
	broken := func(file *os.File) error {
		_, err := file.WriteString("ne")
		return errors.Join(err, failed)
	}
	if err := writeNew(link, "output", true, broken); !errors.Is(err, failed) {
		t.Errorf("got %v, want %v", err, failed)
	}
	has("old")
	if err := writeNew(path, "output", false, broken); err == nil {
		t.Error("an existing file was overwritten without force")
	}
	has("old")
	if err := writeNew(link, "output", true, func(file *os.File) error { _, err := file.WriteString("new"); return err }); err != nil {
		t.Error(err)
	}
	has("new")
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("%v, or the link was replaced", err)
	}
	if err := writeNew(filepath.Join(folder, "b.html"), "output", true, broken); !errors.Is(err, failed) {
		t.Errorf("a new file: got %v", err)
	}
	has("new")
}
