package rdbms_test

import (
	"testing"

	"sledge/internal/rdbms"
)

func TestDatabasesAreFoundByNameAndByLibrary(t *testing.T) {
	for _, d := range rdbms.Known {
		if got := rdbms.Loading(d.Library); got != d {
			t.Errorf("library %s: got %v, want %v", d.Library, got, d)
		}
	}
	if got := rdbms.Named("mssqlserver"); got.Name != "MSSQLServer" || got.Display != "SQL Server" {
		t.Errorf("got %v, want SQL Server", got)
	}
	if got := rdbms.Named("sqlite"); got != (rdbms.Database{}) {
		t.Errorf("got %v, want none: HammerDB has no SQLite", got)
	}
}
