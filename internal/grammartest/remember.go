package grammartest

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"sledge/internal/privatefile"
)

// remember returns the problems that parse finds. Grammars written in Python or Java take long, and depend on
// nothing but their program and the statements. So the problems are saved in the user's cache folder, as Go
// saves the results of tests there. parser names the program with its version, and what it is told.
func remember(t testing.TB, parser []string, statements []Statement, parse func() []Problem) (problems []Problem) {
	t.Helper()
	text, err := json.Marshal([]any{parser, statements})
	if err != nil {
		t.Fatal(err)
	}
	folder, err := os.UserCacheDir()
	if err != nil {
		return parse()
	}
	file := filepath.Join(folder, "sledge-grammars", fmt.Sprintf("%x.json", sha256.Sum256(text)))
	if saved, err := os.ReadFile(file); err == nil && json.Unmarshal(saved, &problems) == nil {
		return problems
	}
	problems = parse()
	if err := privatefile.ReplaceJSON(file, problems); err != nil {
		t.Logf("the problems were not saved: %v", err)
	}
	return problems
}
