package oracle_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"sledge/internal/catalog/edition"
	"sledge/internal/database/oracle"
	"sledge/internal/datagen"
	"sledge/internal/engine/plan"
	"sledge/internal/grammartest"
	"sledge/internal/job"
	"sledge/internal/option"
)

// No Oracle server is available to run the SQL, so grammars of other projects parse it.
func TestSQL_ParsesWithGrammars(t *testing.T) {
	statements := grammartest.Statements(t, oracle.Database, []string{"neword"},
		option.Values{"warehouses": "200", "partition": "true", "hash_clusters": "true"},
	)
	statements = append(statements, ofScripts(t, statements)...)
	t.Run("sqlfluff", func(t *testing.T) {
		grammartest.Check(t, grammartest.Sqlfluff("oracle"), statements, map[string]string{
			"ORGANIZATION INDEX":    "it has no index-organised tables: SQL Language Reference, CREATE TABLE",
			"ORGANIZATION EXTERNAL": "it has no external tables: the same",
			"PARTITION BY HASH":     "it has no partitions: the same",
			"CLUSTER":               "it has no hash clusters: CREATE CLUSTER, and CREATE TABLE",
			"DISABLE TABLE LOCK":    "it has no such clause: ALTER TABLE",
			"Items are NURand":      "it does not know assignments to elements of a collection; PMD does",
		})
	})
	t.Run("PMD", func(t *testing.T) {
		grammartest.Check(t, grammartest.PMD, statements, map[string]string{})
	})
}

// TestForallHasItsIndexInSubscripts checks a rule that is not part of any grammar: Oracle reports
// PLS-00430 if the index of FORALL is used outside a subscript.
func TestForallHasItsIndexInSubscripts(t *testing.T) {
	text, err := os.ReadFile("sql/tprocc/routines.sql")
	if err != nil {
		t.Fatal(err)
	}
	statements := forall.FindAllStringSubmatch(string(text), -1)
	if len(statements) < 5 {
		t.Fatalf("got %d statements with FORALL", len(statements))
	}
	for _, s := range statements {
		rest := strings.ReplaceAll(s[2], "("+s[1]+")", "")
		if regexp.MustCompile(`\b` + s[1] + `\b`).MatchString(rest) {
			t.Errorf("FORALL %s uses its index by itself: %s", s[1], s[2])
		}
	}
}

var forall = regexp.MustCompile(`(?s)FORALL (\w+) IN ([^;]*);`)

// ofScripts returns the statements in the SQL*Plus scripts that datagen writes, without SQL*Plus's
// own commands and without known statements.
func ofScripts(t *testing.T, known []grammartest.Statement) (list []grammartest.Statement) {
	t.Helper()
	seen := map[string]bool{}
	for _, s := range known {
		seen[s.Text] = true
	}
	for workload, values := range map[string]option.Values{"tprocc": {}, "tproch": {"scale_factor": "0.01"}} {
		pair, err := edition.Catalog.Pair("oracle", workload)
		if err != nil {
			t.Fatal(err)
		}
		plan, err := plan.New(pair, job.Spec{Action: job.Build, Database: "oracle", Workload: workload, Seed: 1, Options: values})
		if err != nil {
			t.Fatal(err)
		}
		folder := t.TempDir()
		result, err := datagen.Generate(t.Context(), datagen.Config{Plan: plan, Folder: folder, Format: datagen.CSV, Header: true})
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range result.Scripts.Order() {
			script, err := os.ReadFile(filepath.Join(folder, name))
			if err != nil {
				t.Fatal(err)
			}
			for i, text := range strings.Split(string(script), "\n/\n") {
				if text = withoutCommands(text); text != "" && !seen[text] {
					seen[text] = true
					list = append(list, grammartest.Statement{Name: fmt.Sprintf("%s %s, statement %d", workload, name, i+1), Text: text})
				}
			}
		}
	}
	return list
}

// withoutCommands removes the leading SQL*Plus commands and comments from a text.
func withoutCommands(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	for len(lines) > 0 && (lines[0] == "" || lines[0] == "EXIT" || strings.HasPrefix(lines[0], "--") || strings.HasPrefix(lines[0], "WHENEVER ") || strings.HasPrefix(lines[0], "SET DEFINE ")) {
		lines = lines[1:]
	}
	return strings.TrimSpace(strings.Join(lines, "\n"))
}
