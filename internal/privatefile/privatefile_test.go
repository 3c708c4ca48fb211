package privatefile

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

func TestReplace_WritesAPrivateFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "kept.json")
	for _, text := range []string{"first", "second"} {
		if err := Replace(path, []byte(text)); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != text {
			t.Errorf("got %q and %v, want %q", got, err, text)
		}
		if err := os.Chmod(path, 0o644); err != nil { // Replace makes the file private again
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
		t.Errorf("got %v and %v, want only the file", left, err)
	}
}

func TestReplace_LeavesTheFileIfItFails(t *testing.T) {
	path := filepath.Join(t.TempDir(), "folder")
	if err := os.MkdirAll(filepath.Join(path, "in it"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := Replace(path, []byte("text")); err == nil {
		t.Error("Replace replaced a folder with a file")
	}
	if left, err := os.ReadDir(filepath.Dir(path)); err != nil || len(left) != 1 {
		t.Errorf("got %v and %v, want only the folder", left, err)
	}
}
