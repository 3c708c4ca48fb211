// Package dictionaries is the settings of a console: for each database and for the
// console itself, sections of keys with the names and defaults that HammerDB's
// have. Values are checked when they are set and kept in a file between two
// starts. It knows no commands and prints nothing.
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

// Book is the settings of one console. Its methods may be called from several
// goroutines.
type Book struct {
	products   []product
	benchmarks []Benchmark
	file       *file // nil where settings are not kept
	warnings   []string

	mu        sync.Mutex // guards the entries' values
	generic   *dictionary
	databases []*dictionary // of the products that are built
}

// Change is a setting that was changed.
type Change struct {
	Dict, Key string
	Old, New  string // as typed, masked where they are secret
	Of        string // the database's title, or "generic"

	Secret bool // whether the new value is a secret, and not the default that everyone knows
}

// String is the line that HammerDB prints about a change.
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
	Value   string // as it was typed; masked where it is secret
	Changed bool   // whether it is not the default
}

// Dictionary is all settings of a database, or of the console itself.
type Dictionary struct {
	Name     string // of the database, as the file knows it; or "generic"
	Title    string // what messages call it
	Prefix   string // of the database, as dbset takes it; "" for the generic one
	Sections []Section
}

// Open reads the settings kept at path, and makes the file when there is none.
// With the path "" settings live as long as the book. What Open passes over in
// the file is in Warnings.
//
// A book keeps its values to itself: what another one sets in the same file is
// seen by the next that is opened, and each writes only what it sets. So two
// consoles at once do not overwrite each other's settings.
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

// Warnings says, line by line, what the file held that could not be used, and that
// others could read it.
func (b *Book) Warnings() []string { return b.warnings }

// take puts kept settings in the place of the defaults. Those that this version
// does not know stay in the file, for the version that does.
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

// entryOf returns the entry that a kept setting is of, or nil.
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

// Database returns the database that is chosen.
func (b *Book) Database() *database.Database {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.product().database
}

// product returns the product that is chosen.
func (b *Book) product() product {
	chosen := b.generic.section(benchmarkSection).entry(rdbmsKey).canonical
	i := slices.IndexFunc(b.products, func(p product) bool { return p.name == chosen })
	return b.products[i]
}

// current returns the dictionary of the database that is chosen.
func (b *Book) current() *dictionary {
	name := b.product().database.Name
	i := slices.IndexFunc(b.databases, func(d *dictionary) bool { return d.name == name })
	return b.databases[i]
}

// Products lists the databases that SetDatabase knows, by name and prefix, those
// that are not built yet included.
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
	case i >= 0 && b.products[i].database == nil: // also where "oracle" was said for "ora"
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

// Benchmark returns the benchmark that is chosen.
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

// choose sets what is worked with; to choose the same again is fine.
func (b *Book) choose(key, value string) error {
	_, err := b.set(b.generic, benchmarkSection, key, value)
	if _, same := errors.AsType[*SameValueError](err); same {
		return nil
	}
	return err
}

// Set changes a setting of the database that is chosen, and writes it to the
// file. Its errors are UnknownDictError, UnknownKeyError, SameValueError,
// ValueError, and those of writing.
func (b *Book) Set(dict, key, value string) (Change, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.set(b.current(), dict, key, value)
}

// SetGeneric changes a setting of the console itself, as Set does.
func (b *Book) SetGeneric(section, key, value string) (Change, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.set(b.generic, section, key, value)
}

// SetIn changes a setting of a dictionary, by its name, whichever database is chosen, as Set does.
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

// all lists the dictionaries, that of the console itself first.
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

// change gives an entry of a dictionary a value that was checked.
func (e *entry) change(of *dictionary, text, canonical string) Change {
	c := Change{Dict: e.Section, Key: e.Name, Old: e.shown(e.text), New: e.shown(text), Of: of.of, Secret: e.Secret && canonical != e.Default}
	e.text, e.canonical = text, canonical
	return c
}

// Generic returns a setting of the console itself, as the option writes it: a
// boolean of HammerDB's as 0 or 1 even when "true" was typed. It panics when
// there is none of that name.
func (b *Book) Generic(section, key string) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	s := b.generic.section(section)
	if s == nil || s.entry(key) == nil {
		panic("settings: there is no generic setting " + section + ":" + key)
	}
	return s.entry(key).canonical
}

// GenericFlag returns whether a setting that is 0 or 1 is 1.
func (b *Book) GenericFlag(section, key string) bool { return b.GenericInt(section, key) == 1 }

// GenericInt returns a setting that is a number, or one that is 0 or 1.
func (b *Book) GenericInt(section, key string) int {
	n, err := strconv.Atoi(b.Generic(section, key))
	if err != nil {
		panic("settings: the generic setting " + section + ":" + key + " is not a number")
	}
	return n
}

// Value returns what an option of the benchmark and the database that are chosen is set
// to, as the option writes it: that of warehouses, say. It is "" when they have none of
// that name.
func (b *Book) Value(option string) string {
	key := b.Key(option)
	b.mu.Lock()
	defer b.mu.Unlock()
	if _, e := b.current().find(key); e != nil {
		return e.canonical
	}
	return ""
}

// Key returns the key of an option of the benchmark and the database that are chosen.
func (b *Book) Key(option string) string {
	return names.Key(b.Database().Name, b.Benchmark().Workload, option)
}

// Names are the keys of all options of the benchmark and the database that are chosen,
// by which messages call them.
func (b *Book) Names() option.Names {
	d, benchmark := b.Database(), b.Benchmark()
	described := option.Describe(d.Options.New(benchmark.use))
	for _, fresh := range benchmark.options() {
		described = append(described, option.Describe(fresh)...)
	}
	return names.Keys(d.Name, benchmark.Workload, described)
}

// Values returns the option values for a job of the chosen benchmark and database: every
// setting that differs from the option's own default and that HammerDB would use.
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

// Sections returns the settings of the database that is chosen, of all benchmarks.
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

// Dictionaries returns all settings, those of the console itself first.
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
