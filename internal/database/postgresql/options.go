package postgresql

import (
	"net"
	"path/filepath"
	"strconv"
	"strings"

	"sledge/internal/database"
	"sledge/internal/option"
)

// server says where PostgreSQL is and how to talk to it.
type server struct {
	option.Naming
	Host        string `opt:"host" flag:"host" main:"true" help:"name or address of the server, or the folder of its Unix socket; or several servers, such as a,b:5433, of which the first is taken that accepts writes"`
	Port        int    `opt:"port" flag:"port" min:"1" max:"65535" help:"TCP port of the server, or the number in its socket's name"`
	SSLMode     string `opt:"ssl_mode" choices:"disable|allow|prefer|require|verify-ca|verify-full" help:"whether connections are encrypted, and what of the server's certificate is verified"`
	SSLRootCert string `opt:"ssl_ca" help:"PEM file of the authorities that may have signed the server's certificate; empty for libpq's default"`
	SSLCert     string `opt:"ssl_cert" help:"PEM file of the client's certificate; empty for libpq's default"`
	SSLKey      string `opt:"ssl_key" help:"PEM file of the key of the client's certificate; empty for libpq's default"`

	oneOf bool // several that were named
}

// each returns every server that is named.
func (s *server) each() []*server {
	return database.EachServer(s, s.Host, s.Port, func(one *server, a database.Address) {
		one.Host, one.Port, one.oneOf = a.Host, a.Port, true
	})
}

// servers is Database.Servers.
func servers(options any) []any {
	o, known := options.(*transactional)
	if !known {
		return []any{options}
	}
	var list []any
	for _, s := range o.each() {
		one := *o
		one.server = *s
		list = append(list, &one)
	}
	return list
}

// account says who owns the schema, and who may create that owner.
type account struct {
	Superuser         string `opt:"superuser" help:"user who creates the account and the database of the schema"`
	SuperuserPassword string `opt:"superuser_password" secret:"true" help:"password of that user; empty for PGPASSWORD or the password file"`
	DefaultDatabase   string `opt:"superuser_dbname" help:"database that the superuser connects to before the schema's own exists"`
	NoSuperuser       bool   `opt:"no_superuser" help:"never connect as the superuser: the account and the database must exist"`
	User              string `opt:"user" flag:"user" help:"user who owns the schema and runs the workload"`
	Password          string `opt:"password" secret:"true" help:"password of that user; empty for PGPASSWORD or the password file"`
	Database          string `opt:"dbname" flag:"dbname" help:"database that holds the schema"`
	Tablespace        string `opt:"tablespace" group:"schema" help:"tablespace in which the database is created"`

	known string // the default password, which everybody knows
}

// transactional are PostgreSQL's options for workloads of short transactions.
type transactional struct {
	server     `dict:"connection" group:"connection"`
	account    `group:"accounts"`
	Procedures bool `opt:"stored_procedures" group:"schema" help:"build stored procedures (PostgreSQL 11 and later) instead of functions"`
	Partition  bool `opt:"partition" group:"schema" help:"partition order_line by warehouse, 100 warehouses to a partition, from 200 warehouses on"`
	Vacuum     bool `opt:"vacuum" group:"load" help:"checkpoint and vacuum after a run"`

	OracleCompatible bool `opt:"oracle_compatible" group:"schema" soon:"true" help:"use the Oracle types and packages of EnterpriseDB's server; not built yet, so a job with it is refused"`
	CitusCompatible  bool `opt:"citus" group:"schema" soon:"true" help:"distribute the tables by warehouse with Citus; not built yet, so a job with it is refused"`
	Dritasnap        bool `opt:"wait_snapshots" group:"load" soon:"true" help:"take snapshots of EnterpriseDB's wait events before and after a run; not built yet, so a job with it is refused"`
}

// analytic are PostgreSQL's options for workloads of queries. None is built yet: people
// keep them in their settings all the same.
type analytic struct {
	server       `dict:"connection" group:"connection"`
	queryOptions `group:"schema" soon:"true"`
}

type queryOptions struct {
	Superuser         string `opt:"superuser" help:"user who creates the account and the database of the schema"`
	SuperuserPassword string `opt:"superuser_password" secret:"true" help:"that user's password"`
	DefaultDatabase   string `opt:"superuser_dbname" help:"database that the superuser connects to before the schema's own exists"`
	User              string `opt:"user" help:"user who owns the schema and runs the workload"`
	Password          string `opt:"password" secret:"true" help:"that user's password"`
	Database          string `opt:"dbname" help:"database that holds the schema"`
	Tablespace        string `opt:"tablespace" help:"tablespace in which the database is created"`
	Greenplum         bool   `opt:"greenplum" help:"build for Greenplum: distribute the tables"`
	GreenplumCompress bool   `opt:"greenplum_compress" help:"build for Greenplum: compressed, by column"`
	Parallel          int    `opt:"parallel_workers" min:"0" max:"1024" help:"parallel workers of a query"`
	Redshift          bool   `opt:"redshift" help:"cloud analytic queries in the words of Redshift"`
}

func newOptions(use database.Use) any {
	where := server{Host: "localhost", Port: 5432, SSLMode: "prefer"}
	if use.Analytic {
		return &analytic{server: where, queryOptions: queryOptions{
			Superuser: "postgres", SuperuserPassword: "postgres", DefaultDatabase: "postgres",
			User: use.Name, Password: use.Name, Database: use.Name, Tablespace: "pg_default", Parallel: 2,
		}}
	}
	return &transactional{
		server: where,
		account: account{
			Superuser: "postgres", SuperuserPassword: "postgres", DefaultDatabase: "postgres",
			User: use.Name, Password: use.Name, Database: use.Name, Tablespace: "pg_default",
			known: use.Name,
		},
	}
}

// Validate implements option.Validator.
func (o *transactional) Validate(names option.Names) error {
	if _, err := database.Addresses(o.Host, o.Port); err != nil {
		return names.Wrong("host", o.Host, "%w", err)
	}
	for _, missing := range []struct {
		name  string
		asked bool
	}{{"oracle_compatible", o.OracleCompatible}, {"citus", o.CitusCompatible}, {"wait_snapshots", o.Dritasnap}} {
		if missing.asked {
			return names.Wrong(missing.name, "true", "what it asks for is not built yet: set it to false")
		}
	}
	for _, needed := range []struct{ name, value string }{{"host", o.Host}, {"user", o.User}, {"dbname", o.Database}} {
		if needed.value == "" {
			return names.Wrong(needed.name, "", "it is empty: give it a value")
		}
	}
	return nil
}

// Partitions returns into how many partitions order_line is to be divided, 0 when
// it is not: it is not worth it below 200 warehouses.
func (o *transactional) Partitions(warehouses int) int {
	if !o.Partition || warehouses < 200 {
		return 0
	}
	return warehouses / 100
}

// target is any option struct of this package.
type target interface {
	// admin is the superuser's login, to the default database.
	admin() login
	// owner is the login of the schema's owner.
	owner() login
	// own returns the account options.
	own() *account
	// Name and Wrong are those of option.Naming.
	Name(option string) string
	Wrong(option, value, format string, args ...any) error
	vacuum() bool
}

func (o *transactional) admin() login {
	return login{
		server: &o.server, user: o.Superuser, password: o.SuperuserPassword, database: o.DefaultDatabase,
		userOption: "superuser", passwordOption: "superuser_password", databaseOption: "superuser_dbname",
	}
}

func (o *transactional) owner() login {
	return login{
		server: &o.server, user: o.User, password: o.Password, database: o.Database,
		userOption: "user", passwordOption: "password", databaseOption: "dbname",
	}
}

func (o *transactional) own() *account { return &o.account }
func (o *transactional) vacuum() bool  { return o.Vacuum }

// login is all that one connection needs, and which options it came from.
type login struct {
	server                                     *server
	user, password, database                   string
	userOption, passwordOption, databaseOption string
}

// to returns the same login to another database.
func (l login) to(database string) login {
	l.database = database
	return l
}

// String says where the login leads to, for messages.
func (l login) String() string { return l.database + " on " + l.server.String() }

// String returns the address, for messages.
func (s *server) String() string {
	if list := s.each(); len(list) > 1 {
		var all []string
		for _, one := range list {
			all = append(all, one.String())
		}
		return strings.Join(all, ", ")
	}
	if filepath.IsAbs(s.Host) {
		return filepath.Join(s.Host, ".s.PGSQL."+strconv.Itoa(s.Port))
	}
	return net.JoinHostPort(s.Host, strconv.Itoa(s.Port))
}
