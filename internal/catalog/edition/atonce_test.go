package edition_test

import (
	"testing"

	"sledge/internal/catalog/edition"
	"sledge/internal/engine/enginetest"
	"sledge/internal/testserver"
	"sledge/internal/workload/tprocc"
)

func TestMain(m *testing.M) { testserver.Main(m) }

// Databases without a test server have the same test in their own folders, on a stand-in.
func TestEveryDatabase_UsersWorkAtOnce(t *testing.T) {
	for _, name := range []string{"postgresql", "mysql", "mariadb", "redis", "sqlserver", "oracle"} {
		t.Run(name, func(t *testing.T) {
			server := testserver.Open(t, name)
			pair, err := edition.Catalog.Pair(name, tprocc.Workload.Name)
			if err != nil {
				t.Fatal(err)
			}
			enginetest.UsersWorkAtOnce(t, pair.Database, server.Values(), nil)
		})
	}
}
