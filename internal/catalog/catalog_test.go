package catalog_test

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sledge/internal/catalog"
	"sledge/internal/catalog/edition"
	"sledge/internal/database"
	"sledge/internal/option"
	"sledge/internal/workload"
)

// Every folder is in the catalog under its own name. If this test fails, run go generate
// ./internal/catalog.
func TestCatalog_ListsEveryFolder(t *testing.T) {
	var databases, workloads []string
	for _, d := range edition.Catalog.Known().Databases {
		databases = append(databases, d.Name)
	}
	slices.Sort(databases)
	for _, w := range edition.Catalog.Workloads {
		workloads = append(workloads, w.Name)
	}
	for dir, listed := range map[string][]string{"../database": databases, "../workload": workloads} {
		if got, want := strings.Join(listed, " "), strings.Join(folders(t, dir), " "); got != want {
			t.Errorf("%s: the catalog lists %q, the folders are %q", dir, got, want)
		}
	}
}

// folders lists the folders in dir that contain Go files, except those whose names end in test.
func folders(t *testing.T, dir string) (names []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*", "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		name := filepath.Base(filepath.Dir(f))
		if !strings.HasSuffix(name, "test") && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

func TestCatalog_NamesAreUnique(t *testing.T) {
	seen := map[string]string{}
	claim := func(kind, owner string, names ...string) {
		for _, name := range names {
			if name != strings.ToLower(name) {
				t.Errorf("%s %s: its name %s is not in lower case, so a search cannot find it", kind, owner, name)
			}
			if other, taken := seen[kind+name]; taken {
				t.Errorf("%s %s and %s share the name %s", kind, owner, other, name)
			}
			seen[kind+name] = owner
		}
	}
	for _, d := range edition.Catalog.Known().Databases {
		claim("database", d.Name, append(d.Aliases, d.Name)...)
	}
	for _, w := range edition.Catalog.Workloads {
		claim("workload", w.Name, append(w.Aliases, w.Name)...)
	}
}

var isName = regexp.MustCompile(`^[a-z][a-z0-9]*(_[a-z0-9]+)*$`)

func TestOptions_AreDescribedOnceAndDefaultsBind(t *testing.T) {
	for _, d := range edition.Catalog.Databases {
		for _, w := range edition.Catalog.Workloads {
			seen, flags := map[string]bool{}, map[string]string{}
			defaults := option.Values{}
			for _, o := range (catalog.Pair{Database: d, Workload: w}).Options() {
				at := d.Name + " " + w.Name + " " + o.Name
				if o.Help == "" {
					t.Errorf("%s: got no help text", at)
				}
				if !slices.ContainsFunc(option.Groups, func(g option.Group) bool { return g.Name == o.Group }) {
					t.Errorf("%s: its group is %q, which does not exist", at, o.Group)
				}
				if !isName.MatchString(o.Name) {
					t.Errorf("%s: its name is not in lower case with underscores", at)
				}
				if seen[o.Name] {
					t.Errorf("%s: it is declared twice", at)
				}
				if other, taken := flags[o.Flag]; taken && o.Flag != "" {
					t.Errorf("%s: --%s is already the flag of %s", at, o.Flag, other)
				}
				seen[o.Name], flags[o.Flag] = true, o.Name
				defaults[o.Name] = o.Default
			}
			for _, fresh := range []any{d.Options.New(w.Use), w.Options()} {
				if err := option.Bind(nil, defaults, fresh); err != nil {
					t.Errorf("%s %s: got %v for the defaults, want none", d.Name, w.Name, err)
				}
			}
		}
	}
}

// A database has URL schemes if and only if it reads URLs.
func TestCatalog_DatabasesReadTheirURLSchemes(t *testing.T) {
	for _, d := range edition.Catalog.Databases {
		if (len(d.Options.Schemes) > 0) != (d.Options.FromURL != nil) {
			t.Errorf("%s: got %d schemes, and FromURL is set: %v", d.Name, len(d.Options.Schemes), d.Options.FromURL != nil)
		}
	}
}

func TestPair_FindsByAnyName(t *testing.T) {
	for pair := range edition.Catalog.Pairs() {
		for _, d := range append([]string{pair.Database.Name}, pair.Database.Aliases...) {
			for _, w := range append([]string{pair.Workload.Name}, pair.Workload.Aliases...) {
				if got, err := edition.Catalog.Pair(strings.ToUpper(d), w); err != nil || got != pair {
					t.Errorf("%s with %s: got %+v, %v", d, w, got, err)
				}
			}
		}
	}
	for names, want := range map[[2]string]string{
		{"postgres9", "tprocc"}:                     `database "postgres9" is not known`,
		{"postgres://me:secret@db1/tpcc", "tprocc"}: "a URL is not a name of a database: pass the database's URL with --url",
		{"pg", "tpcz"}:                              `workload "tpcz" is not known`,
	} {
		if _, err := edition.Catalog.Pair(names[0], names[1]); err == nil || !strings.HasPrefix(err.Error(), want) || !strings.Contains(err.Error(), "(choose one of ") {
			t.Errorf("%q: got %v, want %s with the known names", names, err, want)
		}
	}
}

// The error about a database that needs another build says how to get that build.
func TestDatabase_ExplainsAbsence(t *testing.T) {
	const absent = "built without Duck: make build-duck"
	server := &database.Database{Name: "server", Title: "Server"}
	duck := &database.Database{Name: "duckling", Title: "Duck", Aliases: []string{"duck"}, Options: database.Options{Schemes: []string{"pond"}}, Absent: absent}
	w := edition.Catalog.Workloads[0]
	c := catalog.New([]*database.Database{duck, server}, []*workload.Workload{w})
	for name, find := range map[string]func() error{
		"by name":   func() error { _, err := c.Database("Duckling"); return err },
		"by alias":  func() error { _, err := c.Pair("duck", w.Name); return err },
		"by scheme": func() error { _, err := c.ByScheme("pond"); return err },
	} {
		if err := find(); err == nil || !strings.Contains(err.Error(), absent) {
			t.Errorf("%s: got %v, want %q", name, err, absent)
		}
	}
	if _, err := c.Database("ducklin"); err == nil || strings.Contains(err.Error(), "duckling") {
		t.Errorf("got %v, want an error that suggests no absent database", err)
	}
	if got := slices.Collect(c.Pairs()); !slices.Equal(got, []catalog.Pair{{Database: server, Workload: w}}) {
		t.Errorf("got the pairs %v, want only the server's", got)
	}
	if got := slices.Collect(c.Known().Pairs()); len(got) != 2 {
		t.Errorf("got %d known pairs, want 2", len(got))
	}
}

func TestPair_RefusesUnsupportedWorkload(t *testing.T) {
	picky := &database.Database{Name: "picky", Title: "Picky", Refuses: func(use database.Use) string {
		if use.Analytic {
			return ""
		}
		return "it reads only"
	}}
	short := &workload.Workload{Name: "short", Title: "Short"}
	long := &workload.Workload{Name: "long", Title: "Long", Use: database.Use{Analytic: true}}
	c := catalog.New([]*database.Database{picky}, []*workload.Workload{short, long})
	if _, err := c.Pair("picky", "short"); err == nil || err.Error() != "Picky is not for Short: it reads only (it is for long)" {
		t.Errorf("got %v, want the reason, and the supported workloads", err)
	}
	want := []catalog.Pair{{Database: picky, Workload: long}}
	if got, err := c.Pair("picky", "long"); err != nil || got != want[0] {
		t.Errorf("got %v, %v, want the pair", got, err)
	}
	if got := slices.Collect(c.Pairs()); !slices.Equal(got, want) {
		t.Errorf("got the pairs %v, want %v", got, want)
	}
}

func TestByScheme(t *testing.T) {
	for _, d := range edition.Catalog.Databases {
		for _, scheme := range catalog.Schemes(d) {
			if got, err := edition.Catalog.ByScheme(scheme); err != nil || got != d {
				t.Errorf("%s: got %+v, %v, want %s", scheme, got, err, d.Name)
			}
		}
	}
	if _, err := edition.Catalog.ByScheme("postgre"); err == nil || !strings.Contains(err.Error(), `the scheme "postgre": did you mean postgres? (choose one of `) {
		t.Errorf("got %v, want an error with the known schemes", err)
	}
}
