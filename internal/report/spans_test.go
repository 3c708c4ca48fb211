package report_test

import (
	"bytes"
	"strings"
	"testing"

	"sledge/internal/job"
	"sledge/internal/meter"
	"sledge/internal/report"
)

func TestSpansAreListedAndDrawn(t *testing.T) {
	j := job.Job{Spec: job.Spec{Action: job.Run}, Status: job.Succeeded, Result: job.Result{
		Status: job.Succeeded, Extent: job.Extent{Users: 2, Elapsed: 100}, Measured: job.Measured{Kinds: []string{"query 1", "query 2", "query 3"}},
		Metrics: []job.Metric{{Name: "geometric mean", Value: 0.012345, Unit: "s"}, {Name: "queries an hour", Value: 1234}},
		Queries: job.Queries{Spans: []job.Span{
			{User: 1, Stream: 1, Kind: "query 1", From: 0, Seconds: 50, Rows: 4, Outcome: job.SpanDone},
			{User: 1, Stream: 1, Kind: "query 2", From: 50, Seconds: 0.25, Rows: 0, Outcome: job.SpanDone},
			{User: 2, Stream: 2, Kind: "query 1", From: 0, Seconds: 25, Rows: 4, Outcome: job.SpanDone},
			{User: 2, Stream: 2, Kind: "query 2", From: 25, Seconds: 25, Outcome: job.SpanFailed, Class: "other", Message: "no"},
		}},
	}}
	var out bytes.Buffer
	if err := report.Text(&out, j, meter.Summary{}, report.View{Width: 53}); err != nil {
		t.Fatal(err)
	}
	text := out.String()
	_, drawn, _ := strings.Cut(text, "Streams: ")
	for _, want := range []string{
		"✓ Valid  0.01235 s geometric mean\n  1,234 queries an hour  1 failed (25 %)\n",
		"  query 1         2    25.0    37.5    50.0         0\n",
		"  query 2         1  0.2500  0.2500  0.2500         1\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("got\n%s\nwant %q in it", text, want)
		}
	}
	if strings.Contains(text, "query 3") {
		t.Errorf("got\n%s\nwant no line for a query that was not requested", text)
	}
	for _, want := range []string{
		"  stream 1  1-------------------\n",
		"  stream 2  1---------2xxxxxxxxx\n",
	} {
		if !strings.Contains(drawn, want) {
			t.Errorf("got\n%s\nwant the line %q", drawn, want)
		}
	}
}

func TestProfileText_ListsRunsOfQueriesWithTheirFigures(t *testing.T) {
	run := func(users int, mean float64) job.Job {
		return job.Job{ID: "6B0371D622268036F1CF4929", Status: job.Succeeded, Result: job.Result{
			Extent: job.Extent{Users: users}, Queries: job.Queries{Spans: []job.Span{{Outcome: job.SpanDone}}},
			Metrics: []job.Metric{{Name: "geometric mean", Value: mean, Unit: "s"}, {Name: "queries an hour", Value: 3600}},
		}}
	}
	stopped := job.Job{ID: "6B0371D622268036F1CF4930", Status: job.Failed, Result: job.Result{Extent: job.Extent{Users: 4}}}
	got := report.ProfileText([]job.Job{run(1, 0.25), run(2, 1.5), stopped}, 80)
	for _, want := range []string{
		"users  geometric mean  queries an hour     status",
		"    1        0.2500 s            3,600  succeeded", "    2         1.500 s            3,600  succeeded",
		"    4               -                -     failed",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("got\n%s\nwant %q in it", got, want)
		}
	}
	if strings.Contains(got, "NOPM") {
		t.Errorf("got\n%s\nwant no new orders", got)
	}
}

func TestShort_KeepsTheDigitsOfSmallFigures(t *testing.T) {
	for value, want := range map[float64]string{0: "0", 0.725: "0.72", 9.5: "9.50", 20.5: "20", 1234.5: "1,234"} {
		if got := report.Short(job.Metric{Name: "power", Value: value}); got != want {
			t.Errorf("%g: got %q, want %q", value, got, want)
		}
	}
}

// A transaction aborted by the end of the run is not a failure, as in thresholds.
func TestText_CountsAbortedQueriesApart(t *testing.T) {
	j := job.Job{Spec: job.Spec{Action: job.Run}, Status: job.Partial, Result: job.Result{
		Status: job.Partial, Extent: job.Extent{Users: 1, Elapsed: 3}, Measured: job.Measured{Kinds: []string{"query 1"}},
		Queries: job.Queries{Spans: []job.Span{
			{User: 1, Kind: "query 1", Seconds: 1, Outcome: job.SpanDone},
			{User: 1, Kind: "query 1", From: 1, Seconds: 1, Outcome: job.SpanFailed},
			{User: 1, Kind: "query 1", From: 2, Seconds: 1, Outcome: job.SpanCutOff},
		}},
	}}
	var out bytes.Buffer
	if err := report.Text(&out, j, meter.Summary{}, report.View{Width: 140}); err != nil {
		t.Fatal(err)
	}
	if head, _, _ := strings.Cut(out.String(), "\n"); !strings.HasSuffix(head, "  1 failed (50 %)  1 aborted") {
		t.Errorf("got %q", head)
	}
}
