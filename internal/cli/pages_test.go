package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"sledge/internal/manual"
)

func TestDoctorPage_IsCurrent(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", manual.DoctorName))
	if want := manual.DoctorPage(newWorld(t).Program.Resolver.Known().Databases); err != nil || string(page) != want {
		t.Errorf("%s does not agree with the checks (%v): run go generate ./internal/cli", manual.DoctorName, err)
	}
}

func TestCommandPages_AreCurrent(t *testing.T) {
	pages, err := manual.CommandPages(Commands(newWorld(t).Program))
	if err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join("..", "..", "docs", "commands")
	for name, text := range pages {
		if page, err := os.ReadFile(filepath.Join(folder, name)); err != nil || !bytes.Equal(page, text) {
			t.Errorf("%s does not agree with the command (%v): run go generate ./internal/cli", name, err)
		}
	}
	files, err := os.ReadDir(folder)
	if err != nil || len(files) != len(pages) {
		t.Errorf("got %d files and error %v, want a page for each of %d commands", len(files), err, len(pages))
	}
}
