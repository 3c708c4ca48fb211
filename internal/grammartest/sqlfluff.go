package grammartest

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"os/exec"
	"path/filepath"
	"testing"

	"sledge/internal/testserver"
)

//go:embed sqlfluff.py
var sqlfluffProgram string

// Sqlfluff is the grammar of sqlfluff, a linter in Python, for a dialect: "tsql", "oracle",
// "postgres". It stops at the first problem in a statement.
func Sqlfluff(dialect string) Grammar {
	return func(t testing.TB, statements []Statement) []Problem {
		t.Helper()
		folder := installed(t, "sqlfluff")
		python, err := exec.LookPath("python3")
		if err != nil {
			testserver.Lack(t, "sqlfluff", "there is no python3 for sqlfluff")
		}
		parser := []string{filepath.Base(folder), sqlfluffProgram, dialect}
		return remember(t, parser, statements, func() []Problem { return parseBySqlfluff(t, python, folder, dialect, statements) })
	}
}

// parseBySqlfluff parses statements by sqlfluff in a folder.
func parseBySqlfluff(t testing.TB, python, folder, dialect string, statements []Statement) []Problem {
	t.Helper()
	texts := make([]string, len(statements))
	for i, s := range statements {
		texts[i] = s.Text
	}
	input, err := json.Marshal(texts)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), python, "-c", sqlfluffProgram, folder, dialect)
	cmd.Stdin = bytes.NewReader(input)
	var said bytes.Buffer
	cmd.Stderr = &said
	output, err := cmd.Output()
	if cmd.ProcessState != nil && cmd.ProcessState.ExitCode() == 3 {
		testserver.Lack(t, "sqlfluff", said.String())
	}
	if err != nil {
		t.Fatalf("sqlfluff: %v\n%s", err, said.String())
	}
	var found []struct {
		Number, Line int
		Said         string
	}
	if err := json.Unmarshal(output, &found); err != nil {
		t.Fatal(err)
	}
	problems := make([]Problem, len(found))
	for i, f := range found {
		problems[i] = Problem{statements[f.Number], f.Line, f.Said}
	}
	return problems
}
