package db2

import (
	"cmp"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"sledge/internal/database"
	"sledge/internal/option"
)

// server holds the options of the server's address and of the connection.
type server struct {
	option.Naming
	Host           string `opt:"host" address:"true" flag:"host" main:"true" help:"name or address of the server; if empty, IBM's library looks up the database in its catalog or in db2dsdriver.cfg"`
	Port           int    `opt:"port" flag:"port" min:"1" max:"65535" help:"TCP port of the server"`
	Library        string `opt:"library" help:"IBM's library for Db2 (libdb2.so, libdb2.dylib, db2cli64.dll), or its folder; if empty, Sledge looks in IBM_DB_HOME, on the library path, and where Db2, IBM's driver package and Python's ibm_db install it"`
	Authentication string `opt:"authentication" choices:"server's choice|SERVER|SERVER_ENCRYPT|SERVER_ENCRYPT_AES|DATA_ENCRYPT|KERBEROS|GSSPLUGIN" help:"how the user authenticates to the server"`
	SSL            bool   `opt:"ssl" help:"encrypt the connection with TLS"`
	SSLCA          string `opt:"ssl_ca" needs:"ssl" help:"file with the certificate that verifies the server's certificate; empty uses the settings of IBM's library"`
}

// defaultPort is the default port of a Db2 instance.
const defaultPort = 50000

// serversChoice leaves the authentication to the server.
const serversChoice = "server's choice"

// account holds the owner of the schema, its database and its tablespace.
type account struct {
	Superuser         string `opt:"superuser" dict:"connection" help:"user that may create databases; accepted for scripts, but without effect: on Db2, create the database with db2 create database"`
	SuperuserPassword string `opt:"superuser_password" dict:"connection" secret:"true" help:"password of that user"`
	DefaultDatabase   string `opt:"superuser_dbname" dict:"connection" help:"an existing database; accepted for scripts, but without effect"`
	User              string `opt:"user" flag:"user" help:"user that owns the schema and runs the workload"`
	Password          string `opt:"password" secret:"true" help:"password of that user"`
	Database          string `opt:"dbname" flag:"dbname" help:"database that holds the schema, by its name or alias"`
	Tablespace        string `opt:"tablespace" group:"schema" for:"build" help:"default tablespace of the tables; empty leaves the choice to the server"`
}

// transactional are Db2's options for workloads of short transactions.
type transactional struct {
	server      `dict:"connection" group:"connection"`
	account     `group:"accounts"`
	Tablespaces string `opt:"table_tablespaces" group:"schema" for:"build" help:"tablespaces of individual tables, by their initials: C \"DATA1\" OL \"\"; \"\" is the default tablespace"`
	Partition   bool   `opt:"partition" group:"schema" for:"build" help:"partition customer, stock, orders and order_line by warehouse into ten partitions, from 10 warehouses on"`
	Report      int    `opt:"monreport" group:"load" min:"0" max:"60" unit:"min" for:"run" needs:"driver=timed" help:"length of the report by MONREPORT.DBSUMMARY, in minutes from the start of the measured time; it runs in a separate session, and only if the measured time is longer"`
}

// analytic are Db2's options for workloads of queries.
type analytic struct {
	server     `dict:"connection" group:"connection"`
	account    `group:"accounts"`
	OrganizeBy string `opt:"organize_by" group:"schema" choices:"NONE|ROW|COL|DATE" for:"build" help:"how tables are stored: NONE leaves the choice to the server; ROW by rows; COL by columns; DATE by rows, clustered by date"`
	Degree     int    `opt:"degree_of_parallel" group:"load" min:"1" max:"32767" for:"run|check" needs:"nothing" help:"degree of parallelism within a query (CURRENT DEGREE)"`
}

func newOptions(use database.Use) any {
	s := server{Port: defaultPort, Authentication: serversChoice}
	a := account{
		Superuser: "db2inst1", SuperuserPassword: "ibmdb2", DefaultDatabase: "db2",
		User: "db2inst1", Password: "ibmdb2", Database: use.Name, Tablespace: "USERSPACE1",
	}
	if use.Analytic {
		return &analytic{server: s, account: a, OrganizeBy: "NONE", Degree: 2}
	}
	return &transactional{server: s, account: a, Tablespaces: `C "" D "" H "" I "" W "" S "" NO "" OR "" OL ""`}
}

// settings is the interface of both option structs.
type settings interface {
	common() (*server, *account)
	degree() int // degree of parallelism; 0 means the server's default
}

func (o *transactional) common() (*server, *account) { return &o.server, &o.account }
func (o *analytic) common() (*server, *account)      { return &o.server, &o.account }
func (o *transactional) degree() int                 { return 0 }
func (o *analytic) degree() int                      { return o.Degree }

// Validate implements option.Validator.
func (o *transactional) Validate(names option.Names) error {
	if _, err := tablespaces(o.Tablespaces); err != nil {
		return names.Wrong("table_tablespaces", o.Tablespaces, "%w", err)
	}
	return validate(&o.server, &o.account, names)
}

// Validate implements option.Validator.
func (o *analytic) Validate(names option.Names) error { return validate(&o.server, &o.account, names) }

func validate(s *server, a *account, names option.Names) error {
	for _, needed := range []struct{ name, value string }{{"user", a.User}, {"dbname", a.Database}} {
		if needed.value == "" {
			return names.Wrong(needed.name, "", "it is empty: give it a value")
		}
	}
	// The connection string contains all of these, and uses these characters as separators.
	for _, one := range []struct{ name, value string }{
		{"host", s.Host}, {"dbname", a.Database}, {"superuser_dbname", a.DefaultDatabase}, {"user", a.User}, {"superuser", a.Superuser}, {"ssl_ca", s.SSLCA},
	} {
		if strings.ContainsAny(one.value, ";={}\x00") {
			return names.Wrong(one.name, one.value, "%q contains ; = { or }, which IBM's library does not accept here", one.value)
		}
	}
	if s.Host == "" && s.Port != defaultPort {
		return names.Wrong("port", strconv.Itoa(s.Port), "%d would not be used, because %s is empty and IBM's library looks up the database by its name: name the server in %s", s.Port, names.Of("host"), names.Of("host"))
	}
	if strings.Contains(s.Host, ",") {
		return names.Wrong("host", s.Host, "it names several servers: name one, and configure Db2's alternate servers in db2dsdriver.cfg")
	}
	for _, one := range []struct{ name, value string }{{"password", a.Password}, {"superuser_password", a.SuperuserPassword}} {
		if strings.ContainsAny(one.value, ";{}\x00") {
			return names.Wrong(one.name, "", "it contains ; { or }, which IBM's library does not accept in a password")
		}
	}
	if a.Tablespace != "" && !isWord(a.Tablespace) {
		return names.Wrong("tablespace", a.Tablespace, "%q is not the name of a tablespace", a.Tablespace)
	}
	return nil
}

// isWord reports whether text needs no quotes in SQL.
func isWord(text string) bool {
	for i, c := range []byte(text) {
		if c != '_' && c != '$' && c != '#' && c != '@' && (c < '0' || c > '9' || i == 0) && (c|0x20 < 'a' || c|0x20 > 'z') {
			return false
		}
	}
	return text != ""
}

// tablespaces parses table_tablespaces into tablespaces by the tables' initials.
func tablespaces(list string) (map[string]string, error) {
	words := strings.Fields(list)
	if len(words)%2 != 0 {
		return nil, fmt.Errorf("%q is not a list of tables, each followed by its tablespace, such as C \"DATA1\" OL \"\"", list)
	}
	found := map[string]string{}
	for pair := range slices.Chunk(words, 2) {
		name := strings.Trim(pair[1], `"{}`)
		if name != "" && !isWord(name) {
			return nil, fmt.Errorf("%q is not the name of a tablespace", name)
		}
		found[strings.ToUpper(pair[0])] = name
	}
	return found, nil
}

// In returns the clause that puts a table, given its initials, into its tablespace. schema.sql
// calls it.
func (o *transactional) In(table string) string {
	list, err := tablespaces(o.Tablespaces)
	if err != nil {
		return ""
	}
	return inTablespace(cmp.Or(list[table], o.Tablespace))
}

// In returns the clause that puts a table into its tablespace. schema.sql calls it.
func (o *analytic) In() string { return inTablespace(o.Tablespace) }

// Organized returns the ORGANIZE BY clause of a table. dates is the column for clustering by date;
// "" if the table has none. schema.sql calls it.
func (o *analytic) Organized(dates string) string {
	switch {
	case o.OrganizeBy == "COL":
		return " ORGANIZE BY COLUMN"
	case o.OrganizeBy == "DATE" && dates != "":
		return " ORGANIZE BY ROW USING DIMENSIONS (" + dates + ")"
	case o.OrganizeBy != "NONE":
		return " ORGANIZE BY ROW"
	}
	return ""
}

func inTablespace(name string) string {
	if name == "" {
		return ""
	}
	return " IN " + name
}

// PartitionSize returns the number of warehouses in a partition, or 0 without partitions.
// schema.sql calls it.
func (o *transactional) PartitionSize(warehouses int) int {
	const partitions = 10
	if !o.Partition || warehouses < partitions {
		return 0
	}
	return (warehouses + partitions - 1) / partitions
}

// LastPartitioned returns the last warehouse of the second-to-last partition. The last partition
// contains all warehouses after it. schema.sql calls it.
func (o *transactional) LastPartitioned(warehouses int) int { return 9 * o.PartitionSize(warehouses) }

// address returns the server's address for messages.
func (s *server) address() string {
	if s.Host == "" {
		return "the server in the library's catalog"
	}
	return net.JoinHostPort(s.Host, strconv.Itoa(s.Port))
}

// login is the configuration of a connection, with the options that it comes from.
type login struct {
	server                                     *server
	user, password, database                   string
	userOption, passwordOption, databaseOption string
}

func loginOf(s *server, a *account) login {
	return login{s, a.User, a.Password, a.Database, "user", "password", "dbname"}
}

// text returns the connection string for the library. It contains the password.
func (l login) text() string {
	var b strings.Builder
	set := func(name, value string) {
		if value != "" {
			b.WriteString(name + "=" + value + ";")
		}
	}
	s := l.server
	if s.Host == "" {
		set("DSN", l.database)
	} else {
		set("DATABASE", l.database)
		set("HOSTNAME", s.Host)
		set("PORT", strconv.Itoa(s.Port))
		set("PROTOCOL", "TCPIP")
	}
	set("UID", l.user)
	set("PWD", l.password)
	if s.Authentication != serversChoice {
		set("Authentication", s.Authentication)
	}
	if s.SSL {
		set("Security", "SSL")
		set("SSLServerCertificate", s.SSLCA)
	}
	return b.String()
}

// port returns the port in the connection string, or 0.
func (l login) port() int {
	if l.server.Host == "" {
		return 0
	}
	return l.server.Port
}

// target is Options.Target.
func target(options any) string {
	s, a := options.(settings).common()
	if s.Host == "" {
		return a.Database
	}
	return a.Database + " on " + s.address()
}

// fromURL is Options.FromURL.
func fromURL(u *url.URL) (option.Values, error) {
	values, name, err := database.URLOptions(u, nil)
	if err == nil && name != "" {
		values["dbname"] = name
	}
	return values, err
}
