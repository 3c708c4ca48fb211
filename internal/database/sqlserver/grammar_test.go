package sqlserver_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"sledge/internal/catalog/edition"
	"sledge/internal/database/sqlserver"
	"sledge/internal/datagen"
	"sledge/internal/engine/plan"
	"sledge/internal/grammartest"
	"sledge/internal/job"
	"sledge/internal/option"
)

// routines are the procedures that a drop removes, as the server lists them.
var routines = []string{"[neword]", "[payment]"}

// variants are option values that change the SQL.
var variants = []option.Values{
	{"in_memory": "true", "durability": "SCHEMA_ONLY", "warehouses": "3"},
	{"columnstore": "true", "partition_by_date": "true", "advanced_statistics": "true"},
	{"partition_by_date": "true", "maxdop": "4"},
}

func TestSQL_ParsesWithSqlfluff(t *testing.T) {
	grammartest.Check(t, grammartest.Sqlfluff("tsql"), grammartest.Statements(t, sqlserver.Database, routines, variants...), map[string]string{
		"WITH SAMPLE 20 PERCENT": "it knows CREATE STATISTICS without its options",
		"WITH FULLSCAN":          "it knows CREATE STATISTICS without its options",
	})
}

func TestSQL_ParsesWithMicrosoftsParser(t *testing.T) {
	grammartest.Check(t, grammartest.Microsoft, grammartest.Statements(t, sqlserver.Database, routines, variants...), nil)
}

// executed matches SQL in a string that a statement executes, which grammars do not parse.
var executed = regexp.MustCompile(`EXECUTE \('((?:[^']|'')*)'\)`)

// The SQL outside the .sql files: composed by the package, in strings that statements execute, and
// in the sqlcmd scripts that datagen writes.
func TestOtherSQL_ParsesWithBothGrammars(t *testing.T) {
	var batches []grammartest.Statement
	for i, text := range sqlserver.Sent(t) {
		batches = append(batches, grammartest.Statement{Name: fmt.Sprintf("composed %d", i+1), Text: text})
	}
	seen := map[string]bool{}
	for _, statement := range grammartest.Statements(t, sqlserver.Database, nil, variants...) {
		seen[statement.Text] = true
		for _, m := range executed.FindAllStringSubmatch(statement.Text, -1) {
			batches = append(batches, grammartest.Statement{Name: statement.Name + " executes", Text: strings.ReplaceAll(m[1], "''", "'")})
		}
	}
	add := func(workload string, values option.Values, c datagen.Config) {
		pair, err := edition.Catalog.Pair("sqlserver", workload)
		if err != nil {
			t.Fatal(err)
		}
		c.Plan, err = plan.New(pair, job.Spec{Action: job.Build, Database: "sqlserver", Workload: workload, Seed: 1, Options: values})
		if err != nil {
			t.Fatal(err)
		}
		c.Folder = t.TempDir()
		result, err := datagen.Generate(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range result.Scripts.Order() {
			text, err := os.ReadFile(filepath.Join(c.Folder, name))
			if err != nil {
				t.Fatal(err)
			}
			for i, batch := range strings.Split(string(text), "\nGO\n") {
				if batch = strings.TrimSpace(batch); batch != "" && !seen[batch] {
					seen[batch] = true
					batches = append(batches, grammartest.Statement{Name: fmt.Sprintf("%s %s, batch %d", workload, name, i+1), Text: batch})
				}
			}
		}
	}
	add("tprocc", option.Values{"in_memory": "true"}, datagen.Config{})
	for _, c := range []datagen.Config{{}, {Format: datagen.Dbgen, Compression: datagen.Gzip}, {Format: datagen.CSV, Header: true}} {
		add("tproch", option.Values{"scale_factor": "0.01"}, c)
	}
	t.Run("sqlfluff", func(t *testing.T) {
		grammartest.Check(t, grammartest.Sqlfluff("tsql"), batches, map[string]string{
			"CHECKPOINT":            "it does not know it",
			"DROP PARTITION SCHEME": "it does not know it",
			"LOCK_ESCALATION":       "it does not know it",
		})
	})
	t.Run("Microsoft", func(t *testing.T) { grammartest.Check(t, grammartest.Microsoft, batches, nil) })
}

// Babelfish supports only part of T-SQL: see
// https://babelfishpg.org/docs/usage/limitations-of-babelfish, and its sources for the views. The
// test leaves out SQL for options that Babelfish lacks, such as in_memory and columnstore.
func TestSQL_AvoidsWhatBabelfishLacks(t *testing.T) {
	lacking := map[string]*regexp.Regexp{
		"has no MERGE":                             regexp.MustCompile(`(?i)\bMERGE\b`),
		"has no += and the like":                   regexp.MustCompile(`[-+*/%]=`),
		"has no CREATE OR ALTER":                   regexp.MustCompile(`(?i)\bCREATE\s+OR\s+ALTER\b`),
		"refuses NOCHECK":                          regexp.MustCompile(`(?i)\bNOCHECK\b`),
		"sets one value in two sessions":           regexp.MustCompile(`(?i)\bSET\s+@?\w+\s*=\s*@?\w+\s*=`),
		"appends a hash to an index's name":        regexp.MustCompile(`(?i)FROM sys\.indexes WHERE object_id = \S+ AND name = `),
		"has no sys.parameters":                    regexp.MustCompile(`(?i)\bsys\.parameters\b`),
		"has no such column in its sys.assemblies": regexp.MustCompile(`(?i)\ba\.is_user_defined\b`),
	}
	for _, statement := range grammartest.Statements(t, sqlserver.Database, routines) {
		for what, pattern := range lacking {
			if found := pattern.FindString(statement.Text); found != "" {
				t.Errorf("%s: Babelfish %s: %q", statement.Name, what, found)
			}
		}
		// Babelfish has few of these views, and its TRY does not catch the error about a missing
		// view.
		if view := regexp.MustCompile(`\bFROM sys\.dm_\w+`).FindString(statement.Text); view != "" {
			name := strings.TrimPrefix(view, "FROM ")
			if !strings.Contains(statement.Text, "OBJECT_ID('"+name+"')") {
				t.Errorf("%s: it reads %s without checking that it exists", statement.Name, name)
			}
		}
	}
}

// A stand-in for bcp prints its arguments and the number of rows in the file.
func TestShellScript_CallsBCPForEachFile(t *testing.T) {
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Skip(err)
	}
	folder, programs := t.TempDir(), t.TempDir()
	pair, err := edition.Catalog.Pair("sqlserver", "tproch")
	if err != nil {
		t.Fatal(err)
	}
	plan, err := plan.New(pair, job.Spec{Action: job.Build, Database: "sqlserver", Workload: "tproch", Seed: 1, Options: option.Values{"scale_factor": "0.01"}})
	if err != nil {
		t.Fatal(err)
	}
	result, err := datagen.Generate(t.Context(), datagen.Config{Plan: plan, Folder: folder, Workers: 2, Compression: datagen.Gzip})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(programs, "bcp"), []byte("#!/bin/sh\necho $(wc -l < $3) \"$@\"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	script := exec.CommandContext(t.Context(), shell, filepath.Join(folder, result.Scripts.LoadShell), "-S", "a server")
	script.Env = append(os.Environ(), "PATH="+programs+string(os.PathListSeparator)+os.Getenv("PATH"))
	said, err := script.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	var want strings.Builder
	for _, f := range result.Files {
		name := strings.TrimSuffix(f.Name, ".gz")
		fmt.Fprintf(&want, "%d dbo.sledge_load_%s in %s -c -t | -r 0x0a -m 1 -a 16000 -h TABLOCK -S a server\n", f.Rows, f.Table, name)
		if _, err := os.Stat(filepath.Join(folder, name)); err == nil {
			t.Errorf("%s was left behind", name)
		}
	}
	if string(said) != want.String() {
		t.Errorf("got\n%swant\n%s", said, want.String())
	}
}
