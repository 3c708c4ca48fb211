//go:build bench

package bench

import (
	"embed"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"
	"text/template"

	"sledge/internal/engine/plan"
	"sledge/internal/sqlfile"
)

// scripts are pgbench scripts that send the same statements as sledge. They are templates: {{sql
// "payment.select_customer"}} is replaced by sledge's statement, so that both always send the same
// text.
//
//go:embed testdata
var scripts embed.FS

// pgbenchWeights is HammerDB's mix, which is sledge's default.
var pgbenchWeights = []struct {
	script string
	weight int
}{
	{"neworder.sql", 10}, {"payment.sql", 10}, {"delivery.sql", 1}, {"stocklevel.sql", 1}, {"orderstatus.sql", 1},
}

// constants replace texts that sledge computes or takes from an earlier answer, which pgbench
// cannot do. They have the length of the real texts.
var constants = map[string]string{
	"s_dist": strings.Repeat("d", 24),
	"h_data": strings.Repeat("h", 20),
	"c_data": strings.Repeat("c", 400),
}

// writeScripts expands the scripts of a folder and returns the folder of the results. It also
// creates the SQL function for customers' names that they use.
func (p postgreSQL) writeScripts(t *testing.T, folder string) string {
	t.Helper()
	helper, err := scripts.ReadFile("testdata/last_name.sql")
	if err != nil {
		t.Fatal(err)
	}
	p.execute(t, p.database, string(helper))
	plan := p.plan(t, cpuWarehouses())
	written := t.TempDir()
	for _, s := range pgbenchWeights {
		if err := writeScript(filepath.Join(written, s.script), path.Join("testdata", folder, s.script), plan); err != nil {
			t.Fatal(err)
		}
	}
	return written
}

func writeScript(to, from string, plan plan.Plan) error {
	functions := template.FuncMap{
		"sql":   func(name string) (string, error) { return pgbenchText(plan.SQL, name) },
		"lines": func() []int { return []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15} },
		// gset stores the columns of the only row in variables, aset those of the last row.
		"gset":      func(text string) string { return strings.TrimSuffix(text, ";") + ` \gset` },
		"aset":      func(text string) string { return strings.TrimSuffix(text, ";") + ` \aset` },
		"districts": func() []int { return []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10} },
	}
	return expand(to, from, functions)
}

// expand writes a file from one of our templates.
func expand(to, from string, functions template.FuncMap) error {
	t, err := template.New(path.Base(from)).Funcs(functions).ParseFS(scripts, from)
	if err != nil {
		return err
	}
	f, err := os.Create(to)
	if err != nil {
		return err
	}
	return errors.Join(t.Execute(f, nil), f.Close())
}

// pgbenchText returns a statement with pgbench's variables as parameters. pgbench can draw only
// numbers, so for a last name it sends the name's number, and the server computes the name.
func pgbenchText(library *sqlfile.Library, name string) (string, error) {
	q, err := library.Query(name)
	if err != nil {
		return "", err
	}
	text := q.Text
	for n := len(q.Params); n > 0; n-- { // from the last, because $1 is also the beginning of $10
		variable := ":" + q.Params[n-1]
		if q.Params[n-1] == "c_last" {
			variable = "bench_last_name(:name_number)"
		}
		text = strings.ReplaceAll(text, fmt.Sprintf("$%d", n), variable)
	}
	return text + ";", nil
}
