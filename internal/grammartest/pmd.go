package grammartest

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"sledge/internal/testserver"
)

//go:embed pmd.xml
var pmdRules string

// PMD is the PL/SQL grammar of PMD, a code analyzer in Java. It stops at the first problem in a
// statement. It needs a semicolon after every statement, as SQL*Plus does.
func PMD(t testing.TB, statements []Statement) []Problem {
	t.Helper()
	folder := installed(t, "pmd")
	java, err := exec.LookPath("java")
	if err != nil {
		testserver.Lack(t, "pmd", "there is no java for PMD")
	}
	return remember(t, []string{filepath.Base(folder), pmdRules}, statements, func() []Problem { return parseByPMD(t, java, folder, statements) })
}

// parseByPMD parses statements by PMD in a folder.
func parseByPMD(t testing.TB, java, folder string, statements []Statement) []Problem {
	t.Helper()
	files := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(files, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("rules.xml", pmdRules)
	for i, s := range statements {
		text := strings.TrimSpace(s.Text)
		if !strings.HasSuffix(text, ";") {
			text += ";"
		}
		write(fmt.Sprintf("%d.sql", i), text+"\n/\n")
	}
	cmd := exec.CommandContext(t.Context(), java, "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp", filepath.Join(folder, "*"), "net.sourceforge.pmd.cli.PmdCli",
		"check", "--dir", files, "--rulesets", filepath.Join(files, "rules.xml"), "--format", "json", "--no-progress", "--no-cache")
	var said strings.Builder
	cmd.Stderr = &said
	output, err := cmd.Output()
	var found struct {
		ProcessingErrors []struct{ Filename, Message string }
	}
	if json.Unmarshal(output, &found) != nil || len(statements) > 0 && len(found.ProcessingErrors) == 0 && err != nil {
		t.Fatalf("PMD: %v\n%s", err, said.String())
	}
	var problems []Problem
	for _, f := range found.ProcessingErrors {
		number, err := strconv.Atoi(strings.TrimSuffix(filepath.Base(f.Filename), ".sql"))
		if err != nil {
			t.Fatalf("PMD: %s: %s", f.Filename, f.Message)
		}
		line := 1
		if m := pmdLine.FindStringSubmatch(f.Message); m != nil {
			line, _ = strconv.Atoi(m[1]) // digits
		}
		_, what, _ := strings.Cut(f.Message, ": Encountered")
		what, _, _ = strings.Cut(what, "\n")
		problems = append(problems, Problem{statements[number], line, "unexpected" + what})
	}
	return problems
}

// pmdLine matches the line number in a message.
var pmdLine = regexp.MustCompile(`at line (\d+), column`)
