package settings

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"sledge/internal/option"
	"sledge/internal/privatefile"
)

// The keys that are not options. The environment has them in upper case.
const (
	keyDatabase = "db"
	keyWorkload = "workload"
	keyUsers    = "users"
	keySeed     = "seed"
	keyLabels   = "labels" // of the job: "name=value", separated by commas

	keyConnection = "connection" // the name of a saved connection
	keyBeside     = "beside"     // groups of users of a run beside its own, each in a line
)

// plainKeys lists them.
var plainKeys = []string{keyDatabase, keyWorkload, keyUsers, keySeed, keyLabels, keyConnection, keyBeside}

// optionsTable is the table for options in a configuration file. Options may also be at the top
// level.
const optionsTable = "options"

// item is a key of a configuration file with its contents: a value, a list of values, or a table of
// items.
type item struct {
	key    string
	line   int // 0 if unknown
	values []string
	list   bool
	table  []item
	what   kind
}

// kind is the kind of an item's contents.
type kind int

const (
	isValue kind = iota
	isTable
	isNothing // YAML's key without a value, or with null
	isTagged  // YAML's value that begins with an exclamation mark
	isStrange // other contents, such as a list of lists
)

// readConfig reads a configuration file in the format that the ending of its name selects.
func (r Resolver) readConfig(path string) (source, error) {
	items, err := readItems(path)
	if err != nil {
		return nil, fmt.Errorf("configuration file %s: %w", path, err)
	}
	r = r.withOwn(workloadsOf(items, filepath.Dir(path))...)
	p := source{}
	f := configFile{path: path, known: r.knownNames(), lists: r.listNames()}
	if privatefile.Exposed(path) {
		f.forbidden = r.secretNames()
	}
	if err := f.fill(p, items); err != nil {
		return nil, fmt.Errorf("configuration file %s: %w", path, err)
	}
	return p, nil
}

// workloadsOf returns the workloads that a configuration file, or a plan, names.
func workloadsOf(items []item, folder string) (list []entry) {
	for _, i := range items {
		if i.key == varyTable && i.what == isTable {
			list = append(list, workloadsOf(i.table, folder)...)
		}
		if i.key == keyWorkload {
			for _, text := range i.values {
				list = append(list, entry{text: text, folder: folder})
			}
		}
	}
	return list
}

// readItems reads the keys of a configuration file.
func readItems(path string) (items []item, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	switch strings.ToLower(filepath.Ext(path)) {
	case ".toml":
		items, err = parseTOML(string(text))
	case ".yaml", ".yml":
		items, err = parseYAML(string(text))
	default:
		err = errors.New("its name must end in .toml, .yaml or .yml")
	}
	return items, err
}

// configFile is a file that is being read, with the names that are allowed in it.
type configFile struct {
	path      string
	known     nameSet
	lists     nameSet  // names that may have a list as their value
	forbidden []string // names of passwords that are not allowed, because others can read the file
}

// fill reads the keys of a configuration file and of its options table.
func (f configFile) fill(p source, items []item) error {
	for _, i := range items {
		switch {
		case i.key == optionsTable && i.isEmpty():
			continue
		case i.what == isTable && (i.key == varyTable || i.key == serverTable || i.key == experimentTable):
			continue // of an experiment
		case i.what == isTable:
			if err := f.fillOptions(p, i); err != nil {
				return err
			}
			continue
		}
		if err := f.take(p, i); err != nil {
			return err
		}
	}
	return nil
}

// fillOptions reads the keys of the options table, which must not contain tables.
func (f configFile) fillOptions(p source, table item) error {
	if table.key != optionsTable {
		if f.known[table.key] {
			return table.wrong("%s takes one value, but is a table here", table.key)
		}
		meant := option.Suggest(table.key, []string{optionsTable})
		if meant == "" {
			meant = ": put options into the table options, or outside all tables"
		}
		return table.wrong("there is no table %s%s", table.key, meant)
	}
	for _, i := range table.table {
		switch {
		case slices.Contains(plainKeys, i.key):
			return i.wrong("%s is not an option: put it before the table %s", i.key, optionsTable)
		case i.key == optionsTable:
			return i.wrong("the table %s is inside itself: remove one of the two", optionsTable)
		case i.what == isTable:
			return i.wrong("%s takes one value, but is a table here", i.key)
		}
		if err := f.take(p, i); err != nil {
			return err
		}
	}
	return nil
}

// take reads a key with its value.
func (f configFile) take(p source, i item) error {
	if !f.known[i.key] {
		return i.wrong("%s is not known%s", i.key, option.Suggest(i.key, append(f.known.list(), optionsTable)))
	}
	if _, twice := p[i.key]; twice {
		return i.wrong("%s is given twice: leave out one", i.key)
	}
	switch {
	case i.what == isNothing:
		return i.wrong("%s has no value: write a value after it, in quotes if it begins with # or &, or leave out the line", i.key)
	case i.what == isTagged:
		return i.wrong("%s: a value that begins with ! has a special meaning in YAML: put text in quotes", i.key)
	case i.what == isStrange:
		return i.wrong("%s: the value must be text, a number, a date, true or false", i.key)
	case slices.Contains(f.forbidden, i.key) && isSecretText(i.values):
		return i.wrong("%s: others can read the file: run chmod 600 %s, or name a file that holds the password in %s%s", i.key, f.path, i.key, secretFile)
	case i.list && i.key != keyUsers && i.key != keyLabels && i.key != keyBeside && !f.lists[i.key]:
		return i.wrong("%s takes one value, but is a list here: give text, a number, a date, true or false", i.key)
	}
	separator := ","
	if i.key == keyBeside {
		separator = "\n"
	}
	e := entry{text: strings.Join(i.values, separator), key: i.key, origin: f.path, folder: filepath.Dir(f.path)}
	if i.line > 0 {
		e.origin = fmt.Sprintf("line %d of %s", i.line, f.path)
	}
	p[i.key] = e
	return nil
}

// isEmpty reports whether a table is empty, as YAML writes it.
func (i item) isEmpty() bool {
	return i.what == isNothing || i.what == isValue && len(i.values) == 1 && slices.Contains([]string{"", "~", "null", "Null", "NULL"}, i.values[0])
}

// isSecretText reports whether the values are a password, which is neither empty nor null.
func isSecretText(values []string) bool {
	return slices.ContainsFunc(values, meansSomething)
}

// wrong returns an error about an item. The error must not contain a value, which may be a
// password.
func (i item) wrong(format string, args ...any) error {
	if i.line == 0 {
		return fmt.Errorf(format, args...)
	}
	return fmt.Errorf("line %d: "+format, append([]any{i.line}, args...)...)
}
