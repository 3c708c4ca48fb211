package sqlserver

import (
	"crypto/x509"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sledge/internal/database"
	"sledge/internal/option"
)

func bound(t *testing.T, values option.Values) (login, error) {
	t.Helper()
	o := newOptions(database.Use{Name: "tpcc"})
	err := option.Bind(option.Names{"host": "the host"}, values, o)
	return o.(settings).common(), err
}

// asOnWindows makes the options for Windows apply, or not, until the test ends.
func asOnWindows(t *testing.T, is bool) {
	was := onWindows
	onWindows = is
	t.Cleanup(func() { onWindows = was })
}

func TestOptions_SelectServer(t *testing.T) {
	for _, c := range []struct {
		name    string
		windows bool
		values  option.Values
		at      string
		by      string
	}{
		{"by default", false, nil, "localhost:1433", bySQL},
		{"by default on Windows", true, nil, "localhost:1433", byWindows},
		{"at a name and a port", false, option.Values{"host": "db1", "port": "1444"}, "db1:1444", bySQL},
		{"at an instance", false, option.Values{"host": `db1\SALES`}, `db1\SALES`, bySQL},
		{"at the port of an instance", false, option.Values{"host": `db1\SALES`, "tcp": "true", "port": "1444"}, "db1:1444", bySQL},
		{"at windows_host", true, option.Values{"windows_host": `db2\SALES`, "windows_authentication": "sql"}, `db2\SALES`, bySQL},
		{"at host, on Windows", true, option.Values{"host": "db1"}, "db1:1433", byWindows},
		{"not at windows_host on other systems", false, option.Values{"windows_host": "db2"}, "localhost:1433", bySQL},
		{"at an IPv6 address", false, option.Values{"host": "::1"}, "[::1]:1433", bySQL},
		{"at this machine", false, option.Values{"host": `.\SQLEXPRESS`}, `localhost\SQLEXPRESS`, bySQL},
	} {
		t.Run(c.name, func(t *testing.T) {
			asOnWindows(t, c.windows)
			l, err := bound(t, c.values)
			if c.windows && c.by == byWindows {
				err = nil // the test does not run on Windows, where this login works
			}
			if err != nil {
				t.Fatal(err)
			}
			if l.at() != c.at || l.authentication() != c.by || l.String() != "tpcc on "+c.at {
				t.Errorf("got %s, by %s, target %s; want %s by %s", l.at(), l.authentication(), l, c.at, c.by)
			}
		})
	}
}

func TestConfig_PassesOptionsToDriver(t *testing.T) {
	l, err := bound(t, option.Values{"host": `db1\SALES`, "user": `CORP\jim`, "password": "p&ss/1", "authentication": "windows", "encrypt": "strict", "trust_server_cert": "false", "certificate_host": "db1.corp"})
	if err != nil {
		t.Fatal(err)
	}
	c, err := l.config("tpcc")
	if err != nil {
		t.Fatal(err)
	}
	got := fmt.Sprint(c.Host, c.Instance, c.Port, c.User, c.Password, c.Database, c.Encryption, c.TrustServerCertificate, c.Parameters["authenticator"], c.TLSConfig.ServerName, c.DisableRetry, c.Protocols)
	if want := fmt.Sprint("db1", "SALES", 0, `CORP\jim`, "p&ss/1", "tpcc", 4, false, "ntlm", "db1.corp", true, []string{"tcp"}); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestValidate_NamesWayOut(t *testing.T) {
	for _, c := range []struct {
		values option.Values
		want   string
	}{
		{option.Values{"dbname": ""}, "name the database"},
		{option.Values{"msi_object_id": "abc"}, "an object ID looks like"},
		{option.Values{"bulk_folder": "/data", "bulk_copy": "false"}, "needs no files"},
		{option.Values{"bulk_folder": "/data", "azure": "true"}, "reads no files"},
		{option.Values{"bulk_folder_on_server": "/data"}, "it is the server's path of the folder"},
		{option.Values{"host": `db1\`}, `write a name, or name\instance`},
		{option.Values{"host": "db1,1444"}, "the port in option port"},
		{option.Values{"host": "tcp:db1"}, "the port in option port"},
		{option.Values{"host": "db1:1444"}, "the port in option port"},
		{option.Values{"host": `db1\A\B`}, "more than one instance"},
		{option.Values{"user": ""}, "name a login"},
		{option.Values{"authentication": "windows"}, `DOMAIN\name`},
		{option.Values{"authentication": "entra"}, "az login --use-device-code; write a token into a file with az account get-access-token"},
		{option.Values{"authentication": "entra"}, "name the file in token_file. Or, on a machine of Azure, set msi_object_id"},
		{option.Values{"ssl_ca": "ca.pem"}, "set that option to false"},
		{option.Values{"certificate_host": "db1.corp"}, "set that option to false"},
		{option.Values{"authentication": "entra", "token_file": "x", "encrypt": "false"}, "must not be sent unencrypted"},
	} {
		if _, err := bound(t, c.values); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: got %v, want it to say %q", c.values, err, c.want)
		}
	}
}

// With encrypt=strict, the certificate is verified even if trust_server_cert is true.
func TestStrictEncryption_VerifiesTheServer(t *testing.T) {
	authority := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(authority, []byte("none"), 0o600); err != nil {
		t.Fatal(err)
	}
	l, err := bound(t, option.Values{"encrypt": "strict", "ssl_ca": authority, "certificate_host": "db1.corp"})
	if err != nil {
		t.Fatal(err)
	}
	c, err := l.config("tpcc")
	if err != nil || c.TLSConfig.InsecureSkipVerify || c.TLSConfig.RootCAs == nil || c.TLSConfig.ServerName != "db1.corp" {
		t.Errorf("got %+v, %v", c.TLSConfig, err)
	}
	if got := l.advice(x509.UnknownAuthorityError{}); got != "check options ssl_ca and certificate_host" {
		t.Errorf("got %q", got)
	}
	l.Encrypt = "true"
	if got := l.advice(x509.UnknownAuthorityError{}); got != "check options ssl_ca and certificate_host, or set trust_server_cert to true" {
		t.Errorf("got %q", got)
	}
}

func TestFromURL(t *testing.T) {
	for _, c := range []struct{ url, want string }{
		{"sqlserver://sa:s%2Fcret@db1:1444/sales", "map[dbname:sales host:db1 password:s/cret port:1444 user:sa]"},
		{"sqlserver://sa@db1/SALES?database=tpcc&encrypt=strict&TrustServerCertificate=false", `map[dbname:tpcc encrypt:strict host:db1\SALES trust_server_cert:false user:sa]`},
		{"sqlserver://db1?warehouses=3", "map[host:db1 warehouses:3]"},
	} {
		u, err := url.Parse(c.url)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := fromURL(u); err != nil || fmt.Sprint(got) != c.want {
			t.Errorf("%s: got %v, %v, want %s", c.url, got, err, c.want)
		}
	}
}

func TestWeeks(t *testing.T) {
	o := newOptions(database.Use{Name: "tpch", Analytic: true}).(*analytic)
	if got := o.Weeks(); len(got) != 0 {
		t.Errorf("got %d unrequested weeks", len(got))
	}
	o.Partition = true
	got := o.Weeks()
	if n := len(got); n != 360 || got[0] != "1992-01-07" || got[n-1] != "1998-11-24" || !slices.IsSorted(got) {
		t.Errorf("got %d weeks, %v", len(got), got)
	}
}

func TestHinted(t *testing.T) {
	s := &session{maxDOP: 2, memoryAsked: true, memory: true}
	for query, want := range map[string]string{
		"SELECT a\nFROM t":                          "SELECT a\nFROM t\nOPTION (MAXDOP 2)",
		"SELECT\na FROM t":                          "SELECT\na FROM t\nOPTION (MAXDOP 2)",
		"WITH x AS (SELECT 1 AS a) SELECT a FROM x": "WITH x AS (SELECT 1 AS a) SELECT a FROM x\nOPTION (MAXDOP 2)",
		"SELECT a FROM t OPTION (LOOP JOIN)":        "SELECT a FROM t OPTION (LOOP JOIN)",
		"DELETE FROM t":                             "DELETE FROM t",
		"DECLARE @a int; SELECT @a AS a":            "DECLARE @a int; SELECT @a AS a",
		"UPDATE t SET a = 1 WHERE b IN (SELECT 1)":  "UPDATE t SET a = 1 WHERE b IN (SELECT 1)",
	} {
		if got := s.hinted(query); got != want {
			t.Errorf("%s: got %s", query, got)
		}
	}
	if got, err := s.unlocked(t.Context(), "SELECT a FROM t WITH (UPDLOCK) WHERE b = 1"); err != nil || got != "SELECT a FROM t WHERE b = 1" {
		t.Errorf("in memory: got %s, %v", got, err)
	}
}

func TestBuckets_AreLimited(t *testing.T) {
	o := newOptions(useOfTests).(*transactional)
	o.Bucket = 2
	for warehouses, want := range map[int]int{1: 800_000, 1000: 800_000_000, 2000: 1 << 30, 100_000: 1 << 30} {
		if got := o.ManyBuckets(warehouses, 400_000); got != want {
			t.Errorf("%d warehouses: got %d, want %d", warehouses, got, want)
		}
	}
}
