package tproch_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"sledge/internal/catalog/edition"
	"sledge/internal/engine"
	"sledge/internal/job"
	"sledge/internal/option"
	"sledge/internal/sqlfile"
	"sledge/internal/suite"
	"sledge/internal/suite/workloadtest"
	"sledge/internal/workload"
	"sledge/internal/workload/tproch"
	"sledge/internal/workload/tproch/answers"
	"sledge/internal/workload/tproch/qgen"
)

func TestEveryDatabase(t *testing.T) { workloadtest.Run(t, tproch.Workload, alike(), nil) }

// alike returns a check that each database gives the same answers to the cloud analytic queries as
// the first database that it was called for.
func alike() workloadtest.Look {
	var mu sync.Mutex // databases are tested side by side
	var first map[string]job.Answer
	return func(t suite.T, v workload.Variant, told []job.Event) {
		if v.Run["cloud_queries"] != "true" {
			return
		}
		shown := map[string]job.Answer{}
		for _, e := range told {
			if e.Answer != nil {
				shown[e.Answer.Kind] = *e.Answer
			}
		}
		mu.Lock()
		defer mu.Unlock()
		if first == nil {
			first = shown
		}
		for query := 1; query <= answers.CloudQueries; query++ {
			kind := fmt.Sprintf("cloud query %d", query)
			got, want, of := shown[kind], first[kind], answers.OfCloud(query)
			if !strings.Contains(got.Text, "SELECT") || len(got.Columns) != len(of.Columns) {
				t.Errorf("%s: got %+v, want its text and %d columns", kind, got, len(of.Columns))
				continue
			}
			of.Limit = len(want.Rows) // rows beyond the shown ones may have the same keys as the last shown one
			if err := of.Compare(got.Rows, want.Rows, answers.Computed); err != nil || got.More != want.More {
				t.Errorf("%s: %v, and %d more rows, want %d", kind, err, got.More, want.More)
			}
		}
	}
}

// terminal returns the terminal of a user in a run.
func terminal(t *testing.T, number, users int, values option.Values) workload.Terminal {
	t.Helper()
	options := tproch.Workload.Options()
	if err := option.Bind(nil, values, options); err != nil {
		t.Fatal(err)
	}
	return tproch.Workload.Users.NewTerminal(workload.Slot{Number: number, Users: users, Seed: 1, Options: options, Survey: tproch.Survey(1, 0, 0), SQL: portable(t)})
}

// portable returns the SQL for any database.
func portable(t *testing.T) *sqlfile.Library {
	t.Helper()
	sql, err := sqlfile.NewLibrary(func(int) string { return "?" }, sqlfile.Place{Files: tproch.Workload.SQL, Dir: "sql/ansi"})
	if err != nil {
		t.Fatal(err)
	}
	return sql
}

func TestStream_FollowsItsPermutation(t *testing.T) {
	for _, tt := range []struct {
		name          string
		number, users int
		stream        int
	}{
		{"a single user runs the stream of the power test", 0, 1, 0},
		{"the first of several is stream 1", 0, 2, 1},
		{"the third is stream 3", 2, 3, 3},
	} {
		t.Run(tt.name, func(t *testing.T) {
			user := terminal(t, tt.number, tt.users, option.Values{"query_sets": "2"})
			want := qgen.Order(tt.stream, qgen.Modulo40)
			for set := range 2 {
				for _, query := range want {
					next, more := user.Pick()
					if !more || int(next.Kind) != query-1 {
						t.Fatalf("set %d: got kind %d, more %t; want query %d", set+1, next.Kind, more, query)
					}
				}
			}
			if _, more := user.Pick(); more {
				t.Error("the terminal continues after its last set")
			}
		})
	}
}

// The same seed gives the same parameters; another set, stream or seed gives others.
func TestParametersFollowFromTheSeed(t *testing.T) {
	ask := func(number int, values option.Values) []string {
		p, err := engine.Local{Catalog: edition.Catalog}.Plan(job.Spec{Action: job.Run, Database: "sqlite", Workload: "tproch", Seed: 1, Options: values})
		if err != nil {
			t.Fatal(err)
		}
		user := p.Workload.Users.NewTerminal(workload.Slot{Number: number, Users: 2, Seed: 1, Options: p.Settings, Survey: tproch.Survey(1, 0, 0), SQL: p.SQL})
		var texts []string
		for {
			next, more := user.Pick()
			if !more {
				return texts
			}
			text, err := tproch.Text(next.Inputs)
			if err != nil {
				t.Fatal(err)
			}
			texts = append(texts, text)
		}
	}
	first, again, other := ask(0, option.Values{"query_sets": "2"}), ask(0, option.Values{"query_sets": "2"}), ask(1, option.Values{"query_sets": "2"})
	if !slices.Equal(first, again) {
		t.Error("the same seed gave other parameters in the second run")
	}
	if slices.Equal(first[:22], first[22:]) {
		t.Error("the second set has the parameters of the first")
	}
	shared := 0
	for _, text := range first {
		if slices.Contains(other, text) {
			shared++
		}
	}
	if shared > 10 { // few parameters have few values
		t.Errorf("%d of 44 texts of stream 1 are those of stream 2", shared)
	}
	validated := ask(0, option.Values{"validation": "true"})
	if i := slices.IndexFunc(validated, func(text string) bool { return strings.Contains(text, "l_shipdate <= '1998-09-02'") }); i < 0 {
		t.Error("query 1 was not asked with the standard's parameter")
	}
}

func TestTheScoreIsAGeometricMean(t *testing.T) {
	got := tproch.Workload.Score.Of(workload.Window{Elapsed: 30 * time.Second, Spans: []job.Span{
		{Outcome: job.SpanDone, Seconds: 1, Rows: 1},
		{Outcome: job.SpanDone, Seconds: 4, Rows: 7},
		{Outcome: job.SpanDone, Seconds: 16},
		{Outcome: job.SpanFailed, Seconds: 100},
		{Outcome: job.SpanCutOff, Seconds: 100},
	}})
	want := []job.Metric{
		{Name: "geometric mean", Value: 4, Unit: "s", Means: "of the times of 3 queries that were answered; without the 1 that returned no rows, 2.000 s"},
		{Name: "queries an hour", Value: 360},
		{Name: "geometric mean with rows", Value: 2, Unit: "s", Means: "of the times of 2 queries that were answered with rows"},
	}
	for i := range got {
		got[i].Value = math.Round(got[i].Value*1e9) / 1e9
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if none := tproch.Workload.Score.Of(workload.Window{Elapsed: time.Second}); none != nil {
		t.Errorf("got %+v of no query", none)
	}
}

func TestPlan_RefusesInvalidOptions(t *testing.T) {
	for _, values := range []option.Values{
		{"refresh_sets": "1000"}, {"test": "all"}, {"cloud_queries": "true", "validation": "true"}, {"cloud_queries": "true", "refresh": "true"}, {"cloud_queries": "true", "test": "both"}, {"scale_factor": "0"}, {"scale_factor": "0.001"}, {"scale_factor": "20000"}, {"scale_factor": "much"},
	} {
		_, err := engine.Local{Catalog: edition.Catalog}.Plan(job.Spec{Action: job.Build, Database: "sqlite", Workload: "tproch", Options: values})
		for name := range values {
			if err == nil || !strings.Contains(err.Error(), name) {
				t.Errorf("%v: got %v, want an error that names the option", values, err)
			}
		}
	}
}
