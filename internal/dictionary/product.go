package dictionary

import (
	"fmt"
	"strings"

	"sledge/internal/database"
	"sledge/internal/workbench"
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

// known are HammerDB's databases, in the order in which it lists them.
var known = []product{
	{name: "Oracle", prefix: "ora"},
	{name: "MSSQLServer", prefix: "mssqls"},
	{name: "Db2", prefix: "db2"},
	{name: "MySQL", prefix: "mysql"},
	{name: "PostgreSQL", prefix: "pg"},
	{name: "MariaDB", prefix: "maria"},
}

// products lists HammerDB's databases, then the other ones of a bench.
func products(bench workbench.Bench) []product {
	list := append([]product{}, known...)
	for _, d := range bench.Databases {
		p := product{name: d.Title, prefix: strings.TrimSuffix(d.Names.Prefix, "_"), database: d}
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

func prefixes(list []product) []string {
	var names []string
	for _, p := range list {
		names = append(names, p.prefix)
	}
	return names
}

// nearestPrefix returns the prefix of the database that a wrong prefix may stand
// for, such as "pg" for "postgresql", or "".
func nearestPrefix(list []product, wrong string) string {
	for _, p := range list {
		names := []string{strings.ToLower(p.name)}
		if p.database != nil {
			names = append(names, p.database.Name)
			names = append(names, p.database.Aliases...)
		}
		if nearest(wrong, names) != "" {
			return p.prefix
		}
	}
	return ""
}

// notBuiltError says that a product is known but cannot be used.
type notBuiltError struct {
	name  string
	built []string // prefixes of those that can
}

func (e *notBuiltError) Error() string {
	return fmt.Sprintf("%s is not built yet, choose one from %s", e.name, strings.Join(e.built, " "))
}

func (p product) notBuilt(all []product) error {
	e := &notBuiltError{name: p.name}
	for _, other := range all {
		if other.database != nil {
			e.built = append(e.built, other.prefix)
		}
	}
	return e
}

// The sections of a database.
const (
	connectionSection = "connection"
	tpccSection       = "tpcc"
	tpchSection       = "tpch"
)

// sectionOf says which section has the options of a workload.
var sectionOf = map[string]string{"tprocc": tpccSection, "tproch": tpchSection}

// order lists the keys of the section tpcc that HammerDB has, in its order and
// without their prefix: the database's and the workload's are mixed in it.
var order = map[string]string{
	"postgresql": `count_ware num_vu superuser superuserpass defaultdbase user pass dbase tspace oracompat
		cituscompat storedprocs partition vacuum dritasnap ` + driverKeys,
	"mysql":   mysqlOrder,
	"mariadb": mysqlOrder,
}

const (
	mysqlOrder = "count_ware num_vu user pass dbase storage_engine partition prepared history_pk no_stored_procs " +
		driverKeys + " purge"
	driverKeys = `total_iterations raiseerror keyandthink driver rampup duration allwarehouse timeprofile
		async_scale async_client async_verbose async_delay connect_pool`
)

// newDatabase makes the dictionary of a database: HammerDB's keys first, ours
// after them.
func newDatabase(bench workbench.Bench, p product) *dictionary {
	d := &dictionary{name: p.database.Name, of: p.name, prefix: p.prefix}
	for _, name := range []string{connectionSection, tpccSection, tpchSection} {
		d.sections = append(d.sections, &section{name: name})
	}
	names := p.database.Names
	for _, w := range bench.Workloads {
		if section := sectionOf[w.Name]; section != "" {
			d.add(names, p.database.Options(w.Name), section)
			d.add(names, w.Options(), section)
		}
	}
	if len(d.section(tpchSection).entries) == 0 {
		d.add(names, newTPROCH(p.database.Name), tpchSection)
	}
	var first []string
	for name := range strings.FieldsSeq(order[p.database.Name]) {
		first = append(first, names.Full(name))
	}
	d.section(tpccSection).sort(first)
	return d
}
