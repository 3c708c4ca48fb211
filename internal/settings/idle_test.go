package settings_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sledge/internal/job"
	"sledge/internal/option"
	"sledge/internal/settings"
)

// An option without effect is an error if it was set for this run, a warning if it is from a file,
// and allowed in a dictionary of the console.
func TestResolve_JudgesOptionsWithoutEffectByTheirSource(t *testing.T) {
	const why = "because stop_on_failure is true"
	pg := map[string]string{"db": "pg"}
	idle := []string{"stop_on_failure=true", "max_retries=3"}
	_, err := resolver.Resolve(job.Run, settings.Sources{Flags: pg, Set: idle})
	if want := "option max_retries: 3 would have no effect, " + why + ": set stop_on_failure to false, or leave out max_retries (it is from --set)"; err == nil || err.Error() != want {
		t.Errorf("command line: got %v, want %s", err, want)
	}
	if _, err := resolver.Resolve(job.Run, settings.Sources{Flags: pg, Set: []string{"driver=test", "rampup=1s"}}); err == nil || !strings.Contains(err.Error(), "option rampup: 1s would") {
		t.Errorf("a value with a unit: got %v, want the value as given", err)
	}
	if job.ExitOf(err) != job.ExitUsage {
		t.Errorf("command line: got exit %d", job.ExitOf(err))
	}
	given := map[string]string{"db": "pg", "stop_on_failure": "true", "max_retries": "3", "warehouses": "7"}
	if _, err := resolver.Resolve(job.Run, settings.Sources{Given: given, GivenBy: "the request", Asked: true}); err == nil || !strings.Contains(err.Error(), why) {
		t.Errorf("request: got %v", err)
	}
	file := filepath.Join(t.TempDir(), "sledge.toml")
	if err := os.WriteFile(file, []byte("db = 'pg'\nstop_on_failure = true\nmax_retries = 3\nwarehouses = 7\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	order, err := resolver.Resolve(job.Run, settings.Sources{ConfigFile: file})
	if err != nil || len(order.Warnings) != 1 || !strings.Contains(order.Warnings[0], why) {
		t.Errorf("file: got %v and %q", err, order.Warnings)
	}
	if _, err := resolver.Resolve(job.Run, settings.Sources{Flags: pg, Set: []string{"stop_on_failure=true", "max_retries=10"}}); err != nil {
		t.Errorf("the default: got %v", err)
	}
	all := option.Values{"stop_on_failure": "true", "max_retries": "3"}
	order, err = resolver.Order(job.Spec{Action: job.Run, Database: "postgresql", Workload: "tprocc", Options: all, Users: 1})
	if err != nil || len(order.Warnings) > 0 {
		t.Errorf("dictionary: got %v and %q", err, order.Warnings)
	}
}

func TestOrder_RefusesOptionsOfOtherActions(t *testing.T) {
	order, err := resolver.Resolve(job.Run, settings.Sources{Flags: map[string]string{"db": "pg"}, Set: []string{"warehouses=7"}})
	if err != nil {
		t.Fatal(err)
	}
	const want = "option warehouses: 7 would have no effect, because this is a run, and the option is for build and check: leave it out"
	if err := order.RefuseElsewhere(); err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}
