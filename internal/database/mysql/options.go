package mysql

import (
	"path/filepath"
	"runtime"
	"strings"

	"sledge/internal/database"
	"sledge/internal/option"
)

// Options holds the server, the account, and how to build the schema.
type Options struct {
	server  `dict:"connection" group:"connection"`
	account `group:"accounts"`

	Engine     string `opt:"storage_engine" group:"schema" for:"build" help:"storage engine of the tables"`
	Partition  bool   `opt:"partition" group:"schema" for:"build" help:"partition order_line by warehouse, with 100 warehouses in a partition, from 200 warehouses on"`
	Prepared   bool   `opt:"prepared" group:"client" for:"run" needs:"!client_sql" help:"prepare the calls of stored procedures on the server instead of sending each as text; MariaDB then needs less time for each"`
	HistoryKey bool   `opt:"history_pk" group:"schema" for:"build" help:"give history an invisible primary key (InnoDB, MySQL from 8.0.30 or MariaDB from 10.3.3 on)"`
}

// account names the owner and the database of the schema.
type account struct {
	User     string `opt:"user" flag:"user" help:"user that owns the schema and runs the workload"`
	Password string `opt:"password" secret:"true" help:"password of that user; null connects without a password"`
	Database string `opt:"dbname" flag:"dbname" help:"database that holds the schema"`
}

// server holds the options of the server's address and of the connection.
type server struct {
	option.Naming
	Host   string `opt:"host" address:"true" flag:"host" main:"true" help:"name or address of the server; or several servers, such as a,b:3307: Sledge uses the first that accepts writes"`
	Port   int    `opt:"port" flag:"port" min:"1" max:"65535" help:"TCP port of the server"`
	Socket string `opt:"socket" instead:"host|port" help:"path of the server's Unix socket, used instead of TCP if the host is 127.0.0.1 or localhost; null uses TCP"`

	SSL              bool   `opt:"ssl" help:"encrypt the connection with TLS"`
	SSLTwoWay        bool   `opt:"ssl_two_way" needs:"ssl" help:"also send the client's certificate to the server"`
	SSLLinuxFolder   string `opt:"ssl_linux_capath" needs:"ssl" help:"folder of the certificate and key files, on systems other than Windows"`
	SSLWindowsFolder string `opt:"ssl_windows_capath" needs:"ssl" help:"folder of the certificate and key files, on Windows"`
	SSLCA            string `opt:"ssl_ca" needs:"ssl" help:"PEM file of the authority that signed the server's certificate; null encrypts without verifying the server"`
	SSLCert          string `opt:"ssl_cert" needs:"ssl,ssl_two_way" help:"PEM file of the client's certificate, for two-way TLS"`
	SSLKey           string `opt:"ssl_key" needs:"ssl,ssl_two_way" help:"PEM file of the key of the client's certificate, for two-way TLS"`
	SSLCipher        string `opt:"ssl_cipher" needs:"ssl" help:"cipher suites to offer, separated by colons, such as ECDHE-RSA-AES128-GCM-SHA256; the word server leaves the choice to the server"`

	oneOf bool // it is one of several servers in the option host
}

// each returns the options of every named server. If there are several, the socket is not used.
func (o *Options) each() []*Options {
	return database.EachServer(o, o.Host, o.Port, func(one *Options, a database.Address) {
		one.Host, one.Port, one.Socket, one.oneOf = a.Host, a.Port, null, true
	})
}

// Servers is Options.Servers.
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

// null is the value for "none": no socket, password or file.
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

// mysqlOptions are MySQL's options, including those that its variants lack.
type mysqlOptions struct {
	Options
	OceanBasePort int `opt:"oceanbase_port" dict:"connection" group:"connection" soon:"true" min:"1" max:"65535" help:"TCP port of an OceanBase server, for analytic workloads, which are not built yet"`
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

// mysqlAnalyticOptions are MySQL's options for these workloads, including those that its variants
// lack.
type mysqlAnalyticOptions struct {
	AnalyticOptions
	OceanBase  bool   `opt:"oceanbase" group:"schema" soon:"true" help:"build for OceanBase; not built yet, so a job with it is refused"`
	Partitions int    `opt:"oceanbase_partitions" group:"schema" soon:"true" min:"1" max:"8192" help:"partitions of each table in OceanBase, which is not built yet"`
	Tenant     string `opt:"oceanbase_tenant" group:"schema" soon:"true" help:"tenant of OceanBase, which is not built yet"`
}

// Validate implements option.Validator.
func (o *mysqlAnalyticOptions) Validate(names option.Names) error {
	if o.OceanBase {
		return names.Wrong("oceanbase", "true", "this feature is not built yet: set it to false")
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
		return names.Wrong("dbname", "", "it is empty: name the database for the schema")
	case !isWord(o.Engine):
		return names.Wrong("storage_engine", o.Engine, "%q is not the name of a storage engine, such as innodb", o.Engine)
	case o.SSLTwoWay && !o.SSL:
		return names.Wrong("ssl_two_way", "true", "it is true while %s is false: set both to true", names.Of("ssl"))
	}
	return nil
}

// isWord reports whether text needs no quotes in SQL.
func isWord(text string) bool {
	for _, c := range []byte(text) {
		if c != '_' && (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'z') {
			return false
		}
	}
	return text != ""
}

// common returns the options. Structs that embed Options inherit it.
func (o *Options) common() *Options { return o }

// password returns the password to connect with.
func (o *Options) password() string {
	if o.Password == null {
		return ""
	}
	return o.Password
}

// certificateFile returns the path of a PEM file. A relative name is in the folder of certificates.
func (o *Options) certificateFile(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	if runtime.GOOS == "windows" {
		return filepath.Join(o.SSLWindowsFolder, name)
	}
	return filepath.Join(o.SSLLinuxFolder, name)
}

// HistoryKeyFits reports whether history gets an invisible key, which only InnoDB tables support.
// schema.sql calls it.
func (o *Options) HistoryKeyFits() bool { return o.HistoryKey && strings.EqualFold(o.Engine, "innodb") }

// Partitions returns the number of partitions of order_line, or 0 for none. schema.sql calls it.
func (o *Options) Partitions(warehouses int) int {
	const warehousesPerPartition, fewest = 100, 200
	if !o.Partition || warehouses < fewest {
		return 0
	}
	return warehouses / warehousesPerPartition
}
