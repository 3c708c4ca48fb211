package manual_test

import (
	"os"
	"path/filepath"
	"testing"

	"sledge/internal/catalog/edition"
	"sledge/internal/manual"
	"sledge/internal/settings"
)

// If this fails, run go generate ./internal/cli.
func TestPages_AgreeWithTheDeclarations(t *testing.T) {
	folder := filepath.Join("..", "..", "docs", "options")
	wanted := map[string]bool{}
	for pair := range edition.Catalog.Known().Pairs() {
		name, want := manual.OptionsPage(pair)
		wanted[name] = true
		got, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			t.Error(err)
			continue
		}
		if string(got) != string(want) {
			t.Errorf("%s: the page does not agree with the declarations", name)
		}
	}
	wanted[manual.ModesName] = true
	want, err := manual.ModesPage(settings.Resolver{Catalog: edition.Catalog.Known()})
	if got, _ := os.ReadFile(filepath.Join(folder, manual.ModesName)); err != nil || string(got) != string(want) {
		t.Errorf("%s: the page does not agree with the declarations (%v)", manual.ModesName, err)
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !wanted[e.Name()] {
			t.Errorf("%s: a page of a pair that is not in the catalog", e.Name())
		}
	}
}
