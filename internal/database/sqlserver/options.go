package sqlserver

import (
	"cmp"
	"net"
	"net/url"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"time"

	"sledge/internal/database"
	"sledge/internal/option"
)

// server holds the options of the server's address, of the connection and of the login. Some
// options have a second form for Windows, because users share settings between systems.
type server struct {
	option.Naming
	WindowsHost           string `opt:"windows_host" address:"true" windows:"host" help:"host, if Sledge runs on Windows: it replaces host, unless it is (local) or host is set by a stronger source"`
	Host                  string `opt:"host" address:"true" flag:"host" main:"true" help:"name or address of the server; server\\instance names an instance"`
	TCP                   bool   `opt:"tcp" help:"connect to a named instance by the option port instead of asking the SQL Server Browser for its port; true if port is given, except in console scripts"`
	Port                  int    `opt:"port" flag:"port" min:"1" max:"65535" help:"TCP port of the server; if given, it is used for a named instance, too"`
	Azure                 bool   `opt:"azure" help:"the server is Azure SQL Database: sessions connect to the schema's database, and Sledge never creates or drops it"`
	WindowsAuthentication string `opt:"windows_authentication" windows:"authentication" choices:"windows|sql|entra" help:"authentication, if Sledge runs on Windows"`
	Authentication        string `opt:"authentication" choices:"sql|windows|entra" help:"how a session logs in: sql uses a login of the server; windows uses a Windows account, by NTLM with a user DOMAIN\\name and a password, or on Windows without a user as the account that runs Sledge; entra uses a token of Microsoft Entra ID"`
	ManagedIdentity       string `opt:"msi_object_id" help:"object ID of the managed identity whose token entra uses, if Sledge runs on an Azure machine; null means no object ID"`
	WindowsODBC           string `opt:"windows_odbc_driver" help:"ODBC driver on Windows; accepted for scripts, but without effect: Sledge has its own driver"`
	ODBC                  string `opt:"odbc_driver" help:"ODBC driver; accepted for scripts, but without effect: Sledge has its own driver"`
	User                  string `opt:"user" flag:"user" group:"accounts" help:"login that owns the schema, creates its database and runs the workload"`
	Password              string `opt:"password" secret:"true" group:"accounts" help:"password of that login"`
	Encrypt               string `opt:"encrypt" choices:"true|false|strict" help:"encrypt the connection: true encrypts the session; false only the login; strict everything from the first byte (TDS 8.0, SQL Server 2022 and later)"`
	TrustServer           bool   `opt:"trust_server_cert" help:"encrypt without verifying the server's certificate; with encrypt strict, the certificate is verified anyway"`
	Certificate           string `opt:"ssl_ca" help:"PEM file of the authority that signed the server's certificate; empty uses the authorities that the operating system trusts"`
	CertificateHost       string `opt:"certificate_host" help:"host name in the server's certificate, if it differs from host"`
	TokenFile             string `opt:"token_file" instead:"msi_object_id" help:"file with an access token of Microsoft Entra ID for https://database.windows.net/, as az account get-access-token prints it; Sledge reads it for each connection"`
}

// transactional are SQL Server's options for workloads of short transactions.
type transactional struct {
	server     `dict:"connection" group:"connection"`
	Database   string `opt:"dbname" flag:"dbname" group:"accounts" help:"database that holds the schema"`
	InMemory   bool   `opt:"in_memory" group:"schema" for:"build" help:"create memory-optimized tables; the database must exist, be empty, and have a filegroup for memory-optimized data"`
	Bucket     int    `opt:"bucket" group:"schema" min:"1" max:"1000" for:"build" needs:"in_memory" help:"factor for the number of hash buckets of the memory-optimized tables orders and order_line"`
	Durable    string `opt:"durability" group:"schema" choices:"SCHEMA_AND_DATA|SCHEMA_ONLY" for:"build" needs:"in_memory" help:"what a restart of the server keeps of memory-optimized tables"`
	loading    `for:"build"`
	Checkpoint bool `opt:"checkpoint" group:"load" for:"run" needs:"driver=timed" help:"checkpoint after a run"`
}

// analytic are SQL Server's options for workloads of queries.
type analytic struct {
	server      `dict:"connection" group:"connection"`
	MaxDOP      int    `opt:"maxdop" group:"load" min:"0" max:"32767" for:"build|run|check" needs:"nothing" help:"maximum degree of parallelism (MAXDOP) of a query and of the creation of a secondary index; 0 leaves it to the server"`
	Database    string `opt:"dbname" flag:"dbname" group:"accounts" help:"database that holds the schema"`
	Columnstore bool   `opt:"columnstore" group:"schema" for:"build" help:"store the tables by column, in clustered columnstore indexes"`
	loading     `for:"build|run"`
	Partition   bool `opt:"partition_by_date" group:"schema" for:"build" help:"partition orders and lineitem by week"`
	Statistics  bool `opt:"advanced_statistics" group:"schema" for:"build" help:"create statistics on columns that queries compare and that have no index"`
}

// loading holds the options for sending rows to the server.
type loading struct {
	Bulk           bool   `opt:"bulk_copy" group:"schema" needs:"nothing" help:"load by bulk copy, like the program bcp: over the connection, or from files in bulk_folder; false loads by INSERT"`
	Folder         string `opt:"bulk_folder" group:"schema" needs:"nothing" help:"folder that Sledge and the server share: Sledge writes the rows to files in bcp's character format, and the server loads them by BULK INSERT; empty loads over the connection"`
	FolderOnServer string `opt:"bulk_folder_on_server" group:"schema" needs:"bulk_folder" help:"path of bulk_folder on the server, if it differs: a share, or a folder of its container"`
}

const (
	bySQL     = "sql"
	byWindows = "windows"
	byEntra   = "entra"

	local  = "(local)" // this machine
	null   = "null"
	strict = "strict" // a value of encrypt
	odbc   = "ODBC Driver 18 for SQL Server"
)

func newOptions(use database.Use) any {
	where := server{
		WindowsHost: local, Host: "localhost", Port: 1433,
		WindowsAuthentication: byWindows, Authentication: bySQL, ManagedIdentity: null,
		WindowsODBC: odbc, ODBC: odbc, User: "sa", Password: "admin", Encrypt: "true", TrustServer: true,
	}
	if use.Analytic {
		return &analytic{server: where, Database: use.Name, MaxDOP: 2, loading: loading{Bulk: true}}
	}
	return &transactional{server: where, Database: use.Name, Bucket: 1, Durable: "SCHEMA_AND_DATA", loading: loading{Bulk: true}}
}

// settings is any option struct of this package.
type settings interface{ common() login }

// login is the configuration of a connection.
type login struct {
	*server
	loading
	Database string
	inMemory bool
	maxDOP   int // maximum degree of parallelism of queries; 0 means the server's default

	packetSize int // in bytes; 0 means the driver's default
}

func (o *transactional) common() login {
	return login{server: &o.server, loading: o.loading, Database: o.Database, inMemory: o.InMemory}
}

func (o *analytic) common() login {
	return login{server: &o.server, loading: o.loading, Database: o.Database, maxDOP: o.MaxDOP}
}

// Validate implements option.Validator.
func (o *transactional) Validate(names option.Names) error { return o.common().validate(names) }

// Validate implements option.Validator.
func (o *analytic) Validate(names option.Names) error { return o.common().validate(names) }

func (l login) validate(names option.Names) error {
	for _, mistake := range []func(option.Names) error{l.mistakenPlace, l.mistakenLogin, l.mistakenEncryption, l.mistakenFolder} {
		if err := mistake(names); err != nil {
			return err
		}
	}
	return nil
}

func (l login) mistakenPlace(names option.Names) error {
	machine, instance := l.place()
	wrong := func(format string) error { return names.Wrong(l.hostOption(), l.address(), format, l.address()) }
	switch {
	case l.Database == "":
		return names.Wrong("dbname", "", "it is empty: name the database to put the schema in")
	case machine == "" || strings.HasSuffix(l.address(), `\`):
		return wrong(`%q is not a server: write a name, or name\instance`)
	case strings.Contains(machine, ","), strings.Contains(machine, ":") && net.ParseIP(machine) == nil:
		return wrong("%q is more than a name or an address: write only the name or address here, and the port in option " + names.Of("port"))
	case strings.Contains(instance, `\`):
		return wrong(`%q has more than one instance: write name\instance`)
	}
	return nil
}

func (l login) mistakenLogin(names option.Names) error {
	switch {
	case l.authentication() == bySQL && l.User == "":
		return names.Wrong("user", "", "it is empty: name a login of the server")
	case l.authentication() == byWindows && runtime.GOOS != "windows" && !strings.Contains(l.User, `\`):
		return names.Wrong(l.authenticationOption(), byWindows, `Sledge can log in as the account that runs it only on Windows: set %s to DOMAIN\name and %s, or %s to sql`,
			names.Of("user"), names.Of("password"), names.Of(l.authenticationOption()))
	case l.TokenFile != "" && l.managed() != "":
		return names.Wrong("token_file", l.TokenFile, "a token comes from a file or from the managed identity in %s: set only one of them", names.Of("msi_object_id"))
	case l.managed() != "" && !aGUID.MatchString(l.managed()):
		return names.Wrong("msi_object_id", l.ManagedIdentity, "an object ID looks like 00000000-0000-0000-0000-000000000000; null means no object ID")
	case l.authentication() == byEntra && l.TokenFile == "" && l.managed() == "":
		return names.Wrong(l.authenticationOption(), byEntra, "it needs a token, and Sledge does not open a browser. Sign in with az login, or without a browser with "+
			"az login --use-device-code; write a token into a file with "+
			"az account get-access-token --resource https://database.windows.net/ --query accessToken -o tsv, and name the file in %s. "+
			"Or, on a machine of Azure, set %s to the object ID of its managed identity", names.Of("token_file"), names.Of("msi_object_id"))
	}
	return nil
}

func (l login) mistakenEncryption(names option.Names) error {
	trusts := l.TrustServer && l.Encrypt != strict
	switch {
	case l.authentication() == byEntra && l.Encrypt == "false":
		return names.Wrong("encrypt", "false", "a token must not be sent unencrypted: set it to true")
	case trusts && l.Certificate != "":
		return names.Wrong("ssl_ca", l.Certificate, "it is not used while %s is true: set that option to false", names.Of("trust_server_cert"))
	case trusts && l.CertificateHost != "":
		return names.Wrong("certificate_host", l.CertificateHost, "the certificate's name is not checked while %s is true: set that option to false", names.Of("trust_server_cert"))
	}
	return nil
}

func (l login) mistakenFolder(names option.Names) error {
	switch {
	case l.Folder != "" && !l.Bulk:
		return names.Wrong("bulk_folder", l.Folder, "rows are loaded by INSERT, which needs no files: set %s to true, or leave %s empty", names.Of("bulk_copy"), names.Of("bulk_folder"))
	case l.Folder != "" && l.Azure:
		return names.Wrong("bulk_folder", l.Folder, "Azure SQL reads no files of other machines: leave it empty to load over the connection")
	case l.Folder == "" && l.FolderOnServer != "":
		return names.Wrong("bulk_folder_on_server", l.FolderOnServer, "it is the server's path of the folder in %s, which is empty: set both, or neither", names.Of("bulk_folder"))
	}
	return nil
}

// onWindows reports whether the options for Windows apply; tests set it.
var onWindows = runtime.GOOS == "windows"

// folder returns the folder of files with rows, or the zero value if rows are not loaded from
// files.
func (l login) folder() folder {
	return folder{here: l.Folder, there: cmp.Or(l.FolderOnServer, l.Folder), option: l.Name(l.folderOption())}
}

// folderOption returns the name of the option for the folder's path on the server.
func (l login) folderOption() string {
	if l.FolderOnServer == "" {
		return "bulk_folder"
	}
	return "bulk_folder_on_server"
}

// hostOption returns the name of the option for the server's address.
func (s *server) hostOption() string {
	if onWindows && s.WindowsHost != local {
		return "windows_host"
	}
	return "host"
}

func (s *server) address() string {
	if s.hostOption() == "windows_host" {
		return s.WindowsHost
	}
	return s.Host
}

// place returns the machine, and the instance if one is named.
func (s *server) place() (machine, instance string) {
	machine, instance, _ = strings.Cut(s.address(), `\`)
	if machine == local || machine == "." {
		machine = "localhost"
	}
	return machine, instance
}

// implied is Options.Implied. If a port and a named instance are given, it sets tcp, so that the
// port is used. The console always gives all options, tcp too, so it ignores the port, as console
// scripts expect.
func implied(given option.Values, names option.Names) (option.Values, error) {
	s := server{WindowsHost: cmp.Or(given["windows_host"], local), Host: given["host"]}
	_, instance := s.place()
	port, hasPort := given["port"]
	tcp, hasTCP := given["tcp"]
	if instance == "" || !hasPort {
		return nil, nil
	}
	if !hasTCP {
		return option.Values{"tcp": "true"}, nil
	}
	if byPort, err := option.ParseBool(tcp); err != nil || byPort {
		return nil, nil //nolint:nilerr // Bind reports the mistake
	}
	return nil, names.Wrong("port", port, `%s would not be used, because %s is false and the SQL Server Browser provides the port of instance %s: leave out %s or %s`,
		port, names.Of("tcp"), instance, names.Of("port"), names.Of("tcp"))
}

// byBrowser reports whether the SQL Server Browser provides the port.
func (s *server) byBrowser() bool {
	_, instance := s.place()
	return instance != "" && !s.TCP
}

func (s *server) authenticationOption() string {
	if onWindows {
		return "windows_authentication"
	}
	return "authentication"
}

func (s *server) authentication() string {
	if onWindows {
		return s.WindowsAuthentication
	}
	return s.Authentication
}

var aGUID = regexp.MustCompile(`^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$`)

// managed returns the object ID of the managed identity, or "".
func (s *server) managed() string {
	if s.ManagedIdentity == null {
		return ""
	}
	return s.ManagedIdentity
}

// at returns the server's address for messages.
func (s *server) at() string {
	machine, instance := s.place()
	if s.byBrowser() {
		return machine + `\` + instance
	}
	return net.JoinHostPort(machine, strconv.Itoa(s.Port))
}

// String returns the target of the login for messages.
func (l login) String() string { return l.Database + " on " + l.at() }

// Buckets returns the number of hash buckets of a memory-optimized table with the given rows for
// each warehouse. schema.sql calls it.
func (o *transactional) Buckets(warehouses, rows int) int { return min(warehouses*rows, mostBuckets) }

// ManyBuckets is Buckets for a table that grows. The option bucket multiplies it.
func (o *transactional) ManyBuckets(warehouses, rows int) int {
	return o.Buckets(warehouses, rows*o.Bucket)
}

// mostBuckets is the maximum number of hash buckets of an index.
const mostBuckets = 1 << 30

// Heaps reports whether tables are heaps while they are loaded. Loading a heap with a table lock is
// hardly logged. datafiles.sql calls it.
func (o *transactional) Heaps() bool { return !o.InMemory }

// Heaps reports whether tables are heaps while they are loaded. datafiles.sql calls it.
func (o *analytic) Heaps() bool { return true }

// fromURL is Options.FromURL. The driver's URLs have an instance in the path and the
// database in a parameter.
func fromURL(u *url.URL) (option.Values, error) {
	values, name, err := database.URLOptions(u, parameters)
	switch {
	case err != nil || name == "":
	case values["dbname"] == "":
		values["dbname"] = name
	default:
		values["host"] += `\` + name
	}
	return values, err
}

// parameters maps parameters of the driver's URLs to options with other names.
var parameters = map[string]string{
	"database": "dbname", "trustservercertificate": "trust_server_cert", "certificate": "ssl_ca", "hostnameincertificate": "certificate_host",
}

// Weeks returns the last day of each week by which orders and lineitem are partitioned; nil if they
// are not. Orders have dates from 1992 to August 1998, and lines are shipped up to 121 days later.
// schema.sql calls it.
func (o *analytic) Weeks() []string {
	if !o.Partition {
		return nil
	}
	var days []string
	for day := time.Date(1992, time.January, 7, 0, 0, 0, 0, time.UTC); day.Before(time.Date(1998, time.November, 25, 0, 0, 0, 0, time.UTC)); day = day.AddDate(0, 0, 7) {
		days = append(days, day.Format(time.DateOnly))
	}
	return days
}
