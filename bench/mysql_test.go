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

	_ "github.com/go-sql-driver/mysql" // registers the driver "mysql"

	"sledge/internal/catalog"
	"sledge/internal/database"
	"sledge/internal/database/mariadb"
	"sledge/internal/database/mysql"
	"sledge/internal/engine/plan"
	"sledge/internal/job"
	"sledge/internal/option"
	"sledge/internal/testserver"
	"sledge/internal/workload/tprocc"
)

// mySQLSettings are for a server with its data in memory, and a log that does not become full
// during a trial. testserver sets the log to be written, but not flushed, at each commit.
var mySQLSettings = []string{
	"innodb_buffer_pool_size=2G",
	"innodb_log_file_size=4G",
	"skip-log-bin",
}

// mySQL is a server of MySQL or MariaDB, with one database for the schema.
type mySQL struct {
	*testserver.Server
	database string
	socket   string // path of the Unix socket, or null for TCP
}

func openMariaDB(t *testing.T, database string, settings ...testserver.Option) mySQL {
	t.Helper()
	return openMySQL(t, "mariadb", database, settings...)
}

// openMySQL opens a server of "mysql" or "mariadb".
func openMySQL(t *testing.T, product, database string, settings ...testserver.Option) mySQL {
	t.Helper()
	for _, s := range mySQLSettings {
		settings = append(settings, testserver.Setting(s))
	}
	return mySQL{testserver.Open(t, product, settings...), database, "null"}
}

func (m mySQL) overSocket() reachable {
	m.socket = m.Socket
	return m
}

func (m mySQL) values() option.Values {
	values := maps.Clone(m.Values())
	values["dbname"] = m.database
	values["socket"] = m.socket
	return values
}

func (m mySQL) title() string { return m.product().Title + " " + m.Version }

func (m mySQL) name() string { return m.Database }

// product returns the declaration of the database.
func (m mySQL) product() *database.Database {
	if m.Database == mysql.Database.Name {
		return mysql.Database
	}
	return mariadb.Database
}

// execute runs statements on a new session.
func (m mySQL) execute(t *testing.T, database string, statements ...string) {
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

// with calls do with a new session.
func (m mySQL) with(t *testing.T, database string, do func(context.Context, *sql.Conn) error) {
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

func (m mySQL) drop(t *testing.T) {
	t.Helper()
	m.execute(t, "", "DROP DATABASE IF EXISTS "+m.database)
}

// plan resolves options like sledge, to get its SQL.
func (m mySQL) plan(t *testing.T, warehouses int) plan.Plan {
	t.Helper()
	values := m.values()
	values["warehouses"] = strconv.Itoa(warehouses)
	plan, err := plan.New(catalog.Pair{Database: m.product(), Workload: tprocc.Workload}, job.Spec{Options: values})
	if err != nil {
		t.Fatal(err)
	}
	return plan
}

func (m mySQL) emptyTables(t *testing.T, warehouses int) {
	t.Helper()
	plan := m.plan(t, warehouses)
	statements, err := plan.SQL.Script("schema", plan)
	if err != nil {
		t.Fatal(err)
	}
	m.execute(t, "", "CREATE DATABASE "+m.database+" CHARACTER SET latin1")
	m.execute(t, m.database, statements...)
}

func (m mySQL) bareLoad(t *testing.T, share []loadFile) (env []string, path string, arguments []string) {
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

// calls returns the number of CALL statements since the server's start.
func (m mySQL) calls(t *testing.T) int64 {
	t.Helper()
	var name string
	var n int64
	m.with(t, "", func(ctx context.Context, conn *sql.Conn) error {
		return conn.QueryRowContext(ctx, "SHOW GLOBAL STATUS LIKE 'Com_call_procedure'").Scan(&name, &n)
	})
	return n
}
