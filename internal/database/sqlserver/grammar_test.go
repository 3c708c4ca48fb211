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

// variants are options by which the SQL differs.
var variants = []option.Values{
	{"in_memory": "true", "durability": "SCHEMA_ONLY", "warehouses": "3"},
	{"columnstore": "true", "partition_by_date": "true", "advanced_statistics": "true"},
	{"partition_by_date": "true", "maxdop": "4"},
}

func TestItsSQLIsOfSqlfluffsGrammar(t *testing.T) {
	grammartest.Check(t, grammartest.Sqlfluff("tsql"), grammartest.Statements(t, sqlserver.Database, routines, variants...), map[string]string{
		"WITH SAMPLE 20 PERCENT": "it knows CREATE STATISTICS without its options",
		"WITH FULLSCAN":          "it knows CREATE STATISTICS without its options",
	})
}

func TestItsSQLIsWhatMicrosoftsParserTakes(t *testing.T) {
	grammartest.Check(t, grammartest.Microsoft, grammartest.Statements(t, sqlserver.Database, routines, variants...), nil)
}

// executed is a text that a statement has executed: grammars pass over it.
var executed = regexp.MustCompile(`EXECUTE \('((?:[^']|'')*)'\)`)

// What the program puts together, what statements execute, and what sqlcmd reads of the scripts
// that datagen writes, but for what is in the schema's own files.
func TestOtherSQLIsOfBothGrammars(t *testing.T) {
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

// Babelfish takes only part of T-SQL: https://babelfishpg.org/docs/usage/limitations-of-babelfish
// says which, and its sources which views it has. What only options ask for is not looked at, since it has
// no tables in memory or by column.
func TestItsSQLIsSuchAsBabelfishTakes(t *testing.T) {
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
		// It has few of these views, and its TRY does not catch that one is missing.
		if view := regexp.MustCompile(`\bFROM sys\.dm_\w+`).FindString(statement.Text); view != "" {
			name := strings.TrimPrefix(view, "FROM ")
			if !strings.Contains(statement.Text, "OBJECT_ID('"+name+"')") {
				t.Errorf("%s: it reads %s and does not ask before whether there is one", statement.Name, name)
			}
		}
	}
}

// A program in bcp's place says what it was called with, and how many rows the file has.
func TestTheScriptForAShellCallsBCPForEachFile(t *testing.T) {
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
