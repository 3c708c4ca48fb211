package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"sledge/internal/database"
	"sledge/internal/engine/load"
	"sledge/internal/engine/plan"
	"sledge/internal/engine/plan/plantest"
)

// restartingSession is a session of a server that commits 100 transactions per second. The server
// is down from second 4 to second 7, and then counts from 0 again.
type restartingSession struct {
	plantest.Session
	began, opened time.Time
}

func down(began time.Time) bool {
	s := time.Since(began)
	return s >= 4*time.Second && s < 7*time.Second
}

// count is the server's Counter.
func (s restartingSession) count() (int64, error) {
	broken := s.opened.Before(s.began.Add(7*time.Second)) && time.Since(s.began) >= 4*time.Second
	if broken {
		return 0, plantest.ErrLost
	}
	up := s.began
	if time.Since(s.began) >= 7*time.Second {
		up = s.began.Add(7 * time.Second)
	}
	return int64(time.Since(up).Seconds() * 100), nil
}

func TestCounting_ContinuesAfterARestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := plantest.New(plantest.User{}, load.Pacing{})
		began := time.Now()
		d := *p.Database
		d.Sessions.Connect = func(context.Context, any, database.Role) (database.Session, error) {
			if down(began) {
				return nil, errors.New("refused")
			}
			return restartingSession{began: began, opened: time.Now()}, nil
		}
		p.Database = &d
		p.Server.Counter = func(_ context.Context, s database.Session) (int64, error) {
			return s.(restartingSession).count()
		}
		ctx, cancel := context.WithTimeout(t.Context(), 9500*time.Millisecond)
		defer cancel()
		var got []string
		err := Counting{
			Job: p.Job, Every: time.Second,
			Say: func(line string) { t.Errorf("got the line %q, want none", line) },
			Each: func(r CounterReading) {
				if r.Err != nil {
					got = append(got, fmt.Sprintf("%v %v", r.At.Sub(began), r.Err))
					return
				}
				got = append(got, fmt.Sprintf("%v %v", r.At.Sub(began), r.Counted.Per(time.Minute)))
			},
		}.Run(ctx)
		if err != nil {
			t.Fatal(err)
		}
		want := []string{
			"0s 0", "1s 6000", "2s 6000", "3s 6000",
			"4s read the server's count of transactions: connection lost", "5s refused", // and not again at 6 s
			"7s 0", "8s 6000", "9s 6000",
		}
		if !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}

func TestCounting_FailsWithoutACounter(t *testing.T) {
	p := plantest.New(plantest.User{}, load.Pacing{})
	p.Server.Counter = nil
	c := Counting{Job: p.Job, Every: time.Second, Each: func(CounterReading) { t.Error("got a rate, want none") }}
	if err := c.Run(t.Context()); !errors.Is(err, ErrNotCounted) {
		t.Errorf("got %v, want %v", err, ErrNotCounted)
	}
}

func TestCounting_EndsWithAReading(t *testing.T) {
	for _, tt := range []struct {
		every, long time.Duration
		want        []time.Duration
	}{
		{10 * time.Second, 30 * time.Second, []time.Duration{0, 10 * time.Second, 20 * time.Second, 30 * time.Second}},
		{10 * time.Second, 26 * time.Second, []time.Duration{0, 10 * time.Second, 20 * time.Second, 26 * time.Second}},
		{10 * time.Second, 24 * time.Second, []time.Duration{0, 10 * time.Second, 24 * time.Second}}, // 4 s are too short for a rate
		{10 * time.Second, 4 * time.Second, []time.Duration{0, 4 * time.Second}},
	} {
		synctest.Test(t, func(t *testing.T) {
			p := plantest.New(plantest.User{}, load.Pacing{})
			began := time.Now()
			p.Server.Counter = func(context.Context, database.Session) (int64, error) {
				return int64(time.Since(began).Seconds() * 100), nil
			}
			var got []time.Duration
			err := Counting{Job: p.Job, Every: tt.every, For: tt.long, Each: func(r CounterReading) {
				got = append(got, r.At.Sub(began))
				if len(got) > 1 && r.Counted.Per(time.Minute) != 6000 {
					t.Errorf("got a rate of %v, want 6000 for every interval", r.Counted.Per(time.Minute))
				}
			}}.Run(t.Context())
			if err != nil || !slices.Equal(got, tt.want) {
				t.Errorf("every %v for %v: got readings at %v and %v, want %v", tt.every, tt.long, got, err, tt.want)
			}
		})
	}
}

func TestCounting_FailsIfTheFirstReadingFails(t *testing.T) {
	p := plantest.New(plantest.User{}, load.Pacing{})
	p.Server.Counter = func(context.Context, database.Session) (int64, error) { return 0, plantest.ErrLost }
	err := Counting{Job: p.Job, Every: time.Second, Each: func(r CounterReading) { t.Errorf("got %v, want nothing", r) }}.Run(t.Context())
	if !errors.Is(err, plantest.ErrLost) {
		t.Errorf("got %v, want %v", err, plantest.ErrLost)
	}
}

// countWithProbe counts for three minutes. It returns the seconds after the start at which the
// workload's own count had a change.
func countWithProbe(t *testing.T, p plan.Plan) (seconds []int) {
	t.Helper()
	began := time.Now()
	err := Counting{Job: p.Job, Every: 20 * time.Second, For: 3 * time.Minute, Probe: true, Each: func(r CounterReading) {
		if r.Probed != nil && r.Probed.In > 0 {
			seconds = append(seconds, int(r.At.Sub(began).Seconds()))
		}
	}}.Run(t.Context())
	if err != nil {
		t.Error(err)
	}
	return seconds
}

func TestCounting_ProbesACompleteSchema(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := plantest.New(plantest.User{}, load.Pacing{})
		began, looks := time.Now(), 0
		whole := p.Schema.Relations
		p.Schema.Relations = func(ctx context.Context, s database.Session) (map[string]database.Relation, error) {
			looks++
			if time.Since(began) < 70*time.Second { // the schema does not exist yet
				return nil, nil
			}
			return whole(ctx, s)
		}
		// Searches at 0 s and 60 s find no schema. The search at 120 s finds it, so 140 s has the
		// first change.
		if got, want := countWithProbe(t, p), []int{140, 160, 180}; !slices.Equal(got, want) || looks != 3 {
			t.Errorf("got changes at %v and %d searches for the schema, want %v and 3", got, looks, want)
		}
	})
}

// A second attempt could lock the account.
func TestCounting_TriesAWrongPasswordOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := plantest.New(plantest.User{}, load.Pacing{})
		d, tries := *p.Database, 0
		d.Sessions.Connect = func(ctx context.Context, options any, as database.Role) (database.Session, error) {
			if as == database.Owner {
				tries++
				return nil, &database.PasswordError{User: "tpcc", Err: errors.New("refused")}
			}
			return p.Database.Sessions.Connect(ctx, options, as)
		}
		counting := p
		counting.Database = &d
		if got := countWithProbe(t, counting); len(got) > 0 || tries != 1 {
			t.Errorf("got changes at %v after %d attempts, want none after 1", got, tries)
		}
	})
}
