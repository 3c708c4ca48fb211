package db2

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// withLibrary creates a file with the library's name.
func withLibrary(t *testing.T, parts ...string) string {
	t.Helper()
	folder := filepath.Join(parts...)
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(folder, libraryNames()[0])
	if err := os.WriteFile(file, []byte("not a library"), 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestCandidates_SearchesFoldersOfClients(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the folders differ by system")
	}
	root := t.TempDir()
	home, second := filepath.Join(root, "home"), filepath.Join(root, "second")
	want := []string{
		withLibrary(t, second, "lib"),
		withLibrary(t, root, "path"),
		withLibrary(t, home, "sqllib", "lib64"),
		withLibrary(t, home, ".local/lib/python3.11/site-packages/clidriver/lib"),
	}
	environment := map[string]string{"HOME": home, "IBM_DB_HOME": second, "LD_LIBRARY_PATH": "/nowhere:" + filepath.Join(root, "path")}
	found, looked, err := candidates("", func(name string) string { return environment[name] })
	if err != nil {
		t.Fatal(err)
	}
	found = slices.DeleteFunc(found, func(file string) bool { return !strings.HasPrefix(file, root) })
	if !slices.Equal(found, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(found, "\n"), strings.Join(want, "\n"))
	}
	for _, place := range []string{"/nowhere (LD_LIBRARY_PATH)", filepath.Join(second, "lib64") + " (IBM_DB_HOME)"} {
		if !slices.Contains(looked, place) {
			t.Errorf("got %q, want %q among them", looked, place)
		}
	}
}

func TestCandidates_ReturnsOnlyNamedLibrary(t *testing.T) {
	root := t.TempDir()
	file := withLibrary(t, root, "lib")
	none := func(string) string { return "" }
	for _, named := range []string{file, root} {
		if got, _, err := candidates(named, none); err != nil || !slices.Equal(got, []string{file}) {
			t.Errorf("%s: got %q, %v, want %q", named, got, err, file)
		}
	}
	if _, _, err := candidates(filepath.Join(root, "nothing"), none); err == nil || !strings.Contains(err.Error(), "there is no file or folder") {
		t.Errorf("got %v, want an error about a missing file", err)
	}
}

func TestLoad_ErrorNamesFile(t *testing.T) {
	file := withLibrary(t, t.TempDir())
	_, err := load(file, os.Getenv)
	if err == nil || strings.Contains(err.Error(), "\n") {
		t.Fatalf("got %v, want an error in one line", err)
	}
	if text := err.Error(); !strings.Contains(text, file) && !strings.Contains(text, "sledge-db2") {
		t.Errorf("got %q, want it to name the file, or the program that can load one", text)
	}
}
