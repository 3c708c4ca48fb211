package jobs

import (
	"io/fs"
	"slices"

	"sledge/internal/catalog"
)

// withoutRoutines returns the pair without its stored routines, so that client SQL can be tested on
// a server that refuses the routines.
func withoutRoutines(pair catalog.Pair) catalog.Pair {
	w := *pair.Workload
	w.SQL = hiding{w.SQL}
	pair.Workload = &w
	d := *pair.Database
	pair.Database = &d
	for at := &d; ; at = at.Base {
		if at.SQL != nil {
			at.SQL = hiding{at.SQL}
		}
		if at.Base == nil {
			return pair
		}
		base := *at.Base
		at.Base = &base
	}
}

// hiding is a file system without the files of a pair's routines.
type hiding struct{ fs.FS }

// ReadDir implements fs.ReadDirFS.
func (h hiding) ReadDir(name string) ([]fs.DirEntry, error) {
	entries, err := fs.ReadDir(h.FS, name)
	return slices.DeleteFunc(entries, func(e fs.DirEntry) bool {
		return slices.Contains([]string{"routines.sql", "installed_routines.sql"}, e.Name())
	}), err
}
