package console

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestSaveScriptWritesNoHiddenFile(t *testing.T) {
	folder := t.TempDir()
	c, out := newConsole(t, "")
	call(t, c, "loadscript")
	for _, name := range []string{folder + string(filepath.Separator), filepath.Join(folder, ".tcl"), ".tcl"} {
		out.Reset()
		call(t, c, "savescript "+name)
		want := "Error: " + name + " names no file: add the script's name, such as " + filepath.Join(filepath.Dir(name), "script.tcl") + "\n"
		if out.String() != want {
			t.Errorf("got %q, want %q", out, want)
		}
	}
	if left, err := os.ReadDir(folder); err != nil || len(left) > 0 {
		t.Errorf("got %v and %v, want no files", left, err)
	}
	call(t, c, "savescript "+filepath.Join(folder, "own"))
	if _, err := os.Stat(filepath.Join(folder, "own.tcl")); err != nil {
		t.Error(err)
	}
}

func TestAnEmptyDirectoryOfGenerationIsTheTemporaryOne(t *testing.T) {
	temporary := t.TempDir()
	var out bytes.Buffer
	c, err := New(Config{Bench: bench, Out: &out, Environ: []string{"TMP=" + temporary}})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	call(t, c, "dgset directory "+t.TempDir())
	out.Reset()
	call(t, c, "dgset directory {}")
	if want := "Set directory to " + temporary + " for data generation\n"; out.String() != want {
		t.Errorf("got %q, want %q", out.String(), want)
	}
	if got := c.book.Generic(datagenSection, "gen_directory"); got != "" {
		t.Errorf("got gen_directory %q, want none", got)
	}
	out.Reset()
	call(t, c, "dgset compress maybe")
	if want := `"maybe" is not one of 0, 1, false, true, no, yes, off, on`; !strings.Contains(out.String(), want) {
		t.Errorf("got %q, want %q", out.String(), want)
	}
}
