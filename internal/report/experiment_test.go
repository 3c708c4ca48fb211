package report

import (
	"strings"
	"testing"

	"sledge/internal/job"
)

// An experiment says which of its cells have cheaper commits, and CSV has a line for each run.
func TestExperiment_NamesCellsThatMayLoseCommits(t *testing.T) {
	var runs []job.Job
	for _, value := range []string{"on", "off", "off"} {
		j := job.Job{ID: "67FD3345479A03E263133333", Status: job.Succeeded, Spec: job.Spec{Labels: map[string]string{"server.synchronous_commit": value}}}
		j.Facts = &job.Facts{Durability: &job.Durability{Holds: value == "on", Why: "synchronous_commit is " + value}}
		j.Result.Metrics = []job.Metric{{Name: "NOPM", Value: 1000}}
		runs = append(runs, j)
	}
	factors := []string{"server.synchronous_commit"}
	var text, lines strings.Builder
	if err := NewExperiment("sync", factors, runs).Text(&text, View{}); err != nil {
		t.Fatal(err)
	}
	if want := "! In 1 of 2 cells a power failure may lose commits (synchronous_commit is off): do not compare them with others."; !strings.Contains(text.String(), want) {
		t.Errorf("got %s, want %q in it", &text, want)
	}
	if err := ExperimentCSV(&lines, factors, runs); err != nil {
		t.Fatal(err)
	}
	want := "run,begun,status,users,elapsed_s,server.synchronous_commit,NOPM,p99_ms\n67FD3345479A03E263133333,0001-01-01T00:00:00Z,succeeded,0,0,on,1000,\n"
	if got := lines.String(); !strings.HasPrefix(got, want) || strings.Count(got, "\n") != 4 {
		t.Errorf("got %s, want it to begin with %s", got, want)
	}
}
