package coordinator

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"sledge/internal/job"
	"sledge/internal/meter"
)

// secondsOf returns seconds with rates; a negative rate is not known.
func secondsOf(rates ...float64) (list []courseSecond) {
	for _, rate := range rates {
		list = append(list, courseSecond{known: rate >= 0, rate: rate})
	}
	return list
}

func TestSlowest_FindsTheSlowdownThatCostMost(t *testing.T) {
	for _, tt := range []struct {
		name  string
		rates []float64
		want  *job.Slowdown
	}{
		{"a steady run", []float64{100, 98, 103, 97, 102, 100}, nil},
		{"a noisy run has no outlier", []float64{100, 60, 140, 65, 150, 90, 55, 130}, nil},
		{"too few seconds", []float64{100, 10, 100}, nil},
		{"a stall of two seconds", []float64{100, 100, 0, 20, 100, 100, 100}, &job.Slowdown{From: 2, Until: 4, Change: -90}},
		{"a gap of one second is part of it", []float64{100, 101, 20, 99, 20, 100, 99, 100}, &job.Slowdown{From: 2, Until: 5, Change: -53.4}},
		{"the last second", []float64{100, 100, 100, 100, 50}, &job.Slowdown{From: 4, Until: 5, Change: -50}},
		{"the greater of two", []float64{100, 50, 100, 100, 10, 100, 100}, &job.Slowdown{From: 4, Until: 5, Change: -90, Others: 1}},
		{"an unknown second is not slow", []float64{100, -1, 100, 100, 100}, nil},
		{"nothing ended at all", []float64{0, 0, 0, 0, 0}, nil},
	} {
		got := slowest(secondsOf(tt.rates...))
		if (got == nil) != (tt.want == nil) || got != nil && *got != *tt.want {
			t.Errorf("%s: got %+v, want %+v", tt.name, got, tt.want)
		}
	}
}

func TestRisen_NamesTheClassThatRoseMost(t *testing.T) {
	list := secondsOf(100, 10, 100, 100)
	for i, sessions := range []map[string]float64{{"cpu": 3, "log": 1}, {"cpu": 1, "lock": 3, "log": 1.5}, nil, {"cpu": 3, "log": 1}} {
		list[i].sessions = sessions
	}
	if got := risen(list, 1, 2); got != "lock" {
		t.Errorf("got %q, want lock", got)
	}
	if got := risen(list, 2, 3); got != "" {
		t.Errorf("got %q of a second that was not sampled, want none", got)
	}
	if got := risen(list, 0, 4); got != "" {
		t.Errorf("got %q without other seconds, want none", got)
	}
}

// A checkpoint halves the rate of two of ten seconds. Samples and rates before the measured time do not count.
func TestCourse_DescribesWhatSlowedARun(t *testing.T) {
	began := time.Date(2026, 11, 28, 0, 0, 0, 0, time.UTC)
	var c course
	second := func(n int, ended int64, write float64) {
		at := began.Add(time.Duration(n) * time.Second)
		c.Watch(job.Event{At: at.Add(950 * time.Millisecond), Samples: []job.Sample{
			{Series: job.Series{Name: job.ActiveSessions, Labels: map[string]string{"class": "write"}}, Value: write},
			{Series: job.Series{Name: job.ActiveSessions, Labels: map[string]string{"class": "cpu"}}, Value: 2},
		}})
		c.Watch(job.Event{At: at.Add(time.Second), Second: &job.Second{
			Moment:   job.Moment{Phase: job.Measure, Offset: float64(n + 1)},
			Measured: meter.CodedSummary{Elapsed: time.Second, Kinds: []meter.CodedTally{{Done: ended - 1}, {RolledBack: 1}}},
		}})
	}
	second(-1, 500, 9)
	c.begin(began, func(string) job.Host { return job.Host{CPUs: 2} })
	for n := range 10 {
		if n == 4 || n == 5 {
			second(n, 50, 3)
		} else {
			second(n, 100, 0.5)
		}
	}
	c.end(began.Add(10 * time.Second))
	result := func() job.Result {
		return job.Result{Course: job.Course{Background: []job.BackgroundWork{{Work: "vacuum of stock", From: 0, Until: 10}, {Work: "checkpoint", From: 3.8, Until: 5.9}}}}
	}
	r := result()
	c.describe(&r, "", true)
	if s := r.Slowest; s == nil || s.From != 4 || s.Until != 6 || s.Change != -50 || s.Class != "write" || s.Background != "checkpoint" {
		t.Errorf("got %+v, want the seconds of the checkpoint", s)
	}
	if b := r.Background; b[0].Change != nil || b[1].Change == nil || math.Abs(*b[1].Change+33.3) > 0.1 {
		t.Errorf("got %+v, want the change of the checkpoint, which touches three seconds, and none of what had no other seconds", b)
	}
	if r.Resources != nil {
		t.Errorf("got %+v of no machine", r.Resources)
	}
	changing := result()
	if c.describe(&changing, "", false); changing.Slowest != nil || changing.Background[1].Change != nil {
		t.Errorf("got %+v of a load that changed on purpose", changing.Course)
	}
}

func TestSteadiness_TellsTheCourseOfTheRate(t *testing.T) {
	rates := func(of func(n int) float64) (list []courseSecond) {
		noise := rand.New(rand.NewPCG(1, 2))
		for n := range 300 {
			s := courseSecond{known: n%50 != 7, rate: of(n) + 10*noise.NormFloat64(), sessions: map[string]float64{"write": 0.5}}
			if n >= 200 {
				s.sessions["write"] = 3
			}
			list = append(list, s)
		}
		return list
	}
	background := []job.BackgroundWork{{Work: "vacuum of stock", From: 0, Until: 300}, {Work: "checkpoint", From: 198, Until: 215}}
	s := steadiness(rates(func(int) float64 { return 1000 }), background)
	if s == nil || s.Pattern != "steady" || s.From != 0 || s.Effect != 0 || s.Precision == nil || *s.Precision <= 0 || *s.Precision > 0.5 {
		t.Errorf("got %+v of a steady rate", s)
	}
	s = steadiness(rates(func(n int) float64 { return 1000 - 600*math.Exp(-float64(n)/15) }), background)
	if s == nil || s.Pattern != "steady" || s.From < 30 || s.From > 90 || s.Effect > -1 {
		t.Errorf("got %+v of a rate that rises in the first minute", s)
	}
	s = steadiness(rates(func(n int) float64 { return 1000 - float64(n) }), background)
	if s == nil || s.Pattern != "drifting" || s.Change > -25 || s.Change < -35 || s.Precision != nil {
		t.Errorf("got %+v of a rate that falls by 30 %%", s)
	}
	s = steadiness(rates(func(n int) float64 {
		if n >= 200 {
			return 800
		}
		return 1000
	}), background)
	if s == nil || s.Pattern != "jumping" || len(s.Jumps) != 1 || s.Jumps[0] != (job.ThroughputJump{At: 200, Change: s.Jumps[0].Change, Class: "write", Background: "checkpoint"}) || math.Abs(s.Jumps[0].Change+20) > 1 {
		t.Errorf("got %+v of a rate that falls by 20 %% during a checkpoint", s)
	}
	if s := steadiness(rates(func(int) float64 { return 1000 })[:50], nil); s != nil {
		t.Errorf("got %+v of less than a minute", s)
	}
	if s := steadiness(make([]courseSecond, 100), nil); s != nil {
		t.Errorf("got %+v of a rate that was not measured", s)
	}
}

// Another program holds a row in two seconds, and payments hold one for each other before.
func TestBlocked_NamesWhatHeldMostLocks(t *testing.T) {
	list := secondsOf(100, 100, 10, 10, 100)
	list[1].locks = map[lockWait]int64{{"payment", "payment"}: 2}
	list[2].locks = map[lockWait]int64{{"payment", "session 7 (psql)"}: 4, {"new order", "session 7 (psql)"}: 1, {"payment", "payment"}: 1}
	list[3].locks = map[lockWait]int64{{"payment", "session 7 (psql)"}: 5}
	want := job.Blocked{Blocker: "session 7 (psql)", Transaction: "payment", Sessions: 10, From: 2, Until: 4}
	if got := blocked(list, 0, 5); got == nil || *got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if got := blocked(list, 0, 2); got == nil || got.Blocker != "payment" || got.Sessions != 2 {
		t.Errorf("got %+v of the first seconds, want payments", got)
	}
	if got := blocked(list, 4, 5); got != nil {
		t.Errorf("got %+v of a second without waits", got)
	}
}

func TestCourse_NamesTheServersMachine(t *testing.T) {
	began := time.Date(2026, 11, 28, 0, 0, 0, 0, time.UTC)
	var c course
	c.begin(began, func(string) job.Host { return job.Host{CPUs: 2} })
	c.Watch(job.Event{At: began.Add(time.Second), Samples: []job.Sample{{Series: job.Series{Name: "CPU", Labels: map[string]string{"machine": "client", "mode": "user"}}, Value: 30}}})
	own := job.ResourceUse{Machine: "client", Resource: "event loops", Values: &job.UseValues{Mean: 5}}
	r := job.Result{Beside: job.Beside{Client: &job.ClientLoad{Uses: []job.ResourceUse{own}}}}
	c.describe(&r, "client", true)
	if u := r.Resources; u == nil || u.Server != "client" || u.Cores != 2 || u.Uses[0].Resource != "event loops" || u.Use("CPU", "in use").Values.Mean != 30 || r.Client.Uses != nil {
		t.Errorf("got %+v, want the client's machine as the server's, and Sledge's own measures first", u)
	}
	if c.describe(&r, "db1", true); r.Resources.Server != "" {
		t.Errorf("got %+v, want no machine of the server without samples of it", r.Resources)
	}
}
