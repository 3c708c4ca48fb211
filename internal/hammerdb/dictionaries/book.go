// Package dictionaries holds the settings of a console: for each database and for the console
// itself, sections of keys with HammerDB's names and defaults. It checks values when they are set,
// and saves them in a file. It does not know the console's commands and prints nothing.
package dictionaries

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"sledge/internal/database"
	"sledge/internal/hammerdb/names"
	"sledge/internal/option"
	"sledge/internal/settings"
)

// Book holds the settings of one console. Its methods may be called from several goroutines.
type Book struct {
	products   []product
	benchmarks []Benchmark
	file       *file // nil if settings are not saved
	warnings   []string

	mu        sync.Mutex // guards the entries' values
	generic   *dictionary
	databases []*dictionary // of the supported products
}

// Change is a setting that was changed.
type Change struct {
	Dict, Key string
	Old, New  string // as typed; masked if secret
	Of        string // the database's title, or "generic"

	Secret bool // whether the new value is a secret and differs from the public default
}

// String returns HammerDB's line about a change.
func (c Change) String() string {
	return fmt.Sprintf("Changed %s:%s from %s to %s for %s", c.Dict, c.Key, c.Old, c.New, c.Of)
}

// Section is a named group of settings.
type Section struct {
	Name    string
	Entries []Entry
}

// Entry is one setting as front ends show it.
type Entry struct {
	option.Description
	Value   string // as typed; masked if secret
	Changed bool   // whether it differs from the default
}

// Dictionary holds all settings of a database, or of the console itself.
type Dictionary struct {
	Name     string // the database's name in the file, or "generic"
	Title    string // name in messages
	Prefix   string // the database's prefix for dbset; "" for the generic dictionary
	Sections []Section
}

// Open reads the settings in the file path, and creates the file if it does not exist. If path is
// "", settings end with the book. Warnings lists the settings in the file that Open ignores.
//
// A book does not see changes that another open book makes in the same file, and writes only the
// settings that it changes. So two consoles at once do not overwrite each other's settings.
func Open(resolver settings.Resolver, path string) (*Book, error) {
	if len(resolver.Workloads) == 0 {
		return nil, errors.New("there are no settings without a workload")
	}
	b := &Book{products: products(resolver), benchmarks: benchmarks(resolver)}
	b.generic = newGeneric(b.products, b.benchmarks)
	for _, p := range b.products {
		if p.database != nil {
			b.databases = append(b.databases, newDatabase(b.benchmarks, p))
		}
	}
	if len(b.databases) == 0 {
		return nil, errors.New("there are no settings without a database")
	}
	if path == "" {
		return b, nil
	}
	f, kept, err := openFile(path)
	if err != nil {
		return nil, err
	}
	b.file = f
	if f.exposed != "" {
		b.warnings = append(b.warnings, f.exposed)
	}
	b.take(kept)
	return b, nil
}

// Close closes the file.
func (b *Book) Close() error {
	if b.file == nil {
		return nil
	}
	return b.file.close()
}

// Warnings returns lines about settings in the file that could not be used, and a line if other
// users could read the file.
func (b *Book) Warnings() []string { return b.warnings }

// take replaces defaults by the saved settings. Settings that this version does not know stay in
// the file for newer versions.
func (b *Book) take(kept []setting) {
	var unknown []string
	for _, k := range kept {
		e := b.entryOf(k)
		if e == nil {
			unknown = append(unknown, k.String())
			continue
		}
		canonical, err := e.check(k.value)
		if err != nil {
			b.warnings = append(b.warnings, fmt.Sprintf("settings %s: %s: %v; using its default", b.file.path, k, err))
			continue
		}
		e.text, e.canonical = k.value, canonical
	}
	if len(unknown) > 0 {
		b.warnings = append(b.warnings, fmt.Sprintf("settings %s: ignoring what this version does not know: %s",
			b.file.path, strings.Join(unknown, ", ")))
	}
}

// entryOf returns the entry of a saved setting, or nil.
func (b *Book) entryOf(k setting) *entry {
	for _, d := range b.all() {
		if d.name != k.dictionary {
			continue
		}
		if s := d.section(k.section); s != nil {
			return s.entry(k.key)
		}
	}
	return nil
}

// Database returns the chosen database.
func (b *Book) Database() *database.Database {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.product().database
}

// product returns the chosen product.
func (b *Book) product() product {
	chosen := b.generic.section(benchmarkSection).entry(rdbmsKey).canonical
	i := slices.IndexFunc(b.products, func(p product) bool { return p.name == chosen })
	return b.products[i]
}

// current returns the dictionary of the chosen database.
func (b *Book) current() *dictionary {
	name := b.product().database.Name
	i := slices.IndexFunc(b.databases, func(d *dictionary) bool { return d.name == name })
	return b.databases[i]
}

// Products lists the databases of SetDatabase by name and prefix, including those that Sledge does
// not support yet.
func (b *Book) Products() []Product {
	var list []Product
	for _, p := range b.products {
		list = append(list, Product{Name: p.name, Prefix: p.prefix, Built: p.database != nil})
	}
	return list
}

// SetDatabase chooses a database by its prefix, such as "pg".
func (b *Book) SetDatabase(prefix string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	i := slices.IndexFunc(b.products, func(p product) bool { return p.prefix == strings.ToLower(prefix) })
	known := i >= 0
	if !known {
		i = nearestProduct(b.products, prefix)
	}
	switch {
	case i >= 0 && b.products[i].database == nil: // also for "oracle" instead of "ora"
		return b.products[i].notBuilt(b.products)
	case known:
		return b.choose(rdbmsKey, b.products[i].name)
	}
	meant := ""
	if i >= 0 {
		meant = b.products[i].prefix
	}
	return fmt.Errorf("Unknown prefix %s, choose one from %s%s", //nolint:staticcheck // it is HammerDB's line
		prefix, strings.Join(built(b.products), " "), didYouMean(meant))
}

// Benchmark returns the chosen benchmark.
func (b *Book) Benchmark() Benchmark {
	chosen := b.Generic(benchmarkSection, bmKey)
	i := slices.IndexFunc(b.benchmarks, func(known Benchmark) bool { return known.Name == chosen })
	return b.benchmarks[i]
}

// Benchmarks lists the benchmarks that SetBenchmark knows.
func (b *Book) Benchmarks() []Benchmark { return b.benchmarks }

// SetBenchmark chooses a benchmark by its title or by HammerDB's name for it, in
// upper or lower case: TPROC-C or TPC-C.
func (b *Book) SetBenchmark(name string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	i := slices.IndexFunc(b.benchmarks, func(known Benchmark) bool { return known.is(name) })
	if i < 0 {
		return unknownBenchmark(name, b.benchmarks)
	}
	return b.choose(bmKey, b.benchmarks[i].Name)
}

// choose sets the database or the benchmark. Choosing the current one again is not an error.
func (b *Book) choose(key, value string) error {
	_, err := b.set(b.generic, benchmarkSection, key, value)
	if _, same := errors.AsType[*SameValueError](err); same {
		return nil
	}
	return err
}

// Set changes a setting of the chosen database, and writes it to the file. Its errors are
// UnknownDictError, UnknownKeyError, SameValueError, ValueError, and errors of writing.
func (b *Book) Set(dict, key, value string) (Change, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.set(b.current(), dict, key, value)
}

// SetGeneric is Set for a setting of the console itself.
func (b *Book) SetGeneric(section, key, value string) (Change, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.set(b.generic, section, key, value)
}

// SetIn is Set for a setting of the named dictionary, independent of the chosen database.
func (b *Book) SetIn(name, section, key, value string) (Change, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	all := b.all()
	i := slices.IndexFunc(all, func(d *dictionary) bool { return d.name == name })
	if i < 0 {
		var names []string
		for _, d := range all {
			names = append(names, d.name)
		}
		return Change{}, &UnknownDictError{Dict: name, Nearest: nearest(name, names)}
	}
	return b.set(all[i], section, key, value)
}

// all lists the dictionaries, the generic one first.
func (b *Book) all() []*dictionary { return append([]*dictionary{b.generic}, b.databases...) }

func (b *Book) set(d *dictionary, dict, key, value string) (Change, error) {
	var others []*dictionary
	if d != b.generic {
		others = b.databases
	}
	e, err := d.lookup(dict, key, others)
	if err != nil {
		return Change{}, err
	}
	if e.text == value {
		return Change{}, &SameValueError{Dict: dict, Key: key, Value: e.shown(value)}
	}
	canonical, err := e.check(value)
	if err != nil {
		return Change{}, &ValueError{Dict: dict, Key: key, Err: err}
	}
	if b.file != nil {
		if err := b.file.write(setting{d.name, dict, key, value}); err != nil {
			return Change{}, err
		}
	}
	return e.change(d, value, canonical), nil
}

// change sets an entry of a dictionary to a checked value.
func (e *entry) change(of *dictionary, text, canonical string) Change {
	c := Change{Dict: e.Section, Key: e.Name, Old: e.shown(e.text), New: e.shown(text), Of: of.of, Secret: e.Secret && canonical != e.Default}
	e.text, e.canonical = text, canonical
	return c
}

// Generic returns a setting of the console itself in its canonical form: a flag is 0 or 1 even if
// the user typed "true". It panics if the setting does not exist.
func (b *Book) Generic(section, key string) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	s := b.generic.section(section)
	if s == nil || s.entry(key) == nil {
		panic("settings: there is no generic setting " + section + ":" + key)
	}
	return s.entry(key).canonical
}

// GenericFlag reports whether a flag of the console itself is on.
func (b *Book) GenericFlag(section, key string) bool { return b.GenericInt(section, key) == 1 }

// GenericInt returns a number or a flag of the console itself.
func (b *Book) GenericInt(section, key string) int {
	n, err := strconv.Atoi(b.Generic(section, key))
	if err != nil {
		panic("settings: the generic setting " + section + ":" + key + " is not a number")
	}
	return n
}

// Value returns the value of an option of the chosen database and benchmark, such as warehouses, in
// its canonical form. It returns "" if there is no such option.
func (b *Book) Value(option string) string {
	key := b.Key(option)
	b.mu.Lock()
	defer b.mu.Unlock()
	if _, e := b.current().find(key); e != nil {
		return e.canonical
	}
	return ""
}

// Key returns the key of an option of the chosen database and benchmark.
func (b *Book) Key(option string) string {
	return names.Key(b.Database().Name, b.Benchmark().Workload, option)
}

// Names returns the keys of all options of the chosen database and benchmark, for messages.
func (b *Book) Names() option.Names {
	d, benchmark := b.Database(), b.Benchmark()
	described := option.Describe(d.Options.New(benchmark.use))
	for _, fresh := range benchmark.options() {
		described = append(described, option.Describe(fresh)...)
	}
	return names.Keys(d.Name, benchmark.Workload, described)
}

// Values returns the option values for a job of the chosen database and benchmark: the settings
// that HammerDB would use and that differ from the option's own default.
func (b *Book) Values() option.Values {
	benchmark := b.Benchmark().Section
	b.mu.Lock()
	defer b.mu.Unlock()
	values := option.Values{}
	current := b.current()
	for _, s := range current.sections {
		if s.name != ConnectionSection && s.name != benchmark {
			continue
		}
		for _, e := range s.entries {
			if e.canonical != e.own && !names.Unused(current.name, e.option, e.canonical) {
				values[e.option] = e.canonical
			}
		}
	}
	return values
}

// Sections returns the settings of the chosen database, for all benchmarks.
func (b *Book) Sections() []Section {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.current().show()
}

// GenericSections returns the settings of the console itself.
func (b *Book) GenericSections() []Section {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.generic.show()
}

// Dictionaries returns all settings, the generic ones first.
func (b *Book) Dictionaries() (list []Dictionary) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, d := range b.all() {
		list = append(list, Dictionary{d.name, d.of, d.prefix, d.show()})
	}
	return list
}

func (d *dictionary) show() []Section {
	var list []Section
	for _, s := range d.sections {
		shown := Section{Name: s.name}
		for _, e := range s.entries {
			public := e.Description
			public.Default = e.shown(public.Default)
			shown.Entries = append(shown.Entries, Entry{public, e.shown(e.text), e.canonical != e.Default})
		}
		list = append(list, shown)
	}
	return list
}
