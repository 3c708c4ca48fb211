package settings_test

import (
	"cmp"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"sledge/internal/catalog/edition"
	"sledge/internal/database"
	"sledge/internal/job"
	"sledge/internal/option"
	"sledge/internal/settings"
)

var resolver = settings.Resolver{Catalog: edition.Catalog}

// write creates a file in a new folder and returns its path.
func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// Each step adds a stronger source to the previous ones, so that each source is shown to win over
// the next weaker one.
func TestResolve_StrongerSourcesWin(t *testing.T) {
	config := write(t, "sledge.toml", "db = 'mysql'\nusers = 2\nseed = 2\n[options]\npg_port = 1002\npg_host = 'config'\n")
	var s settings.Sources
	steps := []struct {
		name                     string
		add                      func()
		port, host, origin       string
		users                    int
		seed                     uint64
		databaseWithoutBeingSaid string
	}{
		{"default", func() { s.Flags = map[string]string{"db": "pg"} }, "", "", "", 1, 1, ""},
		{"configuration file", func() { s.ConfigFile = config }, "1002", "config", "line 5 of " + config, 2, 2, "mysql"},
		{"environment", func() {
			s.Environ = []string{"SLEDGE_PG_PORT=1003", "SLEDGE_USERS=3", "SLEDGE_SEED=3", "SLEDGE_DB=pg", "PATH=/bin"}
		}, "1003", "config", "SLEDGE_PG_PORT", 3, 3, "postgresql"},
		{"settings by name", func() {
			s.Given, s.GivenBy = map[string]string{"pg_host": "given", "users": "4", "db": "pg"}, "the request"
		}, "1003", "given", "SLEDGE_PG_PORT", 4, 3, "postgresql"},
		{"URL", func() { s.URL = "postgres://u@url:1004/d" }, "1004", "url", "--url", 4, 3, "postgresql"},
		{"plain flag", func() {
			s.Flags["port"], s.Flags["users"], s.Flags["seed"] = "1005", "5", "5"
		}, "1005", "url", "--port", 5, 5, "postgresql"},
		{"set", func() { s.Set = []string{"pg_port=1006"} }, "1006", "url", "--set", 5, 5, "postgresql"},
		{"a later set", func() { s.Set = append(s.Set, "pg_port=1007") }, "1007", "url", "--set", 5, 5, "postgresql"},
	}
	for _, step := range steps {
		step.add()
		order, err := resolver.Resolve(job.Run, s)
		if err != nil {
			t.Fatalf("%s: %v", step.name, err)
		}
		got := fmt.Sprintf("%s %s %q %d %d", order.Spec.Options["port"], order.Spec.Options["host"], order.Origins["port"], order.Spec.Users, order.Spec.Seed)
		want := fmt.Sprintf("%s %s %q %d %d", step.port, step.host, step.origin, step.users, step.seed)
		if got != want {
			t.Errorf("%s: got %s, want %s", step.name, got, want)
		}
		if step.databaseWithoutBeingSaid == "" {
			continue
		}
		delete(s.Flags, "db")
		s := s
		if step.databaseWithoutBeingSaid == "mysql" {
			s.Flags = nil
		}
		if order, err = resolver.Resolve(job.Run, s); err != nil || order.Spec.Database != step.databaseWithoutBeingSaid {
			t.Errorf("%s: without --db got database %q and error %v, want %s", step.name, order.Spec.Database, err, step.databaseWithoutBeingSaid)
		}
	}
}

func TestResolve_DropsDefaults(t *testing.T) {
	order, err := resolver.Resolve(job.Build, settings.Sources{Flags: map[string]string{"db": "PG", "warehouses": "7"}})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := fmt.Sprint(order.Spec.Options), "map[warehouses:7]"; got != want {
		t.Errorf("got options %s, want %s", got, want)
	}
	if order.Spec.Users != 0 {
		t.Errorf("got %d users for a build, want none: only runs have them", order.Spec.Users)
	}
	if order.Spec.Database != "postgresql" || order.Spec.Workload != "tprocc" {
		t.Errorf("got %s and %s, want the names in full: postgresql and tprocc", order.Spec.Database, order.Spec.Workload)
	}
}

// The same settings in every form of a configuration file.
func TestResolve_ReadsEveryFormOfConfigurationFile(t *testing.T) {
	for name, text := range map[string]string{
		"a.toml": "db = 'pg'\nusers = 4\npg_rampup = 0.5\npg_vacuum = true\npg_count_ware = 3\n",
		"b.toml": "db = 'pg'\nusers = 4\n[options]\npg_rampup = '0.5'\npg_vacuum = 'true'\npg_count_ware = 3\n",
		"c.yaml": "db: pg\nusers: 4\npg_rampup: 0.5\npg_vacuum: true\npg_count_ware: 3\n",
		"d.yml":  "db: pg\nusers: 4\noptions:\n  pg_rampup: 0.5\n  pg_vacuum: true\n  pg_count_ware: 3\n",
	} {
		order, err := resolver.Resolve(job.Run, settings.Sources{ConfigFile: write(t, name, text)})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		got := fmt.Sprint(order.Spec.Users, order.Spec.Options)
		if want := "4 map[rampup:0.5 vacuum:true warehouses:3]"; got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
}

// Each value has one obvious meaning, in every notation of the format.
func TestResolve_ReadsEveryNotationOfValues(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"a.yaml", "users: [1, 2,4]", "users 1,2,4"},
		{"a.yaml", "users:\n- 1\n- 8", "users 1,8"},
		{"a.toml", "users = [1, 2, 4]", "users 1,2,4"},
		{"a.yaml", "users: 1,2", "users 1,2"},
		{"a.yaml", "options:\n  pg_load_time: 2026-02-03", "load_time 2026-02-03"},
		{"a.yaml", "pg_load_time: 2026-02-03T04:05:06Z", "load_time 2026-02-03T04:05:06Z"},
		{"a.toml", "load_time = 2026-02-03", "load_time 2026-02-03"},
		{"a.toml", "load_time = 2026-02-03 04:05:06", "load_time 2026-02-03T04:05:06"},
		{"a.toml", "load_time = 2026-02-03T04:05:06+01:00", "load_time 2026-02-03T04:05:06+01:00"},
		{"a.yaml", "pg_pass: 0123", "password 0123"},
		{"a.yaml", "pg_pass: 1e3", "password 1e3"},
		{"a.yaml", "pg_port: 0x10", "port 16"},
		{"a.yaml", "pg_port: 1_000", "port 1000"},
		{"a.yaml", "pg_vacuum: yes", "vacuum yes"},
		{"a.yaml", "pg_pass: null", "password null"},
		{"a.yaml", "options: &o\n  pg_port: &p 5\nseed: *p", "port 5"},
		{"a.yaml", "pg_port: 5\noptions:\n  <<: {pg_host: h}\n  pg_dbase: d", "host h"},
		{"a.yaml", "---\npg_port: 5\n---\n", "port 5"},
		{"a.yaml", "# nothing\n", ""},
	}
	for _, test := range tests {
		order, err := resolver.Resolve(job.Run, settings.Sources{ConfigFile: write(t, test.name, test.text), Flags: map[string]string{"db": "pg"}})
		if err != nil {
			t.Errorf("%q: %v", test.text, err)
			continue
		}
		name, want, _ := strings.Cut(test.want, " ")
		got := order.Spec.Values()[name]
		if name == "users" {
			got = strings.ReplaceAll(strings.Trim(fmt.Sprint(order.Counts), "[]"), " ", ",")
		}
		if got != want {
			t.Errorf("%q: got %s %q, want %q", test.text, name, got, want)
		}
	}
}

func TestResolve_TakesEveryNameOfADatabaseAsURLScheme(t *testing.T) {
	for _, d := range edition.Catalog.Databases {
		for _, name := range append([]string{d.Name}, d.Aliases...) {
			address := name + "://h/d"
			if d.Embedded() {
				address = name + ":d"
			}
			order, err := resolver.Resolve(job.Run, settings.Sources{URL: address})
			if err != nil || order.Spec.Database != d.Name {
				t.Errorf("%s: got %q and error %v, want %s", address, order.Spec.Database, err, d.Name)
			}
		}
	}
}

func TestFlags_AffectTheirActions(t *testing.T) {
	want := map[string]string{
		"host": "build run check delete", "warehouses": "build check", "builders": "build",
		"duration": "run", "rampup": "run", "iterations": "run", "client-sql": "run",
	}
	for _, f := range resolver.Flags() {
		var actions []string
		for _, action := range []job.Action{job.Build, job.Run, job.Check, job.Delete} {
			if f.MeansSomethingTo(action) {
				actions = append(actions, string(action))
			}
		}
		if list, ok := want[f.Name]; ok && strings.Join(actions, " ") != list {
			t.Errorf("--%s: got %q, want %q", f.Name, actions, list)
		}
		delete(want, f.Name)
	}
	if len(want) > 0 {
		t.Errorf("got no flags %v", want)
	}
}

func TestResolve_AllowsOptionsOfOtherDatabasesInFileAndEnvironment(t *testing.T) {
	order, err := resolver.Resolve(job.Run, settings.Sources{
		ConfigFile: write(t, "a.yaml", "db: pg\nmysql_port: 1\npg_port: 2\n"),
		Environ:    []string{"SLEDGE_MYSQL_HOST=elsewhere"},
	})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := fmt.Sprint(order.Spec.Options), "map[port:2]"; got != want {
		t.Errorf("got options %s, want %s", got, want)
	}
}

func TestResolve_ReadsSecretsFromEverySource(t *testing.T) {
	file := write(t, "password", "s3cret\n")
	pg := map[string]string{"db": "pg"}
	for name, s := range map[string]settings.Sources{
		"environment":                {Environ: []string{"SLEDGE_PG_PASS=s3cret"}, Flags: pg},
		"file of the environment":    {Environ: []string{"SLEDGE_PG_PASS_FILE=" + file}, Flags: pg},
		"password file":              {Environ: []string{"SLEDGE_PG_PASS=weaker"}, Flags: map[string]string{"db": "pg", "password-file": file}},
		"prompt":                     {Flags: pg, Secrets: map[string]string{settings.Password: "s3cret"}},
		"set":                        {Flags: pg, Set: []string{"pg_pass=s3cret"}},
		"file of a set":              {Flags: pg, Set: []string{"pg_pass_file=" + file}},
		"configuration file":         {ConfigFile: write(t, "a.toml", "pg_pass = 's3cret'\n"), Flags: pg},
		"file beside the file":       {ConfigFile: writeBeside(t, file, "a.toml", "pg_pass_file = 'password'\n"), Flags: pg},
		"URL":                        {URL: "postgres://u:s3cret@h/d"},
		"password file over the URL": {URL: "postgres://u:weaker@h/d", Flags: map[string]string{"password-file": file}},
	} {
		order, err := resolver.Resolve(job.Run, s)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := order.Spec.Values()["password"]; got != "s3cret" {
			t.Errorf("%s: got password %q, want s3cret", name, got)
		}
		if text := fmt.Sprintf("%v %#v", order.Spec, order.Spec); strings.Contains(text, "s3cret") || order.Spec.Options["password"] != "" {
			t.Errorf("%s: got a secret in the printed spec: %s", name, text)
		}
	}
}

func TestResolve_FileOfRatesIsRelativeToTheConfigurationFile(t *testing.T) {
	rates := write(t, "rates.csv", "0,100\n")
	const want = "points:0s=100/s"
	for _, value := range []string{"rates.csv", "./rates.csv", rates} {
		config := writeBeside(t, rates, "a.toml", "db = 'pg'\npg_rate = 'file:"+value+"'\n")
		order, err := resolver.Resolve(job.Run, settings.Sources{ConfigFile: config})
		if got := order.Spec.Options["rate"]; err != nil || got != want {
			t.Errorf("%s: got %s, %v, want %s", value, got, err, want)
		}
	}
	t.Chdir(filepath.Dir(rates))
	order, err := resolver.Resolve(job.Run, settings.Sources{Flags: map[string]string{"db": "pg", "rate": "file:rates.csv"}})
	if got := order.Spec.Options["rate"]; err != nil || got != want {
		t.Errorf("by a flag: got %s, %v, want %s", got, err, want)
	}
}

// writeBeside creates a file in the folder of another.
func writeBeside(t *testing.T, other, name, text string) string {
	t.Helper()
	path := filepath.Join(filepath.Dir(other), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestResolve_ReadsSuperuserPasswordFile(t *testing.T) {
	order, err := resolver.Resolve(job.Build, settings.Sources{Flags: map[string]string{
		"db": "pg", "superuser-password-file": write(t, "p", "s3cret\r\n"),
	}})
	if err != nil {
		t.Fatal(err)
	}
	if got := order.Spec.Values()["superuser_password"]; got != "s3cret" {
		t.Errorf("got %q, want s3cret", got)
	}
}

// The prompt asks for the password of the user that creates others, even if the database has
// another name for that user.
func TestResolve_TakesTheSuperuserPasswordFromThePrompt(t *testing.T) {
	for db, name := range map[string]string{"pg": "superuser_password", "oracle": "system_password"} {
		order, err := resolver.Resolve(job.Build, settings.Sources{
			Flags: map[string]string{"db": db}, Set: map[string][]string{"oracle": {"host=h", "service=s"}}[db],
			Secrets: map[string]string{settings.SuperuserPassword: "s3cret"},
		})
		if err != nil {
			t.Fatal(err)
		}
		if got := order.Spec.Values()[name]; got != "s3cret" {
			t.Errorf("%s: got %q, want s3cret", name, got)
		}
	}
}

// An option has one name for all databases. HammerDB's keys, which contain the database, are
// accepted too, and win over the common name in the same source.
func TestResolve_TakesOptionsByNameAndByHammerDBsKey(t *testing.T) {
	file := write(t, "a.toml", "rampup = 5\npg_rampup = 1\ndbname = 'x'\n[options]\nclient_sql = true\n")
	for _, c := range []struct {
		name string
		in   settings.Sources
		want option.Values
	}{
		{"a file for one database", settings.Sources{ConfigFile: file, Flags: map[string]string{"db": "pg"}}, option.Values{"rampup": "1", "dbname": "x", "client_sql": "true"}},
		{"a file for another", settings.Sources{ConfigFile: file, Flags: map[string]string{"db": "maria"}}, option.Values{"rampup": "5", "dbname": "x", "client_sql": "true"}},
		{"a file for SQLite", settings.Sources{ConfigFile: file, Flags: map[string]string{"db": "sqlite"}}, option.Values{"rampup": "5", "file": "x", "client_sql": "true"}},
		{"the environment", settings.Sources{Environ: []string{"SLEDGE_RAMPUP=3", "SLEDGE_MIX=1,1,1,1,1"}, Flags: map[string]string{"db": "mysql"}}, option.Values{"rampup": "3", "mix": "1,1,1,1,1"}},
		{"a variable of Kubernetes", settings.Sources{Environ: []string{"SLEDGE_PORT=tcp://10.0.0.1:80"}, Flags: map[string]string{"db": "pg"}}, option.Values{}},
		{"a port", settings.Sources{Environ: []string{"SLEDGE_PORT=5433"}, Flags: map[string]string{"db": "pg"}}, option.Values{"port": "5433"}},
		{"the later of two names", settings.Sources{Set: []string{"pg_rampup=1", "rampup=2"}, Flags: map[string]string{"db": "pg"}}, option.Values{"rampup": "2"}},
		{"the later of two, by its key", settings.Sources{Set: []string{"rampup=2", "pg_rampup=1"}, Flags: map[string]string{"db": "pg"}}, option.Values{"rampup": "1"}},
		{"a stronger source by another name", settings.Sources{Environ: []string{"SLEDGE_PG_RAMPUP=1"}, Set: []string{"rampup=2"}, Flags: map[string]string{"db": "pg"}}, option.Values{"rampup": "2"}},
	} {
		order, err := resolver.Resolve(job.Run, c.in)
		if err != nil || !maps.Equal(order.Spec.Options, c.want) {
			t.Errorf("%s: got %v and error %v, want %v", c.name, order.Spec.Options, err, c.want)
		}
	}
}

// Every error names the source, the value and what to do. The exit code is that of bad input, and
// no error contains a secret.
func TestResolve_MistakesNameSourceAndRemedy(t *testing.T) {
	const secret = "s3cr:et/"
	file := func(name, text string) string { return write(t, name, text) }
	pg := func(more ...string) map[string]string {
		flags := map[string]string{"db": "pg"}
		for i := 0; i < len(more); i += 2 {
			flags[more[i]] = more[i+1]
		}
		return flags
	}
	tests := []struct {
		name string
		in   settings.Sources
		want []string
	}{
		{"no database", settings.Sources{}, []string{"--db", "postgresql (pg"}},
		{"unknown database", settings.Sources{Flags: map[string]string{"db": "postgras"}}, []string{"--db", `"postgras"`, "did you mean postgres?"}},
		{"unknown workload", settings.Sources{Flags: pg("workload", "tprokc")}, []string{"--workload", "did you mean tprocc?"}},
		{"unknown database in the environment", settings.Sources{Environ: []string{"SLEDGE_DB=nosuch"}}, []string{"SLEDGE_DB", "nosuch"}},
		{"users not a number", settings.Sources{Flags: pg("users", "many")}, []string{"--users", `"many"`}},
		{"no users", settings.Sources{Environ: []string{"SLEDGE_USERS=0"}, Flags: pg()}, []string{"SLEDGE_USERS", "0 is less than 1"}},
		{"too many users", settings.Sources{Flags: pg("users", "100001")}, []string{"100001", "100000"}},
		{"negative seed", settings.Sources{Flags: pg("seed", "-1")}, []string{"--seed", `"-1"`}},
		{"value out of limits", settings.Sources{Flags: pg("port", "0")}, []string{"option port: 0 is less than 1", "--port"}},
		{"value out of limits in a file", settings.Sources{ConfigFile: file("a.yaml", "pg_port: 70000"), Flags: pg()}, []string{"pg_port", "70000", "a.yaml"}},
		{"rule across options", settings.Sources{Flags: pg("builders", "9", "warehouses", "2")}, []string{"option builders: 9 is more than the 2 of warehouses", "--builders"}},
		{"rule across options set by their keys", settings.Sources{Environ: []string{"SLEDGE_PG_COUNT_WARE=2", "SLEDGE_PG_NUM_VU=9"}, Flags: pg()}, []string{"option pg_num_vu: 9 is more than the 2 of pg_count_ware", "SLEDGE_PG_NUM_VU"}},
		{"value out of limits by its own name", settings.Sources{ConfigFile: file("a.yaml", "port: 70000"), Flags: pg()}, []string{"option port: 70000", "a.yaml"}},
		{"unknown option set by its own name", settings.Sources{Flags: pg(), Set: []string{"warehuoses=1"}}, []string{"--set: option warehuoses is not known: did you mean warehouses?"}},
		{"unknown option without a similar one", settings.Sources{Flags: pg(), Set: []string{"zzzz=1"}}, []string{"--set: option zzzz is not known (sledge options postgresql tprocc lists them)"}},
		{"option of other databases only", settings.Sources{Flags: pg(), Set: []string{"cache_mib=1"}}, []string{"--set: cache_mib is not an option of PostgreSQL"}},
		{"flag of another database", settings.Sources{Flags: map[string]string{"db": "mysql", "superuser-password-file": "x"}}, []string{"--superuser-password-file", "MySQL", "sledge options mysql tprocc"}},
		{"unknown option set", settings.Sources{Flags: pg(), Set: []string{"pg_count_waer=1"}}, []string{"--set", "did you mean pg_count_ware?"}},
		{"unknown option set, similar to one of another database", settings.Sources{Flags: map[string]string{"db": "sqlite"}, Set: []string{"pg_rampupp=1"}}, []string{"--set", "pg_rampupp", "did you mean rampup?"}},
		{"unknown option set, similar to one that only another database has", settings.Sources{Flags: map[string]string{"db": "sqlite"}, Set: []string{"pg_vacuumm=1"}}, []string{"--set", "pg_vacuumm", "did you mean pg_vacuum?"}},
		{"option of another database set", settings.Sources{Flags: pg(), Set: []string{"mysql_port=1"}}, []string{"--set", "mysql_port", "PostgreSQL", "did you mean port?"}},
		{"set without a value", settings.Sources{Flags: pg(), Set: []string{secret}}, []string{"--set name=value"}},
		{"missing configuration file", settings.Sources{ConfigFile: "nosuch.toml"}, []string{"nosuch.toml"}},
		{"configuration file of another kind", settings.Sources{ConfigFile: file("a.ini", "")}, []string{"a.ini", ".toml"}},
		{"broken TOML", settings.Sources{ConfigFile: file("a.toml", "db = 'pg'\npg_pass = "+secret)}, []string{"a.toml", "line 2"}},
		{"reference in YAML to nothing", settings.Sources{ConfigFile: file("a.yaml", "db: pg\npg_pass: *"+secret[:4])}, []string{"a.yaml", "line 2, column 10", "in quotes"}},
		{"tag that YAML does not know", settings.Sources{ConfigFile: file("a.yaml", "db: pg\npg_pass: !"+secret+" x")}, []string{"a.yaml", "line 2: pg_pass", "in quotes"}},
		{"two documents", settings.Sources{ConfigFile: file("a.yaml", "db: pg\n---\npg_pass: "+secret)}, []string{"a.yaml", "line 3", "second document"}},
		{"broken second document", settings.Sources{ConfigFile: file("a.yaml", "db: pg\n---\npg_pass: '"+secret)}, []string{"a.yaml", "line 3"}},
		{"table of another name", settings.Sources{ConfigFile: file("a.toml", "db = 'pg'\n[optoins]\npg_port = 1")}, []string{"line 2", "there is no table optoins: did you mean options?"}},
		{"table of another name in YAML", settings.Sources{ConfigFile: file("a.yaml", "db: pg\noptoins:\n  pg_port: 1")}, []string{"line 2", "there is no table optoins: did you mean options?"}},
		{"table of a database", settings.Sources{ConfigFile: file("a.toml", "[postgresql]\nport = 1")}, []string{"line 1", "there is no table postgresql: put options into the table options"}},
		{"table as a value", settings.Sources{ConfigFile: file("a.yaml", "pg_port: {a: 1}")}, []string{"line 1", "pg_port takes one value, but is a table here"}},
		{"list of lists", settings.Sources{ConfigFile: file("a.yaml", "users: [[1], 2]")}, []string{"line 1", "users", "text, a number"}},
		{"nothing as a value", settings.Sources{ConfigFile: file("a.yaml", "db: pg\npg_port:\n")}, []string{"line 2", "pg_port has no value"}},
		{"duplicate key in YAML", settings.Sources{ConfigFile: file("a.yaml", "pg_port: 1\npg_port: 2")}, []string{"line 2", "pg_port is given twice"}},
		{"wrong users in a file", settings.Sources{ConfigFile: file("a.yaml", "db: pg\nusers: many")}, []string{`users: "many" is not a whole number (it is from line 2 of `, "a.yaml"}},
		{"label without a value", settings.Sources{Environ: []string{"SLEDGE_LABELS=ticket"}, Flags: pg()}, []string{"SLEDGE_LABELS", `"ticket" has no value`}},
		{"label given twice in a file", settings.Sources{ConfigFile: file("a.yaml", "db: pg\nlabels: [ticket=1, ticket=2]")}, []string{"labels: ticket is given twice", "(it is from line 2 of "}},
		{"wrong seed in a file", settings.Sources{ConfigFile: file("a.toml", "db = 'pg'\n\nseed = -1")}, []string{"seed: ", "(it is from line 3 of "}},
		{"wrong database in a file", settings.Sources{ConfigFile: file("a.toml", "db = 'postgras'")}, []string{"db: ", "did you mean postgres?", "(it is from line 1 of "}},
		{"too many users in a file", settings.Sources{ConfigFile: file("a.toml", "db = 'pg'\nusers = 200000")}, []string{"users: 200000", "(it is from line 2 of "}},
		{"wrong value in a file's table", settings.Sources{ConfigFile: file("a.toml", "db = 'pg'\n[options]\n# pg_port = 1\npg_port = 0")}, []string{"option pg_port: 0 is less than 1 (it is from line 4 of "}},
		{"wrong value in a table in one line", settings.Sources{ConfigFile: file("a.toml", "db = 'pg'\noptions = {pg_port = 0}")}, []string{"option pg_port: 0 is less than 1 (it is from line 2 of "}},
		{"wrong value by a dotted key", settings.Sources{ConfigFile: file("a.toml", "db = 'pg'\noptions.pg_port = 0\n")}, []string{"option pg_port: 0 is less than 1 (it is from line 2 of "}},
		{"wrong value beside a text of several lines", settings.Sources{ConfigFile: file("a.toml", "db = 'pg'\npg_pass = '''\nusers = 7\n'''\nusers = 'x'")}, []string{`users: "x" is not a whole number (it is from /`}},
		{"value that is a comment", settings.Sources{ConfigFile: file("a.yaml", "db: pg\npg_pass: #"+secret)}, []string{"line 2: pg_pass has no value", "in quotes"}},
		{"anchor for a value", settings.Sources{ConfigFile: file("a.yaml", "db: pg\npg_pass: &"+secret[:4])}, []string{"line 2: pg_pass has no value", "in quotes"}},
		{"value with a character that YAML reserves", settings.Sources{ConfigFile: file("a.yaml", "db: pg\npg_pass: @"+secret)}, []string{"line 2 is not valid YAML"}},
		{"table that contains itself", settings.Sources{ConfigFile: file("a.yaml", "options: &a\n  <<: *a\n")}, []string{"line 2"}},
		{"list that contains itself", settings.Sources{ConfigFile: file("a.yaml", "users: &a [*a]\n")}, []string{"line 1: users"}},
		{"password file of a file", settings.Sources{ConfigFile: file("a.toml", "db = 'pg'\npg_pass_file = 'nosuch'")}, []string{"pg_pass_file", "nosuch", "(it is from line 2 of "}},
		{"broken YAML", settings.Sources{ConfigFile: file("a.yaml", "db: pg\n  pg_pass: '"+secret)}, []string{"a.yaml", "line 2"}},
		{"YAML that is not a table", settings.Sources{ConfigFile: file("a.yaml", secret)}, []string{"a.yaml", "db: postgresql"}},
		{"unknown key", settings.Sources{ConfigFile: file("a.toml", "usres = 1")}, []string{"usres", "did you mean users?"}},
		{"unknown option in a file", settings.Sources{ConfigFile: file("a.toml", "[options]\npg_prot = 1")}, []string{"pg_prot", "did you mean pg_port?"}},
		{"general key among options", settings.Sources{ConfigFile: file("a.toml", "[options]\ndb = 'pg'")}, []string{"db is not an option"}},
		{"duplicate key", settings.Sources{ConfigFile: file("a.toml", "pg_port = 1\n[options]\npg_port = 2")}, []string{"pg_port is given twice"}},
		{"list as a value", settings.Sources{ConfigFile: file("a.yaml", "pg_port: [1, 2]")}, []string{"line 1: pg_port takes one value", "text, a number"}},
		{"an invalid URL", settings.Sources{URL: "postgres://u:" + secret + "@h/d"}, []string{"--url", "%XX"}},
		{"URL of an unknown scheme", settings.Sources{URL: "postgras://u:" + secret[:4] + "@h/d"}, []string{"--url", "did you mean postgres?"}},
		{"URL with an unknown parameter", settings.Sources{URL: "postgres://u:s3cr@h/d?nosuch=1"}, []string{"--url", "nosuch"}},
		{"URL against the database", settings.Sources{URL: "mysql://h/d", Flags: pg()}, []string{"--db", "PostgreSQL", "MySQL"}},
		{"missing password file", settings.Sources{Flags: pg("password-file", "nosuch")}, []string{"--password-file", "nosuch"}},
		{"password file of many lines", settings.Sources{Flags: pg("password-file", file("p", secret+"\nmore\n"))}, []string{"--password-file", "more than one line"}},
		{"password and its file", settings.Sources{Flags: pg(), Environ: []string{"SLEDGE_PG_PASS=" + secret, "SLEDGE_PG_PASS_FILE=x"}}, []string{"SLEDGE_PG_PASS_FILE", "pg_pass"}},
		{"prompt for a password that the database lacks", settings.Sources{Flags: map[string]string{"db": "mysql"}, Secrets: map[string]string{settings.SuperuserPassword: secret}}, []string{"MySQL", "superuser-password"}},
	}
	for _, test := range tests {
		_, err := resolver.Resolve(job.Run, test.in)
		if err == nil {
			t.Errorf("%s: got no error, want one with %q", test.name, test.want)
			continue
		}
		if code := job.ExitOf(err); code != job.ExitUsage {
			t.Errorf("%s: got exit code %d, want %d", test.name, code, job.ExitUsage)
		}
		for _, part := range test.want {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("%s: got %q, want %q in it", test.name, err, part)
			}
		}
		if strings.Contains(err.Error(), secret[:4]) {
			t.Errorf("%s: got the secret in %q", test.name, err)
		}
	}
}

func TestResolve_WarnsOfMistypedVariables(t *testing.T) {
	order, err := resolver.Resolve(job.Run, settings.Sources{
		Flags: map[string]string{"db": "pg"},
		Environ: []string{
			"SLEDGE_PG_HSOT=h", "SLEDGE_TEST_POSTGRESQL=x", "SLEDGE_REPO=r", "SLEDGE_CONFIG=c",
			"SLEDGE_PORT_5432_TCP_ADDR=10.0.0.1", "SLEDGE_PG_PORT=",
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := strings.Join(order.Warnings, "; "), "SLEDGE_PG_HSOT in the environment is not known: did you mean SLEDGE_PG_HOST?"; got != want {
		t.Errorf("got warnings %q, want %q", got, want)
	}
	if got := len(order.Spec.Options); got != 0 {
		t.Errorf("got %d options of empty and unknown variables, want none", got)
	}
}

func TestFlags_TakeNoSecrets(t *testing.T) {
	secrets := map[string]bool{}
	for _, o := range resolver.Options() {
		secrets[o.Name] = o.Secret
	}
	seen := 0
	for _, f := range resolver.Flags() {
		for _, name := range f.Options {
			if !secrets[name] {
				continue
			}
			seen++
			if f.Kind != "file" || !strings.HasSuffix(f.Name, "-file") {
				t.Errorf("--%s: got a flag of kind %s for the secret %s, want one that takes a file", f.Name, f.Kind, name)
			}
		}
	}
	if seen < 2 {
		t.Errorf("got %d flags for secrets, want at least two", seen)
	}
}

func TestRuns_ReturnsAnOrderForEachNumberOfUsers(t *testing.T) {
	for text, want := range map[string][]int{"": {1}, "4": {4}, "1,2, 8": {1, 2, 8}, "2,2": {2, 2}} {
		s := settings.Sources{Flags: map[string]string{"db": "sqlite"}}
		if text != "" {
			s.Flags["users"] = text
		}
		order, err := resolver.Resolve(job.Run, s)
		if err != nil || order.Spec.Users != want[0] {
			t.Fatalf("users %q: got %d and error %v, want %d first", text, order.Spec.Users, err, want[0])
		}
		runs, err := order.Runs()
		if err != nil || len(runs) != len(want) {
			t.Fatalf("users %q: got %d runs and error %v, want %d", text, len(runs), err, len(want))
		}
		for i, one := range runs {
			if one.Spec.Users != want[i] || one.Plan.Users != want[i] {
				t.Errorf("users %q, run %d: got %d and a plan of %d, want %d", text, i, one.Spec.Users, one.Plan.Users, want[i])
			}
		}
	}
	order, err := resolver.Resolve(job.Run, settings.Sources{Flags: map[string]string{"db": "sqlite", "users": "1,200000"}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := order.Runs(); job.ExitOf(err) != job.ExitUsage {
		t.Errorf("too many users: got %v, want a mistake of the user", err)
	}
}

// An option whose feature does not exist is refused if it asks for the feature. An option that only
// configures the feature gets a warning.
func TestResolve_WarnsOfOptionsOfMissingFeatures(t *testing.T) {
	flags := map[string]string{"db": "mysql", "workload": "tproch"}
	order, err := resolver.Resolve(job.Run, settings.Sources{Flags: flags, Set: []string{"oceanbase_partitions=4", "oceanbase_tenant=tpch"}})
	if err != nil {
		t.Fatal(err)
	}
	const want = "option oceanbase_partitions: 4 has no effect, because its feature does not exist yet"
	if got := strings.Join(order.Warnings, "; "); got != want {
		t.Errorf("got warnings %q, want %q", got, want)
	}
	if order, err = resolver.Order(order.Spec); err != nil || strings.Join(order.Warnings, "; ") != want {
		t.Errorf("of the spec: got warnings %q and error %v, want %q", order.Warnings, err, want)
	}
	if _, err := resolver.Resolve(job.Run, settings.Sources{Flags: flags, Set: []string{"oceanbase=true"}}); err == nil || !strings.Contains(err.Error(), "not built yet") {
		t.Errorf("got error %v, want an error about OceanBase, which is not built yet", err)
	}
}

// A socket and an address are two ways to name a server. The stronger source decides.
func TestResolve_StrongerSourceChoosesBetweenSocketAndAddress(t *testing.T) {
	config := write(t, "sledge.toml", "socket = '/run/config.sock'\n")
	address := write(t, "sledge.toml", "host = 'config'\nport = 1\n")
	for _, tt := range []struct {
		name         string
		s            settings.Sources
		socket, port string // "" if the job does not get it
	}{
		{"a named port", settings.Sources{Flags: map[string]string{"host": "127.0.0.1", "port": "3699"}}, "", "3699"},
		{"a port against a file", settings.Sources{ConfigFile: config, Flags: map[string]string{"port": "3699"}}, "", "3699"},
		{"a host against a variable", settings.Sources{Environ: []string{"SLEDGE_SOCKET=/run/env.sock"}, Flags: map[string]string{"host": "localhost"}}, "", ""},
		{"a URL against a variable", settings.Sources{Environ: []string{"SLEDGE_SOCKET=/run/env.sock"}, URL: "SCHEME://127.0.0.1:3699"}, "null", "3699"},
		{"a socket against a file", settings.Sources{ConfigFile: address, Set: []string{"socket=/run/set.sock"}}, "/run/set.sock", ""},
		{"both on the command line", settings.Sources{Flags: map[string]string{"port": "3699"}, Set: []string{"socket=/run/set.sock"}}, "/run/set.sock", "3699"},
		{"no socket against a file", settings.Sources{ConfigFile: address, Set: []string{"socket=null"}}, "null", "1"},
	} {
		for _, db := range []string{"mariadb", "mysql", "redis"} {
			s := tt.s
			s.Flags = maps.Clone(s.Flags)
			if s.Flags == nil {
				s.Flags = map[string]string{}
			}
			s.Flags["db"] = db
			s.URL = strings.Replace(s.URL, "SCHEME", db, 1)
			order, err := resolver.Resolve(job.Run, s)
			if err != nil {
				t.Errorf("%s, %s: %v", tt.name, db, err)
				continue
			}
			socket := order.Spec.Options["socket"]
			if socket == "null" && tt.socket == "" || socket == "" && tt.socket == "null" {
				socket = tt.socket // the default
			}
			if port := order.Spec.Options["port"]; socket != tt.socket || port != tt.port {
				t.Errorf("%s, %s: got socket %q and port %q, want %q and %q", tt.name, db, socket, port, tt.socket, tt.port)
			}
		}
	}
}

func TestResolve_OracleInstanceWinsOverHostOfWeakerSource(t *testing.T) {
	config := write(t, "sledge.toml", "host = 'config'\nservice = 's'\nport = 1522\n")
	order, err := resolver.Resolve(job.Run, settings.Sources{ConfigFile: config, Flags: map[string]string{"db": "oracle"}, Set: []string{"instance=db1:1521/other"}})
	if got := order.Plan.Database; err != nil || got.Options.Target(order.Plan.Connection) != "tpcc on db1:1521/other" {
		t.Errorf("got %v, %v", order.Spec.Options, err)
	}
}

func TestResolve_RefusesPortThatWouldNotBeUsed(t *testing.T) {
	for _, db := range []string{"oracle", "db2"} {
		_, err := resolver.Resolve(job.Run, settings.Sources{Flags: map[string]string{"db": db, "port": "3699"}})
		if err == nil || !strings.Contains(err.Error(), "3699 would not be used, because host is empty") {
			t.Errorf("%s: got %v", db, err)
		}
	}
}

// Every workload of a database has the same defaults, except those below.
func TestOptions_HaveSameDefaultForEveryWorkload(t *testing.T) {
	differs := map[string]bool{ // by design
		"dbname": true, "user": true, "password": true, "file": true, // named after the workload
		"cache_mib": true, // queries read much of the data
	}
	for _, d := range edition.Catalog.Databases {
		first := map[string]option.Description{}
		for _, w := range edition.Catalog.Workloads {
			pair, err := resolver.Pair(d.Name, w.Name)
			if err != nil {
				continue // the database refuses the workload
			}
			for _, o := range option.Describe(pair.Database.Options.New(w.Use)) {
				before, there := first[o.Name]
				if !there {
					first[o.Name] = o
					continue
				}
				if differs[o.Name] {
					o.Default = before.Default
				}
				o.Section = before.Section // the console has a key in one section only
				o.Actions = before.Actions // refresh functions load rows in a run, too
				if !reflect.DeepEqual(o, before) {
					t.Errorf("%s, option %s: got %+v for %s, want %+v as for the previous workload", d.Name, o.Name, o, w.Name, before)
				}
			}
		}
	}
}

func TestResolve_TakesListsForOptionsOfSeveralValues(t *testing.T) {
	for name, text := range map[string]string{
		"a.toml": "db = 'pg'\n[options]\nfail_if = ['p99>50ms', 'nopm<1000']\n",
		"a.yaml": "db: pg\nfail_if:\n- p99>50ms\n- nopm<1000\n",
	} {
		order, err := resolver.Resolve(job.Run, settings.Sources{ConfigFile: write(t, name, text)})
		if got := order.Spec.Options["fail_if"]; err != nil || got != "p99>50ms,nopm<1000" {
			t.Errorf("%s: got %q, %v", name, got, err)
		}
	}
}

// Groups of users are a setting as others, so that files have them and an experiment can vary them.
func TestResolve_TakesGroupsFromEverySource(t *testing.T) {
	reports := filepath.Join(t.TempDir(), "reports", "workload.toml")
	if err := os.Mkdir(filepath.Dir(reports), 0o700); err != nil {
		t.Fatal(err)
	}
	writeBeside(t, reports, "workload.toml", "[transactions.best]\n")
	writeBeside(t, reports, "best.sql", "SELECT i_id FROM item")
	config := writeBeside(t, filepath.Dir(reports), "a.toml", "db = 'pg'\nbeside = ['reports=./reports,users=2', 'queries=tproch']\n")
	flag := "few=" + filepath.Dir(reports)
	for _, tt := range []struct {
		want string
		in   settings.Sources
	}{
		{"tprocc 1, reports 2, queries 1", settings.Sources{}},
		{"tprocc 1, few 1", settings.Sources{Beside: []string{flag}}},
		{"", settings.Sources{Beside: []string{flag}, Overrides: []settings.Override{{Name: "beside", Value: "none", Origin: "--against"}}}},
	} {
		tt.in.ConfigFile = config
		order, err := resolver.Resolve(job.Run, tt.in)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, g := range order.Spec.Groups() {
			got = append(got, fmt.Sprint(g.Name, " ", g.Users))
		}
		if strings.Join(got, ", ") != tt.want {
			t.Errorf("got the groups %q, want %q", got, tt.want)
		}
	}
	guarded := settings.Sources{Given: map[string]string{"db": "pg", "beside": flag}, Guarded: true, GivenBy: "the request"}
	if _, err := resolver.Resolve(job.Run, guarded); err == nil || !strings.Contains(err.Error(), "does not take it from the request") {
		t.Errorf("got %v, want groups refused", err)
	}
}

func TestResolve_RefusesAddressesThatMayHoldAPassword(t *testing.T) {
	for _, d := range edition.Catalog.Databases {
		if !slices.ContainsFunc(option.Describe(d.Options.New(database.Use{Name: "tpcc"})), func(o option.Description) bool { return o.Name == "host" }) {
			continue
		}
		for _, host := range []string{"s1:SECRET@127.0.0.1", "scheme://u:SECRET", "h SECRET", "a,s1:SECRET@b"} {
			_, err := resolver.Resolve(job.Run, settings.Sources{Flags: map[string]string{"db": d.Name, "host": host}})
			if err == nil || !strings.Contains(err.Error(), "--url") || !strings.Contains(err.Error(), "host") || strings.Contains(err.Error(), "SECRET") {
				t.Errorf("%s, host %s: got %v, want an error that names --url and does not quote the host", d.Name, host, err)
			}
		}
	}
	for _, host := range []string{"db1", "::1", "a, b:5433", "/run/my folder"} {
		if _, err := resolver.Resolve(job.Run, settings.Sources{Flags: map[string]string{"db": "pg", "host": host}}); err != nil {
			t.Errorf("host %s: %v", host, err)
		}
	}
}

func TestResolve_RefusesPasswordsInFilesThatOthersCanRead(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no such file modes")
	}
	exposed := func(name, text string) string {
		path := write(t, name, text)
		if err := os.Chmod(path, 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	run := map[string]string{"db": "pg"}
	for _, path := range []string{
		exposed("a.toml", "password = 'SECRET'\n"), exposed("b.yaml", "options:\n  pg_superuserpass: SECRET\n"), exposed("c.toml", "maria_pass = 'SECRET'\n"),
	} {
		_, err := resolver.Resolve(job.Run, settings.Sources{ConfigFile: path, Flags: run})
		if err == nil || !strings.Contains(err.Error(), "chmod 600 "+path) || strings.Contains(err.Error(), "SECRET") {
			t.Errorf("%s: got %v, want an error with chmod 600", path, err)
		}
		if err := os.Chmod(path, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := resolver.Resolve(job.Run, settings.Sources{ConfigFile: path, Flags: run}); err != nil {
			t.Errorf("%s, readable by its owner only: %v", path, err)
		}
	}
	if _, err := resolver.Resolve(job.Run, settings.Sources{ConfigFile: exposed("d.toml", "host = 'db1'\nmaria_pass = 'null'\n"), Flags: run}); err != nil {
		t.Errorf("a file without a password: %v", err)
	}
	pool := exposed("pool.toml", "[connections.a]\nPG_Pass = 'SECRET'\n")
	_, err := resolver.Resolve(job.Run, settings.Sources{Flags: map[string]string{"db": "pg", "pool": pool}})
	if err == nil || !strings.Contains(err.Error(), "chmod 600 "+pool) || strings.Contains(err.Error(), "SECRET") {
		t.Errorf("a pool: got %v, want an error with chmod 600", err)
	}
	xml := exposed("pool.xml", "<connpool><connections><c1><pg_pass>SECRET</pg_pass></c1></connections><sprocs/></connpool>")
	order, err := resolver.Resolve(job.Run, settings.Sources{Flags: map[string]string{"db": "pg", "pool": xml}})
	if warned := strings.Join(order.Warnings, "\n"); err != nil || !strings.Contains(warned, "chmod 600 "+xml) || strings.Contains(warned, "SECRET") {
		t.Errorf("a pool of HammerDB's: got %v and the warnings %q, want chmod 600", err, warned)
	}
	secret := exposed("secret.txt", "SECRET\n")
	order, err = resolver.Resolve(job.Run, settings.Sources{Flags: map[string]string{"db": "pg", "password-file": secret}})
	if warned := strings.Join(order.Warnings, "\n"); err != nil || !strings.Contains(warned, "chmod 600 "+secret) {
		t.Errorf("a password file: got %v and the warnings %q, want chmod 600", err, warned)
	}
}

func TestResolve_TableWithoutLinesIsEmpty(t *testing.T) {
	for _, text := range []string{"db: pg\noptions: null\n", "db: pg\noptions:\n", "db: pg\noptions: {}\n", "db: pg\noptions: ~\n"} {
		if _, err := resolver.Resolve(job.Run, settings.Sources{ConfigFile: write(t, "sledge.yaml", text)}); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestResolve_RefusesSeveralNumbersOfUsersWithSteps(t *testing.T) {
	for steps, want := range map[string]string{"1,2": "option steps: it sets the number of virtual users itself", "+2@1m": ""} {
		_, err := resolver.Resolve(job.Run, settings.Sources{Flags: map[string]string{"db": "sqlite", "users": "1,2", "steps": steps}})
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("--users 1,2 --steps %s: got %v, want %q", steps, err, want)
		}
	}
}

// If two options lead to different servers or log in differently, the stronger source decides. If
// both have the same source, they are refused.
func TestResolve_StrongerSourceChoosesBetweenRivals(t *testing.T) {
	file := func(text string) string { return write(t, "sledge.toml", text) }
	for _, tt := range []struct {
		name, db, config string
		set              []string
		windows          bool
		want             string // options as name=value, or the error after an exclamation mark
	}{
		{"a port beside an instance", "mssqls", "", []string{`host=db1\SALES`, "port=1433"}, false, "tcp=true"},
		{"a port beside an instance in a file", "mssqls", `host = 'db1\SALES'`, []string{"port=1433"}, false, "tcp=true"},
		{"a port that would not be used", "mssqls", `host = 'db1\SALES'`, []string{"port=1444", "tcp=false"}, false, "!option port: 1444 would not be used, because tcp is false"},
		{"a port without an instance", "mssqls", "", []string{"host=db1", "port=1433", "tcp=false"}, false, "tcp=false"},
		{"an instance without a port", "mssqls", "", []string{`host=db1\SALES`}, false, "tcp="},
		{"a host against Windows' in a file", "mssqls", "windows_host = 'db2'", []string{"host=db1"}, true, "windows_host=db1"},
		{"Windows' host against a file", "mssqls", "host = 'db2'", []string{"windows_host=db1"}, true, "windows_host=db1"},
		{"Windows' host elsewhere", "mssqls", "windows_host = 'db2'", []string{"host=db1"}, false, "windows_host=db2"},
		{"a login against Windows' default", "mssqls", "", []string{"authentication=sql"}, true, "windows_authentication=sql"},
		{"an identity against a token in a file", "mssqls", "token_file = '/t'", []string{"msi_object_id=00000000-0000-0000-0000-000000000000", "authentication=entra"}, false, "token_file="},
		{"two sources of a token", "mssqls", "", []string{"token_file=/t", "msi_object_id=00000000-0000-0000-0000-000000000000", "authentication=entra"}, false, "!set only one of them"},
		{"an identifier against a service", "oracle", "host = 'db1'\nservice = 's'", []string{"sid=S1"}, false, "service="},
		{"authorities against a wallet", "oracle", "wallet = '/w'", []string{"ssl_ca=/ca.pem"}, false, "wallet="},
		{"authorities beside a wallet", "oracle", "", []string{"wallet=/w", "ssl_ca=/ca.pem"}, false, "!the wallet has its own certificates"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.windows {
				settings.OnWindows(t.Cleanup)
			}
			order, err := resolver.Resolve(job.Check, settings.Sources{ConfigFile: file(tt.config), Flags: map[string]string{"db": tt.db}, Set: tt.set})
			if want, refused := strings.CutPrefix(tt.want, "!"); refused {
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("got error %v, want %q", err, want)
				}
				return
			}
			name, value, _ := strings.Cut(tt.want, "=")
			if got := order.Spec.Options[name]; err != nil || got != value {
				t.Errorf("got %s=%s and %v, want %s", name, got, err, tt.want)
			}
		})
	}
}

// A file that contains only a secret is used, with a warning if others can read it.
func TestResolve_WarnsOfExposedSecretFiles(t *testing.T) {
	path := write(t, "cwallet.sso", "secret")
	home := t.TempDir()
	t.Setenv("HOME", home)
	for name, text := range map[string]string{"postgresql.crt": "certificate", "postgresql.key": "secret"} {
		if err := os.MkdirAll(filepath.Join(home, ".postgresql"), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(home, ".postgresql", name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		db   string
		set  []string
		path string // path of the secret; "" for path
	}{
		{db: "pg", set: []string{"ssl_key=" + path}},
		{db: "maria", set: []string{"ssl=true", "ssl_two_way=true", "ssl_key=" + path}},
		{db: "redis", set: []string{"ssl=true", "ssl_cert=" + path, "ssl_key=" + path}},
		{db: "mssqls", set: []string{"authentication=entra", "token_file=" + path}},
		{db: "oracle", set: []string{"wallet=" + filepath.Dir(path)}},
		{db: "pg", path: filepath.Join(home, ".postgresql", "postgresql.key")},
	} {
		path := cmp.Or(tt.path, path)
		for mode, want := range map[fs.FileMode]int{0o600: 0, 0o640: 1} {
			if err := os.Chmod(path, mode); err != nil {
				t.Fatal(err)
			}
			order, err := resolver.Resolve(job.Check, settings.Sources{Flags: map[string]string{"db": tt.db}, Set: tt.set})
			if len(order.Warnings) != want || err != nil {
				t.Errorf("%s, mode %o: got warnings %q and %v, want %d", tt.db, mode, order.Warnings, err, want)
			}
			if want > 0 && !strings.Contains(fmt.Sprint(order.Warnings), "chmod 600 "+path) {
				t.Errorf("%s: got %q, want the remedy", tt.db, order.Warnings)
			}
		}
	}
}

func TestLabels_OfOneSourceWithThoseGivenOneByOne(t *testing.T) {
	s := settings.Sources{
		ConfigFile: write(t, "a.toml", "db = 'sqlite'\nlabels = ['ticket=1']"),
		Environ:    []string{"SLEDGE_LABELS=project=kernel, ticket=2"},
		Labels:     []string{"ticket=3", "host=old"},
	}
	order, err := resolver.Resolve(job.Run, s)
	if err != nil {
		t.Fatal(err)
	}
	if want := map[string]string{"project": "kernel", "ticket": "3", "host": "old"}; !maps.Equal(order.Spec.Labels, want) {
		t.Errorf("got %v, want %v", order.Spec.Labels, want)
	}
	s.Labels = append(s.Labels, "list=a,b")
	if order, err = resolver.Resolve(job.Run, s); err != nil {
		t.Fatal(err)
	}
	text := resolver.TOML(order)
	taken, err := resolver.TakeIn(text)
	if err != nil || taken.Settings["labels"] != "host=old,project=kernel,ticket=3" || !strings.Contains(text, `# Give the label "list=a,b" as --label`) {
		t.Errorf("got %v and %v from\n%s", taken.Settings, err, text)
	}
}
