package settings_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sledge/internal/engine/pool"
	"sledge/internal/job"
	"sledge/internal/option"
	"sledge/internal/settings"
)

const poolTOML = `
policy = "random"

[connections.writer]
pg_host = "one"
port = 5433
password = "secret1"

[connections.reader]
host = "two"
password_file = "reader.secret"

[transactions.neworder]
connections = ["writer"]
policy = "first_named"

[transactions.stock_level]
connections = "reader writer"
`

// withPool resolves a run with a pool file of the given name and text.
func withPool(t *testing.T, name, text string) (settings.Order, error) {
	t.Helper()
	path := write(t, name, text)
	if err := os.WriteFile(filepath.Join(filepath.Dir(path), "reader.secret"), []byte("secret2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return resolver.Resolve(job.Run, settings.Sources{Flags: map[string]string{"db": "pg", "pool": path}})
}

func TestPoolFile_IsRecordedWithoutPasswords(t *testing.T) {
	order, err := withPool(t, "pool.toml", poolTOML)
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"connections":[` +
		`{"name":"writer","options":{"host":"one","password":"secret1","port":"5433"}},` +
		`{"name":"reader","options":{"host":"two","password":"secret2"}}],` +
		`"transactions":[{"kind":"neworder","connections":["writer"],"policy":"first"},` +
		`{"kind":"stock_level","connections":["reader","writer"]}],"policy":"random"}`
	if got := order.Spec.Values()[pool.Option]; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	public := order.Spec.Options[pool.Option]
	if strings.Contains(public, "secret") || !strings.Contains(public, `"host":"one"`) {
		t.Errorf("got %s, want no passwords", public)
	}
	for _, s := range order.Settings() {
		if strings.Contains(s.Value, "secret1") {
			t.Errorf("the settings show %s", s.Value)
		}
	}
	// The recorded job can be started again.
	kept := order.Spec
	kept.Secrets = option.Secrets{}
	again, err := resolver.Order(kept)
	if err != nil || again.Spec.Options[pool.Option] != public {
		t.Errorf("again: got %v and %s, want %s", err, again.Spec.Options[pool.Option], public)
	}
}

func TestPoolFile_KeepsTheOrderOfConnections(t *testing.T) {
	for _, tt := range []struct{ name, text string }{
		{"p.toml", "[connections.b]\nhost = 'one'\n[connections.a]\nhost = 'two'\n"},
		{"p.toml", "connections.b.host = 'one'\nconnections.a.host = 'two'\n"},
		{"p.toml", "connections = { b = { host = 'one' }, a = { host = 'two' } }\n"},
		{"p.yaml", "connections:\n  b:\n    host: one\n  a:\n    host: two\n"},
	} {
		order, err := withPool(t, tt.name, tt.text)
		if err != nil {
			t.Errorf("%q: %v", tt.text, err)
			continue
		}
		want := `{"connections":[{"name":"b","options":{"host":"one"}},{"name":"a","options":{"host":"two"}}]}`
		if got := order.Spec.Options[pool.Option]; got != want {
			t.Errorf("%q: got %s, want %s", tt.text, got, want)
		}
	}
}

func TestPoolFile_IsRelativeToTheConfigurationFile(t *testing.T) {
	path := write(t, "pool.yaml", "connections:\n  a:\n    host: one\n")
	config := filepath.Join(filepath.Dir(path), "sledge.toml")
	if err := os.WriteFile(config, []byte("db = 'pg'\npool_file = 'pool.yaml'\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	order, err := resolver.Resolve(job.Run, settings.Sources{ConfigFile: config})
	if err != nil || order.Origin(pool.Option) != path {
		t.Errorf("got %v from %q, want the pool of %s", err, order.Origin(pool.Option), path)
	}
	if _, err := resolver.Resolve(job.Build, settings.Sources{ConfigFile: config}); err != nil {
		t.Errorf("a build, which needs no pool: got %v", err)
	}
}

func TestPoolFile_IsFoundWhereHammerDBKeepsIt(t *testing.T) {
	t.Chdir(t.TempDir())
	on := settings.Sources{Flags: map[string]string{"db": "pg"}, Set: []string{"pg_connect_pool=yes"}}
	refused := func(want string) {
		t.Helper()
		if _, err := resolver.Resolve(job.Run, on); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	refused("option pg_connect_pool: Cluster Connect Pool specified but cannot find connectpool directory or XML files")
	folder := filepath.Join("config", "connectpool")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(folder, "pgcpool.xml")
	refused("Cluster Connect Pool specified but file " + file + " does not exist")
	text := "<connpool><connections><c1><pg_host>one</pg_host></c1></connections><sprocs/></connpool>"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	order, err := resolver.Resolve(job.Run, on)
	if err != nil || order.Origin(pool.Option) != file {
		t.Errorf("got %v from %q, want the pool of %s", err, order.Origin(pool.Option), file)
	}
}

func TestPoolFile_RefusesMistakes(t *testing.T) {
	for _, tt := range []struct{ name, file, text, want string }{
		{"an unknown option", "p.toml", "[connections.a]\nhosst = 'one'\n", `connection a: "hosst" is not an option of a connection: did you mean host?`},
		{"an option twice", "p.toml", "[connections.a]\nhost = 'one'\nHost = 'two'\n", `connection a: "host" is given twice`},
		{"a password twice", "p.toml", "[connections.a]\npassword = 'secret1'\npassword_file = 'x'\n", "the pool gives both password and password_file"},
		{"an option of the schema", "p.toml", "[connections.a]\nwarehouses = 2\n", `"warehouses" is not an option of a connection`},
		{"a value out of bounds", "p.toml", "[connections.a]\nport = 70000\n", "connection a: option port: 70000"},
		{"an unknown policy", "p.toml", "policy = 'any'\n[connections.a]\nhost='one'\n", `"any" is not a policy (choose one of first, last, random, round_robin)`},
		{"an unknown connection", "p.toml", "[connections.a]\nhost='one'\n[transactions.payment]\nconnections=['b']\n", `payment uses the connection "b", which does not exist`},
		{"an unknown table", "p.toml", "[connection.a]\nhost='one'\n", `"connection" is not one of the tables connections and transactions, or the value policy: did you mean connections?`},
		{"a value for a table", "p.toml", "connections.a = 'secret1'\n", "connections.a is not a table"},
		{"no connections", "p.toml", "policy = 'first'\n", "it has no connections"},
		{"invalid TOML", "p.toml", "secret1 = \n", "is not valid TOML"},
		{"another ending", "p.txt", "secret1", "its name must end in .xml, .toml, .yaml or .yml"},
		{"XML of something else", "p.xml", "<steps><connections>secret1</connections></steps>", "not HammerDB's file of a connect pool"},
		{"broken XML", "p.xml", "<connpool><connections><c1><pg_pass>secret1&x;</pg_pass></c1></connections></connpool>", "line 1: it holds a & that begins no entity"},
		{"XML with an empty list", "p.xml", "<connpool><connections><c1/></connections><sprocs><payment/></sprocs></connpool>", "payment has no connections"},
		{"a text that is not a pool", "{secret1", "", "it begins like the pool of a kept job"},
	} {
		var err error
		if tt.text == "" {
			_, err = resolver.Resolve(job.Run, settings.Sources{Flags: map[string]string{"db": "pg", "pool": tt.file}})
		} else {
			_, err = withPool(t, tt.file, tt.text)
		}
		if err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "secret1") {
			t.Errorf("%s: got %v, want %q", tt.name, err, tt.want)
		}
	}
	for _, tt := range []struct{ db, set, want string }{
		{"sqlite", "seed=1", "SQLite works inside this process"},
		{"pg", "connections=1", "with a pool each virtual user has its own connections"},
	} {
		s := settings.Sources{Flags: map[string]string{"db": tt.db, "pool": write(t, "p.toml", "[connections.a]\n")}}
		if tt.db == "pg" {
			s.Set = []string{tt.set}
		}
		if _, err := resolver.Resolve(job.Run, s); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s with %s: got %v, want %q", tt.db, tt.set, err, tt.want)
		}
	}
}

func TestPoolFile_WarnsOfUnusedEntries(t *testing.T) {
	order, err := withPool(t, "p.xml", `<connpool><connections>
<c1><pg_host>one</pg_host><ora_pass>secret1</ora_pass></c1>
<c2><pg_host>two</pg_host></c2></connections><sprocs>
<neworder><connections>c1</connections><policy>nearest</policy></neworder>
<payment><connections>c1</connections><policy>first_named</policy></payment>
<delivery><connections>c1</connections><policy>last_named</policy></delivery>
<stocklevel><connections>c1</connections><policy>random</policy></stocklevel>
<orderstatus><connections>c1</connections><policy>round_robin</policy></orderstatus></sprocs></connpool>`)
	if err != nil {
		t.Fatal(err)
	}
	all := strings.Join(order.Warnings, "\n")
	for _, want := range []string{
		`line 4: neworder: "nearest" is not a policy`, `connection c1: "ora_pass" is ignored`, "no transaction goes to c2: no user connects there",
	} {
		if !strings.Contains(all, want) {
			t.Errorf("got the warnings %q, want %q", all, want)
		}
	}
	if strings.Contains(all+order.Spec.Values()[pool.Option], "secret1") {
		t.Error("an ignored value is shown or recorded")
	}
}

func TestPool_ConnectionWithAddressDoesNotUseTheSocketOfTheRun(t *testing.T) {
	path := write(t, "pool.toml", "[connections.a]\nport = 3307\n[connections.b]\nuser = 'u'\n[connections.c]\nport = 3308\nsocket = '/run/c.sock'\n")
	order, err := resolver.Resolve(job.Run, settings.Sources{Flags: map[string]string{"db": "maria", "pool": path}, Set: []string{"socket=/run/db.sock"}})
	const want = `{"connections":[{"name":"a","options":{"port":"3307","socket":"null"}},{"name":"b","options":{"user":"u"}},{"name":"c","options":{"port":"3308","socket":"/run/c.sock"}}]}`
	if got := order.Spec.Options[pool.Option]; err != nil || got != want {
		t.Errorf("got %s and %v, want %s", got, err, want)
	}
}

func TestPool_WarnsOfExposedSecretFiles(t *testing.T) {
	key := write(t, "client.key", "secret")
	text := strings.Replace(poolTOML, "password_file", "ssl_key = '"+key+"'\npassword_file", 1)
	for mode, want := range map[os.FileMode]int{0o600: 0, 0o644: 2} {
		path := write(t, "pool.toml", text)
		secret := filepath.Join(filepath.Dir(path), "reader.secret")
		if err := os.WriteFile(secret, []byte("secret2\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, file := range []string{key, secret} {
			if err := os.Chmod(file, mode); err != nil {
				t.Fatal(err)
			}
		}
		order, err := resolver.Resolve(job.Run, settings.Sources{Flags: map[string]string{"db": "pg", "pool": path}})
		all := strings.Join(order.Warnings, "\n")
		if err != nil || strings.Count(all, "others can read") != want || want > 0 && (!strings.Contains(all, "chmod 600 "+key) || !strings.Contains(all, "chmod 600 "+secret)) {
			t.Errorf("mode %o: got the warnings %q and %v, want %d", mode, all, err, want)
		}
	}
}
