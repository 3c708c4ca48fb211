package mysql

import (
	"path/filepath"
	"runtime"
	"strings"

	"sledge/internal/database"
	"sledge/internal/option"
)

// Options says where the server is, which account connects, and how to build the schema.
type Options struct {
	server  `dict:"connection" group:"connection"`
	account `group:"accounts"`

	Engine     string `opt:"storage_engine" group:"schema" for:"build" help:"storage engine of the tables"`
	Partition  bool   `opt:"partition" group:"schema" for:"build" help:"divide order_line into a partition for every 100 warehouses, from 200 warehouses on"`
	Prepared   bool   `opt:"prepared" group:"client" for:"run" needs:"!client_sql" help:"prepare the calls of stored procedures on the server, in place of sending each as text; MariaDB needs less time for them then"`
	HistoryKey bool   `opt:"history_pk" group:"schema" for:"build" help:"give history an invisible primary key (InnoDB, MySQL from 8.0.30 or MariaDB from 10.3.3 on)"`
}

// account says who owns the schema, and where it is.
type account struct {
	User     string `opt:"user" flag:"user" help:"user who owns the schema"`
	Password string `opt:"password" secret:"true" help:"that user's password; null connects without one"`
	Database string `opt:"dbname" flag:"dbname" help:"database that holds the schema"`
}

// server says where the server is and how to talk to it.
type server struct {
	option.Naming
	Host   string `opt:"host" address:"true" flag:"host" main:"true" help:"name or address of the machine the server is on; or several servers, such as a,b:3307, of which the first is taken that accepts writes"`
	Port   int    `opt:"port" flag:"port" min:"1" max:"65535" help:"TCP port the server listens on"`
	Socket string `opt:"socket" instead:"host|port" help:"path of the server's Unix socket, used in place of TCP if the host is 127.0.0.1 or localhost; null uses TCP"`

	SSL              bool   `opt:"ssl" help:"encrypt the connection with TLS"`
	SSLTwoWay        bool   `opt:"ssl_two_way" needs:"ssl" help:"show the server the client's certificate, too"`
	SSLLinuxFolder   string `opt:"ssl_linux_capath" needs:"ssl" help:"folder of the certificate and key files on systems other than Windows"`
	SSLWindowsFolder string `opt:"ssl_windows_capath" needs:"ssl" help:"folder of the certificate and key files on Windows"`
	SSLCA            string `opt:"ssl_ca" needs:"ssl" help:"PEM file of the authority that the server's certificate is checked against; null encrypts without checking who the server is"`
	SSLCert          string `opt:"ssl_cert" needs:"ssl,ssl_two_way" help:"PEM file of the client's certificate, for two-way TLS"`
	SSLKey           string `opt:"ssl_key" needs:"ssl,ssl_two_way" help:"PEM file of the key of the client's certificate, for two-way TLS"`
	SSLCipher        string `opt:"ssl_cipher" needs:"ssl" help:"cipher suites to offer, separated by colons, such as ECDHE-RSA-AES128-GCM-SHA256; server leaves the choice to the server"`

	oneOf bool // several that were named
}

// each returns the options of every server that is named. One of several is never meant by
// the socket.
func (o *Options) each() []*Options {
	return database.EachServer(o, o.Host, o.Port, func(one *Options, a database.Address) {
		one.Host, one.Port, one.Socket, one.oneOf = a.Host, a.Port, null, true
	})
}

// Servers is Database.Servers.
func Servers(options any) []any {
	o, known := options.(settings)
	if !known {
		return []any{options}
	}
	each := o.common().each()
	if len(each) == 1 {
		return []any{options}
	}
	list := make([]any, len(each))
	for i, one := range each {
		list[i] = one
	}
	return list
}

// null is how users write that there is none.
const null = "null"

// NewOptions returns the product's defaults.
func (p Product) NewOptions(use database.Use) Options {
	return Options{
		server: server{
			Host:             "127.0.0.1",
			Port:             3306,
			Socket:           null,
			SSLLinuxFolder:   "/etc/mysql/certs",
			SSLWindowsFolder: `C:\mysql\certs`,
			SSLCA:            "ca-cert.pem",
			SSLCert:          "client-cert.pem",
			SSLKey:           "client-key.pem",
			SSLCipher:        "server",
		},
		account: account{User: "root", Password: p.Password, Database: use.Name},
		Engine:  "innodb",
	}
}

// mysqlOptions are MySQL's options, with what its variants do not have.
type mysqlOptions struct {
	Options
	OceanBasePort int `opt:"oceanbase_port" dict:"connection" group:"connection" soon:"true" min:"1" max:"65535" help:"TCP port of an OceanBase server; kept for analytic workloads on OceanBase, which are not built yet"`
}

func newOptions(use database.Use) any {
	if use.Analytic {
		return &mysqlAnalyticOptions{AnalyticOptions: product.NewAnalyticOptions(use), Partitions: 1, Tenant: use.Name}
	}
	return &mysqlOptions{Options: product.NewOptions(use), OceanBasePort: 2881}
}

// AnalyticOptions are the options for workloads of queries.
type AnalyticOptions struct {
	server  `dict:"connection" group:"connection"`
	account `group:"accounts"`
	Engine  string `opt:"storage_engine" group:"schema" for:"build" help:"storage engine of the tables"`
}

// Validate implements option.Validator.
func (o *AnalyticOptions) Validate(names option.Names) error { return o.common().Validate(names) }

func (o *AnalyticOptions) common() *Options {
	return &Options{server: o.server, account: o.account, Engine: o.Engine}
}

// NewAnalyticOptions returns the product's defaults for workloads of queries.
func (p Product) NewAnalyticOptions(use database.Use) AnalyticOptions {
	o := p.NewOptions(use)
	return AnalyticOptions{server: o.server, account: o.account, Engine: o.Engine}
}

// mysqlAnalyticOptions are MySQL's options for those, with what its variants do not have.
type mysqlAnalyticOptions struct {
	AnalyticOptions
	OceanBase  bool   `opt:"oceanbase" group:"schema" soon:"true" help:"build for OceanBase; not built yet, so a job with it is refused"`
	Partitions int    `opt:"oceanbase_partitions" group:"schema" soon:"true" min:"1" max:"8192" help:"partitions of each table in OceanBase, which is not built yet"`
	Tenant     string `opt:"oceanbase_tenant" group:"schema" soon:"true" help:"tenant of OceanBase, which is not built yet"`
}

// Validate implements option.Validator.
func (o *mysqlAnalyticOptions) Validate(names option.Names) error {
	if o.OceanBase {
		return names.Wrong("oceanbase", "true", "what it asks for is not built yet: set it to false")
	}
	return o.AnalyticOptions.Validate(names)
}

// Validate implements option.Validator.
func (o *Options) Validate(names option.Names) error {
	_, addresses := database.Addresses(o.Host, o.Port)
	switch {
	case addresses != nil:
		return names.Wrong("host", o.Host, "%w", addresses)
	case o.Database == "":
		return names.Wrong("dbname", "", "it is empty: name the database to put the schema in")
	case !isWord(o.Engine):
		return names.Wrong("storage_engine", o.Engine, "%q is not the name of a storage engine, such as innodb", o.Engine)
	case o.SSLTwoWay && !o.SSL:
		return names.Wrong("ssl_two_way", "true", "it is true while %s is false: set both to true", names.Of("ssl"))
	}
	return nil
}

// isWord reports whether text can stand in SQL as it is.
func isWord(text string) bool {
	for _, c := range []byte(text) {
		if c != '_' && (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'z') {
			return false
		}
	}
	return text != ""
}

// common returns the options themselves, so that those of a variant, which embed
// them, give them away.
func (o *Options) common() *Options { return o }

// password returns the password to connect with.
func (o *Options) password() string {
	if o.Password == null {
		return ""
	}
	return o.Password
}

// certificateFile returns the path of a PEM file, which stands in the folder of
// such files unless its path is absolute.
func (o *Options) certificateFile(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	if runtime.GOOS == "windows" {
		return filepath.Join(o.SSLWindowsFolder, name)
	}
	return filepath.Join(o.SSLLinuxFolder, name)
}

// HistoryKeyFits reports whether history is to have an invisible key, which only
// InnoDB tables get. schema.sql asks.
func (o *Options) HistoryKeyFits() bool { return o.HistoryKey && strings.EqualFold(o.Engine, "innodb") }

// Partitions returns how many partitions order_line gets, or 0 for none, as
// people know it to be divided. schema.sql asks.
func (o *Options) Partitions(warehouses int) int {
	const warehousesPerPartition, fewest = 100, 200
	if !o.Partition || warehouses < fewest {
		return 0
	}
	return warehouses / warehousesPerPartition
}
