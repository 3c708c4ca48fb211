// Package grammartest parses the SQL of a database with grammars of other projects, for databases
// without a server to test on. A grammar knows no names, types or rights, so SQL that it accepts
// may still fail on the server.
package grammartest

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"sledge/internal/catalog"
	"sledge/internal/catalog/edition"
	"sledge/internal/database"
	"sledge/internal/engine/plan"
	"sledge/internal/job"
	"sledge/internal/option"
	"sledge/internal/sqlfile"
	"sledge/internal/suite/sessions"
	"sledge/internal/testserver"
	"sledge/internal/workload"
)

// Statement is SQL that the program sends to a server in one piece.
type Statement struct {
	Name string // "tprocc routines 3": the workload, the file and its section, and the number of the statement in it
	Text string
}

// Problem is a statement that a grammar does not accept.
type Problem struct {
	Statement Statement
	Line      int    // in the statement, from 1
	Said      string // the grammar's message
}

// String returns a message with the line at fault.
func (p Problem) String() string {
	lines := strings.Split(p.Statement.Text, "\n")
	return fmt.Sprintf("%s, line %d: %s\n\t%s", p.Statement.Name, p.Line, p.Said, strings.TrimSpace(lines[min(max(p.Line-1, 0), len(lines)-1)]))
}

// Grammar parses statements and returns the problems. It skips the test if its program is not
// installed.
type Grammar func(t testing.TB, statements []Statement) []Problem

// Statements returns the SQL of a database with each of its workloads, and of the suite of
// sessions, as the program sends it, each text once. It expands scripts with the defaults and with
// each variant's option values, except for options that the workload lacks. routines are the
// routines for drop.sql, as the signature column of installed_routines.sql spells them. It leaves
// out datafiles.sql, which is expanded with other data, and texts that are not the server's SQL.
func Statements(t testing.TB, d *database.Database, routines []string, variants ...option.Values) []Statement {
	t.Helper()
	c := collector{t: t, routines: routines, seen: map[string]bool{}}
	for _, w := range edition.Catalog.Workloads {
		if d.Refuses != nil && d.Refuses(w.Use) != "" {
			continue
		}
		for _, values := range append(variants, option.Values{}) {
			c.collect(d, w, values)
		}
	}
	c.collectSuite(d)
	return c.statements
}

type collector struct {
	t          testing.TB
	routines   []string
	seen       map[string]bool
	statements []Statement
}

func (c *collector) collect(d *database.Database, w *workload.Workload, values option.Values) {
	c.t.Helper()
	pair := catalog.Pair{Database: d, Workload: w}
	known := pair.Options()
	values = maps.Clone(values)
	maps.DeleteFunc(values, func(name, _ string) bool {
		return !slices.ContainsFunc(known, func(o option.Description) bool { return o.Name == name })
	})
	plan, err := plan.New(pair, job.Spec{Action: job.Build, Database: d.Name, Workload: w.Name, Options: values})
	if err != nil {
		c.t.Fatal(err)
	}
	if !plan.SQL.Has("schema") {
		statements, err := plan.Schema.Create(w.Schema.Tables(plan.Settings, 1))
		c.add(w.Name+" tables", statements, err)
	}
	for _, name := range plan.SQL.Names("") {
		switch {
		case strings.HasPrefix(name, "datafiles"):
		case name == "drop":
			var tables []string
			for _, table := range w.Schema.Tables(plan.Settings, 1) {
				tables = append(tables, table.Name)
			}
			statements, err := plan.SQL.Script(name, struct{ Tables, Routines []string }{tables, c.routines})
			c.add(w.Name+" "+name, statements, err)
		case strings.HasPrefix(name, "explain."):
			text, err := plan.SQL.Filled(name, map[string]string{"query": "SELECT 1 AS one"})
			c.add(w.Name+" "+name, []string{text}, err)
		default:
			statements, err := plan.SQL.Script(name, plan)
			if err == nil && len(statements) == 1 && !strings.Contains(plan.SQL.Text(name), "{{") {
				var q sqlfile.Query
				q, err = plan.SQL.Query(name)
				statements = []string{q.Text}
			}
			c.add(w.Name+" "+name, statements, err)
		}
	}
}

// collectSuite collects what the suite of sessions sends.
func (c *collector) collectSuite(d *database.Database) {
	c.t.Helper()
	statements, err := sessions.Statements(d)
	for _, s := range statements {
		c.add("suite "+s.Name, []string{s.Text}, nil)
	}
	if err != nil {
		c.t.Fatal(err)
	}
}

func (c *collector) add(name string, statements []string, err error) {
	c.t.Helper()
	if err != nil {
		c.t.Fatalf("%s: %v", name, err)
	}
	for i, text := range statements {
		if c.seen[text] || !strings.ContainsAny(text, " \n") { // a single word is not SQL, but the name of a table
			continue
		}
		c.seen[text] = true
		c.statements = append(c.statements, Statement{fmt.Sprintf("%s %d", name, i+1), text})
	}
}

// Check fails the test for each problem that the grammar reports, except for known mistakes of the
// grammar. wrongAbout lists these: a text that occurs in the problem's line or message, and why the
// server accepts it. Check also fails for a text in wrongAbout that no problem contains.
func Check(t *testing.T, grammar Grammar, statements []Statement, wrongAbout map[string]string) {
	t.Helper()
	if len(statements) == 0 {
		t.Fatal("there are no statements to parse")
	}
	missed := maps.Clone(wrongAbout)
	for _, problem := range grammar(t, statements) {
		said, excused := problem.String(), false
		for text := range wrongAbout {
			if strings.Contains(said, text) {
				delete(missed, text)
				excused = true
			}
		}
		if !excused {
			t.Error(said)
		}
	}
	for text := range missed {
		t.Errorf("the grammar reports no problem with %q: remove it from the list", text)
	}
}

// installed returns the folder of a program that scripts/test-servers installs. If it is missing, it skips
// the test, or fails it if SLEDGE_TEST_REQUIRE lists the name.
func installed(t testing.TB, name string) string {
	t.Helper()
	folder := testserver.Fetched(name + "-*")
	if folder == "" {
		testserver.Lack(t, name, name+" is not installed: run scripts/test-servers")
	}
	return folder
}
