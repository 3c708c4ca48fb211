package option_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sledge/internal/option"
)

func TestReadFile_TakesOnlyRegularFilesOfLimitedSize(t *testing.T) {
	folder := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	if text, err := option.ReadFile(write("short", "0,100")); err != nil || string(text) != "0,100" {
		t.Errorf("got %q and %v", text, err)
	}
	if _, err := option.ReadFile(filepath.Join(folder, "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing file: got %v", err)
	}
	for path, want := range map[string]string{
		folder: "not a regular file",
		write("long", strings.Repeat("x", 1<<20+1)): "it is longer than 1 MiB",
	} {
		if _, err := option.ReadFile(path); err == nil || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want an error with the file's name and %q", path, err, want)
		}
	}
}

func TestSameName_IgnoresCaseAndSeparators(t *testing.T) {
	for _, name := range []string{"new order", "new_order", "New-Order", "neworder"} {
		if !option.SameName("new order", name) {
			t.Errorf("%q is not the same name as \"new order\"", name)
		}
	}
	if option.SameName("new order", "new orders") {
		t.Error(`"new orders" is the same name as "new order"`)
	}
}
