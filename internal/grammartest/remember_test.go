package grammartest

import (
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"testing"
)

func TestProblems_AreRememberedForTheSameParserAndStatements(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the cache folder has another variable")
	}
	folder := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", folder)
	parsed := 0
	ask := func(parser, text string) {
		t.Helper()
		statements := []Statement{{"good", "SELECT 1"}, {"bad", text}}
		want := []Problem{{statements[1], 3, "unexpected"}}
		got := remember(t, []string{parser}, statements, func() []Problem { parsed++; return want })
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s of %s: got %v, want %v", parser, text, got, want)
		}
	}
	for _, asked := range []struct {
		parser, text string
		parsed       int
	}{{"1.0", "SELECT", 1}, {"1.0", "SELECT", 1}, {"1.1", "SELECT", 2}, {"1.0", "SELECT ", 3}, {"1.1", "SELECT", 3}} {
		if ask(asked.parser, asked.text); parsed != asked.parsed {
			t.Errorf("%s of %q: parsed %d times, want %d", asked.parser, asked.text, parsed, asked.parsed)
		}
	}
	saved, err := filepath.Glob(filepath.Join(folder, "sledge-grammars", "*.json"))
	if err != nil || len(saved) != 3 {
		t.Fatalf("got the files %q, %v", saved, err)
	}
	for _, file := range saved {
		if err := os.WriteFile(file, []byte("{damaged"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if ask("1.0", "SELECT"); parsed != 4 {
		t.Error("a damaged file was taken for an answer")
	}
}
