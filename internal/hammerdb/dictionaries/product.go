package dictionaries

import (
	"cmp"
	"fmt"
	"strings"

	"sledge/internal/database"
	"sledge/internal/hammerdb/names"
	"sledge/internal/settings"
)

// Product is a database with its names in HammerDB's commands.
type Product struct {
	Name   string // "PostgreSQL"
	Prefix string // "pg"
	Built  bool   // whether Sledge supports it
}

type product struct {
	name, prefix string
	database     *database.Database // nil if it is not supported yet
}

// products lists HammerDB's databases, whether Sledge supports them or not, then the other
// databases of the catalog.
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

// built lists the prefixes of the supported databases, which are the only ones that messages offer.
func built(list []product) []string {
	var names []string
	for _, p := range list {
		if p.database != nil {
			names = append(names, p.prefix)
		}
	}
	return names
}

// nearestProduct returns the index of the database that the user probably meant by a wrong prefix,
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

// notBuiltError means that Sledge does not support a product of HammerDB yet.
type notBuiltError struct {
	name  string
	built []string // prefixes of the supported products
}

func (e *notBuiltError) Error() string {
	return fmt.Sprintf("%s is not built into Sledge yet, choose one from %s", e.name, strings.Join(e.built, " "))
}

func (p product) notBuilt(all []product) error {
	return &notBuiltError{name: p.name, built: built(all)}
}

// ConnectionSection is the section of a database that all benchmarks share.
const ConnectionSection = "connection"

// newDatabase makes the dictionary of a database, with HammerDB's keys before Sledge's own.
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

// NameOf returns the name of a database in HammerDB's commands, such as MSSQLServer, or its title
// if HammerDB does not have it.
func NameOf(d *database.Database) string { return cmp.Or(names.Of(d.Name).Name, d.Title) }
