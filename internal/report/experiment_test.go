package report

import (
	"math"
	"strings"
	"testing"

	"sledge/internal/job"
)

// Where both factors have their second value, the figure is a fifth higher than their effects alone would make it.
func TestExperiment_HasInteractions(t *testing.T) {
	var runs []job.Job
	for _, cell := range []struct {
		users, sql, cache string
		figure            float64
	}{
		{"1", "false", "a", 100},
		{"4", "false", "a", 200},
		{"1", "true", "a", 150},
		{"4", "true", "a", 360},
		{"1", "false", "b", 1000},
		{"4", "false", "b", 2000},
		{"1", "true", "b", 1500},
		{"4", "true", "b", 3600},
	} {
		j := job.Job{ID: "67FD3345479A03E263133333", Status: job.Succeeded, Spec: job.Spec{Labels: map[string]string{"users": cell.users, "sql": cell.sql, "cache": cell.cache}}}
		j.Result.Metrics = []job.Metric{{Name: "NOPM", Value: cell.figure}}
		runs = append(runs, j)
	}
	e := NewExperiment("x", []string{"users", "sql", "cache"}, runs)
	if len(e.Interactions) != 3 {
		t.Fatalf("got %+v, want one of each two factors", e.Interactions)
	}
	first, rest := e.Interactions[0], e.Interactions[1:]
	if first.Factor != "sql" || first.With != "users" || first.Base != "false" || first.WithValue != "4" || math.Abs(first.Ratio-1.2) > 1e-9 || math.Abs(first.Least-1.2) > 1e-9 || first.Groups != 2 {
		t.Errorf("got %+v, want 1.2 for sql with users", first)
	}
	for _, one := range rest {
		if math.Abs(one.Ratio-1) > 1e-9 || one.Groups != 2 {
			t.Errorf("got %+v, want none", one)
		}
	}
	var text strings.Builder
	if err := e.Text(&text, View{}); err != nil || !strings.Contains(text.String(), "sql     false to true  users  1 to 4         +20.0 %") {
		t.Errorf("got %v and %s", err, &text)
	}
	if alone := NewExperiment("x", []string{"users"}, runs[:2]); len(alone.Interactions) != 0 {
		t.Errorf("got %+v of one factor", alone.Interactions)
	}
}

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
