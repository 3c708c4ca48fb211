package display

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"sledge/internal/engine/load"
	"sledge/internal/hammerdb/lines"
	"sledge/internal/job"
	"sledge/internal/workload"
)

// The rate counts queries only, as the result does.
func TestSpanning_RateCountsOnlyQueries(t *testing.T) {
	d := &Display{err: &bytes.Buffer{}, pacing: load.Pacing{Finite: true}, speaker: lines.NewSpeaker(lines.About{}), spans: spanning{unit: workload.Throughput{Name: "QPH", Per: time.Hour}}}
	for _, span := range []job.Span{
		{User: 1, Kind: "refresh", Stream: job.NoStream, Outcome: job.SpanDone},
		{User: 2, Kind: "query 14", Stream: 1, Outcome: job.SpanDone},
		{User: 2, Kind: "query 2", Stream: 1, Outcome: job.SpanFailed},
	} {
		d.Watch(job.Event{User: span.User, Span: &span})
	}
	if got, want := d.spans.text(36*time.Second), "0:36   2 done   1 not done   100 QPH"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// Another goroutine draws the bar while queries begin and end, so that the race detector can find
// conflicts.
func TestSpanning_PrintsAndDrawsConcurrently(t *testing.T) {
	var out, drawn bytes.Buffer
	d := &Display{
		err: &out, pacing: load.Pacing{Finite: true}, speaker: lines.NewSpeaker(lines.About{Action: job.Run}),
		bar: Bar{Screen: Screen{To: &drawn, Width: func() int { return 60 }}},
	}
	for begun := time.Now(); time.Since(begun) < 3*redraw; {
		span := job.Span{User: 1, Kind: "query 14", Stream: 2, Set: 2, Number: 3, Of: 22, From: 61}
		d.Watch(job.Event{User: 1, Span: &span})
		other := span
		other.User, other.Stream = 2, 3
		d.Watch(job.Event{User: 2, Span: &other})
		d.Watch(job.Event{Second: &job.Second{Moment: job.Moment{Phase: job.Measure, Offset: 65}}})
		ended := span
		ended.Outcome, ended.Seconds, ended.Rows = job.SpanDone, 1.5, 1
		d.Watch(job.Event{User: 1, Span: &ended})
		other.Outcome = job.SpanCutOff
		d.Watch(job.Event{User: 2, Span: &other})
	}
	d.End()
	if want := "1:03  query 14 of stream 2 (3 of 22, set 2) done after 1.500 s, 1 row\n"; !strings.HasPrefix(out.String(), want) {
		t.Errorf("got %.200q, want %q", out.String(), want)
	}
	if want := "1:05   0 done   now query 14 of stream 2 for 4 s"; !strings.Contains(drawn.String(), want) || strings.Contains(drawn.String(), "stream 3") {
		t.Errorf("got %.200q drawn, want %q only, because there is no room for more", drawn.String(), want)
	}
}
