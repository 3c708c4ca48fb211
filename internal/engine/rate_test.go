package engine

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"sledge/internal/database"
	"sledge/internal/engine/feed"
	"sledge/internal/engine/load"
	"sledge/internal/engine/plan"
	"sledge/internal/engine/plan/plantest"
	"sledge/internal/job"
	"sledge/internal/meter"
	"sledge/internal/option"
	"sledge/internal/workload"
)

// atRate returns a plan of three users with a constant rate of arrivals. A transaction takes 100
// ms; the measured time is 10 s.
func atRate(t *testing.T, rate string) plan.Plan {
	t.Helper()
	p := plantest.New(plantest.User{Takes: 100 * time.Millisecond}, load.Pacing{Duration: 10 * time.Second})
	options := load.NewOptions()
	values := option.Values{"rate": rate, "arrivals": "constant", "rampup": "0"}
	if err := option.Bind(nil, values, options); err != nil {
		t.Fatal(err)
	}
	p.Pacing.Rate.Arrivals = options.Pacing().Rate.Arrivals
	return p
}

func TestRate_IsReached(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		result, err := Local{}.perform(t.Context(), job.Run, atRate(t, "20/s"), &feed.Feed{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		p := result.Pace
		if p == nil || math.Abs(p.Asked-20) > 0.2 || math.Abs(p.Ended-20) > 0.5 || p.Behind != 0 || p.StartLag.Max > 1 {
			t.Errorf("got %+v, want 20 per second scheduled and ended, no start lag and no backlog", p)
		}
	})
}

// Scheduled transactions that have not begun are the backlog. Response times count from the
// scheduled start.
func TestRate_BacklogIfUsersAreTooSlow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		result, err := Local{}.perform(t.Context(), job.Run, atRate(t, "50/s"), &feed.Feed{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		// Three users do 30 of the 50 per second. At the end they begin transactions that were
		// scheduled for 6 s.
		p := result.Pace
		if p == nil || math.Abs(p.Ended-30) > 0.5 || p.Behind < 190 || p.Behind > 201 || math.Abs(float64(p.StartLag.Max)-4000) > 100 {
			t.Errorf("got %+v, want 30 per second ended, a backlog of 200 and a start lag of up to 4 s", p)
		}
		all := result.Summary.All()
		response, service := time.Duration(all.Response.ValueAtQuantile(100)), time.Duration(all.Service.ValueAtQuantile(100))
		if service > 110*time.Millisecond || (response-4100*time.Millisecond).Abs() > 100*time.Millisecond {
			t.Errorf("the slowest took %s, and %s since its scheduled start; want 100ms and 4.1s", service, response)
		}
	})
}

// A slow network or a pause of the server causes a backlog before the measured time begins. The
// users begin the measured time with transactions that were scheduled before it.
func TestRate_ExcludesTransactionsScheduledBefore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := atRate(t, "20/s")
		options := load.NewOptions()
		if err := option.Bind(nil, option.Values{"rate": "20/s", "arrivals": "constant", "rampup": "2s"}, options); err != nil {
			t.Fatal(err)
		}
		p.Pacing.Rate.Arrivals, p.Pacing.RampUp = options.Pacing().Rate.Arrivals, 2*time.Second
		executor, _ := p.Workload.Users.NewExecutor(t.Context(), workload.Connection{})
		user := *executor.(*plantest.User)
		user.Stalls = map[int]time.Duration{12: 1600 * time.Millisecond}
		p.Workload.Users.NewExecutor = func(context.Context, workload.Connection) (workload.Executor, error) { u := user; return &u, nil }
		result, err := Local{}.perform(t.Context(), job.Run, p, &feed.Feed{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		all, pace := result.Summary.All(), result.Pace
		due := int64(math.Round(pace.Asked * result.Elapsed))
		if got := all.Ended() + pace.Behind; got != due || pace.Earlier == 0 || !result.Agreement.Holds {
			t.Errorf("got %d of %d scheduled transactions, %d from before the measured time, and the agreement %+v; want all, at least one, and an agreement that holds", got, due, pace.Earlier, result.Agreement)
		}
		if longest := time.Duration(all.Response.Max()); longest >= 1600*time.Millisecond {
			t.Errorf("the longest response took %s, which includes a transaction scheduled before the measured time", longest)
		}
	})
}

// A user that waits for a connection at the end of the measured time has taken an arrival, but has
// not begun its transaction. The arrival belongs to the backlog.
func TestRate_WaitForAConnectionIsBacklog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		plan := atRate(t, "50/s")
		plan.Pacing.Connections.Shared = 1
		result, err := Local{}.perform(t.Context(), job.Run, plan, &feed.Feed{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		all, p := result.Summary.All(), result.Pace
		// One is scheduled every 20 ms, and possibly one at the very end of the measured time.
		if due := all.Ended() + p.Behind; due != 500 && due != 501 {
			t.Errorf("got %d ended and a backlog of %d, want a total of 500 or 501", all.Ended(), p.Behind)
		}
	})
}

// While the counts are read after the measured time, users begin transactions that were scheduled
// in it.
func TestRate_LateConnectionIsBacklog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		plan := atRate(t, "points:0s=5/s,9s=5/s,9s=0/s,9.95s=0/s,9.95s=50/s,10s=50/s,10s=0/s")
		plan.Pacing.Connections.Shared = 1
		began, counter := time.Now(), plan.Server.Counter
		plan.Server.Counter = func(ctx context.Context, s database.Session) (int64, error) {
			if time.Since(began) >= 10*time.Second {
				<-time.After(700 * time.Millisecond)
			}
			return counter(ctx, s)
		}
		result, err := Local{}.perform(t.Context(), job.Run, plan, &feed.Feed{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		// The last three are scheduled for 9.95, 9.97 and 9.99 s. The first of these began in the
		// measured time and holds the connection until 10.05 s, so it is measured and the other two
		// are backlog. The first transaction of all is scheduled for the exact start of the
		// measured time and is not measured.
		if all := result.Summary.All(); all.Ended() != 45 || result.Pace.Behind != 2 {
			t.Errorf("got %d ended and a backlog of %d, want 45 and 2", all.Ended(), result.Pace.Behind)
		}
	})
}

// The file may have changed before the job is repeated.
func TestRate_SpecKeepsThePointsOfAFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "rates.csv")
	if err := os.WriteFile(path, []byte("0,100\n60,500\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p, err := plan.New(plantest.New(plantest.User{}, load.Pacing{}).Pair, job.Spec{Action: job.Run, Users: 1, Options: option.Values{"rate": "file:" + path}})
	if got, want := p.Spec.Options["rate"], "points:0s=100/s,60s=500/s"; err != nil || got != want {
		t.Errorf("got %s, %v, want %s", got, err, want)
	}
}

// A test has no duration, so it ends after the last scheduled transaction.
func TestRate_EndsATest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := atRate(t, "points:0s=10/s,2s=10/s,2s=0/s")
		p.Pacing.Test = true
		result, err := Local{}.perform(t.Context(), job.Run, p, &feed.Feed{}, nil)
		if done := result.Summary.All().Done; err != nil || done < 19 || done > 21 {
			t.Errorf("got %d transactions and %v, want the 20 scheduled ones", done, err)
		}
	})
}

func TestRate_RefusesPauses(t *testing.T) {
	p := plantest.New(plantest.User{}, load.Pacing{})
	w := *p.Workload
	w.Users.Pauses = &workload.Pauses{Option: "key_and_think", On: func(any) bool { return true }}
	p.Workload = &w
	_, err := plan.New(p.Pair, job.Spec{Action: job.Run, Options: option.Values{"rate": "10/s"}})
	if err == nil || !strings.Contains(err.Error(), "option key_and_think: rate says when transactions start") {
		t.Errorf("got %v, want an error", err)
	}
}

// kindUser is a User that does transactions of a given kind.
type kindUser struct{ plantest.User }

func (u *kindUser) PickKind(kind meter.Kind) (workload.Transaction, bool) {
	return workload.Transaction{Kind: kind}, true
}

func TestRate_OfEachKind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := plantest.New(plantest.User{}, load.Pacing{})
		w := *p.Workload
		w.Kinds = []workload.Kind{{Name: "read"}, {Name: "write it"}, {Name: "other"}}
		w.Users.Mix = &workload.Mix{Option: func(any) string { return "" }}
		w.Evidence.Probe = &workload.Probe{Name: "only", Expected: func(s *meter.Summary) int64 { all := s.All(); return all.Done }}
		terminal := w.Users.NewTerminal
		w.Users.NewTerminal = func(s workload.Slot) workload.Terminal {
			return &kindUser{*terminal(s).(*plantest.User)}
		}
		p.Workload = &w
		p, err := plan.New(p.Pair, job.Spec{Action: job.Run, Users: 3, Options: option.Values{
			"rate": "write_it=5/s,read=20/s", "arrivals": "constant", "rampup": "0", "duration": "10s", "loops": "0",
		}})
		if err != nil {
			t.Fatal(err)
		}
		result, err := Local{}.perform(t.Context(), job.Run, p, &feed.Feed{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		kinds := result.Pace.Kinds
		if len(kinds) != 2 || kinds[0].Kind != "write it" || math.Abs(kinds[0].Asked-5) > 0.15 || math.Abs(kinds[0].Ended-5) > 0.15 ||
			kinds[1].Kind != "read" || math.Abs(kinds[1].Asked-20) > 0.15 || math.Abs(kinds[1].Ended-20) > 0.15 || kinds[1].Behind != 0 {
			t.Errorf("got %+v, want 5 per second of write it, and 20 of read", kinds)
		}
		if n := result.Summary.Kinds[2].Ended(); n != 0 {
			t.Errorf("got %d transactions of a kind that has no rate", n)
		}
	})
}

func TestRate_RefusesKinds(t *testing.T) {
	unset := &workload.Mix{Option: func(any) string { return "" }}
	for _, tt := range []struct {
		rate string
		mix  *workload.Mix
		want string
	}{
		{"only=1/s", nil, "option rate: the kinds of Fake cannot be chosen one by one: give one rate for all"},
		{"only=1/s", &workload.Mix{Option: func(any) string { return "mix" }}, "option mix: rate says how many of each kind there are, so it would have no effect: set one of the two"},
		{"other=1/s", unset, `option rate: "other" is not one of only`},
		{"only=1/s,ONLY=2/s", unset, "option rate: it has two rates for only: leave out one"},
	} {
		p := plantest.New(plantest.User{}, load.Pacing{})
		w := *p.Workload
		w.Users.Mix = tt.mix
		p.Workload = &w
		_, err := plan.New(p.Pair, job.Spec{Action: job.Run, Options: option.Values{"rate": tt.rate}})
		if err == nil || err.Error() != tt.want {
			t.Errorf("%s: got %v, want %s", tt.rate, err, tt.want)
		}
	}
}
