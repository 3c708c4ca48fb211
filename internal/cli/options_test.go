package cli

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"sledge/internal/catalog"
	"sledge/internal/catalog/edition"
	"sledge/internal/job"
	"sledge/internal/option"
)

func TestOptions_ExplainsOneOption(t *testing.T) {
	w := newWorld(t)
	if code := w.run("options", "pg", "tpcc", "pg_port"); code != job.OK {
		t.Fatalf("got exit code %d: %s", code, &w.err)
	}
	lines := strings.Split(w.out.String(), "\n")
	if lines[0] != "port  (--port, pg_port)" || strings.TrimSpace(lines[2]) != "default: 5432; value: whole number from 1 to 65535" {
		t.Errorf("got %q", lines)
	}
}

func TestOptions_ListsDeclaredOptions(t *testing.T) {
	w := newWorld(t)
	for _, d := range edition.Catalog.Databases {
		for _, l := range edition.Catalog.Workloads {
			if d.Refuses != nil && d.Refuses(l.Use) != "" {
				continue
			}
			want := option.Built(catalog.Pair{Database: d, Workload: l}.Options())
			w.run("options", d.Name, l.Name)
			for _, o := range want {
				if !strings.Contains(w.out.String(), o.Name) || !strings.Contains(w.out.String(), o.Help) {
					t.Errorf("options %s %s: got no %s, or no meaning of it", d.Name, l.Name, o.Name)
				}
			}
			w.run("options", d.Name, l.Name, "--json")
			var got struct{ Options []option.Description }
			if err := json.Unmarshal(w.out.Bytes(), &got); err != nil {
				t.Errorf("options %s %s --json: %v", d.Name, l.Name, err)
			}
			if len(got.Options) != len(want) {
				t.Errorf("options %s %s --json: got %d options, want %d", d.Name, l.Name, len(got.Options), len(want))
			}
		}
	}
}

func TestOptions_HidesOptionsOfMissingFeatures(t *testing.T) {
	w := newWorld(t)
	for _, args := range [][]string{{"options", "pg"}, {"options", "pg", "--json"}, {"__complete", "run", "--db", "pg", "--set", ""}, {"__complete", "options", "pg", "tprocc", ""}} {
		w.run(args...)
		if text := w.out.String(); strings.Contains(text, "oracompat") || !strings.Contains(text, "rampup") {
			t.Errorf("%q: got %s", args, text)
		}
	}
	w.run("options", "pg", "tprocc", "pg_oracompat") // the option can still be shown by its name
	if !strings.Contains(w.out.String(), "not built yet") {
		t.Errorf("got %q", &w.out)
	}
	if code := w.run("run", "--db", "pg", "--set", "pg_oracompat=true", "--dry-run"); code != job.ExitUsage || !strings.Contains(w.err.String(), "pg_oracompat: ") {
		t.Errorf("got exit code %d and %q", code, &w.err)
	}
}

func TestOptions_MainOptionsComeFirst(t *testing.T) {
	w := newWorld(t)
	for _, d := range edition.Catalog.Databases {
		parts := option.Parts(catalog.Pair{Database: d, Workload: edition.Catalog.Workloads[0]}.Options())
		if parts[0].Title != option.MainTitle || len(parts[0].Options) != 5 {
			t.Errorf("%s: got %+v, want the five main options", d.Name, parts[0])
		}
		w.run("options", d.Name)
		text := w.out.String()
		for _, words := range d.Remarks() {
			var said bool
			if text, said = strings.CutPrefix(text, words+"\n"); !said {
				t.Errorf("%s: the output does not begin with %q", d.Name, words)
			}
		}
		if d.Sessions.Library != nil {
			var line string
			if line, text, _ = strings.Cut(text, "\n"); !strings.HasPrefix(line, "It needs a library, which was ") {
				t.Errorf("%s: got %q, want the name of the library that it needs", d.Name, line)
			}
		}
		text = strings.TrimPrefix(text, "\n")
		if !strings.HasPrefix(text, option.MainTitle) || !strings.Contains(text, "\n"+option.Groups[3].Title) {
			t.Errorf("%s: got %s", d.Name, &w.out)
		}
	}
}

func TestOptions_AloneListsDatabasesAndWorkloads(t *testing.T) {
	w := newWorld(t)
	w.run("options")
	text := w.out.String()
	w.run("options", "--json")
	var list struct{ Databases, Workloads []struct{ Name string } }
	if err := json.Unmarshal(w.out.Bytes(), &list); err != nil {
		t.Fatal(err)
	}
	if len(list.Databases) != len(edition.Catalog.Databases) || len(list.Workloads) != len(edition.Catalog.Workloads) {
		t.Errorf("got %d databases and %d workloads as JSON, want %d and %d", len(list.Databases), len(list.Workloads), len(edition.Catalog.Databases), len(edition.Catalog.Workloads))
	}
	for _, d := range edition.Catalog.Databases {
		if !strings.Contains(text, d.Title) {
			t.Errorf("got no %s in %q", d.Title, text)
		}
	}
}

func TestOptions_NameDatabasesOfOtherBuilds(t *testing.T) {
	w := newWorld(t)
	for _, d := range edition.Catalog.Absent {
		w.run("options")
		if !strings.Contains(w.out.String(), d.Title+" is not in this build") {
			t.Errorf("options: %s is missing in %s", d.Title, &w.out)
		}
		for _, arguments := range [][]string{{"run", "--db", d.Name}, {"build", "--url", d.Options.Schemes[0] + ":file"}, {"options", d.Name}} {
			if code := w.run(arguments...); code != job.ExitUsage || !strings.Contains(w.err.String(), d.Absent) {
				t.Errorf("%q: got exit code %d and %q, want %d and how to get a build with %s", arguments, code, &w.err, job.ExitUsage, d.Title)
			}
		}
	}
}

func TestVersion_ListsDatabasesAndWorkloads(t *testing.T) {
	w := newWorld(t)
	w.run("version", "--json")
	var v struct {
		Version              string
		Databases, Workloads []string
	}
	if err := json.Unmarshal(w.out.Bytes(), &v); err != nil || v.Version != "v1.2.3" || !slices.Contains(v.Databases, "sqlite") || !slices.Contains(v.Workloads, "tprocc") {
		t.Errorf("got %+v and error %v", v, err)
	}
	w.run("version")
	if !strings.HasPrefix(w.out.String(), "sledge v1.2.3 (go") {
		t.Errorf("got %q", &w.out)
	}
	if w.run("--version"); w.out.String() != "sledge v1.2.3\n" {
		t.Errorf("--version: got %q", &w.out)
	}
}

// Shells call a hidden command for completions; its last argument is the typed word.
func TestCompletion_OffersMatchingWords(t *testing.T) {
	w := withJobs(t)
	id := string(w.jobs(t)[0].ID)
	tests := []struct {
		typed    []string
		want     []string
		unwanted string
	}{
		{[]string{"run", "--db", ""}, []string{"postgresql", "pg", "sqlite"}, "tprocc"},
		{[]string{"run", "--workload", ""}, []string{"tprocc"}, "sqlite"},
		{[]string{"run", "--set", ""}, []string{"warehouses=", "file=", "dbname="}, "pg_"},
		{[]string{"run", "--set", "pg_c"}, []string{"pg_count_ware="}, ""},
		{[]string{"run", "--db", "pg", "--set", ""}, []string{"warehouses="}, "cache_mib="},
		{[]string{"run", "--db", "pg", "--set", "ssl_mode="}, []string{"ssl_mode=require"}, "port"},
		{[]string{"run", "--db", "pg", "--set", "pg_sslmode="}, []string{"pg_sslmode=require"}, "pg_port"},
		{[]string{"run", "--db", "pg", "--set", "pg_vacuum="}, []string{"pg_vacuum=true", "pg_vacuum=false"}, ""},
		{[]string{"run", "--url", "postgres://h/d", "--set", "pg_sup"}, []string{"pg_superuser="}, "pg_superuserpass"},
		{[]string{"build", "--ware"}, []string{"--warehouses"}, ""},
		{[]string{"options", ""}, []string{"postgresql"}, ""},
		{[]string{"options", "pg", ""}, []string{"tprocc"}, ""},
		{[]string{"options", "pg", "tprocc", ""}, []string{"port"}, ""},
		{[]string{"jobs", "show", ""}, []string{"last", id}, ""},
		{[]string{"jobs", "list", "--status", ""}, []string{"killed"}, ""},
		{[]string{"jobs", "export", "last", "--format", ""}, []string{"csv"}, ""},
		{[]string{"help", ""}, []string{"run", "jobs"}, ""},
	}
	for _, test := range tests {
		w.run(append([]string{"__complete"}, test.typed...)...)
		var offered []string
		for line := range strings.Lines(w.out.String()) {
			word, _, _ := strings.Cut(strings.TrimSpace(line), "\t")
			offered = append(offered, word)
		}
		for _, want := range test.want {
			if !slices.Contains(offered, want) {
				t.Errorf("%q: got no %s among %q", test.typed, want, offered)
			}
		}
		if test.unwanted != "" && strings.Contains(strings.Join(offered, " "), test.unwanted) {
			t.Errorf("%q: got %s among %q", test.typed, test.unwanted, offered)
		}
	}
}
