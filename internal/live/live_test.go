package live_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"sledge/internal/job"
	"sledge/internal/live"
	"sledge/internal/meter"
)

// stripe and interval record one second after another; new ones for each would take most of the
// time of these tests.
var stripe, interval = meter.NewStripe(), meter.NewInterval(2)

// second returns a second with transactions of the given durations.
func second(phase job.Phase, offset time.Duration, failed int64, took ...time.Duration) *job.Second {
	for n, t := range took {
		stripe.Record(meter.Record{Kind: meter.Kind(n % 2), Outcome: meter.Done, Response: t, Service: t / 2, Sent: 100, Received: 300, RoundTrips: 2})
	}
	for range failed {
		stripe.Record(meter.Record{Outcome: meter.Failed, Class: meter.Deadlock})
	}
	stripe.Take(interval)
	return &job.Second{Moment: job.Moment{Phase: phase, Offset: offset.Seconds()}, Measured: interval.Cut(time.Second)}
}

func run(users int) live.Job {
	return live.Job{
		Job: job.Job{Spec: job.Spec{Action: job.Run, Users: users}, Kinds: []string{"a", "b"}},
		Say: func(e job.Event) []live.Line {
			if e.Message == "" {
				return nil
			}
			return []live.Line{{User: e.User, Text: e.Message}}
		},
	}
}

func add(t *testing.T, v *live.View, e job.Event) {
	t.Helper()
	if err := v.Add(e); err != nil {
		t.Fatal(err)
	}
}

func since(t *testing.T, v *live.View, m live.Mark) live.Update {
	t.Helper()
	u, err := v.Since(m)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// page keeps the points of its updates, as a browser does.
type page struct {
	mark   live.Mark
	width  int
	points []live.Point
	sent   int // number of points in all updates
}

func (p *page) read(t *testing.T, v *live.View) {
	t.Helper()
	u := since(t, v, p.mark)
	p.points = append(p.points[:u.PointsFrom:u.PointsFrom], u.Points...)
	p.mark, p.width, p.sent = v.Mark(), u.Width, p.sent+len(u.Points)
}

// A day has more seconds than a chart has pixels. A viewer that reads each second and a viewer that
// returns after hours have the same points at the end, which include all transactions.
func TestPoints_OfADayAreBounded(t *testing.T) {
	v := live.New(run(1))
	begin := time.Date(2026, 11, 23, 0, 0, 0, 0, time.UTC)
	const rampUp, hours = 90, 2
	var keepsUp, sleeps page
	var done int64
	before := second(job.RampUp, 0, 0, time.Millisecond, 2*time.Millisecond)
	measured := second(job.Measure, 0, 1, time.Millisecond, 2*time.Millisecond, time.Second)
	for n := range rampUp + hours*3600 {
		s := *before
		s.Offset = float64(n + 1)
		if n >= rampUp {
			s = *measured
			s.Offset = float64(n + 1 - rampUp)
		}
		done += s.Measured.Kinds[0].Done + s.Measured.Kinds[1].Done
		add(t, v, job.Event{At: begin.Add(time.Duration(n+1) * time.Second), Second: &s})
		keepsUp.read(t, v)
		if n == 10 {
			sleeps.read(t, v)
		}
	}
	sent := sleeps.sent
	sleeps.read(t, v)
	if n := sleeps.sent - sent; n > 480 {
		t.Errorf("a viewer after two hours got %d points at once, want at most 480", n)
	}
	if len(keepsUp.points) != len(sleeps.points) || keepsUp.width != sleeps.width {
		t.Fatalf("the steady viewer has %d points of %d s, and the late viewer %d of %d s", len(keepsUp.points), keepsUp.width, len(sleeps.points), sleeps.width)
	}
	var counted, failed int64
	at := 0.
	for i, p := range keepsUp.points {
		if p.End != sleeps.points[i].End || p.End-p.Seconds != at {
			t.Fatalf("point %d is from %v s to %v s, and the one before ends at %v s", i, p.End-p.Seconds, p.End, at)
		}
		at = p.End
		for _, n := range p.Cells[1:] {
			counted += n
		}
		failed += p.FailedBy["deadlock"]
		if want := meter.Millis(1000); p.Phase == job.Measure && (p.Response.P99 < want || p.Response.P99 > 1.001*want || p.Service.Max > 501) {
			t.Errorf("got the response times %+v and the service times %+v, want a second and half of it at most", *p.Response, *p.Service)
		}
		if p.Phase == job.RampUp && (p.Response.Max > 2.01 || p.End > rampUp) {
			t.Errorf("%+v is in the ramp-up, which had no second like it", p)
		}
	}
	if counted != done || failed != hours*3600 {
		t.Errorf("the points have %d transactions and %d deadlocks, want %d and %d", counted, failed, done, hours*3600)
	}
	// Each update per second has one or two points, except the few at which all points become
	// wider.
	if most := 2*(rampUp+hours*3600) + 6*480; keepsUp.sent > most {
		t.Errorf("the steady viewer got %d points, want at most %d", keepsUp.sent, most)
	}
	u := since(t, v, v.Mark())
	known := func(l *meter.Latency) [4]meter.Millis { return [4]meter.Millis{l.P50, l.P95, l.P99, l.Max} } // an unknown figure is NaN, which differs from itself
	if p := u.Part.Response; p == nil || p.P50 < 2 || p.P50 > 2.01 || p.P99 < 1000 || p.P99 > 1001 || known(p) != known(u.Now.Response) || u.Now.Service.P99 > 501 {
		t.Errorf("got %+v in all, and %+v, %+v in the last second, want the same of each second", p, u.Now.Response, u.Now.Service)
	}
	if u.Part.Seconds != hours*3600 || u.Part.Failed != failed || u.Failed[0] != (live.Class{Class: "deadlock", Count: failed}) || u.Phase.Name != job.Measure || u.Phase.Passed != hours*3600 {
		t.Errorf("got %+v in %+v, %+v, want the measured phase", u.Part, u.Phase, u.Failed)
	}
}

// A point belongs to one phase. A job with more phases than points keeps the newest.
func TestPoints_OfManyPhasesAreBounded(t *testing.T) {
	v := live.New(run(1))
	phases := []job.Phase{job.RampUp, job.Measure}
	const seconds = 1000
	var keepsUp, late page
	for n := range seconds {
		add(t, v, job.Event{At: time.Unix(int64(n+1), 0), Second: second(phases[n%2], time.Second, 0, time.Millisecond)})
		keepsUp.read(t, v)
	}
	late.read(t, v)
	if n := len(late.points); n > 480 || n < 240 || late.points[n-1].End != seconds {
		t.Errorf("got %d points, want up to 480, the last at %d s", n, seconds)
	}
	if len(keepsUp.points) != len(late.points) || keepsUp.points[0].End != late.points[0].End {
		t.Errorf("the steady viewer has %d points, and the late viewer %d", len(keepsUp.points), len(late.points))
	}
	if u := since(t, v, live.Mark{}); len(u.Phases) > 480 || u.Phase.Name != job.Measure {
		t.Errorf("got %d phases, and %+v, want a bounded number and the last one", len(u.Phases), u.Phase)
	}
}

// Servers may send error messages of any length; updates, sent twice a second to each page,
// must stay small.
func TestMessages_AreCut(t *testing.T) {
	v := live.New(run(1))
	long := strings.Repeat("é", 1<<20)
	for range 100 {
		add(t, v, job.Event{User: 2, Message: long, Failure: &job.Failure{Class: "other", Message: long}})
		add(t, v, job.Event{Message: long})
	}
	text, err := json.Marshal(since(t, v, live.Mark{}))
	if err != nil || len(text) > 64<<10 || !strings.Contains(string(text), "éé…") {
		t.Errorf("got %d bytes, %v, want at most 64 KiB", len(text), err)
	}
}

// A damaged histogram is an error when it is read, not an empty one.
func TestView_ReportsDamagedHistograms(t *testing.T) {
	for name, damage := range map[string]func(*meter.CodedTally){
		"response": func(t *meter.CodedTally) { t.Response = meter.CodedHistogram("no histogram") },
		"service":  func(t *meter.CodedTally) { t.Service = meter.CodedHistogram("no histogram") },
	} {
		v, s := live.New(run(1)), second(job.Measure, time.Second, 0, time.Millisecond)
		damage(&s.Measured.Kinds[0])
		err := v.Add(job.Event{At: time.Unix(1, 0), Second: s})
		if err == nil {
			_, err = v.Since(live.Mark{})
		}
		if err == nil {
			t.Errorf("%s: got no error", name)
		}
	}
}

func TestNow_HasStalls(t *testing.T) {
	v := live.New(run(1))
	for n := range 4 {
		s := second(job.Measure, time.Duration(n+1)*time.Second, 0)
		if n == 0 {
			s = second(job.Measure, time.Second, 0, time.Millisecond)
		}
		add(t, v, job.Event{At: time.Unix(int64(n), 0), Second: s})
	}
	if u := since(t, v, live.Mark{}); u.Now.Stalled != 3 || u.Now.Response != nil {
		t.Errorf("got %+v, want a stall of 3 s, and no response times", u.Now)
	}
}

// An update does not grow with the number of virtual users, and a grid of 10,000 users requests
// only those on the screen.
func TestUsers_TenThousand(t *testing.T) {
	v := live.New(run(10000))
	add(t, v, job.Event{User: job.Monitor, Facts: &job.Facts{}})
	for n := 2; n <= 9001; n++ {
		add(t, v, job.Event{User: n, State: job.UserRunning, At: time.Unix(int64(n), 0)})
		for i := range 7 {
			add(t, v, job.Event{User: n, Message: fmt.Sprintf("line %d of %d", i, n)})
		}
	}
	add(t, v, job.Event{User: 77, State: job.UserFailed})
	if u := since(t, v, live.Mark{}); !slices.Equal(u.Users, []int{1000, 8999, 0, 1}) || len(u.Said) > 5 {
		t.Errorf("got %v and %v, want the 10,000 virtual users by state without the monitor, and a few lines", u.Users, u.Said)
	}
	seen := func(ask live.Ask) (numbers []int) {
		ask.Most = 3
		for _, u := range v.Users(ask).Users {
			numbers = append(numbers, u.User)
		}
		return numbers
	}
	for _, tt := range []struct {
		ask      live.Ask
		want     []int
		matching int
	}{
		{live.Ask{}, []int{1, 2, 3}, 10001},
		{live.Ask{From: 9998}, []int{9999, 10000, 10001}, 10001},
		{live.Ask{State: live.Failed}, []int{77}, 1},
		{live.Ask{State: live.Waiting, From: 1}, []int{9002, 9003, 9004}, 1001},
		{live.Ask{Text: "900"}, []int{900, 1900, 2900}, 19},
		{live.Ask{Text: " LINE 6 of 42 "}, []int{42, 420, 421}, 111},
		{live.Ask{Text: "line 1 "}, nil, 0}, // this line is no longer among the last five
		{live.Ask{From: 20000}, nil, 10001},
	} {
		if got, all := seen(tt.ask), v.Users(tt.ask).Matching; !slices.Equal(got, tt.want) || all != tt.matching {
			t.Errorf("%+v: got %v of %d, want %v of %d", tt.ask, got, all, tt.want, tt.matching)
		}
	}
	some := v.Users(live.Ask{From: 76, Most: 1})
	if one := some.Users[0]; one.State != live.Failed || len(one.Lines) != 5 || one.Lines[4] != "line 6 of 77" || !v.Users(live.Ask{Most: 1}).Users[0].Monitor {
		t.Errorf("got %+v, want the last five lines of a failed user, and the monitor first", one)
	}
}

func TestProgress_HasRatesAndTimesLeft(t *testing.T) {
	v := live.New(live.Job{Job: job.Job{Spec: job.Spec{Action: job.Build}}})
	at := time.Unix(1000, 0)
	for n := range 11 {
		rows := int64(100 * n)
		add(t, v, job.Event{At: at.Add(time.Duration(n) * time.Second), Progress: &job.Progress{
			Step: "load", Unit: "rows", Done: rows + 10, Total: 4010, DoneBytes: 10 * rows,
			Tables: []job.TableProgress{{Table: "small", Done: 10, Total: 10, Ready: true}, {Table: "large", Done: rows, Total: 4000}},
		}})
	}
	load := since(t, v, live.Mark{}).Progress[0]
	if load.Rate != 101 || load.Bytes != 1000 || *load.Left < 29 || *load.Left > 30 || load.Elapsed != 10 {
		t.Errorf("got %+v, want 101 rows per second and 30 s left", load)
	}
	// The first rows of the large table were seen after a second.
	if large := load.Tables[1]; large.Rate < 111 || large.Rate > 112 || *large.Left < 26 || *large.Left > 28 || load.Tables[0].Left != nil {
		t.Errorf("got %+v and %+v, want 111 rows per second of the large table, and no time left of the small one", large, load.Tables[0])
	}
	add(t, v, job.Event{At: at.Add(12 * time.Second), Progress: &job.Progress{Step: "indexes", Unit: "rows", Total: 10}})
	if steps := since(t, v, live.Mark{}).Progress; !steps[0].Over || steps[1].Over || steps[1].Left != nil {
		t.Errorf("got %+v, want the load to be over, and no estimate for the indexes", steps)
	}
}

func TestSince_ReturnsSpansOnce(t *testing.T) {
	j := run(2)
	j.Finite = true
	v := live.New(j)
	add(t, v, job.Event{User: 1, Span: &job.Span{User: 1, Kind: "query 1"}})
	add(t, v, job.Event{User: 1, Span: &job.Span{User: 1, Kind: "query 1", Outcome: job.SpanDone, Seconds: 2}})
	mark := v.Mark()
	add(t, v, job.Event{User: 2, Span: &job.Span{User: 2, Kind: "query 9"}})
	add(t, v, job.Event{User: 1, Span: &job.Span{User: 1, Kind: "query 2", Outcome: job.SpanDone, Seconds: 1}})
	u := since(t, v, mark)
	if len(u.Spans) != 1 || u.SpansFrom != 1 || u.Spans[0].Kind != "query 2" || len(u.UnderWay) != 1 || u.UnderWay[0].Kind != "query 9" {
		t.Errorf("got %+v from %d on, and %+v in flight, want query 2 from 1 on, and query 9", u.Spans, u.SpansFrom, u.UnderWay)
	}
}

func TestParseMark(t *testing.T) {
	v := live.New(run(1))
	add(t, v, job.Event{At: time.Unix(9, 0), Second: second(job.Measure, time.Second, 0, time.Second)})
	if m, err := live.ParseMark(v.Mark().String()); err != nil || m != v.Mark() {
		t.Errorf("got %v, %v, want %v", m, err, v.Mark())
	}
	for _, text := range []string{"", "1", "1.2", "1.-2.3", "1.2.x", "1.2.3.4", "99999999999999999999.1.1"} {
		if _, err := live.ParseMark(text); err == nil {
			t.Errorf("%q: got no error", text)
		}
	}
	// A mark beyond the lists selects everything.
	if m, err := live.ParseMark("1.500.70"); err != nil || len(since(t, v, m).Points) != 1 {
		t.Errorf("got %d points, %v, want all", len(since(t, v, m).Points), err)
	}
}
