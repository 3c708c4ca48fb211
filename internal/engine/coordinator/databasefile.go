package coordinator

import (
	"fmt"
	"os"

	"sledge/internal/engine/plan"
)

// databaseFile records the file of an embedded database. It returns a function that returns an
// error if the path no longer leads to that file. Sessions keep a removed file open and continue
// without an error.
func databaseFile(j plan.Job) (check func() error) {
	if j.Database.Options.File == nil {
		return func() error { return nil }
	}
	path := j.Database.Options.File(j.Connection)
	before, err := os.Stat(path)
	if err != nil {
		return func() error { return nil } // the open session has reported the error, or needs no file
	}
	return func() error {
		after, err := os.Stat(path)
		switch {
		case err != nil:
			return fmt.Errorf("the database's file was removed while virtual users worked, so their work is lost (%w): build the schema again", err)
		case !os.SameFile(before, after):
			return fmt.Errorf("the database's file %s was replaced by another while virtual users worked, so their work is lost", path)
		}
		return nil
	}
}
