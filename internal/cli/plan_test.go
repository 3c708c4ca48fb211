package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"sledge/internal/job"
	"sledge/internal/terminal"
)

// withPlans adds two runs of queries to a world and returns their IDs. Query 9 has another plan in
// the second run.
func withPlans(t *testing.T, w *world) (first, second string) {
	t.Helper()
	for _, step := range []string{"Index Scan using lineitem_partsupp on lineitem", "Seq Scan on lineitem"} {
		w.does(func(_ context.Context, spec job.Spec, _ job.Control) (job.Result, error) {
			r := job.Result{Status: job.Succeeded, Measured: job.Measured{Kinds: []string{"query 1", "query 9"}}, Extent: job.Extent{Elapsed: 3}}
			r.Metrics = []job.Metric{{Name: "geometric mean", Value: 1.4, Unit: "s"}, {Name: "queries an hour", Value: 2400}}
			for i, kind := range r.Kinds {
				r.Spans = append(r.Spans, job.Span{User: 1, Kind: kind, Set: 1, Number: i + 1, Of: 2, Seconds: 1, Rows: 4, Outcome: job.SpanDone})
				is := step
				if i == 0 {
					is = "Aggregate"
				}
				r.Plans = append(r.Plans, job.QueryPlan{Kind: kind, Query: "SELECT 1", Seconds: 0.001, Lines: []job.PlanLine{{Text: is + "  (cost=" + strings.Repeat("1", 100) + ")", Step: is}}})
			}
			r.Explained = &job.Explained{Queries: 2, Plans: 2, Seconds: 0.002, Asked: spec.Options["plans"]}
			return r, nil
		})
		if code := w.run("run", "--db", "sqlite", "--workload", "tproch", "--plans", "explain"); code != job.OK {
			t.Fatalf("got exit code %d: %s", code, &w.err)
		}
	}
	jobs := w.jobs(t)
	return string(jobs[1].ID), string(jobs[0].ID)
}

func TestPlansOfRunsAreShown(t *testing.T) {
	w := newWorld(t)
	first, second := withPlans(t, w)
	for args, want := range map[string][]string{
		"plan " + first:                         {"query 1: as stream 0 asked it\n  Aggregate  (cost=", "query 9: ", strings.Repeat("1", 100) + ")\n"},
		"plan " + first + " --query 9":          {"query 9: ", "Index Scan"},
		"plan FIRST SECOND":                     {"query 9: the plan changed", "- Index Scan", "+ Seq Scan", "The same operators, tables and indexes: query 1."},
		"plan FIRST SECOND --query 1":           {"query 1: the plan has the same operators"},
		"compare FIRST SECOND":                  {"geometric mean, s", "query 9  1.00  1.00  1.00  changed     4\n", "sledge jobs plan " + first[:12] + " " + second[:12]},
		"timing FIRST":                          {"Time (s): from the request to the last row", "query 9         1   1.00  1.00  1.00     4", "Streams: each number is the query that ran"},
		"timing FIRST --users":                  {"Virtual user 1\n", "query 9"},
		"show last":                             {"Plans", "2 of 2 queries, taken in 0.0020 s after the measured time"},
		"plan FIRST SECOND --query 'query9',1 ": {"query 1: ", "query 9: "},
	} {
		args = strings.NewReplacer("FIRST", first, "SECOND", second, "'", "").Replace(args)
		if code := w.run(strings.Fields("jobs " + args)...); code != job.OK {
			t.Errorf("%s: got exit code %d: %s", args, code, &w.err)
		}
		for _, text := range want {
			if !strings.Contains(w.out.String(), text) {
				t.Errorf("%s: got\n%s\nwant %q in it", args, &w.out, text)
			}
		}
		if strings.Contains(args, "--query 9") && strings.Contains(w.out.String(), "query 1:") {
			t.Errorf("%s: got\n%s\nwant no other query", args, &w.out)
		}
	}
	w.run("jobs", "export", first)
	var exported struct {
		Plans []job.QueryPlan
		Spans []job.Span
	}
	if err := json.Unmarshal(w.out.Bytes(), &exported); err != nil || len(exported.Plans) != 2 || len(exported.Spans) != 2 || exported.Plans[0].Lines[0].Step != "Aggregate" {
		t.Errorf("got %+v and error %v, want both plans and both spans", exported, err)
	}
	w.run("run", "--db", "sqlite", "--workload", "tproch", "--plans", "explain")
	if want := "sledge jobs plan " + string(w.jobs(t)[0].ID)[:12]; !strings.Contains(w.out.String(), want) {
		t.Errorf("got\n%s\nwant %q in it", &w.out, want)
	}
	for columns := 60; columns <= 140; columns += 20 {
		w.StdoutWidth = func() int { return columns }
		for _, args := range []string{"plan " + first, "plan FIRST SECOND", "compare FIRST SECOND", "timing FIRST --users"} {
			w.run(strings.Fields("jobs " + strings.NewReplacer("FIRST", first, "SECOND", second).Replace(args))...)
			for line := range strings.SplitSeq(w.out.String(), "\n") {
				if wide := terminal.Width(line); wide > columns {
					t.Errorf("%s: in %d columns a line has %d: %q", args, columns, wide, line)
				}
			}
		}
	}
}

func TestJobsPlan_ReportsMissingPlans(t *testing.T) {
	w := withJobs(t)
	measured, built := w.jobs(t)[0].ID, w.jobs(t)[1].ID
	_, second := withPlans(t, w)
	for args, want := range map[string]string{
		fmt.Sprintf("jobs plan %s", built):                   "it is a build",
		fmt.Sprintf("jobs plan %s", measured):                "no top statement has one",
		fmt.Sprintf("jobs plan %s %s", second, second):       "named twice",
		fmt.Sprintf("jobs plan %s --query 7", second):        "no plan of \"7\", only of query 1, query 9",
		fmt.Sprintf("jobs timing %s --users --json", second): "read the list of spans in sledge jobs show ",
		"jobs plan": "name one run or two",
		"run --db sqlite --workload tproch --plans analyze":     "SQLite has no plans with times",
		"run --db sqlite --workload tproch --plans everything":  "explain",
		"run --db sqlite --workload tprocc --plans explain":     "plans",
		"build --db sqlite --workload tproch --set plans=maybe": "plans",
	} {
		if code := w.run(strings.Fields(args)...); code != job.ExitUsage || !strings.Contains(w.err.String(), want) {
			t.Errorf("sledge %s: got exit code %d and %q, want %d and %q", args, code, &w.err, job.ExitUsage, want)
		}
	}
}
