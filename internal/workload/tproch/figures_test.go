package tproch_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"sledge/internal/job"
	"sledge/internal/option"
	"sledge/internal/workload"
	"sledge/internal/workload/tproch"
)

// tested returns the spans of two complete tests at scale 0.01, the throughput test with two
// streams. In the power test each query took 4 s and each refresh 1 s; the throughput test took 880
// s.
func tested() (spans []job.Span) {
	add := func(stage, kind string, stream int, from, seconds float64, rows int64) {
		spans = append(spans, job.Span{Stage: stage, Kind: kind, Stream: stream, From: from, Seconds: seconds, Rows: rows, Outcome: job.SpanDone})
	}
	add("power test", "new sales refresh", job.NoStream, 0, 1, 15)
	for q := range 22 {
		add("power test", fmt.Sprintf("query %d", q+1), 0, 1+4*float64(q), 4, 1)
	}
	add("power test", "old sales refresh", job.NoStream, 89, 1, 15)
	for stream := 1; stream <= 2; stream++ {
		for q := range 22 {
			add("throughput test", fmt.Sprintf("query %d", q+1), stream, 90+40*float64(q), 40, 1)
		}
		add("throughput test", "new sales refresh", job.NoStream, 90, 1, 15)
		add("throughput test", "old sales refresh", job.NoStream, 91, 1, 15)
	}
	return spans
}

func TestFiguresOfTheTests(t *testing.T) {
	// (4^22 * 1^2)^(1/24), and 2 * 22 queries in 880 s.
	power := 36 / math.Pow(4, 22.0/24)
	const throughput = 2 * 22 * 36 / 880.0
	for _, tt := range []struct {
		name    string
		change  func(spans []job.Span) []job.Span
		factor  float64
		values  option.Values
		want    map[string]float64
		remarks []string // expected text of each remark
	}{
		{
			name: "both",
			want: map[string]float64{
				"power": power, "throughput": throughput, "composite": math.Sqrt(power * throughput),
				"geometric mean, power test": 4, "geometric mean, throughput test": 40, "queries an hour": 66,
			},
		},
		{
			name: "the rest of an earlier refresh set does not count in the time",
			change: func(s []job.Span) []job.Span {
				return append(s, job.Span{Stage: "rest of a refresh set", Kind: "old sales refresh", Stream: job.NoStream, Seconds: 1800, Rows: 7, Outcome: job.SpanDone})
			},
			want: map[string]float64{"power": power, "throughput": throughput, "queries an hour": 132},
		},
		{
			name: "a time of less than a thousandth of the longest counts as a thousandth",
			change: func(s []job.Span) []job.Span {
				s[5].Seconds, s[6].Seconds = 0.001, 40
				return s
			},
			want: map[string]float64{"power": 36 / math.Pow(math.Pow(4, 20)*0.04*40, 1.0/24)},
		},
		{
			name:    "no power if a query failed",
			change:  func(s []job.Span) []job.Span { s[5].Outcome = job.SpanFailed; return s },
			want:    map[string]float64{"power": 0, "composite": 0, "throughput": throughput},
			remarks: []string{"No figure for power: query 5 failed."},
		},
		{
			name:    "no throughput if a query was repeated",
			change:  func(s []job.Span) []job.Span { s[30].Retries = 1; return s },
			want:    map[string]float64{"power": power, "composite": 0, "throughput": 0},
			remarks: []string{"No figure for throughput: query 7 took 2 tries."},
		},
		{
			name:    "no power without a refresh",
			change:  func(s []job.Span) []job.Span { return s[1:] },
			want:    map[string]float64{"power": 0},
			remarks: []string{"No figure for power: new sales refresh was done 0 of 1 times."},
		},
		{
			name:    "no throughput with fewer refresh sets than streams",
			change:  func(s []job.Span) []job.Span { return s[:len(s)-2] },
			want:    map[string]float64{"throughput": 0},
			remarks: []string{"No figure for throughput: new sales refresh was done 1 of 2 times: the test needs one refresh set for each stream of queries."},
		},
		{
			name: "no throughput with more refresh sets than streams",
			change: func(s []job.Span) []job.Span {
				return append(s, job.Span{Stage: "throughput test", Kind: "new sales refresh", Stream: job.NoStream, From: 92, Seconds: 1, Rows: 15, Outcome: job.SpanDone})
			},
			want:    map[string]float64{"throughput": 0},
			remarks: []string{"No figure for throughput: new sales refresh was done 3 times instead of 2: the test needs one refresh set for each stream of queries."},
		},
		{
			name:    "no power with half a refresh set",
			change:  func(s []job.Span) []job.Span { s[0].Rows = 7; return s },
			want:    map[string]float64{"power": 0},
			remarks: []string{"No figure for power: a new sales refresh had 7 orders instead of 15."},
		},
		{
			name:    "no figures with several query sets",
			values:  option.Values{"query_sets": "2"},
			want:    map[string]float64{"power": 0, "throughput": 0},
			remarks: []string{"No figure for power: each stream ran 2 query sets, and the test has one.", "No figure for throughput: each stream ran 2 query sets, and the test has one."},
		},
		{
			name:   "a remark on fewer streams than the standard requires",
			factor: 10,
			change: func(s []job.Span) []job.Span {
				for i := range s {
					if s[i].Rows == 15 {
						s[i].Rows = 15_000
					}
				}
				return s
			},
			want:    map[string]float64{"throughput": throughput * 1000},
			remarks: []string{"The throughput test had fewer streams than TPC-H requires at scale factor 10: 2 instead of 3."},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			options := tproch.Workload.Options()
			if err := option.Bind(nil, option.Values{"test": "both"}, options); err != nil {
				t.Fatal(err)
			}
			if err := option.Bind(nil, tt.values, options); err != nil {
				t.Fatal(err)
			}
			spans := tested()
			if tt.change != nil {
				spans = tt.change(spans)
			}
			factor := 0.01
			if tt.factor > 0 {
				factor = tt.factor
			}
			w := workload.Window{Users: 3, Elapsed: time.Hour, Options: options, Survey: tproch.Survey(factor, 0, 0), Spans: spans}
			result := job.Result{Metrics: tproch.Workload.Score.Of(w)}
			for name, want := range tt.want {
				if got, _ := result.Metric(name); math.Abs(got-want) > 1e-9*want {
					t.Errorf("%s: got %g, want %g", name, got, want)
				}
			}
			remarks := tproch.Workload.Score.Remarks(w)
			if !slices.EqualFunc(remarks, tt.remarks, strings.Contains) {
				t.Errorf("got %q, want %q", remarks, tt.remarks)
			}
		})
	}
}
