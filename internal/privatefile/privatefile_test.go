package privatefile

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

func TestAFileIsReplacedByOneThatOnlyItsOwnerReads(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "kept.json")
	for _, text := range []string{"first", "second"} {
		if err := Replace(path, []byte(text)); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != text {
			t.Errorf("got %q and %v, want %q", got, err, text)
		}
		if err := os.Chmod(path, 0o644); err != nil { // the next is private again
			t.Fatal(err)
		}
	}
	if err := Replace(path, nil); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("got %v and %v, want mode 0600", info.Mode(), err)
	}
	if left, err := os.ReadDir(filepath.Dir(path)); err != nil || len(left) != 1 {
		t.Errorf("got %v and %v, want the file and nothing else", left, err)
	}
}

func TestAFileThatCannotBeReplacedStaysAsItIs(t *testing.T) {
	path := filepath.Join(t.TempDir(), "folder")
	if err := os.MkdirAll(filepath.Join(path, "in it"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := Replace(path, []byte("text")); err == nil {
		t.Error("a folder was replaced by a file")
	}
	if left, err := os.ReadDir(filepath.Dir(path)); err != nil || len(left) != 1 {
		t.Errorf("got %v and %v, want the folder and nothing else", left, err)
	}
}
