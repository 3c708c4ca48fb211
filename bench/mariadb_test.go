//go:build bench

package bench

import (
	"context"
	"database/sql"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	_ "github.com/go-sql-driver/mysql" // the driver that database/sql is asked for

	"sledge/internal/catalog"
	"sledge/internal/database/mariadb"
	"sledge/internal/engine"
	"sledge/internal/job"
	"sledge/internal/option"
	"sledge/internal/testserver"
	"sledge/internal/workload/tprocc"
)

// mariaDBSettings are those of a server that has its data in memory, and a log
// that does not run full in a trial. testserver has the log written, but not
// flushed, at each commit.
var mariaDBSettings = []string{
	"innodb_buffer_pool_size=2G",
	"innodb_log_file_size=4G",
	"skip-log-bin",
}

// mariaDB is a server and one database in it that holds the schema.
type mariaDB struct {
	*testserver.Server
	database string
	socket   string // path of the Unix socket, or null for TCP
}

func openMariaDB(t *testing.T, database string, settings ...testserver.Option) mariaDB {
	t.Helper()
	for _, s := range mariaDBSettings {
		settings = append(settings, testserver.Setting(s))
	}
	return mariaDB{testserver.Open(t, "mariadb", settings...), database, "null"}
}

func (m mariaDB) overSocket() reachable {
	m.socket = m.Socket
	return m
}

func (m mariaDB) values() option.Values {
	values := maps.Clone(m.Values())
	values["dbname"] = m.database
	values["socket"] = m.socket
	return values
}

func (m mariaDB) title() string { return "MariaDB " + m.Version }

func (m mariaDB) name() string { return "mariadb" }

// execute runs statements on a session of their own.
func (m mariaDB) execute(t *testing.T, database string, statements ...string) {
	t.Helper()
	m.with(t, database, func(ctx context.Context, conn *sql.Conn) error {
		for _, s := range statements {
			if _, err := conn.ExecContext(ctx, s); err != nil {
				return fmt.Errorf("%s: %w", s, err)
			}
		}
		return nil
	})
}

// with gives do a session.
func (m mariaDB) with(t *testing.T, database string, do func(context.Context, *sql.Conn) error) {
	t.Helper()
	db, err := sql.Open("mysql", m.DataSource(database))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	conn, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := do(t.Context(), conn); err != nil {
		t.Fatal(err)
	}
}

func (m mariaDB) drop(t *testing.T) {
	t.Helper()
	m.execute(t, "", "DROP DATABASE IF EXISTS "+m.database)
}

// plan resolves options as sledge does, for its SQL.
func (m mariaDB) plan(t *testing.T, warehouses int) engine.Plan {
	t.Helper()
	values := m.values()
	values["warehouses"] = strconv.Itoa(warehouses)
	plan, err := engine.NewPlan(catalog.Pair{Database: mariadb.Database, Workload: tprocc.Workload}, job.Spec{Options: values})
	if err != nil {
		t.Fatal(err)
	}
	return plan
}

func (m mariaDB) emptyTables(t *testing.T, warehouses int) {
	t.Helper()
	plan := m.plan(t, warehouses)
	statements, err := plan.SQL.Script("schema", plan)
	if err != nil {
		t.Fatal(err)
	}
	m.execute(t, "", "CREATE DATABASE "+m.database+" CHARACTER SET latin1")
	m.execute(t, m.database, statements...)
}

func (m mariaDB) bareLoad(t *testing.T, share []loadFile) (env []string, path string, arguments []string) {
	t.Helper()
	var script strings.Builder
	for _, f := range share {
		fmt.Fprintf(&script, "LOAD DATA LOCAL INFILE '%s' INTO TABLE %s CHARACTER SET latin1 (%s);\n",
			f.path, f.table.Name, strings.Join(f.table.ColumnNames(), ", "))
	}
	file := filepath.Join(t.TempDir(), "load.sql")
	if err := os.WriteFile(file, []byte(script.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return []string{"MYSQL_PWD=" + m.Password}, "mariadb", []string{
		"--no-defaults", "--protocol=tcp", "--host=" + m.Host, "--port=" + strconv.Itoa(m.Port), "--user=" + m.Superuser,
		"--local-infile=1", "--execute=source " + file, m.database,
	}
}

// calls returns how many CALLs the server has seen since it started.
func (m mariaDB) calls(t *testing.T) int64 {
	t.Helper()
	var name string
	var n int64
	m.with(t, "", func(ctx context.Context, conn *sql.Conn) error {
		return conn.QueryRowContext(ctx, "SHOW GLOBAL STATUS LIKE 'Com_call_procedure'").Scan(&name, &n)
	})
	return n
}
