// Package names lists the databases that HammerDB has, by the names that its
// commands, its data and its driver scripts have for them. Sledge may lack some;
// scripts, settings and jobs name those, too. It knows no driver and no job.
package names

import "strings"

// Database is what HammerDB calls a database.
type Database struct {
	Name    string // in commands and data: "MSSQLServer"
	Display string // to people, where that is another name: "SQL Server"
	Prefix  string // of its options: "mssqls"
	Library string // what driver scripts load to reach it: "tdbc::odbc"
}

// Known are all of them, in the order in which HammerDB lists them.
var Known = []Database{
	{Name: "Oracle", Prefix: "ora", Library: "Oratcl"},
	{Name: "MSSQLServer", Display: "SQL Server", Prefix: "mssqls", Library: "tdbc::odbc"},
	{Name: "Db2", Prefix: "db2", Library: "db2tcl"},
	{Name: "MySQL", Prefix: "mysql", Library: "mysqltcl"},
	{Name: "PostgreSQL", Prefix: "pg", Library: "Pgtcl"},
	{Name: "MariaDB", Prefix: "maria", Library: "mariatcl"},
}

// Usual is the prefix of the database that is chosen when nobody has chosen one.
// HammerDB's own is Oracle, which Sledge lacks.
const Usual = "pg"

// Named returns the database of that name, in upper or lower case, or one without
// names where there is none.
func Named(name string) Database {
	return find(func(d Database) bool { return strings.EqualFold(d.Name, name) })
}

// Loading returns the database that a Tcl library reaches, or one without names
// where it reaches none.
func Loading(library string) Database {
	return find(func(d Database) bool { return d.Library == library })
}

func find(is func(Database) bool) Database {
	for _, d := range Known {
		if is(d) {
			return d
		}
	}
	return Database{}
}
