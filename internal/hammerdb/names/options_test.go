package names_test

import (
	"slices"
	"strings"
	"testing"

	"sledge/internal/catalog"
	"sledge/internal/catalog/edition"
	"sledge/internal/hammerdb/names"
)

func TestEveryOptionHasAKeyOfItsOwn(t *testing.T) {
	for pair := range edition.Catalog.Pairs() {
		d, w := pair.Database, pair.Workload
		options := catalog.Pair{Database: d, Workload: w}.Options()
		seen := map[string]string{}
		for _, o := range options {
			key := names.Key(d.Name, w.Name, o.Name)
			bare := names.Key(d.Name, w.Name, "nothing") == "nothing"
			if !bare && !strings.HasPrefix(key, names.Of(d.Name).Prefix+"_") || seen[key] != "" {
				t.Errorf("%s with %s: the key of %s is %s, as that of %q", d.Name, w.Name, o.Name, key, seen[key])
			}
			seen[key] = o.Name
			if got := names.Option(d.Name, w.Name, key, options); got != o.Name {
				t.Errorf("%s with %s: %s is the key of %q, want %s", d.Name, w.Name, key, got, o.Name)
			}
			if got := names.Meant(d.Name, w.Name, key); got != o.Name {
				t.Errorf("%s with %s: %s is read as %q, want %s", d.Name, w.Name, key, got, o.Name)
			}
		}
	}
}

// The console has a section of settings for each workload, and finds a setting by its key. If two
// workloads shared a key, the user could set it for only one of them.
func TestNoTwoWorkloadsShareAKeyOfTheirSections(t *testing.T) {
	of := map[string]string{} // the workload, by database and key
	for pair := range edition.Catalog.Pairs() {
		d, w := pair.Database, pair.Workload
		for _, o := range pair.Options() {
			if o.Section != "" || o.Unlisted {
				continue
			}
			key := d.Name + " " + names.Key(d.Name, w.Name, o.Name)
			if other := of[key]; other != "" {
				t.Errorf("%s is a key of %s and of %s: give %s another name in one of them", key, other, w.Name, o.Name)
			}
			of[key] = w.Name
		}
	}
}

// An entry in the tables without an option is left over from a renamed option.
func TestTables_NameExistingOptions(t *testing.T) {
	for pair := range edition.Catalog.Pairs() {
		d, w := pair.Database, pair.Workload
		var keys, short, known []string
		for _, o := range (catalog.Pair{Database: d, Workload: w}).Options() {
			known = append(known, o.Name)
			keys = append(keys, names.Key(d.Name, w.Name, o.Name))
			short = append(short, names.Short(d.Name, w.Name, o.Name))
		}
		for _, key := range names.Order(d.Name, w.Name) {
			if !slices.Contains(keys, key) {
				t.Errorf("%s with %s: no option has the key %s of HammerDB's dictionary", d.Name, w.Name, key)
			}
		}
		for _, key := range names.InScript(d.Name, w.Name) {
			if !slices.Contains(short, key) {
				t.Errorf("%s with %s: no option has the key %s of driver scripts", d.Name, w.Name, key)
			}
		}
		b := names.BenchmarkOf(w)
		labels := slices.Compact(slices.Sorted(slices.Values(b.LabelsOf(w.KindNames()))))
		for _, label := range labels {
			if slices.Contains(w.KindNames(), label) {
				t.Errorf("%s: the kind %s has no label", w.Name, label)
			}
		}
		if n := len(labels); n != len(w.Kinds) || b.Title != w.Title {
			t.Errorf("%s: got %d labels and the title %s, want %d and %s", w.Name, n, b.Title, len(w.Kinds), w.Title)
		}
		own := []string{b.Size, b.Builders, b.UserDelay}
		if !w.Users.Finite {
			own = append(own, b.Driver, b.RampUp)
		}
		if s := b.Saved; s != nil {
			for _, name := range []string{s.Pauses, s.Mix, s.Keying, s.Thinking, s.Spread, s.TimeProfile, s.Asynchronous, s.ClientSQL, s.Pool} {
				if name != "" {
					own = append(own, name)
				}
			}
			for variable, key := range s.Variables {
				if !slices.Contains(short, key) {
					t.Errorf("%s: the variable %s has the key %s, which no option has", w.Name, variable, key)
				}
			}
		}
		for _, name := range own {
			if !slices.Contains(known, name) {
				t.Errorf("%s with %s: there is no option %s, which the commands name", d.Name, w.Name, name)
			}
		}
	}
}

func TestKeysOfWhatSledgeLacksAreRead(t *testing.T) {
	for _, c := range []struct{ database, workload, key, want string }{
		{"sqlserver", "tprocc", "mssqls_count_ware", "warehouses"},
		{"sqlserver", "tprocc", "mssqls_linux_server", "host"},
		{"sqlserver", "tproch", "mssqls_tpch_dbase", "dbname"},
		{"oracle", "tprocc", "ora_driver", "driver"},
		{"oracle", "tprocc", "ora_timeprofile", "time_profile"},
		{"oracle", "tprocc", "tpcc_user", "user"},
		{"oracle", "tproch", "tpcc_user", "tpcc_user"}, // of the other workload
		{"oracle", "tprocc", "count_ware", "warehouses"},
		{"oracle", "tprocc", "system_user", "system_user"},
		{"db2", "tproch", "db2_scale_fact", "scale_factor"},
		{"postgresql", "tproch", "pg_tpch_user", "user"},
		{"postgresql", "tprocc", "pg_tpch_user", "pg_tpch_user"}, // of the other workload
		{"postgresql", "tprocc", "maria_rampup", "maria_rampup"}, // of another database
		{"odd", "counting", "odd_rows", "rows"},
	} {
		if got := names.Meant(c.database, c.workload, c.key); got != c.want {
			t.Errorf("%s of %s with %s: got %s, want %s", c.key, c.database, c.workload, got, c.want)
		}
	}
}
