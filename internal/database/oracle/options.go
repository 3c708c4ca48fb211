package oracle

import (
	"regexp"
	"strconv"
	"strings"

	"sledge/internal/database"
	"sledge/internal/option"
)

// server holds the options of the server's address, of the connection, and of the system user, who
// has rights that the schema's owner lacks.
type server struct {
	option.Naming
	SystemUser     string `opt:"system_user" group:"accounts" help:"user that creates the schema's user, reads the server's counts and settings, and ends the sessions of killed builds"`
	SystemPassword string `opt:"system_password" group:"accounts" secret:"true" help:"password of the system user"`

	Instance string `opt:"instance" address:"true" instead:"host|port|service|sid" main:"true" help:"address of the database: a name in tnsnames.ora, host:port/service, or a whole connect descriptor; host wins over it"`
	RAC      string `opt:"rac" choices:"0|1|false|true" help:"count transactions on all instances of a cluster, by its gv$ views"`
	Host     string `opt:"host" address:"true" flag:"host" help:"name or address of the server; or several servers, such as a,b:1522: Sledge uses the first that accepts the login. It wins over instance"`
	Port     int    `opt:"port" flag:"port" min:"1" max:"65535" help:"TCP port of the listener, if host is set"`
	Service  string `opt:"service" help:"service name of the database, such as FREEPDB1, if host is set"`
	SID      string `opt:"sid" instead:"service" help:"identifier of the instance, for a database that has no service"`
	TNSAdmin string `opt:"tns_admin" help:"folder of tnsnames.ora; if empty, TNS_ADMIN, then network/admin in ORACLE_HOME"`

	Wallet         string `opt:"wallet" help:"folder of an Oracle wallet with certificates for TLS: cwallet.sso, or ewallet.p12 if a password is set"`
	WalletPassword string `opt:"wallet_password" secret:"true" help:"password of ewallet.p12; empty if the wallet opens without a password"`
	SSL            bool   `opt:"ssl" help:"encrypt the connection with TLS, as a descriptor with PROTOCOL=TCPS does"`
	SSLCA          string `opt:"ssl_ca" instead:"wallet" help:"PEM file of the authorities that may have signed the server's certificate, instead of a wallet; empty uses the authorities that the operating system trusts"`
	SSLVerify      bool   `opt:"ssl_verify" help:"verify the server's certificate"`
}

// account holds the owner of the schema and its tablespaces.
type account struct {
	User     string `opt:"user" flag:"user" help:"user that owns the schema and runs the workload"`
	Password string `opt:"password" secret:"true" help:"password of that user"`

	Tablespace          string `opt:"tablespace" group:"schema" for:"build" help:"tablespace of the tables and indexes"`
	TemporaryTablespace string `opt:"temporary_tablespace" group:"schema" for:"build" help:"tablespace for sorting"`
	TimesTen            bool   `opt:"timesten" group:"schema" for:"build" help:"build for TimesTen; a job with it is refused, because Sledge's driver does not speak its protocol"`

	known string // the default password, which is public
}

// transactional are Oracle's options for workloads of short transactions.
type transactional struct {
	server              `dict:"connection" group:"connection"`
	account             `group:"accounts"`
	OrderLineTablespace string `opt:"order_line_tablespace" group:"schema" for:"build" needs:"partition" help:"tablespace of order_line, if it is partitioned"`
	Partition           bool   `opt:"partition" group:"schema" for:"build" help:"partition history, orders and order_line by warehouse, with 100 warehouses in a partition, from 200 warehouses on"`
	HashClusters        bool   `opt:"hash_clusters" group:"schema" for:"build" help:"store customer, district, item, stock and warehouse in hash clusters, if the other tables are partitioned"`
	Checkpoint          bool   `opt:"checkpoint" group:"load" for:"run" needs:"driver=timed" help:"checkpoint and switch the log file after a run"`
}

// analytic are Oracle's options for workloads of queries.
type analytic struct {
	server   `dict:"connection" group:"connection"`
	account  `group:"accounts"`
	Parallel int `opt:"degree_of_parallel" group:"load" min:"1" max:"1024" for:"run|check" needs:"nothing" help:"number of parallel processes of each query and each refresh; 1 is serial"`
}

// settings is any option struct of this package.
type settings interface {
	at() *server
	own() *account
	// Name and Wrong are those of option.Naming.
	Name(option string) string
	Wrong(option, value, format string, args ...any) error
}

func (s *server) at() *server    { return s }
func (a *account) own() *account { return a }

// newOptions is Options.New. The defaults are those of the console.
func newOptions(use database.Use) any {
	where := server{
		SystemUser: "system", SystemPassword: "manager", Instance: "oracle", RAC: "0", Port: defaultPort, SSLVerify: true,
	}
	who := account{
		User: use.Name, Password: use.Name, known: use.Name,
		Tablespace: "users", TemporaryTablespace: "temp",
	}
	if use.Analytic {
		return &analytic{server: where, account: who, Parallel: 2}
	}
	return &transactional{server: where, account: who, OrderLineTablespace: "users"}
}

// Validate implements option.Validator.
func (o *transactional) Validate(names option.Names) error {
	switch {
	case o.HashClusters && !o.Partition:
		return names.Wrong("hash_clusters", "true", "hash clusters come with partitions: set %s to true as well", names.Of("partition"))
	case !isName(o.OrderLineTablespace):
		return names.Wrong("order_line_tablespace", o.OrderLineTablespace, "%q is not the name of a tablespace", o.OrderLineTablespace)
	}
	return validate(&o.server, &o.account, names)
}

// Validate implements option.Validator.
func (o *analytic) Validate(names option.Names) error { return validate(&o.server, &o.account, names) }

func validate(s *server, a *account, names option.Names) error {
	if a.TimesTen {
		return names.Wrong("timesten", "true", "TimesTen is not Oracle Database, and its protocol is not published, so Sledge has no driver for it: set it to false")
	}
	if _, err := database.Addresses(s.Host, s.Port); err != nil {
		return names.Wrong("host", s.Host, "%w", err)
	}
	switch {
	case s.Host != "" && s.Service == "" && s.SID == "":
		return names.Wrong("service", "", "it is empty: name a service of the listener on %s, such as FREEPDB1, or set %s", s.Host, names.Of("sid"))
	case s.Service != "" && s.SID != "":
		return names.Wrong("sid", s.SID, "it cannot be combined with a service: set either %s or %s, and not both", names.Of("service"), names.Of("sid"))
	case s.SSLCA != "" && s.Wallet != "":
		return names.Wrong("ssl_ca", s.SSLCA, "the wallet has its own certificates, so the file would not be read: set either %s or %s, and not both", names.Of("ssl_ca"), names.Of("wallet"))
	case s.Host == "" && s.Instance == "":
		return names.Wrong("instance", "", "it is empty: name the database by tnsnames.ora, or as host:port/service")
	case s.Host == "" && s.Port != defaultPort:
		return names.Wrong("port", strconv.Itoa(s.Port), "%d would not be used, because %s is empty: name the server in %s, or put the port into %s, as in host:1522/service", s.Port, names.Of("host"), names.Of("host"), names.Of("instance"))
	case s.Host == "" && s.Service+s.SID != "":
		return names.Wrong("host", "", "it is empty, and %s and %s have no effect without it: put the service into %s, as in host:1521/service", names.Of("service"), names.Of("sid"), names.Of("instance"))
	}
	for _, needed := range []struct{ name, value string }{{"user", a.User}, {"system_user", s.SystemUser}} {
		if needed.value == "" {
			return names.Wrong(needed.name, "", "it is empty: give it a value")
		}
	}
	for _, needed := range []struct{ name, value string }{{"user", a.User}, {"tablespace", a.Tablespace}, {"temporary_tablespace", a.TemporaryTablespace}} {
		if !isName(needed.value) {
			return names.Wrong(needed.name, needed.value, "%q is not a name that Oracle accepts without quotes: a letter, and up to 127 letters, digits, _, $ and #", needed.value)
		}
	}
	return nil
}

// plainName matches names that need no quotes.
var plainName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_$#]{0,127}$`)

// isName reports whether text can be a name in SQL without quotes.
func isName(text string) bool { return plainName.MatchString(text) }

// isRAC reports whether to count transactions on all instances of a cluster.
func (s *server) isRAC() bool { return s.RAC == "1" || s.RAC == "true" }

// Partitions returns the number of partitions of the large tables. It is 0 for fewer than 200
// warehouses, for which partitions do not help. schema.sql calls it.
func (o *transactional) Partitions(warehouses int) int {
	if !o.Partition || warehouses < 200 {
		return 0
	}
	return warehouses / 100
}

// HashKeys returns the number of warehouses that hash clusters have room for, or 0 without hash
// clusters. schema.sql calls it.
func (o *transactional) HashKeys(warehouses int) int {
	if !o.HashClusters || o.Partitions(warehouses) == 0 {
		return 0
	}
	return (warehouses + 99) / 100 * 100
}

// identifier returns a quoted name in upper case, because the dictionary stores names without
// quotes in upper case.
func identifier(name string) string { return `"` + strings.ToUpper(name) + `"` }

// literal quotes text as an SQL string.
func literal(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }

// CustomerKeys returns the number of customers that hash clusters have room for. schema.sql calls
// it.
func (o *transactional) CustomerKeys(warehouses int) int { return o.HashKeys(warehouses) * 30_000 }
