package dictionaries

import (
	"cmp"
	"fmt"
	"strings"

	"sledge/internal/database"
	"sledge/internal/hammerdb/names"
	"sledge/internal/settings"
)

// Product is a database as HammerDB's commands name it.
type Product struct {
	Name   string // "PostgreSQL"
	Prefix string // "pg"
	Built  bool   // whether Sledge has it
}

type product struct {
	name, prefix string
	database     *database.Database // nil where it is not built yet
}

// products lists HammerDB's databases, then the other ones of the catalog. Those that
// are not built yet are shown as such; one that is takes the place of HammerDB's
// entry.
func products(resolver settings.Resolver) []product {
	var list []product
	for _, known := range names.Known {
		list = append(list, product{name: known.Name, prefix: known.Prefix})
	}
	for _, d := range resolver.Databases {
		known := names.Of(d.Name)
		p := product{name: NameOf(d), prefix: known.Prefix, database: d}
		found := false
		for i := range list {
			if list[i].prefix == p.prefix {
				list[i], found = p, true
			}
		}
		if !found {
			list = append(list, p)
		}
	}
	return list
}

// built lists the prefixes of the databases that can be chosen. No list of choices
// has others: what is offered is not to be refused.
func built(list []product) []string {
	var names []string
	for _, p := range list {
		if p.database != nil {
			names = append(names, p.prefix)
		}
	}
	return names
}

// nearestProduct returns the place of the database that a wrong prefix may stand for,
// such as PostgreSQL's for "postgresql", or -1.
func nearestProduct(list []product, wrong string) int {
	for i, p := range list {
		names := []string{strings.ToLower(p.name)}
		if p.database != nil {
			names = append(names, p.database.Name)
			names = append(names, p.database.Aliases...)
		}
		if nearest(wrong, names) != "" {
			return i
		}
	}
	return -1
}

// notBuiltError says that a product is known but cannot be used.
type notBuiltError struct {
	name  string
	built []string // prefixes of those that can
}

func (e *notBuiltError) Error() string {
	return fmt.Sprintf("%s is not built into Sledge yet, choose one from %s", e.name, strings.Join(e.built, " "))
}

func (p product) notBuilt(all []product) error {
	return &notBuiltError{name: p.name, built: built(all)}
}

// ConnectionSection is the section of a database that all benchmarks share.
const ConnectionSection = "connection"

// newDatabase makes the dictionary of a database: HammerDB's keys first, ours
// after them.
func newDatabase(benchmarks []Benchmark, p product) *dictionary {
	d := &dictionary{name: p.database.Name, of: p.name, prefix: p.prefix, sections: []*section{{name: ConnectionSection}}}
	for _, b := range benchmarks {
		d.sections = append(d.sections, &section{name: b.Section})
		key := func(option string) string { return names.Key(p.database.Name, b.Workload, option) }
		defaultOf := func(option, own string) string { return names.Default(p.database.Name, b.Workload, option, own) }
		d.add(key, p.database.Options.New(b.use), b.Section, defaultOf)
		for _, fresh := range b.options() {
			d.add(key, fresh, b.Section, defaultOf)
		}
		d.section(b.Section).sort(names.Order(p.database.Name, b.Workload), names.Rest(p.database.Name, b.Workload))
	}
	return d
}

// NameOf is what HammerDB's commands call a database, such as MSSQLServer, or its title if
// HammerDB lacks it.
func NameOf(d *database.Database) string { return cmp.Or(names.Of(d.Name).Name, d.Title) }
