package dictionaries_test

import (
	"cmp"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sledge/internal/catalog"
	"sledge/internal/catalog/edition"
	"sledge/internal/database"
	"sledge/internal/engine"
	"sledge/internal/hammerdb/dictionaries"
	"sledge/internal/hammerdb/names"
	"sledge/internal/job"
	"sledge/internal/option"
	"sledge/internal/settings"
	"sledge/internal/workload"
)

var resolver = settings.Resolver{Catalog: edition.Catalog}

func open(t testing.TB, path string) *dictionaries.Book {
	t.Helper()
	b, err := dictionaries.Open(resolver, path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	return b
}

func choose(t testing.TB, b *dictionaries.Book, prefix string) {
	t.Helper()
	if err := b.SetDatabase(prefix); err != nil {
		t.Fatal(err)
	}
}

func set(t testing.TB, b *dictionaries.Book, dict, key, value string) dictionaries.Change {
	t.Helper()
	change, err := b.Set(dict, key, value)
	if err != nil {
		t.Fatal(err)
	}
	return change
}

// testdata/hammerdb.tsv lists the parameters of HammerDB 6.0 for Sledge's databases, and those of
// the generic dictionary: prefix, section, key, default. Only the default of rdbms is Sledge's own;
// HammerDB's is Oracle.
func TestParameters_EqualHammerDBs(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("testdata", "hammerdb.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	b := open(t, "")
	place := map[string]int{} // of the next key, by dictionary and section
	for line := range strings.Lines(string(text)) {
		field := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		prefix, section, key, want := field[0], field[1], field[2], field[3]
		sections, value := b.GenericSections, func() string { return b.Generic(section, key) }
		if prefix != "generic" {
			choose(t, b, prefix)
			sections = b.Sections
			value = func() string { return b.Value(strings.TrimPrefix(key, prefix+"_")) }
		} else if err := b.SetDatabase("pg"); err != nil {
			t.Fatal(err)
		}
		at := place[prefix+section]
		place[prefix+section]++
		for _, s := range sections() {
			if s.Name != section {
				continue
			}
			if at >= len(s.Entries) || s.Entries[at].Name != key {
				t.Errorf("%s %s: got another key than %s at place %d", prefix, section, key, at)
			}
		}
		if got := value(); got != want {
			t.Errorf("%s %s:%s: got default %q, want %q", prefix, section, key, got, want)
		}
	}
	if len(place) != 4*3+15 {
		t.Errorf("got parameters of %d sections, want those of 4 databases and 15 generic ones", len(place))
	}
}

func TestEverySettingHasHelpAndADefaultThatIsAllowed(t *testing.T) {
	b := open(t, "")
	check := func(sections []dictionaries.Section, set func(dict, key, value string) (dictionaries.Change, error)) {
		for _, s := range sections {
			for _, e := range s.Entries {
				if e.Help == "" {
					t.Errorf("%s:%s: got no help", s.Name, e.Name)
				}
				if e.Secret {
					continue // its default is masked
				}
				_, err := set(s.Name, e.Name, e.Default)
				if _, same := errors.AsType[*dictionaries.SameValueError](err); !same {
					t.Errorf("%s:%s=%s: got %v, want a SameValueError", s.Name, e.Name, e.Default, err)
				}
			}
		}
	}
	for _, p := range []string{"maria", "mysql", "sqlite", "pg"} {
		choose(t, b, p)
		check(b.Sections(), b.Set)
	}
	check(b.GenericSections(), b.SetGeneric)
}

func TestValues_DifferFromTheDefaults(t *testing.T) {
	b := open(t, "")
	set(t, b, "connection", "pg_port", "5433")
	set(t, b, "tpcc", "pg_count_ware", "12")
	set(t, b, "tpcc", "pg_raiseerror", "yes")
	set(t, b, "tpcc", "pg_allwarehouse", "0") // the default in another notation
	set(t, b, "tpcc", "pg_duration", "90s")
	set(t, b, "tpcc", "pg_pass", "secret")
	set(t, b, "tpcc", "pg_load_time", "now")
	set(t, b, "tpch", "pg_scale_fact", "10")
	want := option.Values{
		"port": "5433", "warehouses": "12", "stop_on_failure": "true", "duration": "1.5", "password": "secret", "load_time": "now",
	}
	if got := b.Values(); !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if err := b.SetBenchmark("TPROC-H"); err != nil {
		t.Fatal(err)
	}
	// HammerDB's defaults for refreshes differ from the options' own.
	own := option.Values{"refresh_sets": "1", "refresh_delay": "1000"}
	want = own.Clone()
	want["port"], want["scale_factor"] = "5433", "10"
	if got := b.Values(); !maps.Equal(got, want) {
		t.Errorf("got %v for TPROC-H, want %v", got, want)
	}
	choose(t, b, "maria")
	if got := b.Values(); !maps.Equal(got, own) {
		t.Errorf("got %v for another database, want %v", got, own)
	}
}

// A key is in one section of a dictionary, and its value applies only to the workload of that
// section. A key of two workloads would have no effect on the second.
func TestEveryOptionIsInASectionOfItsWorkload(t *testing.T) {
	b := open(t, "")
	for pair := range edition.Catalog.Pairs() {
		d, w := pair.Database, pair.Workload
		choose(t, b, names.Of(d.Name).Prefix)
		for _, o := range pair.Options() {
			key, in := names.Key(d.Name, w.Name, o.Name), ""
			for _, s := range b.Sections() {
				if slices.ContainsFunc(s.Entries, func(e dictionaries.Entry) bool { return e.Name == key }) {
					in = s.Name
				}
			}
			want := cmp.Or(o.Section, names.BenchmarkOf(w).Section)
			if o.Unlisted {
				want = ""
			}
			if in != want {
				t.Errorf("%s with %s: %s is in section %q, want %q", d.Name, w.Name, key, in, want)
			}
		}
	}
}

// The console accepts settings of unsupported features; the engine refuses the run.
func TestPlan_RefusesMissingFeatures(t *testing.T) {
	for _, tt := range []struct {
		prefix, key string
		action      job.Action
		refused     bool
	}{
		{"pg", "pg_async_scale", job.Build, false},
		{"pg", "pg_oracompat", job.Build, true},
		{"pg", "pg_cituscompat", job.Build, true},
		{"pg", "pg_dritasnap", job.Run, true},
		{"pg", "pg_timeprofile", job.Run, false},
	} {
		b := open(t, "")
		choose(t, b, tt.prefix)
		set(t, b, "tpcc", tt.key, "true")
		spec := job.Spec{Action: tt.action, Database: b.Database().Name, Workload: "tprocc", Options: b.Values(), Names: b.Names()}
		_, err := engine.Local{Catalog: resolver.Catalog}.Plan(spec)
		if tt.refused && (err == nil || !strings.Contains(err.Error(), "option "+tt.key+": this feature is not built yet")) {
			t.Errorf("%s with %s: got %v, want an error that names the key", tt.action, tt.key, err)
		}
		if !tt.refused && err != nil {
			t.Errorf("%s with %s: got %v, want none", tt.action, tt.key, err)
		}
	}
}

func TestDriver_DecidesWhetherARunIsTimed(t *testing.T) {
	b := open(t, "")
	set(t, b, "tpcc", "pg_driver", "test")
	set(t, b, "tpcc", "pg_duration", "0") // allowed, because a test run has no duration
	spec := job.Spec{Action: job.Run, Database: "postgresql", Workload: "tprocc", Options: b.Values()}
	plan, err := engine.Local{Catalog: resolver.Catalog}.Plan(spec)
	if err != nil || !plan.Pacing.Test {
		t.Errorf("got %v and test %t, want a test run", err, plan.Pacing.Test)
	}
}

func TestTwoBooksOnOneFileDoNotOverwriteEachOther(t *testing.T) {
	path := filepath.Join(t.TempDir(), "settings.db")
	one, two := open(t, path), open(t, path)
	set(t, one, "tpcc", "pg_count_ware", "5")
	if got := two.Value("count_ware"); got != "1" {
		t.Errorf("the other book: got %s warehouses, want its own 1", got)
	}
	choose(t, two, "maria")
	set(t, two, "tpcc", "maria_count_ware", "7")
	if got := one.Database().Name; got != "postgresql" {
		t.Errorf("got database %s, want the database from before", got)
	}
	both := make(chan error, 2)
	for _, b := range []*dictionaries.Book{one, two} {
		go func() {
			for _, users := range []string{"2", "3", "4", "5", "6", "7", "8", "9"} {
				if _, err := b.SetGeneric("virtual_user_options", "virtual_users", users); err != nil {
					both <- err
					return
				}
			}
			both <- nil
		}()
	}
	for range 2 {
		if err := <-both; err != nil {
			t.Error(err)
		}
	}
	later := open(t, path)
	if got := later.Database().Name + " " + later.Value("count_ware"); got != "mariadb 7" {
		t.Errorf("got %s, want mariadb 7", got)
	}
	choose(t, later, "pg")
	if got := later.Value("count_ware"); got != "5" {
		t.Errorf("got %s warehouses, want 5", got)
	}
}

func TestFile_IsPrivate(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "sledge")
	path := filepath.Join(folder, "settings.db")
	set(t, open(t, path), "tpcc", "pg_pass", "secret")
	for name, want := range map[string]os.FileMode{folder: 0o700, path: 0o600} {
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		if got := info.Mode().Perm(); got != want {
			t.Errorf("%s: got mode %o, want %o", name, got, want)
		}
	}
	if got := open(t, path).Values()["password"]; got != "secret" {
		t.Errorf("got password %q after a restart, want secret", got)
	}
}

func TestSet_RefusesALongValue(t *testing.T) {
	b := open(t, "")
	choose(t, b, "pg")
	if _, err := b.Set("tpcc", "pg_dbase", strings.Repeat("x", 4097)); err == nil || len(err.Error()) > 4096 {
		t.Errorf("got an error of %v", err)
	}
	set(t, b, "tpcc", "pg_dbase", strings.Repeat("x", 4096))
}

// A database and a workload that HammerDB does not have need no code in this package: their
// declarations are enough.
func TestBook_NamesWhatHammerDBDoesNotHave(t *testing.T) {
	type own struct {
		Rows int `opt:"rows" help:"rows of the one table"`
	}
	d, w := *edition.Catalog.Databases[0], *edition.Catalog.Workloads[0]
	d.Name, d.Title, d.Aliases = "odd", "OddBase", nil
	w.Name, w.Title, w.Aliases, w.Default = "counting", "Counting", nil, false
	w.Options = func() any { return &own{Rows: 5} }
	b, err := dictionaries.Open(settings.Resolver{Catalog: catalog.Catalog{
		Databases: append(slices.Clone(edition.Catalog.Databases), &d),
		Workloads: append([]*workload.Workload{&w}, edition.Catalog.Workloads...),
	}}, "")
	if err != nil {
		t.Fatal(err)
	}
	if got := b.Benchmark().Name; got != "TPC-C" {
		t.Errorf("got benchmark %s at the start, want TPC-C", got)
	}
	choose(t, b, "odd")
	if err := b.SetBenchmark("counting"); err != nil {
		t.Fatal(err)
	}
	if got := b.Benchmark(); got.Name != "Counting" || got.Meant != &w {
		t.Errorf("got benchmark %s of workload %v, want Counting of its own", got.Name, got.Meant)
	}
	set(t, b, "counting", "odd_rows", "7")
	if got, want := b.Values(), (option.Values{"rows": "7"}); !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// HammerDB's users and scripts call SQL Server MSSQLServer, regardless of its title in Sledge.
func TestDatabase_OfHammerDBKeepsItsName(t *testing.T) {
	server := *edition.Catalog.Databases[0]
	server.Name, server.Title = "mssqlserver", "SQL Server"
	with := settings.Resolver{Catalog: catalog.Catalog{Databases: []*database.Database{&server}, Workloads: resolver.Workloads}}
	b, err := dictionaries.Open(with, "")
	if err != nil {
		t.Fatal(err)
	}
	choose(t, b, "mssqls")
	if got := b.Generic("benchmark", "rdbms"); got != "MSSQLServer" {
		t.Errorf("got %s, want MSSQLServer", got)
	}
	want := dictionaries.Product{Name: "MSSQLServer", Prefix: "mssqls", Built: true}
	if got := b.Products(); !slices.Contains(got, want) {
		t.Errorf("got %+v, want %+v among them", got, want)
	}
}

func TestSettings_WithoutEffectSaySo(t *testing.T) {
	sources, err := filepath.Glob(filepath.Join("..", "console", "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	var console strings.Builder
	for _, name := range sources {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasSuffix(name, "_test.go") {
			console.Write(text)
		}
	}
	for _, s := range open(t, "").GenericSections() {
		for _, e := range s.Entries {
			if s.Name != "benchmark" && !strings.Contains(console.String(), `"`+e.Name+`"`) && !strings.Contains(e.Help, dictionaries.WithoutEffect) {
				t.Errorf("%s:%s: the console does not read it, and its help does not say that it has no effect: %s", s.Name, e.Name, e.Help)
			}
		}
	}
}

// As in HammerDB, the default socket is used if the file exists, for every workload.
func TestBook_DefaultSocketIsHammerDBs(t *testing.T) {
	for _, benchmark := range []string{"TPROC-C", "TPROC-H"} {
		b := open(t, "")
		choose(t, b, "maria")
		if err := b.SetBenchmark(benchmark); err != nil {
			t.Fatal(err)
		}
		if got := b.Value("socket"); got != "/tmp/mariadb.sock" {
			t.Errorf("%s: got %q, want /tmp/mariadb.sock", benchmark, got)
		}
		want := "/tmp/mariadb.sock"
		if _, err := os.Stat(want); err != nil {
			want = ""
		}
		if got := b.Values()["socket"]; got != want {
			t.Errorf("%s: got %q for a job, want %q", benchmark, got, want)
		}
		if _, err := b.Set("connection", "maria_socket", "/run/named.sock"); err != nil {
			t.Fatal(err)
		}
		if got := b.Values()["socket"]; got != "/run/named.sock" {
			t.Errorf("%s: got %q for a job, want the socket that was set", benchmark, got)
		}
	}
}
