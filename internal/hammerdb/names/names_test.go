package names_test

import (
	"testing"

	"sledge/internal/hammerdb/names"
)

func TestDatabasesAreFoundByNameAndByLibrary(t *testing.T) {
	for _, d := range names.Known {
		if got := names.Loading(d.Library); got.Name != d.Name {
			t.Errorf("library %s: got %v, want %v", d.Library, got, d)
		}
	}
	if got := names.Named("mssqlserver"); got.Name != "MSSQLServer" || got.Display != "SQL Server" {
		t.Errorf("got %v, want SQL Server", got)
	}
	if got := names.Named("sqlite"); got.Name != "" {
		t.Errorf("got %v, want an empty Database, because HammerDB has no SQLite", got)
	}
}
