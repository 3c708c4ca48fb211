package manual_test

import (
	"os"
	"path/filepath"
	"testing"

	"sledge/internal/manual"
)

// When this fails, run go generate ./internal/cli.
func TestTheSchemasSayWhatTheTypesSay(t *testing.T) {
	t.Chdir(filepath.Join("..", ".."))
	files, err := manual.Schemas()
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range files {
		if got, err := os.ReadFile(filepath.Join("docs", filepath.FromSlash(name))); err != nil || string(got) != string(want) {
			t.Errorf("docs/%s: it does not say what the types say (%v)", name, err)
		}
	}
	entries, err := os.ReadDir(filepath.Join("docs", "json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if files["json/"+e.Name()] == nil {
			t.Errorf("docs/json/%s: it is of a shape that is no more", e.Name())
		}
	}
}
