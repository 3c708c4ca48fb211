package sqlschema_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"sledge/internal/catalog/edition"
	"sledge/internal/database"
	"sledge/internal/engine"
	"sledge/internal/engine/plan"
	"sledge/internal/job"
	"sledge/internal/testserver"
)

func TestMain(m *testing.M) { testserver.Main(m) }

// planOf returns the plan of a run on a server.
func planOf(t *testing.T, name string, server *testserver.Server) plan.Plan {
	t.Helper()
	p, err := engine.Local{Catalog: edition.Catalog}.Plan(job.Spec{Database: name, Workload: "tprocc", Options: server.Values()})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// opened returns a session of the administrator.
func opened(t *testing.T, p plan.Plan) database.Session {
	t.Helper()
	s, err := p.Database.Sessions.Connect(t.Context(), p.Connection, database.Admin)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func TestDisturbances_NameATransactionThatStaysOpen(t *testing.T) {
	for name, names := range map[string]bool{"postgresql": true, "mysql": true, "mariadb": false} {
		t.Run(name, func(t *testing.T) {
			server := testserver.Open(t, name)
			p := planOf(t, name, server)
			monitor, other := opened(t, p), opened(t, p)
			ids := func() (list []string) {
				found, err := p.Server.Disturbances(t.Context(), monitor)
				if err != nil {
					t.Fatal(err)
				}
				for _, d := range found {
					if strings.HasPrefix(d.ID, "transaction ") && d.Lasting {
						list = append(list, d.ID)
					}
				}
				return list
			}
			before := ids()
			if err := other.Begin(t.Context(), database.ReadWrite); err != nil {
				t.Fatal(err)
			}
			if _, err := other.Query(t.Context(), holds[name], 1); err != nil {
				t.Fatal(err)
			}
			if !names {
				ids() // it must not fail
				return
			}
			isNew := func(id string) bool { return !slices.Contains(before, id) }
			named := func(list []string) bool { return slices.ContainsFunc(list, isNew) }
			list := ids()
			for end := time.Now().Add(10 * time.Second); !named(list) && time.Now().Before(end); list = ids() { // MySQL returns a cached list
				time.Sleep(150 * time.Millisecond)
			}
			if i := slices.IndexFunc(list, isNew); i < 0 || !slices.Contains(ids(), list[i]) {
				t.Errorf("got %v before, and %v while a transaction is open: want the transaction, with the same ID each time", before, list)
			}
		})
	}
}

// holds has, for each server, a query after which a transaction has a snapshot.
var holds = map[string]string{
	"postgresql": "SELECT count(*) FROM pg_class", "mysql": "SELECT COUNT(*) FROM mysql.innodb_table_stats", "mariadb": "SELECT COUNT(*) FROM mysql.innodb_table_stats",
}
