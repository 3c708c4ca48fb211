package oracle_test

import (
	"testing"

	"sledge/internal/database/oracle"
	"sledge/internal/suite/databasetest"
	"sledge/internal/testserver"
)

// It runs where the environment names a server, as SLEDGE_TEST_ORACLE. The suite's own statements
// want version 23, which knows DROP TABLE IF EXISTS, and SELECT without FROM.
func Test(t *testing.T) {
	databasetest.Run(t, oracle.Database, testserver.Open(t, "oracle").Values())
}
