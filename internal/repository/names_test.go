package repository

import (
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"testing"

	"sledge/internal/catalog/edition"
	"sledge/internal/hammerdb/names"
	"sledge/internal/job"
	"sledge/internal/option"
)

// migrated returns a store to which jobs with these specs were added before the given migration.
// Migrations count from 1.
func migrated(t *testing.T, migration int, specs ...job.Spec) *Store {
	t.Helper()
	s := openStore(t, filepath.Join(t.TempDir(), "jobs.db"))
	for i, spec := range specs {
		text, err := json.Marshal(spec)
		if err != nil {
			t.Fatal(err)
		}
		_, err = s.db.Exec(`INSERT INTO job (id, action, database, workload, spec, kinds, status, begun_ms, seen_ms, host, pid, process_begun_ms)
			VALUES (?, ?, ?, ?, ?, '[]', 'succeeded', 0, 0, '', 0, 0)`, fmt.Sprintf("%024X", i+1), spec.Action, spec.Database, spec.Workload, string(text))
		if err != nil {
			t.Fatal(err)
		}
	}
	steps, err := readMigrations()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.db.Exec(steps[migration-1]); err != nil {
		t.Fatal(err)
	}
	return s
}

func TestMigration_RenamesOptionsOfStoredSpecs(t *testing.T) {
	const naming = 7
	var specs []job.Spec
	var want []option.Values
	add := func(database, workload string, kept, named option.Values) {
		specs = append(specs, job.Spec{Action: job.Run, Database: database, Workload: workload, Options: kept, Seed: 1})
		want = append(want, named)
	}
	for pair := range edition.Catalog.Pairs() {
		if there := []string{"mariadb", "mysql", "postgresql", "sqlite"}; pair.Workload.Users.Finite || !slices.Contains(there, pair.Database.Name) {
			continue // the option is newer than the migration
		}
		d, w := pair.Database.Name, pair.Workload.Name
		kept, named := option.Values{}, option.Values{}
		for i, o := range pair.Options() {
			if o.Secret {
				continue
			}
			named[o.Name] = fmt.Sprint("value \"", i)
			kept[names.Key(d, w, o.Name)] = named[o.Name]
		}
		add(d, w, kept, named)
	}
	for _, c := range []struct{ database, workload, key string }{
		{"oracle", "tprocc", "ora_driver"},
		{"oracle", "tprocc", "count_ware"},
		{"oracle", "tprocc", "system_user"},
		{"mssqlserver", "tprocc", "mssqls_num_vu"},
		{"db2", "tproch", "db2_scale_fact"},
		{"postgresql", "tproch", "pg_tpch_user"},
		{"postgresql", "tproch", "pg_degree_of_parallel"},
		{"postgresql", "tprocc", "pg_tpch_user"},
		{"postgresql", "tprocc", "maria_rampup"},
		{"mariadb", "tproch", "maria_tpch_storage_engine"},
		{"nosuch", "tprocc", "nosuch_rows"},
	} {
		name := names.Meant(c.database, c.workload, c.key)
		if c.database == "nosuch" {
			name = c.key // its meaning is lost
		}
		add(c.database, c.workload, option.Values{c.key: "7"}, option.Values{name: "7"})
	}
	add("postgresql", "tprocc", option.Values{}, option.Values{})
	add("postgresql", "tprocc", option.Values{"pg_rampup": "", "pg_mix": "1,1,1,1,1"}, option.Values{"rampup": "", "mix": "1,1,1,1,1"})
	add("postgresql", "tprocc", nil, nil)

	s := migrated(t, naming, specs...)
	jobs, err := s.List(t.Context(), Query{})
	if err != nil || len(jobs) != len(specs) {
		t.Fatalf("got %d jobs and error %v, want %d", len(jobs), err, len(specs))
	}
	for i, spec := range specs {
		got := jobs[len(jobs)-1-i].Spec
		if !maps.Equal(got.Options, want[i]) {
			t.Errorf("%s with %s: got %v of %v, want %v", spec.Database, spec.Workload, got.Options, spec.Options, want[i])
		}
		if got.Seed != 1 || got.Action != job.Run {
			t.Errorf("%s: got the rest of the spec as %+v", spec.Database, got)
		}
	}
}
