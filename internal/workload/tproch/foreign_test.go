package tproch_test

import (
	"bytes"
	"os"
	"slices"
	"strings"
	"testing"

	"sledge/internal/catalog/edition"
	"sledge/internal/database"
	"sledge/internal/engine"
	"sledge/internal/job"
	"sledge/internal/option"
	"sledge/internal/schema"
	"sledge/internal/sqlfile"
	"sledge/internal/suite/workloadtest"
	"sledge/internal/workload/tproch"
	"sledge/internal/workload/tproch/dbgen"
)

// foreignScale is the scale factor of the schemas that are built as another program builds them.
const foreignScale = 0.01

// Schemas of HammerDB have another order of columns, other types, and on MySQL names in capitals.
// Sledge runs, checks and deletes them like its own.
func TestSchemasOfOthersAreDriven(t *testing.T) {
	wanted := answered(t, "sqlite", option.Values{"file": t.TempDir() + "/ours.db"}, true)
	for _, tt := range []struct {
		name, tables string
		capitals     bool
		differ       []int // queries whose answers depend on cents that the tables do not keep
	}{
		{"postgresql", "postgresql", false, nil},
		{"mariadb", "mysql", true, []int{2, 11}},
		{"mysql", "mysql", true, []int{2, 11}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			workloadtest.Related(t, tt.name)
			d, err := edition.Catalog.Database(tt.name)
			if err != nil {
				t.Fatal(err)
			}
			values := workloadtest.Server(t, d, "")
			values["dbname"] = "tproch_foreign"
			local := engine.Local{Catalog: edition.Catalog, Version: "test"}
			spec := job.Spec{Action: job.Check, Database: tt.name, Workload: "tproch", Seed: 1, Options: values}
			plan, err := local.Plan(spec)
			if err != nil {
				t.Fatal(err)
			}
			if err := d.Container.Create(t.Context(), plan.Connection, func(job.Event) {}); err != nil {
				t.Fatal(err)
			}
			s, err := d.Sessions.Connect(t.Context(), plan.Connection, database.Owner)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = s.Close() })
			sql := loadForeign(t, s, d, tt.tables, tt.capitals)

			got := answered(t, tt.name, values, false)
			for query, rows := range wanted {
				if got[query] != rows && !slices.Contains(tt.differ, query+1) {
					t.Errorf("query %d: got %d rows, want %d, as from our own schema", query+1, got[query], rows)
				}
			}
			findings, err := check(t, local, spec)
			if err != nil {
				t.Errorf("check: %v", err)
			}
			for _, f := range findings {
				if !f.Holds {
					t.Errorf("%s does not hold: %v", f.Rule, f.Rows)
				}
			}

			refresh := spec
			refresh.Action, refresh.Options = job.Run, values.Clone()
			refresh.Options["refresh"] = "true"
			if _, err := local.Do(t.Context(), refresh, job.Control{}); err != nil {
				t.Errorf("run with refresh functions: %v", err)
			}
			if findings, err = check(t, local, spec); err != nil {
				t.Errorf("check of the refreshed schema: %v %+v", err, findings)
			}

			// Change the rows to be like those of HammerDB's generator and its refresh functions.
			likeness, err := sql.Script("likeness", nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, statement := range likeness {
				if err := s.Exec(t.Context(), statement); err != nil {
					t.Fatal(err)
				}
			}
			findings, err = check(t, local, spec)
			if err != nil {
				t.Errorf("check of its own rows: %v", err)
			}
			var excused []string
			for _, f := range findings {
				if !f.Holds && f.Excuse != "" {
					excused = append(excused, f.Rule)
				}
			}
			if want := []string{"rows", "status"}; !slices.Equal(excused, want) {
				t.Errorf("got %q excused, want %q", excused, want)
			}

			if err := s.Exec(t.Context(), "CREATE TABLE foreign_table (n INT)"); err != nil {
				t.Fatal(err)
			}
			spec.Action = job.Build
			if _, err := local.Do(t.Context(), spec, job.Control{}); job.ExitOf(err) != job.ExitExists {
				t.Errorf("a build beside it: got %v", err)
			}
			spec.Action = job.Delete
			if _, err := local.Do(t.Context(), spec, job.Control{}); err != nil {
				t.Errorf("delete: %v", err)
			}
			left, err := plan.Schema.Relations(t.Context(), s)
			delete(left, "sledge_created") // exists as long as the database
			if err != nil || len(left) != 1 || left["foreign_table"].Kind != "table" {
				t.Errorf("got %v (%v), want only the foreign object", left, err)
			}
		})
	}
}

// loadForeign creates the tables, loads dbgen's rows, and returns the SQL library that it used.
func loadForeign(t *testing.T, s database.Session, d *database.Database, file string, capitals bool) *sqlfile.Library {
	t.Helper()
	sql, err := sqlfile.NewLibrary(d.Dialect.Placeholder, sqlfile.Place{Files: os.DirFS("testdata"), Dir: "foreign"})
	if err != nil {
		t.Fatal(err)
	}
	size, err := dbgen.NewScale(foreignScale)
	if err != nil {
		t.Fatal(err)
	}
	run := func(script string) {
		statements, err := sql.Script(script, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, statement := range statements {
			if err := s.Exec(t.Context(), statement); err != nil {
				t.Fatalf("%s: %v", statement, err)
			}
		}
	}
	run(file)
	names := map[string]string{}
	for _, table := range dbgen.Tables {
		into := schema.Table{Name: table.String()}
		if capitals {
			into.Name = strings.ToUpper(into.Name)
			names[table.String()] = into.Name
		}
		for _, c := range table.Columns() {
			into.Columns = append(into.Columns, schema.Column{Name: c.Name, Type: schema.Varchar}) // databases convert the text to the types of their columns
		}
		var rows schema.RowSource = size.Source(table, dbgen.LoadText, 1, size.Count(table))
		if capitals && table == dbgen.PartSupp {
			rows = &wholeCosts{source: rows}
		}
		if _, err := s.Load(t.Context(), into, rows); err != nil {
			t.Fatalf("load %s: %v", into.Name, err)
		}
	}
	run(file + ".keys")
	return sql.Renamed(names)
}

// wholeCosts removes the cents of PS_SUPPLYCOST.
type wholeCosts struct {
	source schema.RowSource
	row    []byte
}

func (w *wholeCosts) AppendRow(buf []byte) ([]byte, bool) {
	row, more := w.source.AppendRow(w.row[:0])
	w.row = row
	if !more {
		return buf, false
	}
	fields := bytes.Split(row, []byte{'\t'})
	cost, _, _ := bytes.Cut(fields[3], []byte{'.'})
	fields[3] = cost
	return append(buf, bytes.Join(fields, []byte{'\t'})...), true
}

// answered runs the 22 queries with the validation parameters and returns the number of rows of
// each. If build is true, it builds the schema first.
func answered(t *testing.T, name string, values option.Values, build bool) []int64 {
	t.Helper()
	local := engine.Local{Catalog: edition.Catalog, Version: "test"}
	values = values.Clone()
	if build {
		values["scale_factor"] = "0.01"
		if _, err := local.Do(t.Context(), job.Spec{Action: job.Build, Database: name, Workload: "tproch", Seed: 1, Options: values}, job.Control{}); err != nil {
			t.Fatal(err)
		}
		delete(values, "scale_factor")
	}
	values["validation"] = "true"
	result, err := local.Do(t.Context(), job.Spec{Action: job.Run, Database: name, Workload: "tproch", Seed: 1, Users: 1, Options: values}, job.Control{})
	if err != nil {
		t.Fatalf("run on %s: %v", name, err)
	}
	if e := result.Explained; e == nil || e.Plans != 22 {
		t.Errorf("got plans %+v, want those of 22 queries", e)
	}
	rows := make([]int64, len(tproch.Workload.Kinds))
	for _, span := range result.Spans {
		kind, _ := tproch.Workload.KindNamed(span.Kind)
		rows[kind] = span.Rows
	}
	return rows
}

func check(t *testing.T, local engine.Local, spec job.Spec) ([]job.Finding, error) {
	t.Helper()
	spec.Action = job.Check
	result, err := local.Do(t.Context(), spec, job.Control{})
	return result.Findings, err
}
