package sqlite_test

import (
	"path/filepath"
	"testing"

	"sledge/internal/database"
	"sledge/internal/database/sqlite"
	"sledge/internal/option"
	"sledge/internal/suite/databasetest"
)

func Test(t *testing.T) {
	databasetest.Run(t, sqlite.Database, option.Values{
		"file":         filepath.Join(t.TempDir(), "test #1.db"), // a name that a URL would mistake
		"busy_timeout": "1000",
	})
}

func TestCreateAndDrop_BesideOthers(t *testing.T) {
	values := option.Values{"file": filepath.Join(t.TempDir(), "beside.db")}
	databasetest.Beside(t, sqlite.Database, func() any {
		o := sqlite.Database.Options(database.Use{Name: "tpcc"})
		if err := option.Bind(nil, values, o); err != nil {
			t.Error(err)
		}
		return o
	})
}
