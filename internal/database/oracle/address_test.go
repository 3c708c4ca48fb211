package oracle

import (
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sledge/internal/database"
	"sledge/internal/option"
)

const tnsnames = `
# An administrator's file.
SALES, OLD_SALES =
  (DESCRIPTION =
    (ADDRESS_LIST =
      (ADDRESS = (PROTOCOL = TCP)(HOST = db1.example.com)(PORT = 1522))   # the first
      (ADDRESS = (PROTOCOL = TCP)(HOST = db2)))
    (CONNECT_DATA = (SERVER = DEDICATED)(SERVICE_NAME = sales.example.com)))

cloud.world=(description=(address=(protocol=tcps)(port=2484)(host=adb.example.com))(connect_data=(sid=CL)))
half.one = (DESCRIPTION=(ADDRESS=(HOST=a))(CONNECT_DATA=(SID=A)))
half.two = (DESCRIPTION=(ADDRESS=(HOST=b))(CONNECT_DATA=(SID=B)))
`

// bound returns options with the given values.
func bound(t testing.TB, values option.Values) *transactional {
	t.Helper()
	o := newOptions(database.Use{Name: "tpcc"}).(*transactional)
	if err := option.Bind(nil, values, o); err != nil {
		t.Fatal(err)
	}
	return o
}

func TestAddress(t *testing.T) {
	t.Setenv("TNS_ADMIN", "")
	t.Setenv("ORACLE_HOME", "")
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "tnsnames.ora"), []byte(tnsnames), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		values option.Values
		want   string // the address, with TLS if it is used; or a part of the error
		wrong  bool
	}{
		{option.Values{"instance": "db1/sales"}, "db1:1521/sales", false},
		{option.Values{"instance": "//db1:1522/sales"}, "db1:1522/sales", false},
		{option.Values{"instance": "db1:1522/sales:dedicated"}, "db1:1522/sales", false},
		{option.Values{"instance": "tcps://db1:2484/sales"}, "db1:2484/sales TLS", false},
		{option.Values{"instance": "tcp://db1/sales", "ssl": "true"}, "db1:1521/sales TLS", false},
		{option.Values{"instance": "[::1]:1522/sales"}, "[::1]:1522/sales", false},
		{option.Values{"instance": "db1,db2:1522/sales"}, "db1:1521,db2:1522/sales", false},
		{option.Values{"host": "db1", "service": "sales"}, "db1:1521/sales", false},
		{option.Values{"host": "db1,db2:1522", "port": "1530", "sid": "S1"}, "db1:1530,db2:1522:S1", false},
		{option.Values{"instance": "(DESCRIPTION=(ADDRESS=(PROTOCOL=TCP)(HOST=db1)(PORT=1522))(CONNECT_DATA=(SERVICE_NAME=s)))"}, "db1:1522/s", false},
		{option.Values{"instance": "sales", "tns_admin": folder}, "db1.example.com:1522,db2:1521/sales.example.com", false},
		{option.Values{"instance": "old_sales", "tns_admin": folder}, "db1.example.com:1522,db2:1521/sales.example.com", false},
		{option.Values{"instance": "Cloud", "tns_admin": folder}, "adb.example.com:2484:CL TLS", false},
		{option.Values{"instance": "half", "tns_admin": folder}, "nor a name in", true},
		{option.Values{"instance": "nobody", "tns_admin": folder}, filepath.Join(folder, "tnsnames.ora"), true},
		{option.Values{"instance": "nobody"}, "neither TNS_ADMIN nor ORACLE_HOME is set", true},
		{option.Values{"instance": "db1:1521"}, "names no service", true},
		{option.Values{"instance": "db1:none/sales"}, "no port from 1 to 65535", true},
		{option.Values{"instance": "db1/sales?wallet_location=/w"}, "question mark", true},
		{option.Values{"instance": "db1/sales/inst1"}, "INSTANCE_NAME", true},
		{option.Values{"instance": "(DESCRIPTION=(ADDRESS=(HOST=db1))"}, "bracket", true},
		{option.Values{"instance": "(DESCRIPTION=(ADDRESS=(HOST=db1)))"}, "SERVICE_NAME", true},
	} {
		a, err := bound(t, c.values).at().address()
		got := a.String()
		if a.tls {
			got += " TLS"
		}
		switch {
		case c.wrong && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%v: got %v, want an error with %q", c.values, err, c.want)
		case !c.wrong && (err != nil || got != c.want):
			t.Errorf("%v: got %s, %v, want %s", c.values, got, err, c.want)
		}
	}
	t.Setenv("TNS_ADMIN", folder)
	if a, err := bound(t, option.Values{"instance": "sales"}).at().address(); err != nil || a.folder != folder {
		t.Errorf("by TNS_ADMIN: got %+v, %v", a, err)
	}
	t.Setenv("TNS_ADMIN", "")
	t.Setenv("ORACLE_HOME", filepath.Dir(folder))
	if _, err := bound(t, option.Values{"instance": "sales"}).at().address(); err == nil || !strings.Contains(err.Error(), filepath.Join("network", "admin", "tnsnames.ora")) {
		t.Errorf("by ORACLE_HOME: got %v", err)
	}
}

func TestSource(t *testing.T) {
	t.Setenv("TNS_ADMIN", "")
	wallet := t.TempDir()
	if err := os.WriteFile(filepath.Join(wallet, "cwallet.sso"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(wallet, "tnsnames.ora"), []byte(strings.ReplaceAll(tnsnames, "(sid=CL)", "(service_name=cl)")), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		values option.Values
		want   []string // parts of the source
	}{
		{option.Values{"host": "db1", "service": "sales", "password": "p:/@ss,w?rd#%&"}, []string{"oracle://tpcc:p%3A%2F%40ss,w%3Frd%23%25&@", "/sales?", "server=db1%3A1521"}},
		{option.Values{"host": "db1,db2", "sid": "S1"}, []string{"SID=S1", "server=db1%3A1521&server=db2%3A1521"}},
		{option.Values{"instance": "cloud", "tns_admin": wallet}, []string{"connStr=%28description", "/cl?", "wallet=" + url.QueryEscape(wallet)}},
		{option.Values{"host": "db1", "service": "s", "ssl": "true", "wallet": "/w", "wallet_password": "a b"}, []string{"wallet=%2Fw", "wallet+password=a+b"}},
	} {
		o := bound(t, c.values)
		at, err := o.at().address()
		if err != nil {
			t.Fatal(err)
		}
		got, err := ownerOf(o).source(at)
		if err != nil {
			t.Fatal(err)
		}
		u, err := url.Parse(got)
		if err != nil {
			t.Fatal(err)
		}
		if password, _ := u.User.Password(); password != o.Password {
			t.Errorf("got the password %q, want %q", password, o.Password)
		}
		for _, part := range c.want {
			if !strings.Contains(got, part) {
				t.Errorf("%v: got %s, want %s in it", c.values, got, part)
			}
		}
	}
	if _, err := ownerOf(bound(t, option.Values{"host": "db1", "sid": "S1", "wallet": "/w"})).source(address{sid: "S1"}); err == nil {
		t.Error("a wallet with a SID: got no error")
	}
}

func TestValidate_NamesWayOut(t *testing.T) {
	for _, c := range []struct {
		values option.Values
		want   string
	}{
		{option.Values{"timesten": "true"}, "TimesTen is not Oracle Database"},
		{option.Values{"hash_clusters": "true"}, "set partition to true as well"},
		{option.Values{"host": "db1"}, "set sid"},
		{option.Values{"host": "db1", "service": "s", "sid": "S"}, "and not both"},
		{option.Values{"service": "s"}, "host:1521/service"},
		{option.Values{"instance": ""}, "host:port/service"},
		{option.Values{"user": "tpcc; drop"}, "accepts without quotes"},
		{option.Values{"tablespace": "users\""}, "accepts without quotes"},
		{option.Values{"order_line_tablespace": "a b"}, "not the name of a tablespace"},
		{option.Values{"system_user": ""}, "give it a value"},
		{option.Values{"rac": "2"}, "0, 1, false, true"},
	} {
		err := option.Bind(nil, c.values, newOptions(database.Use{Name: "tpcc"}))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: got %v, want an error with %q", c.values, err, c.want)
		}
	}
	if err := option.Bind(nil, option.Values{"timesten": "true"}, newOptions(database.Use{Name: "tpch", Analytic: true})); err == nil {
		t.Error("TimesTen with queries: got no error")
	}
}

func TestPartitions_NeedManyWarehouses(t *testing.T) {
	o := &transactional{Partition: true, HashClusters: true}
	for _, c := range []struct{ warehouses, partitions, keys int }{{199, 0, 0}, {200, 2, 200}, {250, 2, 300}, {1000, 10, 1000}} {
		if got := o.Partitions(c.warehouses); got != c.partitions {
			t.Errorf("%d warehouses: got %d partitions, want %d", c.warehouses, got, c.partitions)
		}
		if got := o.HashKeys(c.warehouses); got != c.keys || o.CustomerKeys(c.warehouses) != 30_000*c.keys {
			t.Errorf("%d warehouses: got room for %d, want %d", c.warehouses, got, c.keys)
		}
	}
	if o.HashClusters = false; o.HashKeys(1000) != 0 {
		t.Error("got unrequested clusters")
	}
}

func TestFromURL(t *testing.T) {
	u, err := url.Parse("oracle://me:secret@db1:1522/FREEPDB1?ssl=true")
	if err != nil {
		t.Fatal(err)
	}
	values, err := fromURL(u)
	if err != nil {
		t.Fatal(err)
	}
	o := bound(t, values)
	if got := target(o); got != "me on db1:1522/FREEPDB1" || o.Password != "secret" || !o.SSL {
		t.Errorf("got %s with %v", got, values)
	}
}

// A user of the server, who cannot own a schema, becomes the system user.
func TestFromURL_WithSystemUser(t *testing.T) {
	u, err := url.Parse("oracle://system:secret@db1/FREEPDB1")
	if err != nil {
		t.Fatal(err)
	}
	values, err := fromURL(u)
	if err != nil {
		t.Fatal(err)
	}
	o := bound(t, values)
	if got := target(o); got != "tpcc on db1:1521/FREEPDB1" || o.SystemUser != "system" || o.SystemPassword != "secret" {
		t.Errorf("got %s with %v", got, values)
	}
}

func TestClientSettings(t *testing.T) {
	variables := map[string]string{"TNS_ADMIN": "/etc/oracle", "TWO_TASK": "sales"}
	from := database.Surroundings{Variable: func(name string) string { return variables[name] }}
	found, _, err := clientSettings(from, database.Use{}, nil)
	if err != nil || len(found) != 2 || found[0].Value != "/etc/oracle" || found[1].Option != "instance" {
		t.Errorf("got %v, %v", found, err)
	}
	if found, _, _ = clientSettings(from, database.Use{}, option.Values{"host": "db1", "tns_admin": "/x"}); len(found) != 0 {
		t.Errorf("with a given host: got %v", found)
	}
}
