package sqlite

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"sledge/internal/database"
)

// A build opens the lock file while another build holds it. It locks the file only after the other
// build has removed it and a third build has created a new one.
func TestClaim_IgnoresTheLockOfARemovedFile(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows cannot remove a file that is open")
	}
	ctx, options := t.Context(), &Options{File: filepath.Join(t.TempDir(), "a.db")}
	release, err := claim(ctx, options, false)
	if err != nil {
		t.Fatal(err)
	}
	late, err := openClaim(ctx, options.File+"-build")
	if err != nil {
		t.Fatal(err)
	}
	defer late.Close()
	if err := lock(ctx, late, false); !errors.Is(err, database.ErrClaimed) {
		t.Errorf("while another build has the claim: got %v, want %v", err, database.ErrClaimed)
	}
	if err := release(); err != nil {
		t.Fatal(err)
	}
	release, err = claim(ctx, options, false)
	if err != nil {
		t.Fatal(err)
	}
	if err := lock(ctx, late, false); !errors.Is(err, errGivenUp) {
		t.Errorf("the lock of the removed file: got %v, want %v", err, errGivenUp)
	}
	if _, err := claim(ctx, options, false); !errors.Is(err, database.ErrClaimed) {
		t.Errorf("a second claim: got %v, want %v", err, database.ErrClaimed)
	}
	if err := release(); err != nil {
		t.Fatal(err)
	}
	left, err := os.ReadDir(filepath.Dir(options.File))
	if err != nil || len(left) != 0 {
		t.Errorf("got %v, %v after both released their claims, want no files", left, err)
	}
}
