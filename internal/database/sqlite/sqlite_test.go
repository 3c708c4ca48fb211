package sqlite_test

import (
	"path/filepath"
	"testing"

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
