package sqlserver_test

import (
	"testing"

	"sledge/internal/database/databasetest"
	"sledge/internal/database/sqlserver"
	"sledge/internal/testserver"
)

func TestMain(m *testing.M) { testserver.Main(m) }

// It runs where the environment names a server, as SLEDGE_TEST_SQLSERVER.
func Test(t *testing.T) {
	databasetest.Run(t, sqlserver.Database, testserver.Open(t, "sqlserver").Values())
}
