package live_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"testing"
	"time"

	"sledge/internal/job"
	"sledge/internal/live"
	"sledge/internal/meter"
)

// history returns the events of a run of two users, one of which fails, with a number of measured
// seconds.
func history(measured int) (events []job.Event) {
	begin := time.Date(2026, 11, 27, 8, 0, 0, 0, time.UTC)
	at := func(seconds int) time.Time { return begin.Add(time.Duration(seconds) * time.Second) }
	const rampUp = 90
	events = append(events,
		job.Event{At: begin, User: job.Monitor, Facts: &job.Facts{}},
		job.Event{At: begin, User: job.Monitor, State: job.UserRunning},
		job.Event{At: begin, User: 2, State: job.UserRunning}, job.Event{At: begin, User: 3, State: job.UserRunning},
		job.Event{At: begin, Phase: &job.PhaseSpan{Name: job.RampUp, Length: rampUp * time.Second}})
	for n := 1; n <= rampUp; n++ {
		events = append(events, job.Event{At: at(n), Second: second(job.RampUp, time.Duration(n)*time.Second, 0, time.Millisecond)})
	}
	events = append(events, job.Event{At: at(rampUp), Phase: &job.PhaseSpan{Name: job.Measure}})
	for n := 1; n <= measured; n++ {
		if n == measured/4 {
			events = append(events, job.Event{At: at(rampUp + n - 1), User: job.Monitor, Step: &job.Step{Name: job.StepUsers, Users: 2}})
		}
		if n == measured/2 {
			events = append(events, job.Event{At: at(rampUp + n - 1), User: 3, State: job.UserFailed})
		}
		s, tpm := second(job.Measure, time.Duration(n)*time.Second, int64(n%3), time.Duration(n)*time.Microsecond, time.Millisecond, time.Second), float64(n)
		if n%2 == 0 {
			s.ServerTPM = &tpm
		}
		events = append(events, job.Event{At: at(rampUp + n), Second: s})
	}
	return events
}

// scored is a run with a figure.
func scored() live.Job {
	j := run(2)
	j.Working = 1
	j.Score = func(s meter.CodedSummary) []job.Metric {
		return []job.Metric{{Name: "NOPM", Value: float64(s.Kinds[0].Done) / s.Elapsed.Minutes()}}
	}
	return j
}

// recorded returns a record of events, and how its measurements are read. within selects seconds.
func recorded(t *testing.T, most int, events []job.Event, within func(job.Event) bool) (*live.Record, live.Measurements) {
	t.Helper()
	r := live.NewRecord(scored(), most)
	var kept []meter.CodedSummary
	for _, e := range events {
		in := e.Second != nil && within(e)
		if in {
			kept = append(kept, meter.CodedSummary{Kinds: e.Second.Measured.Kinds})
		}
		if err := r.Add(e, in); err != nil {
			t.Fatal(err)
		}
	}
	return r, func(_ context.Context, first, count int) ([]meter.CodedSummary, error) {
		return kept[first : first+count], nil
	}
}

func always(job.Event) bool { return true }

// A reader of the record sees what viewers of the running job saw.
func TestRecord_HasThePointsOfTheView(t *testing.T) {
	events := history(2000)
	v := live.New(scored())
	for _, e := range events {
		add(t, v, e)
	}
	want := since(t, v, live.Mark{})
	r, read := recorded(t, live.MostPoints, events, always)
	points, figures, err := r.Points(t.Context(), read)
	if err != nil {
		t.Fatal(err)
	}
	spell := func(what any) string {
		text, err := json.Marshal(what)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	if len(points) != len(want.Points) {
		t.Fatalf("got %d points, want %d", len(points), len(want.Points))
	}
	for i, p := range points {
		if got, want := spell(p), spell(want.Points[i]); got != want {
			t.Fatalf("point %d: got %s, want %s", i, got, want)
		}
	}
	if got, want := spell(r.Phases()), spell(want.Phases); got != want {
		t.Errorf("got the phases %s, want %s", got, want)
	}
	if !r.Axis().Equal(want.Axis) || r.Width() != want.Width || !slices.Equal(figures, []string{"NOPM"}) || len(points[0].Figures) != 1 {
		t.Errorf("got the axis %v, the width %d and the figures %v, want %v, %d and NOPM", r.Axis(), r.Width(), figures, want.Axis, want.Width)
	}
	if got, want := spell(r.Markers()), spell(want.Markers); got != want {
		t.Errorf("got the markers %s, want %s", got, want)
	}
	var traffic meter.Traffic
	for _, p := range points {
		traffic = meter.Traffic{Sent: traffic.Sent + p.Traffic.Sent, Received: traffic.Received + p.Traffic.Received, RoundTrips: traffic.RoundTrips + p.Traffic.RoundTrips}
	}
	if done := int64(90 + 3*2000); traffic != (meter.Traffic{Sent: 100 * done, Received: 300 * done, RoundTrips: 2 * done}) {
		t.Errorf("got the traffic %+v, want that of %d transactions", traffic, done)
	}
	if first, last := points[0].Working, points[len(points)-1].Working; first != 1 || last != 2 {
		t.Errorf("got %d users at work at the start and %d at the end, want 1 and 2", first, last)
	}
	if first, last := points[0].Users, points[len(points)-1].Users; !slices.Equal(first, []int{0, 2, 0, 0}) || !slices.Equal(last, []int{0, 1, 0, 1}) {
		t.Errorf("got the users %v at the start and %v at the end, want one failed", first, last)
	}
}

// A part of a run has finer points on the same axis, and counts exactly the transactions of its seconds.
func TestRecord_CountsThePart(t *testing.T) {
	events := history(2000)
	from, until := events[0].At.Add(500*time.Second), events[0].At.Add(800*time.Second)
	var done int64
	r, read := recorded(t, 100, events, func(e job.Event) bool {
		within := e.At.After(from) && !e.At.After(until)
		if within {
			done += e.Second.Measured.Kinds[0].Done + e.Second.Measured.Kinds[1].Done
		}
		return within
	})
	points, _, err := r.Points(t.Context(), read)
	if err != nil || len(points) != 75 || r.Width() != 4 {
		t.Fatalf("got %d points of up to %d s, and %v, want 75 points of 4 s", len(points), r.Width(), err)
	}
	var counted int64
	for _, p := range points {
		for _, n := range p.Cells[1:] {
			counted += n
		}
	}
	if first, last := points[0], points[len(points)-1]; counted != done || first.End != 504 || last.End != 800 {
		t.Errorf("got %d transactions until %v s and %v s, want %d until 504 s and 800 s", counted, first.End, last.End, done)
	}
	if phases := r.Phases(); len(phases) != 2 || phases[1].Passed != 2000 {
		t.Errorf("got the phases %+v, want those of the whole run", phases)
	}
}

// Charts mark what happened to the run, but not what happened before its first second, what single
// users report, or the later failures of a class. A flood of one kind does not hide another.
func TestMarkers_OfARun(t *testing.T) {
	events := history(20)
	at := func(seconds float64) time.Time {
		return events[0].At.Add(time.Duration(seconds * float64(time.Second)))
	}
	happened := []job.Event{
		{At: at(-1), User: job.Monitor, Message: "before the run"},
		{At: at(0.5), Message: "of the job"},
		{At: at(1.25), User: job.Monitor, Message: "A connection was lost"},
		{At: at(1.25), User: 3, Message: "of a user"},
		{At: at(2), User: 2, Failure: &job.Failure{Class: "deadlock", Message: "first"}},
		{At: at(3), User: 3, Failure: &job.Failure{Class: "deadlock", Message: "second"}},
		{At: at(4), User: job.Monitor, Step: &job.Step{Name: job.StepUsers, Users: 8}},
		{At: at(5), User: 3, Trouble: &job.Trouble{Error: "refused"}},
		{At: at(5.5), User: job.Monitor, Background: "A checkpoint ended"},
	}
	for range 100 {
		happened = append(happened, job.Event{At: at(6), User: job.Monitor, Message: "again"})
	}
	happened = append(happened, job.Event{At: at(7), Request: job.StopRequest})
	v := live.New(run(2))
	for _, e := range append(slices.Clone(events[:6]), append(happened, events[6:]...)...) {
		add(t, v, e)
	}
	got := since(t, v, live.Mark{}).Markers
	want := []live.Marker{
		{0.5, live.MarkMessage, "of the job"},
		{1.25, live.MarkMessage, "A connection was lost"},
		{2, live.MarkFailures, "The first failure by deadlock: first"},
		{4, live.MarkUsers, "Virtual users at work from now on: 8"},
		{5, live.MarkTrouble, "Virtual user 3 cannot continue: refused"},
		{5.5, live.MarkBackground, "A checkpoint ended"},
	}
	if len(got) < 8 || len(got) > 50 || !slices.Equal(got[:6], want) || !slices.Contains(got, live.Marker{7, live.MarkRequest, "The run is asked to stop"}) {
		t.Errorf("got %+v, want %+v, some messages, and the request", got, want)
	}
}

// A run that ends when its work is done shows each transaction instead.
func TestRecord_OfAFiniteRunHasNoPoints(t *testing.T) {
	j := scored()
	j.Finite = true
	r := live.NewRecord(j, live.MostPoints)
	for _, e := range history(10) {
		if err := r.Add(e, true); err != nil {
			t.Fatal(err)
		}
	}
	points, figures, err := r.Points(t.Context(), nil)
	if err != nil || len(points)+len(figures) > 0 || len(r.Phases()) != 2 {
		t.Errorf("got %d points, the figures %v, %v, and %d phases, want only the phases", len(points), figures, err, len(r.Phases()))
	}
}

func TestRecord_StopsAtAnError(t *testing.T) {
	broken := errors.New("the disk is broken")
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	for name, tt := range map[string]struct {
		ctx  context.Context
		read func(reads int) error
		want error
	}{
		"the repository fails": {t.Context(), func(reads int) error {
			if reads > 3 {
				return broken
			}
			return nil
		}, broken},
		"the client has gone": {canceled, func(int) error { return nil }, context.Canceled},
	} {
		r, read := recorded(t, live.MostPoints, history(4000), always)
		reads := make(chan int, 1)
		reads <- 0
		_, _, err := r.Points(tt.ctx, func(ctx context.Context, first, count int) ([]meter.CodedSummary, error) {
			n := <-reads + 1
			reads <- n
			if err := tt.read(n); err != nil {
				return nil, err
			}
			return read(ctx, first, count)
		})
		if n := <-reads; !errors.Is(err, tt.want) || n > 5 {
			t.Errorf("%s: got %v after %d reads, want %v soon", name, err, n, tt.want)
		}
	}
}

// A damaged histogram is an error, not an empty one.
func TestRecord_ReportsDamagedHistograms(t *testing.T) {
	events := history(10)
	last := events[len(events)-1].Second
	last.Measured.Kinds[0].Response = meter.CodedHistogram("no histogram")
	r, read := recorded(t, live.MostPoints, events, always)
	if _, _, err := r.Points(t.Context(), read); err == nil {
		t.Error("got no error")
	}
}
