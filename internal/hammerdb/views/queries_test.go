package views

import (
	"encoding/json"
	"strings"
	"testing"

	"sledge/internal/job"
	"sledge/internal/option"
	"sledge/internal/report/reporttest"
	"sledge/internal/repository"
)

// asked returns a run of queries by two virtual users. In the first user's set, one query returned
// no rows. The second user began another set but did not complete it. The refresh function does not
// belong to a set.
func asked() job.Job {
	span := func(user, set, number int, kind string, from, seconds float64, rows int64) job.Span {
		return job.Span{User: user, Stream: user, Set: set, Number: number, Of: 3, Kind: kind, From: from, Seconds: seconds, Rows: rows, Outcome: job.SpanDone}
	}
	refresh := job.Span{User: 1, Kind: "new sales refresh", From: 0, Seconds: 8, Outcome: job.SpanDone}
	broken := span(2, 2, 1, "query 14", 13, 1, 0)
	broken.Outcome, broken.Message = job.SpanFailed, "disk full"
	return job.Job{
		ID: "67FD3345479A03E26313FFF0", Status: job.Succeeded, Begun: reporttest.Began,
		Spec:  job.Spec{Action: job.Run, Database: "postgresql", Workload: "tproch", Users: 2, Seed: 1},
		Kinds: []string{"query 1", "query 2", "query 14", "new sales refresh"},
		Facts: &job.Facts{Server: "16.4", Size: "scale factor 10"},
		Result: job.Result{Extent: job.Extent{Users: 2, Elapsed: 20}, Measured: job.Measured{Kinds: []string{"query 1", "query 2", "query 14", "new sales refresh"}}, Queries: job.Queries{Spans: []job.Span{
			refresh,
			span(1, 1, 1, "query 14", 1, 2, 5), span(1, 1, 2, "query 2", 3, 8, 100), span(1, 1, 3, "query 1", 11, 0.5, 0),
			span(2, 1, 1, "query 14", 0, 4, 5), span(2, 1, 2, "query 1", 4, 1, 4), span(2, 1, 3, "query 2", 5, 8, 4),
			broken,
		}}},
	}
}

func TestQueries_HaveHammerDBsShapes(t *testing.T) {
	j := asked()
	for _, c := range []struct {
		of   string
		view View
		want string
	}{
		{
			"result", Result(j, several), // 4 is the root of 2 times 8; 3.1748 is the third root of 4 times 1 times 8
			`["67FD3345479A03E26313FFF0","2025-04-14 17:09:51",` +
				`"Geometric mean of query times returning rows (2) is 4.00000","Completed 1 query set(s) in 10 seconds",` +
				`"Geometric mean of query times returning rows (3) is 3.17480","Completed 1 query set(s) in 13 seconds"]`,
		},
		{
			"results", Results([]job.Job{j}, several), // 3.48220 is the fifth root of 512
			`{"67FD3345479A03E26313FFF0":{"db":"PostgreSQL","bm":"TPC-H","tstamp":"2025-04-14 17:09:51","queries":"5","querysets":"2","geomean":"3.4822","querytime":"13"}}`,
		},
	} {
		text, err := json.Marshal(c.view)
		if err != nil || string(text) != c.want {
			t.Errorf("%s: got %s and error %v, want %s", c.of, text, err, c.want)
		}
	}
	table := Table([]job.Job{j}, several, "x", 0, 0)
	if want := "Benchmark Run  3.4822     TOP"; !strings.Contains(table, want) {
		t.Errorf("got\n%s\nwant %q in it", table, want)
	}
	j.Result.Spans = j.Result.Spans[7:] // only the query that failed
	if got := Result(j, several).Text(); got != "67FD3345479A03E26313FFF0\nJobid has no test result" {
		t.Errorf("without a complete set: got %q, want no result", got)
	}
}

// Queries on less data are faster, but not better, so each size has its own best run.
func TestTheBestRunOfQueriesIsOneOfEachSize(t *testing.T) {
	run := func(id, size string, seconds float64) job.Job {
		j := asked()
		j.ID, j.Facts = job.ID(id), &job.Facts{Size: "scale factor " + size}
		for i := range j.Result.Spans {
			j.Result.Spans[i].Seconds *= seconds
		}
		return j
	}
	imported := run("D", "", 3)
	imported.Facts, imported.Spec.Options = nil, option.Values{"scale_factor": "10"}
	other := run("E", "10", 5)
	other.Spec.Database = "mariadb"
	table := Table([]job.Job{run("A", "1", 0.1), run("B", "10", 2), run("C", "10", 1), imported, other}, several, "x", 0, 0)
	var top []string
	for line := range strings.Lines(table) {
		if strings.HasSuffix(line, "TOP\n") || strings.HasSuffix(line, "TOP") {
			top = append(top, line[:1])
		}
	}
	if got := strings.Join(top, ""); got != "ACE" {
		t.Errorf("got TOP at %s, want it at A, C and E, of\n%s", got, table)
	}
}

func TestTimesOfQueriesAreThoseOfTheirSpans(t *testing.T) {
	store, err := repository.Open(":memory:")
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	ran := asked()
	r, err := store.Begin(t.Context(), ran.Spec, ran.Kinds, 0)
	if err != nil {
		t.Fatal(err)
	}
	r.Watch(job.Event{At: reporttest.Began, Facts: ran.Facts})
	if err := r.End(t.Context(), ran.Result, nil); err != nil {
		t.Fatal(err)
	}
	j, err := store.Get(t.Context(), r.ID())
	if err != nil {
		t.Fatal(err)
	}
	j.Begun = reporttest.Began
	all, err := AllTimings(t.Context(), store, j, several)
	if err != nil {
		t.Fatal(err)
	}
	own, err := UserTimings(t.Context(), store, j, 2, several)
	if err != nil {
		t.Fatal(err)
	}
	settings := []job.Section{{Name: "tpch", Settings: []job.Setting{{Name: "pg_scale_fact", Value: "10"}}}}
	artifact, err := Artifact(t.Context(), store, j, settings, several)
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	for _, view := range []View{Timing(j, all), Timing(j, own), artifact} {
		text.WriteString(view.JSON() + "\n")
	}
	reporttest.Golden(t, "timings_queries.json", []byte(strings.ReplaceAll(text.String(), string(j.ID), "<id>")))
}
