package postgresql

import (
	"maps"
	"net/url"
	"strings"
	"testing"

	"sledge/internal/database"
	"sledge/internal/option"
)

func TestOptions_HaveDefaultsOfHammerDB(t *testing.T) {
	want := map[string]string{ // HammerDB's defaults
		"host": "localhost", "port": "5432", "ssl_mode": "prefer",
		"superuser": "postgres", "superuser_password": "postgres", "superuser_dbname": "postgres",
		"user": "tpcc", "password": "tpcc", "dbname": "tpcc", "tablespace": "pg_default",
		"stored_procedures": "false", "partition": "false", "vacuum": "false",
	}
	for _, d := range option.Describe(Database.Options.New(database.Use{Name: "tpcc"})) {
		if value, ok := want[d.Name]; ok && d.Default != value {
			t.Errorf("%s: got default %q, want %q", d.Name, d.Default, value)
		}
		delete(want, d.Name)
		if d.Help == "" {
			t.Errorf("%s has no help", d.Name)
		}
		if secret := strings.HasSuffix(d.Name, "password"); d.Secret != secret {
			t.Errorf("%s: got secret %v, want %v", d.Name, d.Secret, secret)
		}
	}
	if len(want) > 0 {
		t.Errorf("no option is named %v", want)
	}
}

func TestValidate_RefusesUnusableOptions(t *testing.T) {
	for _, tt := range []struct {
		name, option, value string
	}{
		{"a server without a name", "host", "a,,b"},
		{"no server", "host", ""},
		{"no user", "user", ""},
		{"no database", "dbname", ""},
		{"a user whose name the server would truncate", "user", strings.Repeat("ü", 32)},
		{"a database whose name the server would truncate", "dbname", strings.Repeat("a", 64)},
		{"no such port", "port", "65536"},
		{"no such mode", "ssl_mode", "perhaps"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			err := option.Bind(nil, option.Values{tt.option: tt.value}, Database.Options.New(database.Use{Name: "tpcc"}))
			if err == nil || !strings.Contains(err.Error(), tt.option) {
				t.Errorf("got %v, want an error about %s", err, tt.option)
			}
		})
	}
}

func TestTarget(t *testing.T) {
	for _, tt := range []struct {
		values option.Values
		want   string
	}{
		{nil, "tpcc on localhost:5432"},
		{option.Values{"host": "10.0.0.7", "port": "6000", "dbname": "load"}, "load on 10.0.0.7:6000"},
		{option.Values{"host": "::1"}, "tpcc on [::1]:5432"},
		{option.Values{"host": "/run/postgresql"}, "tpcc on /run/postgresql/.s.PGSQL.5432"},
	} {
		options := Database.Options.New(database.Use{Name: "tpcc"})
		if err := option.Bind(nil, tt.values, options); err != nil {
			t.Fatal(err)
		}
		if got := Database.Options.Target(options); got != tt.want {
			t.Errorf("%v: got %q, want %q", tt.values, got, tt.want)
		}
	}
}

// If several options are wrong, the error always names the same one.
func TestValidate_NamesFirstMistake(t *testing.T) {
	for _, tt := range []struct {
		values option.Values
		want   string
	}{
		{option.Values{"host": "", "user": "", "dbname": ""}, "option host: it is empty: give it a value"},
		{option.Values{"wait_snapshots": "true", "citus": "true"}, "option citus: this feature is not built yet: set it to false"},
	} {
		for range 50 {
			if err := option.Bind(nil, tt.values, Database.Options.New(database.Use{Name: "tpcc"})); err == nil || err.Error() != tt.want {
				t.Fatalf("%v: got %v, want %s", tt.values, err, tt.want)
			}
		}
	}
}

func TestPartitions(t *testing.T) {
	for warehouses, want := range map[int]int{1: 0, 199: 0, 200: 2, 299: 2, 1000: 10} {
		if got := (&transactional{Partition: true}).Partitions(warehouses); got != want {
			t.Errorf("%d warehouses: got %d partitions, want %d", warehouses, got, want)
		}
		if got := (&transactional{}).Partitions(warehouses); got != 0 {
			t.Errorf("%d warehouses without partition: got %d partitions, want 0", warehouses, got)
		}
	}
}

func TestFromURL(t *testing.T) {
	for _, tt := range []struct {
		name, url string
		want      option.Values
	}{
		{"nothing", "postgres://", option.Values{}},
		{
			"everything", "postgresql://me:p%40ss@db.example:6543/load?sslmode=verify-full&sslrootcert=/etc/ca.pem",
			option.Values{
				"user": "me", "password": "p@ss", "host": "db.example", "port": "6543", "dbname": "load",
				"ssl_mode": "verify-full", "ssl_ca": "/etc/ca.pem",
			},
		},
		{
			"a socket", "postgres://me@/load?host=/run/postgresql&port=5433",
			option.Values{"user": "me", "dbname": "load", "host": "/run/postgresql", "port": "5433"},
		},
		{"an IPv6 address", "postgres://[::1]:5433", option.Values{"host": "::1", "port": "5433"}},
		{
			"everything after the question mark", "postgres:///?user=me&password=secret&dbname=load&host=h&sslcert=c&sslkey=k",
			option.Values{"user": "me", "password": "secret", "dbname": "load", "host": "h", "ssl_cert": "c", "ssl_key": "k"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			u, err := url.Parse(tt.url)
			if err != nil {
				t.Fatal(err)
			}
			got, err := Database.Options.FromURL(u)
			if err != nil {
				t.Fatal(err)
			}
			if !maps.Equal(got, tt.want) {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}

func TestFromURL_RefusesSeveralServers(t *testing.T) {
	u, err := url.Parse("postgres://me:hidden@/load?host=a,b")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := fromURL(u); err == nil || !strings.Contains(err.Error(), "several servers") {
		t.Errorf("got %v, want an error about several servers", err)
	}
}
