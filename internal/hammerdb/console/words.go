package console

import (
	"sledge/internal/database"
	"sledge/internal/hammerdb/dictionaries"
	"sledge/internal/hammerdb/scripts"
	"sledge/internal/option"
	"sledge/internal/settings"
	"sledge/internal/workload"
)

// Words are the commands and settings of scripts, for editors that complete and explain them.
type Words struct {
	Commands   []Word       `json:"commands"`
	Databases  []Dictionary `json:"databases"`
	Benchmarks []string     `json:"benchmarks" doc:"What dbset bm takes."`
	Generic    []Group      `json:"generic" doc:"What giset takes."`
	Driver     []Word       `json:"driver" doc:"What a driver script sets."`
}

// Word is a word of the console.
type Word struct {
	Name  string `json:"name"`
	Usage string `json:"usage,omitempty"`
	Help  string `json:"help"`
}

// Dictionary holds the settings that diset takes for one database.
type Dictionary struct {
	Prefix   string  `json:"prefix" doc:"What dbset db takes."`
	Title    string  `json:"title"`
	Sections []Group `json:"sections"`
}

// Group is a section of settings.
type Group struct {
	Name    string               `json:"name"`
	Entries []option.Description `json:"entries"`
}

// WordsOf lists the words of the console.
func WordsOf(resolver settings.Resolver) (Words, error) {
	book, err := dictionaries.Open(resolver, "")
	if err != nil {
		return Words{}, err
	}
	defer book.Close()
	w := Words{Generic: groups(book.GenericSections())}
	for _, c := range commands() {
		if missing[c.name] == "" {
			w.Commands = append(w.Commands, Word{c.name, c.usage, c.help})
		}
	}
	for _, b := range book.Benchmarks() {
		w.Benchmarks = append(w.Benchmarks, b.Title)
	}
	known := map[string]bool{}
	for _, p := range book.Products() {
		if !p.Built {
			continue
		}
		if err := book.SetDatabase(p.Prefix); err != nil {
			return Words{}, err
		}
		w.Databases = append(w.Databases, Dictionary{p.Prefix, p.Name, groups(book.Sections())})
		for _, b := range book.Benchmarks() {
			for _, named := range scripts.Settings(book.Database(), b.Meant) {
				if !known[named.Name] {
					known[named.Name] = true
					w.Driver = append(w.Driver, Word{Name: named.Name, Help: named.Help})
				}
			}
		}
	}
	return w, nil
}

func groups(sections []dictionaries.Section) (list []Group) {
	for _, s := range sections {
		g := Group{Name: s.Name, Entries: []option.Description{}}
		for _, e := range s.Entries {
			if !e.Soon {
				g.Entries = append(g.Entries, e.Description)
			}
		}
		list = append(list, g)
	}
	return list
}

// DriverScript returns a new driver script with the defaults of a database and a workload.
func DriverScript(d *database.Database, w *workload.Workload) string { return scripts.Text(d, w, nil) }
