package tproch_test

import (
	"strings"
	"testing"

	"sledge/internal/catalog/edition"
	"sledge/internal/database"
	"sledge/internal/engine"
	"sledge/internal/job"
	"sledge/internal/suite/workloadtest"
)

// TPC-H 1.4.2 has eight references, of one or two columns.
func TestDatabasesKeepTheReferences(t *testing.T) {
	for _, name := range []string{"postgresql", "mariadb", "mysql"} {
		t.Run(name, func(t *testing.T) {
			d, err := edition.Catalog.Database(name)
			if err != nil {
				t.Fatal(err)
			}
			values := workloadtest.Server(t, d, "")
			values["dbname"], values["scale_factor"], values["builders"] = "tproch_references", "0.01", "2"
			local := engine.Local{Catalog: edition.Catalog, Version: "test"}
			do := func(action job.Action) {
				t.Helper()
				if _, err := local.Do(t.Context(), job.Spec{Action: action, Database: name, Workload: "tproch", Seed: 1, Options: values}, job.Control{}); err != nil {
					t.Fatalf("%s: %v", action, err)
				}
			}
			do(job.Build)
			plan, err := local.Plan(job.Spec{Action: job.Check, Database: name, Workload: "tproch", Options: values})
			if err != nil {
				t.Fatal(err)
			}
			s, err := d.Sessions.Connect(t.Context(), plan.Connection, database.Owner)
			if err != nil {
				t.Fatal(err)
			}
			for _, step := range []string{"references", "references.lineitem"} { // repeated as after an interruption
				statements, err := plan.Schema.Step(step)
				if err != nil {
					t.Fatal(err)
				}
				for _, statement := range statements {
					if err := s.Exec(t.Context(), statement); err != nil {
						t.Errorf("%s once more: %v", step, err)
					}
				}
			}
			kept, err := s.Query(t.Context(), "SELECT constraint_name FROM information_schema.table_constraints WHERE constraint_type = 'FOREIGN KEY' AND constraint_name LIKE '%_fk' AND table_name IN ('lineitem', 'orders', 'partsupp', 'customer', 'supplier', 'nation')", 0)
			if err != nil {
				t.Fatal(err)
			}
			if len(kept.Rows) != 8 {
				t.Errorf("got the references %v, want 8", kept.Rows)
			}
			if name == "mariadb" { // whose planner uses column statistics if there are any
				found, err := s.Query(t.Context(), "SELECT table_name FROM mysql.column_stats WHERE db_name = 'tproch_references' GROUP BY table_name", 0)
				if err != nil || len(found.Rows) != 8 {
					t.Errorf("got column statistics of %v, %v; want them of 8 tables", found.Rows, err)
				}
			}
			for what, statement := range map[string]string{
				"deleting an order that has lines":       "DELETE FROM orders",
				"setting lines to a missing order":       "UPDATE lineitem SET l_orderkey = 9 WHERE l_orderkey = 1",
				"setting a supplier to a missing nation": "UPDATE supplier SET s_nationkey = 99",
			} {
				if err := s.Exec(t.Context(), statement); err == nil || !strings.Contains(strings.ToLower(err.Error()), "foreign key") {
					t.Errorf("%s: got %v", what, err)
				}
				_ = s.Rollback(t.Context())
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			do(job.Delete)
		})
	}
}
