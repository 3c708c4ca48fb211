package database_test

import (
	"testing"

	"sledge/internal/database"
	"sledge/internal/sqlfile"
)

func TestBindParams_RefusesUnknownModes(t *testing.T) {
	var in struct {
		ID int64 `sql:"id,both"`
	}
	if _, err := database.BindParams(sqlfile.Query{Params: []string{"id"}}, &in); err == nil {
		t.Error("got no error for a tag with an unknown mode")
	}
}
