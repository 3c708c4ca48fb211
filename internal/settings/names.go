package settings

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"sledge/internal/catalog"
	"sledge/internal/hammerdb/names"
	"sledge/internal/option"
)

// Called returns all names of an option of a pair, the most specific first: its key in the
// console's dictionaries, which contains the database; its own name; the name of its flag.
func Called(p catalog.Pair, o option.Description) []string {
	list := []string{Key(p, o), o.Name}
	if flag := strings.ReplaceAll(o.Flag, "-", "_"); flag != "" && flag != o.Name {
		list = append(list, flag)
	}
	return list
}

// Key returns the key of an option of a pair in the console's dictionaries: "pg_count_ware".
func Key(p catalog.Pair, o option.Description) string {
	return names.Key(p.Database.Name, p.Workload.Name, o.Name)
}

// Label returns the name of an option in forms: the console's label, or else its own name in words.
func Label(p catalog.Pair, o option.Description) string {
	if label := names.Label(p.Database.Name, p.Workload.Name, o.Name); label != "" {
		return label
	}
	words := strings.Fields(strings.ReplaceAll(o.Name, "_", " "))
	for i, word := range words {
		switch {
		case slices.Contains([]string{"ssl", "ca", "sql", "pk"}, word):
			words[i] = strings.ToUpper(word)
		case word == "dbname":
			words[i] = "database"
		}
	}
	label := strings.Join(words, " ")
	return strings.ToUpper(label[:1]) + label[1:]
}

// Form returns the name of the part of a form, one of Forms, that contains an option.
func Form(o option.Description) string {
	switch o.Group {
	case option.Connection, option.Accounts:
		return Forms[0].Name
	case option.Schema:
		return Forms[1].Name
	case option.Load:
		return Forms[2].Name
	}
	return Forms[3].Name
}

// Forms are the parts of a form, in their order.
var Forms = []option.Group{
	{Name: "connection", Title: "Connection"},
	{Name: "schema", Title: "Schema"},
	{Name: "driver", Title: "Driver"},
	{Name: "advanced", Title: "Advanced"},
}

// Unknown returns the error for a name that is not an option of a pair. It suggests one of the
// pair's own names, even if another pair's name is closer: with SQLite, pg_rampupp suggests rampup.
func (r Resolver) Unknown(p catalog.Pair, name string) error {
	wrong := &option.UnknownError{Name: name, Nearest: r.nearest(p, name)}
	return fmt.Errorf("%w (sledge options %s %s lists them)", wrong, p.Database.Name, p.Workload.Name)
}

// nearest returns the known name that is most similar to name, or "".
func (r Resolver) nearest(p catalog.Pair, name string) string {
	here, _ := builtNames(p)
	if nearest := option.Nearest(name, here); nearest != "" {
		return nearest
	}
	var everywhere []string
	for pair := range r.Pairs() {
		there, _ := builtNames(pair)
		everywhere = append(everywhere, there...)
	}
	nearest := option.Nearest(name, everywhere)
	return cmp.Or(r.nameHere(p, nearest), nearest)
}

// nameHere returns the own name of the option that any pair calls called. It returns "" if the pair
// p lacks that option.
func (r Resolver) nameHere(p catalog.Pair, called string) string {
	for pair := range r.Pairs() {
		_, options := builtNames(pair)
		if o, ok := Find(p, options[called]); ok {
			return o.Name
		}
	}
	return ""
}

// builtNames returns all names of a pair's options whose features exist. options maps each name to
// the option's own name.
func builtNames(p catalog.Pair) (called []string, options map[string]string) {
	options = map[string]string{}
	for _, o := range option.Built(p.Options()) {
		for _, name := range Called(p, o) {
			called, options[name] = append(called, name), o.Name
		}
	}
	return called, options
}

// Find returns the option of a pair with the given name, which may be any of its names.
func Find(p catalog.Pair, name string) (option.Description, bool) {
	for _, o := range p.Options() {
		for _, called := range Called(p, o) {
			if called == name {
				return o, true
			}
		}
	}
	return option.Description{}, false
}
