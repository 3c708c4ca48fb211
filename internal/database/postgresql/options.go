package postgresql

import (
	"net"
	"path/filepath"
	"strconv"
	"strings"

	"sledge/internal/database"
	"sledge/internal/option"
)

// server holds the options of the server's address and of the connection.
type server struct {
	option.Naming
	Host        string `opt:"host" address:"true" flag:"host" main:"true" help:"name or address of the server, or the folder of its Unix socket; or several servers, such as a,b:5433: Sledge uses the first that accepts writes"`
	Port        int    `opt:"port" flag:"port" min:"1" max:"65535" help:"TCP port of the server, or the number in its socket's name"`
	SSLMode     string `opt:"ssl_mode" choices:"disable|allow|prefer|require|verify-ca|verify-full" help:"whether connections are encrypted, and how the server's certificate is verified"`
	SSLRootCert string `opt:"ssl_ca" needs:"ssl_mode!=disable" help:"PEM file of the authorities that may have signed the server's certificate; empty uses libpq's default"`
	SSLCert     string `opt:"ssl_cert" needs:"ssl_mode!=disable" help:"PEM file of the client's certificate; empty uses libpq's default"`
	SSLKey      string `opt:"ssl_key" needs:"ssl_mode!=disable" help:"PEM file of the key of the client's certificate; empty uses libpq's default"`

	oneOf   bool     // it is one of several servers in the option host
	poolers *poolers // the poolers that sessions with these options have found
}

// each returns the options of every server in the option host.
func (s *server) each() []*server {
	return database.EachServer(s, s.Host, s.Port, func(one *server, a database.Address) {
		one.Host, one.Port, one.oneOf = a.Host, a.Port, true
	})
}

// servers is Options.Servers.
func servers(options any) []any {
	var list []any
	switch o := options.(type) {
	case *transactional:
		for _, s := range o.each() {
			one := *o
			one.server = *s
			list = append(list, &one)
		}
	case *analytic:
		for _, s := range o.each() {
			one := *o
			one.server = *s
			list = append(list, &one)
		}
	default:
		list = append(list, options)
	}
	return list
}

// account holds the owner of the schema, and the superuser, who may create the owner.
type account struct {
	Superuser         string `opt:"superuser" help:"user that creates the account and the database of the schema"`
	SuperuserPassword string `opt:"superuser_password" secret:"true" help:"password of that user; empty uses PGPASSWORD or the password file"`
	DefaultDatabase   string `opt:"superuser_dbname" help:"database that the superuser connects to before the schema's own exists"`
	NoSuperuser       bool   `opt:"no_superuser" help:"never connect as the superuser: the account and the database must exist"`
	User              string `opt:"user" flag:"user" help:"user that owns the schema and runs the workload"`
	Password          string `opt:"password" secret:"true" help:"password of that user; empty uses PGPASSWORD or the password file"`
	Database          string `opt:"dbname" flag:"dbname" help:"database that holds the schema"`
	Tablespace        string `opt:"tablespace" group:"schema" for:"build" help:"tablespace in which the database is created"`

	known string // the default password, which is public
}

// transactional holds PostgreSQL's options for workloads of short transactions.
type transactional struct {
	server     `dict:"connection" group:"connection"`
	account    `group:"accounts"`
	Procedures bool `opt:"stored_procedures" group:"schema" for:"build" help:"build stored procedures (PostgreSQL 11 and later) instead of functions"`
	Partition  bool `opt:"partition" group:"schema" for:"build" help:"partition order_line by warehouse, with 100 warehouses in a partition, from 200 warehouses on"`
	Vacuum     bool `opt:"vacuum" group:"load" for:"run" needs:"driver=timed" help:"checkpoint and vacuum after a run"`

	OracleCompatible bool `opt:"oracle_compatible" group:"schema" soon:"true" help:"use the Oracle types and packages of EnterpriseDB's server; not built yet, so a job with it is refused"`
	CitusCompatible  bool `opt:"citus" group:"schema" soon:"true" help:"distribute the tables by warehouse with Citus; not built yet, so a job with it is refused"`
	Dritasnap        bool `opt:"wait_snapshots" group:"load" soon:"true" help:"take snapshots of EnterpriseDB's wait events before and after a run; not built yet, so a job with it is refused"`
}

// analytic holds PostgreSQL's options for workloads of queries.
type analytic struct {
	server   `dict:"connection" group:"connection"`
	account  `group:"accounts"`
	Parallel int `opt:"parallel_workers" group:"load" min:"0" max:"1024" for:"run|check" needs:"nothing" help:"maximum number of parallel workers of a query (max_parallel_workers_per_gather)"`

	Greenplum         bool `opt:"greenplum" group:"schema" soon:"true" help:"distribute the tables for Greenplum; not built yet, so a job with it is refused"`
	GreenplumCompress bool `opt:"greenplum_compress" group:"schema" soon:"true" help:"store the tables compressed and by column in Greenplum; not built yet, so a job with it is refused"`
	Redshift          bool `opt:"redshift" group:"load" soon:"true" help:"use Redshift's syntax for the cloud analytic queries; not built yet, so a job with it is refused"`
}

func newOptions(use database.Use) any {
	where := server{Host: "localhost", Port: 5432, SSLMode: "prefer", poolers: &poolers{}}
	if use.Analytic {
		return &analytic{server: where, account: newAccount(use), Parallel: 2}
	}
	return &transactional{server: where, account: newAccount(use)}
}

func newAccount(use database.Use) account {
	return account{
		Superuser: "postgres", SuperuserPassword: "postgres", DefaultDatabase: "postgres",
		User: use.Name, Password: use.Name, Database: use.Name, Tablespace: "pg_default",
		known: use.Name,
	}
}

// Validate implements option.Validator.
func (o *transactional) Validate(names option.Names) error {
	return validate(&o.server, &o.account, names,
		unbuilt{"oracle_compatible", o.OracleCompatible}, unbuilt{"citus", o.CitusCompatible}, unbuilt{"wait_snapshots", o.Dritasnap})
}

// Validate implements option.Validator.
func (o *analytic) Validate(names option.Names) error {
	return validate(&o.server, &o.account, names,
		unbuilt{"greenplum", o.Greenplum}, unbuilt{"greenplum_compress", o.GreenplumCompress}, unbuilt{"redshift", o.Redshift})
}

// unbuilt is an option of a feature that is not built yet.
type unbuilt struct {
	name  string
	asked bool
}

func validate(s *server, a *account, names option.Names, missing ...unbuilt) error {
	if _, err := database.Addresses(s.Host, s.Port); err != nil {
		return names.Wrong("host", s.Host, "%w", err)
	}
	for _, m := range missing {
		if m.asked {
			return names.Wrong(m.name, "true", "this feature is not built yet: set it to false")
		}
	}
	for _, needed := range []struct{ name, value string }{{"host", s.Host}, {"user", a.User}, {"dbname", a.Database}} {
		if needed.value == "" {
			return names.Wrong(needed.name, "", "it is empty: give it a value")
		}
	}
	for _, given := range []struct{ name, value string }{{"user", a.User}, {"dbname", a.Database}} {
		if n := len(given.value); n > longestName {
			return names.Wrong(given.name, given.value, "it has %d bytes, and PostgreSQL truncates names to %d: choose a shorter name", n, longestName)
		}
	}
	return nil
}

// longestName is the maximum length of a name in bytes. The server truncates longer names without
// an error, so a build would create a database that a delete does not find.
const longestName = 63

// Partitions returns the number of partitions of order_line. It is 0 for fewer than 200 warehouses,
// for which partitions do not help.
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

func (o *transactional) admin() login { return o.account.admin(&o.server) }
func (o *transactional) owner() login { return o.account.owner(&o.server) }
func (o *transactional) vacuum() bool { return o.Vacuum }

func (o *analytic) admin() login { return o.account.admin(&o.server) }
func (o *analytic) vacuum() bool { return false }

func (o *analytic) owner() login {
	l := o.account.owner(&o.server)
	l.parallel = strconv.Itoa(o.Parallel)
	return l
}

func (a *account) own() *account { return a }

func (a *account) admin(s *server) login {
	return login{
		server: s, user: a.Superuser, password: a.SuperuserPassword, database: a.DefaultDatabase,
		userOption: "superuser", passwordOption: "superuser_password", databaseOption: "superuser_dbname",
	}
}

func (a *account) owner(s *server) login {
	return login{
		server: s, user: a.User, password: a.Password, database: a.Database,
		userOption: "user", passwordOption: "password", databaseOption: "dbname",
	}
}

// login is everything that one connection needs, with the names of its options.
type login struct {
	server                                     *server
	user, password, database                   string
	userOption, passwordOption, databaseOption string

	parallel string // maximum number of parallel workers of a query; "" means the server's default
}

// to returns the same login with another database.
func (l login) to(database string) login {
	l.database = database
	return l
}

// String returns the target of the login, for messages.
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
