package interpreter

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

func TestTheProgramIsUnpackedOnceAndChecked(t *testing.T) {
	needTcl(t)
	sum, err := fs.ReadFile(helper, path.Join(helperFolder, "tclsh.sha256"))
	if err != nil {
		t.Fatal(err)
	}
	want := strings.TrimSpace(string(sum))
	folder := filepath.Join(t.TempDir(), "of this user")
	var together sync.WaitGroup
	for range 3 {
		together.Go(func() {
			if _, err := unpackIn(folder, want); err != nil {
				t.Error(err)
			}
		})
	}
	together.Wait()
	program, err := unpackIn(folder, want)
	if err != nil {
		t.Fatal(err)
	}
	for name, mode := range map[string]os.FileMode{folder: 0o700, program: 0o700} {
		if info, err := os.Stat(name); err != nil || info.Mode().Perm() != mode {
			t.Errorf("%s: got mode %v, %v, want %o", name, info.Mode(), err, mode)
		}
	}
	if entries, _ := os.ReadDir(folder); len(entries) != 1 {
		t.Errorf("the folder contains %v, want only the program", entries)
	}
	if err := os.Truncate(program, 1000); err != nil {
		t.Fatal(err)
	}
	if _, err := unpackIn(folder, want); err != nil {
		t.Fatal(err)
	}
	if got, err := checksum(program); got != want {
		t.Errorf("a damaged program stays: got %s, %v, want %s", got, err, want)
	}
}

func TestTclStartsWithoutAHome(t *testing.T) {
	needTcl(t)
	temporary := t.TempDir()
	for name, value := range map[string]string{"HOME": "", "XDG_CACHE_HOME": "", "LocalAppData": "", "TMPDIR": temporary, "TMP": temporary} {
		t.Setenv(name, value)
	}
	tcl, err := StartTcl(t.Context(), Config{Commands: []string{"do"}, Handle: nothing, Environ: os.Environ()})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := tcl.Eval(t.Context(), "clock format 0 -gmt 1 -format %Y"); got != "1970" {
		t.Errorf("got %q, %v", got, err)
	}
	if err := tcl.Close(); err != nil {
		t.Error(err)
	}
	if left, _ := os.ReadDir(temporary); len(left) > 0 {
		t.Errorf("it leaves %v", left)
	}
}

func TestTclStartsWithADamagedCache(t *testing.T) {
	needTcl(t)
	cache := t.TempDir()
	for _, name := range []string{"HOME", "XDG_CACHE_HOME", "LocalAppData"} {
		t.Setenv(name, cache)
	}
	year := func() string {
		t.Helper()
		tcl, err := StartTcl(t.Context(), Config{Environ: os.Environ()})
		if err != nil {
			t.Fatal(err)
		}
		defer tcl.Close()
		got, err := tcl.Eval(t.Context(), "clock format 0 -gmt 1 -format %Y")
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	year()
	program, _, err := unpacked()
	if err != nil {
		t.Fatal(err)
	}
	for _, lost := range []string{"init.tcl", "clock.tcl"} {
		if err := os.Remove(filepath.Join(filepath.Dir(program), "library", lost)); err != nil {
			t.Fatal(err)
		}
	}
	if got := year(); got != "1970" {
		t.Errorf("without a part of its library: got %q, want 1970", got)
	}
	if err := os.Chmod(program, 0o600); err != nil { // as on a file system mounted with noexec
		t.Fatal(err)
	}
	if got := year(); got != "1970" {
		t.Errorf("without the right to run it there: got %q, want 1970", got)
	}
}
