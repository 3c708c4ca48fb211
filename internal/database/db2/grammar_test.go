package db2_test

import (
	"slices"
	"strings"
	"testing"

	"sledge/internal/database/db2"
	"sledge/internal/grammartest"
)

// Sqlfluff's grammar for Db2 has no parameters, so the test only parses queries about the server,
// which have none.
func TestServerQueries_ParseWithSqlfluff(t *testing.T) {
	about := slices.DeleteFunc(grammartest.Statements(t, db2.Database, nil), func(s grammartest.Statement) bool {
		return !slices.ContainsFunc([]string{"tprocc activity", "tprocc counter", "tprocc disturbances", "tprocc server."}, func(name string) bool { return strings.HasPrefix(s.Name, name) })
	})
	grammartest.Check(t, grammartest.Sqlfluff("db2"), about, nil)
}
