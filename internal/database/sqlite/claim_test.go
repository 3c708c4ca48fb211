package sqlite

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"sledge/internal/database"
)

// One build opens the lock file while another holds it, and gets its lock after the other has
// removed it and a third has created a new one.
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
		t.Errorf("while another has the claim: got %v, want %v", err, database.ErrClaimed)
	}
	if err := release(); err != nil {
		t.Fatal(err)
	}
	release, err = claim(ctx, options, false)
	if err != nil {
		t.Fatal(err)
	}
	if err := lock(ctx, late, false); !errors.Is(err, errGivenUp) {
		t.Errorf("of the file that was removed: got %v, want %v", err, errGivenUp)
	}
	if _, err := claim(ctx, options, false); !errors.Is(err, database.ErrClaimed) {
		t.Errorf("a second claim: got %v, want %v", err, database.ErrClaimed)
	}
	if err := release(); err != nil {
		t.Fatal(err)
	}
	left, err := os.ReadDir(filepath.Dir(options.File))
	if err != nil || len(left) != 0 {
		t.Errorf("got %v, %v after both gave their claims up, want nothing", left, err)
	}
}
