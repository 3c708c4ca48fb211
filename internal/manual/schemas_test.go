package manual_test

import (
	"os"
	"path/filepath"
	"testing"

	"sledge/internal/manual"
)

// If this fails, run go generate ./internal/cli.
func TestSchemas_AgreeWithTheTypes(t *testing.T) {
	t.Chdir(filepath.Join("..", ".."))
	files, err := manual.Schemas()
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range files {
		if got, err := os.ReadFile(filepath.Join("docs", filepath.FromSlash(name))); err != nil || string(got) != string(want) {
			t.Errorf("docs/%s does not agree with the types (%v)", name, err)
		}
	}
	entries, err := os.ReadDir(filepath.Join("docs", "json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if files["json/"+e.Name()] == nil {
			t.Errorf("docs/json/%s: the schema of a format that no longer exists", e.Name())
		}
	}
}
