package workbench

import (
	"strings"

	"sledge/internal/database"
	"sledge/internal/engine"
	"sledge/internal/hammerdb/names"
	"sledge/internal/option"
	"sledge/internal/workload"
)

// Called lists all that an option of a pair may be called where it is set by name, what
// says most first: the key that the console's dictionaries have for it, which names
// the database, too; its own name; and that of its flag.
func Called(d *database.Database, w *workload.Workload, o option.Description) []string {
	list := []string{Key(d, w, o), o.Name}
	if flag := strings.ReplaceAll(o.Flag, "-", "_"); flag != "" && flag != o.Name {
		list = append(list, flag)
	}
	return list
}

// Key is what the console's dictionaries call an option of a pair: "pg_count_ware".
func Key(d *database.Database, w *workload.Workload, o option.Description) string {
	return names.Key(d.Name, w.Name, o.Name)
}

// Unknown is the mistake of naming an option that a pair does not have.
func Unknown(d *database.Database, w *workload.Workload, name string) error {
	var all []string
	for _, o := range option.Built(engine.Options(d, w)) {
		all = append(all, Called(d, w, o)...)
	}
	return &option.UnknownError{Name: name, Nearest: option.Nearest(name, all)}
}

// Find returns the option of a pair that is called by a name, and whether there is one.
func Find(d *database.Database, w *workload.Workload, name string) (option.Description, bool) {
	for _, o := range engine.Options(d, w) {
		for _, called := range Called(d, w, o) {
			if called == name {
				return o, true
			}
		}
	}
	return option.Description{}, false
}
