package tprocc_test

import (
	"maps"
	"path/filepath"
	"strings"
	"testing"

	"sledge/internal/catalog/edition"
	"sledge/internal/database"
	"sledge/internal/job"
	"sledge/internal/option"
	"sledge/internal/testserver"
)

// TestRestore_LetsRunsBeginWithTheSameData runs three times with the option. The second and the third begin with the orders
// that the first one found, although a run in between has committed others. A deletion drops the copy, too.
func TestRestore_LetsRunsBeginWithTheSameData(t *testing.T) {
	for _, name := range []string{"postgresql", "sqlite"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, err := edition.Catalog.Database(name)
			if err != nil {
				t.Fatal(err)
			}
			p := &place{d: d}
			if d.Embedded() {
				p.values = option.Values{"file": filepath.Join(t.TempDir(), "restored.db")}
				p.mustSmall(t, smallWorkloads[0], job.Build)
			} else {
				p.values = testserver.Open(t, name, oneWarehouse(name)).Values()
			}
			orders := func() string {
				t.Helper()
				s := p.connect(t)
				defer s.Close()
				rows, err := s.Query(t.Context(), "SELECT SUM(d_next_o_id) FROM district", 1)
				if err != nil {
					t.Fatal(err)
				}
				return rows.Rows[0][0]
			}
			run := func(restore string) job.Result {
				t.Helper()
				spec := p.small(smallWorkloads[0], job.Run)
				maps.Copy(spec.Options, option.Values{"restore": restore, "mix": "1,0,0,0,0"})
				result, err := local.Do(t.Context(), spec, job.Control{})
				if err != nil {
					t.Fatal(err)
				}
				return result
			}
			built := orders()
			run("true")
			run("false")
			if orders() == built {
				t.Fatal("no run has made an order")
			}
			began := ""
			looking := &messages{}
			looking.when("The schema is as in its copy again", func() { began = orders() })
			spec := p.small(smallWorkloads[0], job.Run)
			spec.Options["restore"] = "true"
			if _, err := local.Do(t.Context(), spec, job.Control{Watchers: []job.Watcher{looking}}); err != nil {
				t.Fatal(err)
			}
			if began != built {
				t.Errorf("the run began with the orders %s, want those of the build: %s", began, built)
			}
			if result, err := local.Do(t.Context(), p.spec(job.Check), job.Control{}); err != nil {
				t.Errorf("%v: %+v", err, result.Findings)
			}

			holder := p.connect(t)
			if !d.Embedded() {
				if _, err := local.Do(t.Context(), spec, job.Control{}); job.ExitOf(err) == job.OK || !strings.Contains(err.Error(), "other sessions are connected to it") {
					t.Errorf("got %v with a session in the database, want it refused", err)
				}
			}
			if err := holder.Close(); err != nil {
				t.Error(err)
			}
			lines, err := p.do(t, job.Delete)
			if err != nil {
				t.Fatal(err)
			}
			if d.Embedded() {
				if left, _ := filepath.Glob(p.values["file"] + "*"); len(left) > 0 {
					t.Errorf("the deletion left %q", left)
				}
				return
			}
			admin, err := d.Sessions.Connect(t.Context(), p.plan(t).Connection, database.Admin)
			if err != nil {
				t.Fatal(err)
			}
			defer admin.Close()
			if some(t, admin, "SELECT 1 FROM pg_database WHERE datname LIKE 'tpcc%'") || !strings.Contains(strings.Join(lines, "\n"), "the database tpcc_sledge_copy") {
				t.Errorf("the deletion left a copy, or does not say that it dropped it: %q", lines)
			}
		})
	}
}

// TestRestore_RefusesWhatIsNotOurs tries to replace databases that no build created or that have grants of their own, and finds
// a foreign database in the place of the copy.
func TestRestore_RefusesWhatIsNotOurs(t *testing.T) {
	t.Parallel()
	d, err := edition.Catalog.Database("postgresql")
	if err != nil {
		t.Fatal(err)
	}
	p := &place{d: d, values: testserver.Open(t, "postgresql", oneWarehouse("postgresql")).Values()}
	admin, err := d.Sessions.Connect(t.Context(), p.plan(t).Connection, database.Admin)
	if err != nil {
		t.Fatal(err)
	}
	defer admin.Close()
	refuses := func(name, before, after, want string) {
		t.Helper()
		exec(t, admin, before)
		if _, err := d.Container.Restore(t.Context(), p.plan(t).Connection); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", name, err, want)
		}
		if after != "" {
			exec(t, admin, after)
		}
	}
	const own = "has grants, settings or a connection limit of its own"
	refuses("made by hand", "COMMENT ON DATABASE tpcc IS NULL", "COMMENT ON DATABASE tpcc IS 'made by Sledge'", "no build created the database tpcc")
	refuses("settings", "ALTER DATABASE tpcc SET work_mem = '8MB'", "ALTER DATABASE tpcc RESET ALL", own)
	refuses("a foreign copy", "CREATE DATABASE tpcc_sledge_copy", "DROP DATABASE tpcc_sledge_copy", "stands in the way and nothing shows that Sledge made it")
	if kept, err := d.Container.Restore(t.Context(), p.plan(t).Connection); err != nil || !kept {
		t.Errorf("got %t, %v, want a copy", kept, err)
	}
	for _, ended := range [][]string{ // before the new database was renamed, and before its comment was the usual one
		{"ALTER DATABASE tpcc RENAME TO tpcc_sledge_new", "COMMENT ON DATABASE tpcc_sledge_new IS 'made by Sledge: to replace tpcc'"},
		{"COMMENT ON DATABASE tpcc IS 'made by Sledge: to replace tpcc'"},
	} {
		exec(t, admin, ended...)
		if kept, err := d.Container.Restore(t.Context(), p.plan(t).Connection); err != nil || kept {
			t.Errorf("after %q: got %t, %v, want it restored", ended, kept, err)
		}
		if !some(t, admin, "SELECT 1 FROM pg_database WHERE datname = 'tpcc' AND shobj_description(oid, 'pg_database') = 'made by Sledge'") || some(t, admin, "SELECT 1 FROM pg_database WHERE datname = 'tpcc_sledge_new'") {
			t.Errorf("after %q: the database is not restored as it was", ended)
		}
	}
	refuses("grants", "GRANT CONNECT ON DATABASE tpcc TO postgres", "", own)
}
