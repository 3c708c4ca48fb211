package mariadb_test

import (
	"testing"

	"sledge/internal/database/mariadb"
	"sledge/internal/suite/databasetest"
	"sledge/internal/testserver"
)

func TestMain(m *testing.M) { testserver.Main(m) }

func Test(t *testing.T) {
	databasetest.Run(t, mariadb.Database, testserver.Open(t, "mariadb").Values())
}

// Users may choose MariaDB for a MySQL server.
func TestOnMySQL(t *testing.T) {
	databasetest.Run(t, mariadb.Database, testserver.Open(t, "mysql").Values())
}
