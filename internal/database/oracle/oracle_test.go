package oracle_test

import (
	"testing"

	"sledge/internal/database/oracle"
	"sledge/internal/suite/databasetest"
	"sledge/internal/testserver"
)

// Test runs if SLEDGE_TEST_ORACLE names a server. The suite's own statements need version 23,
// because they use DROP TABLE IF EXISTS and SELECT without FROM.
func Test(t *testing.T) {
	databasetest.Run(t, oracle.Database, testserver.Open(t, "oracle").Values())
}
