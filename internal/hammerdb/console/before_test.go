package console

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"sledge/internal/engine"
	"sledge/internal/job"
	"sledge/internal/repository"
)

// testdata/before has files of an older Sledge that stored options by HammerDB's keys only:
// settings, a repository, and the lines that the older Sledge printed for both. The repository has
// jobs on SQLite, jobs that failed on other databases, and jobs that HammerDB recorded.

// fromBefore returns a console with copies of the repository and the settings.
func fromBefore(t *testing.T) (*Console, *bytes.Buffer) {
	t.Helper()
	folder, out := t.TempDir(), &bytes.Buffer{}
	for _, name := range []string{"jobs.db", "settings.db"} {
		content, err := os.ReadFile(filepath.Join("testdata", "before", name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	local := time.Local
	time.Local = time.UTC // the views show local times
	t.Cleanup(func() { time.Local = local })
	c, err := New(Config{
		Resolver: resolver, Out: out, Settings: filepath.Join(folder, "settings.db"),
		OpenStore: func(string) (*repository.Store, error) { return repository.Open(filepath.Join(folder, "jobs.db")) },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c, out
}

// reSince matches the lines of settings that the older Sledge did not have.
var reSince = regexp.MustCompile(`^ +"?(pg|mysql|maria|sqlite)_(home_warehouses|on_all_failing|loops|rate|pool_file|arrivals|steps|connections|reconnect|reconnects|reconnect_delay|reconnect_limit|ledger|validation|time_limit|query_limit|plans|fail_if|tpch_fail_if|tpch_max_retries|tpch_user_delay|tpch_no_superuser|tpch_test)\b`)

// isAsBefore compares output with the recorded output of an older Sledge. It ignores newer
// settings.
func isAsBefore(t *testing.T, name, got string) {
	t.Helper()
	want, err := os.ReadFile(filepath.Join("testdata", "before", name))
	if err != nil {
		t.Fatal(err)
	}
	// Jobs without a socket show the current default; the older Sledge guessed one.
	now := strings.ReplaceAll(string(want), `"maria_socket": "/tmp/mariadb.sock"`, `"maria_socket": "null"`)
	gotLines, wantLines := strings.Split(got, "\n"), strings.Split(now, "\n")
	gotLines = slices.DeleteFunc(gotLines, reSince.MatchString)
	for i := range min(len(gotLines), len(wantLines)) {
		if gotLines[i] != wantLines[i] {
			t.Fatalf("line %d of %s: got %q, want %q", i+1, name, gotLines[i], wantLines[i])
		}
	}
	if len(gotLines) != len(wantLines) {
		t.Errorf("%s: got %d lines, want %d", name, len(gotLines), len(wantLines))
	}
}

func TestJobs_OfEarlierVersionsAreShownUnchanged(t *testing.T) {
	c, out := fromBefore(t)
	show := func(words ...string) string {
		fmt.Fprintf(out, "> jobs %s\n", strings.Join(words, " "))
		if len(words) == 0 {
			out.Truncate(out.Len() - len(" \n"))
			out.WriteString("\n")
		}
		returned, err := c.Call(t.Context(), Call{Name: "jobs", Args: words})
		if err != nil {
			t.Fatal(err)
		}
		if returned != "" {
			fmt.Fprintln(out, returned)
		}
		return returned
	}
	show()
	ids := strings.Fields(show("joblist"))
	show("result")
	show("timestamp")
	show("profileid", "all")
	show("profile", "1")
	show("profile", "7")
	slices.Sort(ids)
	for _, id := range ids {
		for _, part := range []string{"dict", "db", "bm", "result", "status", "timing", "tcount", "metrics", "system", "timestamp"} {
			show(id, part)
		}
	}
	isAsBefore(t, "jobs.golden", out.String())
}

// Jobs of the older Sledge use the options' names, so jobs on two databases can be compared and
// repeated.
func TestSettingsOfJobsOfBeforeGoByTheOptionsNames(t *testing.T) {
	c, _ := fromBefore(t)
	store, err := c.jobsStore()
	if err != nil {
		t.Fatal(err)
	}
	for id, want := range map[job.ID]string{
		"6B02DE8256213BDBD0C24A56": "map[duration:2s file:tpcc.db max_failures:100 rampup:0 time_profile:true]",
		"6B02DE8B43768EC2F04289D8": "map[dbname:benchdb duration:1s host:127.0.0.1 port:9 rampup:0 ssl_mode:disable stop_on_failure:true superuser_dbname:postgres2 tablespace:fast user:me]",
		"6B02DE8B0451E10B27B59736": "map[all_warehouses:true dbname:x duration:1s host:127.0.0.1 port:9 rampup:0]",
		"67FD3345479A03E263133333": "map[builders:2 dbname:tpcc driver:timed duration:5 host:localhost port:5432 rampup:1 ssl_mode:prefer stop_on_failure:false superuser:postgres tablespace:pg_default user:tpcc warehouses:10]",
		"67FD3345479A03E263133334": "map[builders:2 driver:timed instance:oracle rampup:1 system_user:system warehouses:10]",
		"67FD3345479A03E263133335": "map[builders:1 host:localhost query_sets:1 scale_factor:1 user:tpch]",
	} {
		j, err := store.Get(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(j.Spec.Options); got != want {
			t.Errorf("%s: got %s, want %s", id, got, want)
		}
		if j.Origin == "" {
			if _, err := (engine.Local{Catalog: resolver.Catalog}).Plan(j.Spec); err != nil {
				t.Errorf("%s cannot be repeated: %v", id, err)
			}
		}
	}
	run, err := store.Get(t.Context(), "6B02DE86C4570CF15A04272F")
	if err != nil || run.Profile != 1 {
		t.Errorf("got profile %d and error %v, want 1", run.Profile, err)
	}
}

func TestSettings_OfEarlierVersionsAreRead(t *testing.T) {
	c, out := fromBefore(t)
	if warnings := c.book.Warnings(); len(warnings) > 0 {
		t.Errorf("got %q, want no warnings", warnings)
	}
	for _, prefix := range []string{"pg", "mysql", "maria", "sqlite"} {
		for _, benchmark := range []string{"TPC-C", "TPC-H"} {
			call(t, c, "dbset db "+prefix)
			call(t, c, "dbset bm "+benchmark)
			fmt.Fprintf(out, "> %s %s\n", prefix, benchmark)
			call(t, c, "print dict")
		}
	}
	fmt.Fprintln(out, "> generic")
	call(t, c, "print generic")
	isAsBefore(t, "settings.golden", out.String())
}
