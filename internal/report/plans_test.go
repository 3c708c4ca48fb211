package report

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"sledge/internal/job"
	"sledge/internal/report/reporttest"
	"sledge/internal/terminal"
)

// planOfLines parses a plan; lines that begin with an arrow are its steps.
func planOfLines(kind, text string) job.QueryPlan {
	p := job.QueryPlan{Kind: kind, Stream: 1, Query: "SELECT", Seconds: 0.25}
	for line := range strings.SplitSeq(strings.Trim(text, "\n"), "\n") {
		step, _, costs := strings.Cut(line, "  (")
		if !costs {
			step = ""
		}
		p.Lines = append(p.Lines, job.PlanLine{Text: line, Step: step})
	}
	return p
}

const (
	byIndex = `
Sort  (cost=35.1..35.2 rows=4 width=8)
  Sort Key: o_orderpriority, a_column_whose_name_is_long, another_one_whose_name_is_longer, 'a constant of one run'
  ->  Nested Loop  (cost=0.1..35 rows=400 width=8)
        ->  Seq Scan on part  (cost=0..12 rows=40 width=4)
              Filter: ((p_name)::text ~~ '%thistle%'::text)
        ->  Index Scan using lineitem_partsupp on lineitem  (cost=0.4..1 rows=10 width=8)
              Index Cond: (l_partkey = part.p_partkey)`
	byHash = `
Sort  (cost=135.1..135.2 rows=4 width=8)
  Sort Key: o_orderpriority, a_column_whose_name_is_long, another_one_whose_name_is_longer, 'another constant'
  ->  Hash Join  (cost=0.1..135 rows=400 width=8)
        Hash Cond: (l_partkey = part.p_partkey)
        ->  Seq Scan on lineitem  (cost=0..112 rows=6000 width=8)
        ->  Hash  (cost=12..12 rows=40 width=4)
              ->  Seq Scan on part  (cost=0..12 rows=40 width=4)
                    Filter: ((p_name)::text ~~ '%green%'::text)`
	cheap  = "Seq Scan on lineitem  (cost=0..112 rows=6000 width=8)\n  Filter: (l_quantity < 24)"
	costly = "Seq Scan on lineitem  (cost=0..9999 rows=7 width=8)\n  Filter: (l_quantity < 25)"
)

// queriesCompared returns two runs of two streams: the first uses an index; the second has no
// index, fails at query 3 and ends before its last query.
func queriesCompared() []Measured {
	run := func(id string, times []float64, plans ...job.QueryPlan) Measured {
		j := job.Job{
			ID: job.ID(id), Begun: reporttest.Began, Kinds: []string{"query 1", "query 2", "query 3", "query 4"}, Status: job.Succeeded,
			Spec: job.Spec{Action: job.Run, Database: "postgresql", Workload: "queries", Users: 2, Seed: 1},
		}
		j.Result = job.Result{Extent: job.Extent{Elapsed: 60}, Metrics: []job.Metric{{Name: "geometric mean", Value: times[0], Unit: "s"}, {Name: "queries an hour", Value: 3600}}}
		for i, seconds := range times {
			for stream := 1; stream <= 2; stream++ {
				j.Result.Spans = append(j.Result.Spans, job.Span{User: stream, Stream: stream, Kind: j.Kinds[i], Seconds: seconds * float64(stream), Rows: 10, Outcome: job.SpanDone})
			}
		}
		return Measured{Job: j, Plans: plans}
	}
	a := run("67FD3345479A03E263133333", []float64{0.5, 0.01, 20, 3}, planOfLines("query 1", cheap), planOfLines("query 2", byIndex), planOfLines("query 3", cheap))
	b := run("67FD3654479A03E263133334", []float64{0.25, 1, 20}, planOfLines("query 1", costly), planOfLines("query 2", byHash), job.QueryPlan{Kind: "query 3", Error: "syntax\nerror"})
	b.Job.Result.Spans[5].Outcome = job.SpanFailed // of query 3
	a.Job.Facts = &job.Facts{ServerSettings: map[string]string{"shared_buffers": "1GB", "work_mem": "4MB"}}
	b.Job.Facts = &job.Facts{ServerSettings: map[string]string{"shared_buffers": "1GB", "work_mem": "64kB", "enable_hashjoin": "off"}}
	b.Job.Status, b.Job.Reason = job.Invalid, "1 of 6 transactions failed"
	return []Measured{a, b}
}

func TestRunsOfQueriesAreComparedQueryByQuery(t *testing.T) {
	c := Compare(queriesCompared(), unset)
	var whole bytes.Buffer
	if err := c.Text(&whole, View{}); err != nil {
		t.Fatal(err)
	}
	reporttest.Golden(t, "comparequeries.txt", whole.Bytes())
	text, err := json.MarshalIndent(c.Queries, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	reporttest.Golden(t, "comparequeries.json", append(text, '\n'))
	if got := strings.Join(c.ChangedPlans(), ", "); got != "query 2" {
		t.Errorf("the plans of %s changed, want query 2", got)
	}
	nothingWider(t, func(v View) string {
		var b bytes.Buffer
		if err := c.Text(&b, v); err != nil {
			t.Fatal(err)
		}
		return b.String()
	})
}

func TestPlans_AreShownAloneOrSideBySide(t *testing.T) {
	runs := queriesCompared()
	side := func(i int) PlansOfRun { return PlansOfRun{ID: runs[i].Job.ID, Plans: runs[i].Plans} }
	all := func(string) bool { return true }
	second := func(kind string) bool { return kind == "query 2" }
	for _, tt := range []struct {
		file  string
		plans Plans
		width int
		all   bool
	}{
		{"plans-one.txt", NewPlans([]PlansOfRun{side(0)}, all), 60, false},
		{"plans-changed.txt", NewPlans([]PlansOfRun{side(0), side(1)}, all), 0, false},
		{"plans-below.txt", NewPlans([]PlansOfRun{side(0), side(1)}, second), 80, true},
		{"plans-beside.txt", NewPlans([]PlansOfRun{side(0), side(1)}, second), 120, true},
	} {
		t.Run(tt.file, func(t *testing.T) {
			shown := func(v View) string {
				var b bytes.Buffer
				if err := tt.plans.Text(&b, v, tt.all); err != nil {
					t.Fatal(err)
				}
				return b.String()
			}
			reporttest.Golden(t, tt.file, []byte(shown(View{Width: tt.width})))
			nothingWider(t, shown)
		})
	}
}

// nothingWider checks that no line is wider than the terminal.
func nothingWider(t *testing.T, shown func(View) string) {
	t.Helper()
	for width := 60; width <= 140; width += 10 {
		for line := range strings.SplitSeq(shown(View{Width: width}), "\n") {
			if wide := terminal.Width(line); wide > width {
				t.Errorf("in %d columns a line has %d: %q", width, wide, line)
			}
		}
	}
}
