package engine

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"sledge/internal/engine/feed"
	"sledge/internal/engine/load"
	"sledge/internal/engine/observer"
	"sledge/internal/engine/plan"
	"sledge/internal/engine/plan/plantest"
	"sledge/internal/job"
)

// sine is an observer whose value is the sine of the elapsed seconds.
type sine struct {
	observer.Base
	axis    observer.Axis
	began   time.Time
	sampled []time.Duration // since it began
	moments []observer.Moment
	ended   bool
}

func (s *sine) Name() string { return "The tide" }

func (s *sine) Begin(_ context.Context, axis observer.Axis) error {
	s.axis, s.began = axis, time.Now()
	return nil
}

func (s *sine) Sample(context.Context) error {
	s.sampled = append(s.sampled, time.Since(s.began))
	s.axis.Append(job.Sample{Series: job.Series{Name: "tide", Unit: "m", Labels: map[string]string{"sea": "north"}}, Value: math.Sin(time.Since(s.began).Seconds())})
	return nil
}

func (s *sine) Reach(_ context.Context, m observer.Moment) error {
	s.moments = append(s.moments, m)
	return nil
}

func (s *sine) End(context.Context) error {
	s.ended = true
	return nil
}

// stuck is an observer whose calls never return, or panic.
type stuck struct {
	observer.Base
	panics bool
}

func (s stuck) Name() string { return "The weather" }

func (s stuck) Reach(ctx context.Context, _ observer.Moment) error {
	if s.panics {
		panic("rain")
	}
	<-ctx.Done()
	return ctx.Err()
}

func TestRun_CallsItsObservers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := plantest.New(plantest.User{Takes: 100 * time.Millisecond}, load.Pacing{RampUp: 2 * time.Second, Duration: 10 * time.Second})
		tide := &sine{}
		beside := Local{Beside: func(plan.Plan) []observer.Observer { return []observer.Observer{tide} }}
		var values []float64
		var ends []time.Time // of seconds
		seen := plantest.Watcher(func(e job.Event) {
			if e.Second != nil {
				ends = append(ends, e.At)
			}
			for _, one := range e.Samples {
				if one.Name == "tide" && one.Labels["sea"] == "north" {
					values = append(values, one.Value)
				}
			}
		})
		result, err := beside.perform(t.Context(), job.Run, p, &feed.Feed{Watchers: []job.Watcher{seen}}, nil)
		if err != nil || result.Unobserved != nil {
			t.Fatal(err, result.Unobserved)
		}
		if len(values) < 12 || len(values) > 14 || len(values) != len(tide.sampled) || values[0] != 0 || math.Abs(values[3]-math.Sin(tide.sampled[3].Seconds())) > 1e-6 {
			t.Errorf("got the values %v at %v, want one per second", values, tide.sampled)
		}
		for i, end := range ends { // the first sample is that of the begin
			if before := end.Sub(tide.began.Add(tide.sampled[i+1])); before <= 0 || before > 100*time.Millisecond {
				t.Errorf("the second that ends %s after the begin was sampled %s before its end, want shortly before", end.Sub(tide.began), before)
			}
		}
		if m := tide.moments; !tide.ended || len(m) != 2 || m[0] != observer.RampUpOver || m[1] != observer.TimeUp {
			t.Errorf("got the moments %v, and an end: %t", m, tide.ended)
		}
	})
}

func TestRun_SucceedsIfAnObserverFails(t *testing.T) {
	for want, o := range map[string]observer.Observer{
		"no answer within 10s": stuck{},
		"rain":                 stuck{panics: true},
	} {
		synctest.Test(t, func(t *testing.T) {
			p := plantest.New(plantest.User{Takes: 100 * time.Millisecond}, load.Pacing{Duration: 5 * time.Second})
			beside := Local{Beside: func(plan.Plan) []observer.Observer { return []observer.Observer{o} }}
			began := time.Now()
			result, err := beside.perform(t.Context(), job.Run, p, &feed.Feed{}, nil)
			if err != nil || result.Status == job.Failed || result.Summary.All().Done < 140 {
				t.Errorf("got %s with %d done, %v", result.Status, result.Summary.All().Done, err)
			}
			if took := time.Since(began); took > 30*time.Second {
				t.Errorf("took %v", took)
			}
			if u := result.Unobserved; len(u) != 1 || u[0].Observer != "The weather" || !strings.Contains(u[0].Error, want) {
				t.Errorf("got %+v, want %s", u, want)
			}
		})
	}
}

func TestRun_EndsItsObserversOnAbort(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(3*time.Second, func() { cancel(errors.New("enough")) })
		p := plantest.New(plantest.User{Takes: 100 * time.Millisecond}, load.Pacing{Duration: 5 * time.Second})
		tide := &sine{}
		beside := Local{Beside: func(plan.Plan) []observer.Observer { return []observer.Observer{tide} }}
		if _, err := beside.perform(ctx, job.Run, p, &feed.Feed{}, nil); err == nil {
			t.Error("got no error")
		}
		if m := tide.moments; !tide.ended || len(m) != 1 && m[len(m)-1] != observer.EndedEarly {
			t.Errorf("got the moments %v, and an end: %t", m, tide.ended)
		}
	})
}
