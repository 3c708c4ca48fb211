package sqlserver_test

import (
	"maps"
	"strings"
	"testing"

	"sledge/internal/catalog/edition"
	"sledge/internal/database/databasetest"
	"sledge/internal/database/grammartest"
	"sledge/internal/database/sqlserver"
	"sledge/internal/engine"
	"sledge/internal/job"
	"sledge/internal/option"
	"sledge/internal/testserver"
)

func TestMain(m *testing.M) { testserver.Main(m) }

// It runs where the environment names a server, as SLEDGE_TEST_SQLSERVER.
func Test(t *testing.T) {
	databasetest.Run(t, sqlserver.Database, testserver.Open(t, "sqlserver").Values())
}

// Its driver reads in goroutines of its own, and would hold up the users of an event loop.
func TestUsersNeverShareEventLoops(t *testing.T) {
	spec := job.Spec{Action: job.Run, Database: "sqlserver", Workload: "tprocc", Users: 4, Options: option.Values{"loops": "2"}}
	if _, err := (engine.Local{Catalog: edition.Catalog}).Plan(spec); err == nil || !strings.Contains(err.Error(), "set it to auto or 0") {
		t.Errorf("of two loops: got %v, want them refused", err)
	}
	spec.Options = option.Values{}
	plan, err := engine.Local{Catalog: edition.Catalog}.Plan(spec)
	if err != nil || plan.Pacing.Loops != 0 {
		t.Errorf("by default: got %d loops, %v, want none", plan.Pacing.Loops, err)
	}
}

// A columnstore index has to be divided as its table is, which no index can do for it afterwards.
func TestTablesAreDividedBeforeTheirIndexes(t *testing.T) {
	statements := grammartest.Statements(t, sqlserver.Database, nil, option.Values{"columnstore": "true", "partition_by_date": "true"})
	divided := map[string]bool{}
	for _, s := range statements {
		if table, column, is := strings.Cut(s.Text, " ON date_scheme ("); is {
			name, _, isTable := strings.Cut(strings.TrimPrefix(table[strings.LastIndex(table, "CREATE "):], "CREATE TABLE dbo."), " (")
			if !isTable || !strings.Contains(table, "CREATE TABLE") {
				t.Errorf("divided by its index: %s", s.Text)
			}
			divided[name+" by "+strings.TrimRight(column, ")\n")] = true
		}
	}
	if want := map[string]bool{"lineitem by l_shipdate": true, "orders by o_orderdate": true}; !maps.Equal(divided, want) {
		t.Errorf("got %v, want %v", divided, want)
	}
}
