//go:build bench

package bench

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"sledge/internal/catalog"
	"sledge/internal/database/postgresql"
	"sledge/internal/engine/plan"
	"sledge/internal/job"
	"sledge/internal/option"
	"sledge/internal/testserver"
	"sledge/internal/workload/tprocc"
)

// postgreSQLSettings are for a server with its data in memory that does not begin a checkpoint
// during a trial. testserver also turns fsync off, because variations of the disk would be larger
// than the compared differences. The extension counts statements for both sides.
var postgreSQLSettings = []string{
	"shared_buffers=2GB",
	"max_wal_size=16GB",
	"checkpoint_timeout=30min",
	"maintenance_work_mem=256MB",
	"shared_preload_libraries=pg_stat_statements",
	"pg_stat_statements.track_utility=off",
}

// postgreSQL is a server with one database for the schema.
type postgreSQL struct {
	*testserver.Server
	database string
	host     string // an address, or the folder of the Unix socket
}

func openPostgreSQL(t *testing.T, database string) postgreSQL {
	t.Helper()
	var settings []testserver.Option
	for _, s := range postgreSQLSettings {
		settings = append(settings, testserver.Setting(s))
	}
	s := testserver.Open(t, "postgresql", settings...)
	return postgreSQL{s, database, s.Host}
}

func (p postgreSQL) overSocket() reachable {
	p.host = p.Socket
	return p
}

// values returns the options for sledge to connect to the database.
func (p postgreSQL) values() option.Values {
	values := maps.Clone(p.Values())
	values["dbname"] = p.database
	values["host"] = p.host
	return values
}

// title returns the server's name and version for figures.
func (p postgreSQL) title() string { return "PostgreSQL " + p.Version }

func (p postgreSQL) name() string { return "postgresql" }

// plan resolves options like sledge, to get its SQL.
func (p postgreSQL) plan(t *testing.T, warehouses int) plan.Plan {
	t.Helper()
	values := p.values()
	values["warehouses"] = strconv.Itoa(warehouses)
	plan, err := plan.New(catalog.Pair{Database: postgresql.Database, Workload: tprocc.Workload}, job.Spec{Options: values})
	if err != nil {
		t.Fatal(err)
	}
	return plan
}

// connect opens a session of the superuser to a database of the server.
func (p postgreSQL) connect(t *testing.T, database string) *pgconn.PgConn {
	t.Helper()
	conn, err := pgconn.Connect(t.Context(), p.DataSource(database))
	if err != nil {
		t.Fatal(err)
	}
	return conn
}

// execute runs statements on a new session, and returns the first field of the first row of the
// last one, if there is one.
func (p postgreSQL) execute(t *testing.T, database string, statements ...string) string {
	t.Helper()
	conn := p.connect(t, database)
	defer conn.Close(t.Context())
	var first string
	for _, s := range statements {
		results, err := conn.Exec(t.Context(), s).ReadAll()
		if err != nil {
			t.Fatalf("%s: %v", s, err)
		}
		if n := len(results); n > 0 && len(results[n-1].Rows) > 0 {
			first = string(results[n-1].Rows[0][0])
		}
	}
	return first
}

// drop removes the database, so that every round begins in the same state.
func (p postgreSQL) drop(t *testing.T) {
	t.Helper()
	p.execute(t, "", "DROP DATABASE IF EXISTS "+p.database+" WITH (FORCE)", "CHECKPOINT")
}

// emptyTables creates a database with the tables in their state before a build loads rows.
func (p postgreSQL) emptyTables(t *testing.T, warehouses int) {
	t.Helper()
	plan := p.plan(t, warehouses)
	statements, err := plan.SQL.Script("schema", plan)
	if err != nil {
		t.Fatal(err)
	}
	p.execute(t, "", "CREATE DATABASE "+p.database)
	p.execute(t, p.database, statements...)
}

// bareLoad returns the command of a client that only loads a share of the files.
func (p postgreSQL) bareLoad(t *testing.T, share []loadFile) (env []string, path string, arguments []string) {
	t.Helper()
	var script strings.Builder
	for _, f := range share {
		fmt.Fprintf(&script, "\\copy %s (%s) from '%s'\n", f.table.Name, strings.Join(f.table.ColumnNames(), ", "), f.path)
	}
	file := filepath.Join(t.TempDir(), "copy.sql")
	if err := os.WriteFile(file, []byte(script.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	env, arguments = p.login()
	return env, "psql", append(arguments, "--quiet", "--no-psqlrc", "--set=ON_ERROR_STOP=1", "--file="+file, p.database)
}

// login returns the environment and the arguments for PostgreSQL's own programs to connect to the
// server.
func (p postgreSQL) login() (env, arguments []string) {
	return []string{"PGPASSWORD=" + p.Password, "PGSSLMODE=disable", "PGTZ=UTC"},
		[]string{"--host=" + p.host, "--port=" + strconv.Itoa(p.Port), "--username=" + p.Superuser}
}

// startCounting makes the server's statement counts available in the database.
func (p postgreSQL) startCounting(t *testing.T) {
	t.Helper()
	p.execute(t, p.database, "CREATE EXTENSION IF NOT EXISTS pg_stat_statements")
}

// calls returns the number of calls of the five routines that clients have sent so far.
func (p postgreSQL) calls(t *testing.T) int64 {
	t.Helper()
	return p.counted(t, `query ~* '\m(neword|payment|delivery|ostat|slev)\('`)
}

// statements returns the number of statements that clients have sent so far. BEGIN and COMMIT are
// derived from the count of transactions, because the extension counts them only once if they are
// prepared.
func (p postgreSQL) statements(t *testing.T) int64 {
	t.Helper()
	const everyoneLeft = "SELECT COUNT(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
	for p.execute(t, p.database, everyoneLeft) != "0" { // sessions report their transactions when they end
		time.Sleep(20 * time.Millisecond)
	}
	transactions := p.number(t, "SELECT xact_commit + xact_rollback FROM pg_stat_database WHERE datname = current_database()")
	return p.counted(t, "true") + 2*transactions
}

// counted returns the number of executed statements in the database that meet a condition.
// Statements inside routines do not count (see pg_stat_statements.track).
func (p postgreSQL) counted(t *testing.T, condition string) int64 {
	t.Helper()
	return p.number(t, "SELECT COALESCE(SUM(calls), 0) FROM pg_stat_statements WHERE "+condition+
		" AND dbid = (SELECT oid FROM pg_database WHERE datname = current_database())")
}

// number runs a query that returns one integer.
func (p postgreSQL) number(t *testing.T, query string) int64 {
	t.Helper()
	n, err := strconv.ParseInt(p.execute(t, p.database, query), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// runPgbench runs pgbench with the scripts of a folder, weighted like the transactions, and with
// one thread, like an event loop.
func (p postgreSQL) runPgbench(t *testing.T, scripts string) func(reachable) program {
	return func(server reachable) program {
		to := server.(postgreSQL)
		env, login := to.login()
		return func(users int, length time.Duration) ended {
			arguments := append(slices.Clone(login), "--no-vacuum", "--protocol=prepared", "--max-tries=10", "--random-seed=1",
				"--client="+strconv.Itoa(users), "--jobs=1",
				"--time="+strconv.Itoa(int(length.Seconds())), "--define=warehouses="+strconv.Itoa(cpuWarehouses()))
			for name, value := range constants {
				arguments = append(arguments, "--define="+name+"="+value)
			}
			for _, s := range pgbenchWeights {
				arguments = append(arguments, fmt.Sprintf("--file=%s@%d", filepath.Join(scripts, s.script), s.weight))
			}
			return execute(t, env, "pgbench", append(arguments, to.database)...)
		}
	}
}
