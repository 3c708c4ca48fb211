package engine

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"sledge/internal/database"
	"sledge/internal/engine/feed"
	"sledge/internal/engine/load"
	"sledge/internal/engine/plan"
	"sledge/internal/engine/plan/plantest"
	hammerdb "sledge/internal/hammerdb/lines"
	"sledge/internal/job"
	"sledge/internal/meter"
	"sledge/internal/workload"
)

// events keeps the events of a job.
type events struct {
	all     []job.Event
	speaker *hammerdb.Speaker // writes the monitor's lines
	lines   []string
	seconds []int64 // transactions done in each measured second
	failed  []job.Failure
	by      []int // positions of the users whose transactions failed
}

// Watch implements job.Watcher.
func (e *events) Watch(event job.Event) {
	if e.speaker == nil {
		e.speaker = hammerdb.NewSpeaker(hammerdb.About{Action: job.Run, Product: "Fake"})
	}
	e.all = append(e.all, event)
	for _, line := range e.speaker.Say(event) {
		if line.User == job.Monitor {
			e.lines = append(e.lines, line.Text)
		}
	}
	switch {
	case event.Second != nil && event.Second.Phase == job.Measure:
		e.seconds = append(e.seconds, event.Second.Measured.Kinds[0].Done)
	case event.Failure != nil:
		e.failed = append(e.failed, *event.Failure)
		e.by = append(e.by, event.User)
	}
}

func TestRun(t *testing.T) {
	const ms = time.Millisecond
	for _, tt := range []struct {
		name   string
		user   plantest.User
		pacing load.Pacing
		stop   time.Duration // time of a stop request; 0 is never

		wantTally  meter.Tally
		wantTook   time.Duration
		wantStatus job.Status
		wantExit   job.Exit
		wantError  string
	}{
		{
			name: "measures only after the ramp-up",
			user: plantest.User{Takes: 300 * ms}, pacing: load.Pacing{RampUp: 2 * time.Second, Duration: 3 * time.Second},
			// Three users each end one every 300 ms: at 2.1 s, 2.4 s ... 4.8 s.
			wantTally: meter.Tally{Done: 3 * 10}, wantTook: 5100 * ms, wantStatus: job.Succeeded,
		},
		{
			name: "interrupts a transaction that outlives the grace period and does not count it",
			user: plantest.User{Takes: time.Hour}, pacing: load.Pacing{Duration: time.Second},
			wantTook: 3 * time.Second, wantStatus: job.Invalid, wantExit: job.ExitInvalid, wantError: "3 transactions had not ended 2s after the time was up and were aborted",
		},
		{
			name:   "repeats a deadlocked transaction and counts the tries",
			user:   plantest.User{Takes: 300 * ms, Script: []error{plantest.ErrDeadlock, plantest.ErrDeadlock, nil}},
			pacing: load.Pacing{Duration: time.Second, Failures: load.Failures{Retries: 5}},
			// 300 ms, an immediate retry of 300 ms, a wait of 5 ms and a retry of 300 ms: done at
			// 905 ms. The next transaction ends after the measured time, and does not wait between
			// retries.
			wantTally: meter.Tally{Done: 3, Retried: 6}, wantTook: 1805 * ms, wantStatus: job.Succeeded,
		},
		{
			name:   "gives up after the retries, and the run is invalid",
			user:   plantest.User{Takes: 100 * ms, Script: []error{plantest.ErrDeadlock, plantest.ErrDeadlock, nil, nil}},
			pacing: load.Pacing{Duration: 420 * ms, Failures: load.Failures{Retries: 1, Limit: 10}},
			// Failed at 200 ms, a wait of 10 ms, done at 310 ms and 410 ms: a third failed.
			wantTally: meter.Tally{Done: 6, Retried: 3, Failed: failures(meter.Deadlock, 3)}, wantTook: 610 * ms,
			wantStatus: job.Invalid, wantExit: job.ExitInvalid, wantError: "3 of 9 transactions failed",
		},
		{
			name:   "continues after failures within the limit",
			user:   plantest.User{Takes: 100 * ms, Script: []error{plantest.ErrBroken, nil, nil, nil}},
			pacing: load.Pacing{Duration: 420 * ms, Failures: load.Failures{Retries: 1, Limit: 50}},
			// Failed at 100 ms, a wait of 10 ms, done at 210, 310 and 410 ms.
			wantTally: meter.Tally{Done: 9, Failed: failures(meter.Constraint, 3)}, wantTook: 510 * ms, wantStatus: job.Succeeded,
		},
		{
			name:   "counts the rollbacks of the workload separately",
			user:   plantest.User{Takes: 100 * ms, Script: []error{workload.ErrRolledBack, nil}},
			pacing: load.Pacing{Duration: 450 * ms},
			// Rolled back at 100 and 300 ms, done at 200 and 400 ms.
			wantTally: meter.Tally{Done: 6, RolledBack: 6}, wantTook: 500 * ms, wantStatus: job.Succeeded,
		},
		{
			name:   "ends with the reason when a user loses its connection",
			user:   plantest.User{Takes: 100 * ms, Script: []error{nil, plantest.ErrLost}},
			pacing: load.Pacing{RampUp: 0, Duration: time.Minute},
			// All three are lost at 200 ms.
			wantTally: meter.Tally{Done: 3, Failed: failures(meter.Connection, 3)}, wantTook: 200 * ms,
			wantStatus: job.Failed, wantExit: job.ExitAborted, wantError: "only: connection lost",
		},
		{
			name:   "stops at the first failure with stop_on_failure",
			user:   plantest.User{Takes: 100 * ms, Script: []error{nil, plantest.ErrDeadlock}},
			pacing: load.Pacing{Duration: time.Minute, Failures: load.Failures{Retries: 5, EndAtFirst: true}},
			// As above, but with deadlocks, which are not retried.
			wantTally: meter.Tally{Done: 3, Failed: failures(meter.Deadlock, 3)}, wantTook: 200 * ms,
			wantStatus: job.Failed, wantExit: job.ExitAborted, wantError: "deadlock",
		},
		{
			name:   "keeps a partial result when it is stopped",
			user:   plantest.User{Takes: 300 * ms},
			pacing: load.Pacing{RampUp: time.Second, Duration: time.Hour}, stop: 2 * time.Second,
			// Done at 1.2, 1.5 and 1.8 s; the one in flight ends at 2.1 s.
			wantTally: meter.Tally{Done: 9}, wantTook: 2100 * ms,
			wantStatus: job.Partial, wantExit: job.ExitStopped, wantError: "stopped after 1s of 1h0m0s",
		},
		{
			name:   "has no result when it is stopped in the ramp-up",
			user:   plantest.User{Takes: 300 * ms},
			pacing: load.Pacing{RampUp: time.Hour, Duration: time.Hour}, stop: time.Second,
			wantTook: 1200 * ms, wantStatus: job.Partial, wantExit: job.ExitStopped, wantError: "nothing was measured",
		},
		{
			name:     "has no result when users do all their iterations in the ramp-up",
			user:     plantest.User{Takes: 100 * ms},
			pacing:   load.Pacing{RampUp: time.Hour, Duration: time.Hour, MaxIterations: 5},
			wantTook: 500 * ms, wantStatus: job.Invalid, wantExit: job.ExitInvalid, wantError: "before the ramp-up ended, so nothing was measured",
		},
		{
			name:      "ends when all users have done their iterations",
			user:      plantest.User{Takes: 100 * ms},
			pacing:    load.Pacing{Duration: time.Hour, MaxIterations: 5},
			wantTally: meter.Tally{Done: 15}, wantTook: 500 * ms, wantStatus: job.Succeeded,
		},
		{
			name:   "starts users with a delay",
			user:   plantest.User{Takes: 100 * ms},
			pacing: load.Pacing{Duration: 450 * ms, Shifts: load.Shifts{UserDelay: 200 * ms}},
			// The first user ends four, the second starts at 200 ms and ends two, the third starts
			// at 400 ms and ends none.
			wantTally: meter.Tally{Done: 6}, wantTook: 500 * ms, wantStatus: job.Succeeded,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var stop chan struct{}
				if tt.stop > 0 {
					stop = make(chan struct{})
					time.AfterFunc(tt.stop, func() { close(stop) })
				}
				start := time.Now()
				f := &feed.Feed{Watchers: []job.Watcher{&events{}}}
				result, err := Local{}.perform(t.Context(), job.Run, plantest.New(tt.user, tt.pacing), f, stop)
				took := time.Since(start)
				if err == nil {
					result.Status = job.Succeeded
				}
				var got meter.Tally
				if len(result.Summary.Kinds) > 0 {
					got = result.Summary.Kinds[0]
				}
				got.Service, got.Response = nil, nil
				if got != tt.wantTally {
					t.Errorf("got %+v, want %+v", got, tt.wantTally)
				}
				if took != tt.wantTook {
					t.Errorf("took %v, want %v", took, tt.wantTook)
				}
				if result.Status != tt.wantStatus || job.ExitOf(err) != tt.wantExit {
					t.Errorf("got status %s and exit %d (%v), want %s and %d", result.Status, job.ExitOf(err), err, tt.wantStatus, tt.wantExit)
				}
				if tt.wantError != "" && (err == nil || !strings.Contains(err.Error(), tt.wantError)) {
					t.Errorf("got error %v, want one with %q", err, tt.wantError)
				}
				if measured := len(result.Summary.Kinds) > 0 && result.Elapsed > 0; measured != (result.Client != nil) || measured && result.Client.Cores <= 0 {
					t.Errorf("got the client's usage %+v, and measured %t", result.Client, measured)
				}
				if a := result.Agreement; a != nil && !a.Holds && !a.Vague {
					t.Errorf("the counts disagree: %+v", *a)
				}
			})
		})
	}
}

func failures(c meter.Class, n int64) (f [len(meter.Tally{}.Failed)]int64) {
	f[c] = n
	return f
}

func TestResponseTime_ExcludesKeying(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		// A try of 100 ms that deadlocks, and a second of 100 ms that succeeds.
		p := plantest.New(plantest.User{Takes: 100 * time.Millisecond, Keying: time.Second, Script: []error{plantest.ErrDeadlock, nil}},
			load.Pacing{Duration: 3 * time.Second, Failures: load.Failures{Retries: 1}})
		result, err := Local{}.perform(t.Context(), job.Run, p, &feed.Feed{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		k := result.Summary.Kinds[0]
		near := func(got int64, want time.Duration) bool {
			return got > int64(want)*999/1000 && got < int64(want)*1001/1000
		}
		if !near(k.Service.Max(), 100*time.Millisecond) || !near(k.Response.Max(), 200*time.Millisecond) {
			t.Errorf("got service %v and response %v, want 100ms and 200ms: neither includes keying",
				time.Duration(k.Service.Max()), time.Duration(k.Response.Max()))
		}
	})
}

func TestRun_HasHammerDBsLines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		seen := &events{}
		p := plantest.New(plantest.User{Takes: 300 * time.Millisecond}, load.Pacing{RampUp: 2 * time.Minute, Duration: 90 * time.Second})
		if _, err := (Local{}).perform(t.Context(), job.Run, p, &feed.Feed{Watchers: []job.Watcher{seen}}, nil); err != nil {
			t.Fatal(err)
		}
		want := []string{
			"RUNNING",
			"DBVersion:1.0",
			"Beginning rampup time of 2 minutes",
			"Rampup 1 minutes complete ...",
			"Rampup 2 minutes complete ...",
			"Rampup complete, Taking start Transaction Count.",
			"Timing test period of 1.5 in minutes",
			"1  ...,",
			"Test complete, Taking end Transaction Count.",
			"3 Active Virtual Users configured",
			"TEST RESULT : System achieved 1 NOPM from 2 Fake TPM",
			"FINISHED SUCCESS",
		}
		if got := strings.Join(seen.lines, "\n"); got != strings.Join(want, "\n") {
			t.Errorf("got\n%s\nwant\n%s", got, strings.Join(want, "\n"))
		}
		if len(seen.seconds) != 90 {
			t.Errorf("got %d seconds, want 90", len(seen.seconds))
		}
	})
}

func TestFailures_EmitsTheFirstFive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		seen := &events{}
		p := plantest.New(plantest.User{Takes: 10 * time.Millisecond, Script: []error{plantest.ErrBroken, nil}}, load.Pacing{Duration: 10 * time.Second, Failures: load.Failures{Limit: 100}})
		if _, err := (Local{}).perform(t.Context(), job.Run, p, &feed.Feed{Watchers: []job.Watcher{seen}}, nil); err != nil {
			t.Fatal(err)
		}
		if len(seen.failed) != 5 || seen.failed[0] != (job.Failure{Kind: "only", Class: "constraint", Message: "broken rule"}) {
			t.Errorf("got %+v, want the first five", seen.failed)
		}
		slices.Sort(seen.by)
		if by := slices.Compact(seen.by); !slices.Equal(by, []int{2, 3, 4}) {
			t.Errorf("virtual users %v failed, want 2 to 4: the monitor runs no transactions", by)
		}
	})
}

// A flush is a transaction too, and a user in a pause flushes late.
func TestRun_ExcludesFlushesFromTheServersCount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := plantest.New(plantest.User{Takes: time.Millisecond, Thinking: 7 * time.Second}, load.Pacing{RampUp: 20 * time.Second, Duration: 20 * time.Second})
		p.Users = 100
		p.Server.Flush = func(_ context.Context, s database.Session) error {
			server := s.(plantest.Session).Server
			server.Mu.Lock()
			defer server.Mu.Unlock()
			server.Others++
			return nil
		}
		result, err := Local{}.perform(t.Context(), job.Run, p, &feed.Feed{}, nil)
		a := result.CounterAgreement
		if err != nil || a == nil || a.Client == 0 || a.Server != a.Client {
			t.Errorf("got %+v, %v, want the transactions of the users only", a, err)
		}
	})
}

// A session reports its commits once per second, but not within a second after a flush. So the
// second after a flush has no rate.
func TestRun_HasNoServerRateAfterAFlush(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := plantest.New(plantest.User{Takes: 100 * time.Millisecond}, load.Pacing{RampUp: 3500 * time.Millisecond, Duration: 4 * time.Second})
		flushed, at := int64(0), time.Now()
		p.Server.Flush = func(_ context.Context, s database.Session) error {
			server := s.(plantest.Session).Server
			server.Mu.Lock()
			defer server.Mu.Unlock()
			flushed, at = server.Committed, time.Now()
			return nil
		}
		p.Server.Counter = func(_ context.Context, s database.Session) (int64, error) {
			server := s.(plantest.Session).Server
			server.Mu.Lock()
			defer server.Mu.Unlock()
			passed := max(1, time.Since(at)) // the rate is constant
			return flushed + int64(float64(server.Committed-flushed)*float64(passed.Truncate(time.Second))/float64(passed)), nil
		}
		var rates []bool
		seen := plantest.Watcher(func(e job.Event) {
			if e.Second != nil && e.Second.Phase == job.Measure {
				rates = append(rates, e.Second.ServerTPM != nil)
				if tpm := e.Second.ServerTPM; tpm != nil && (*tpm < 1000 || *tpm > 3000) {
					t.Errorf("the server's rate after %s is %v per minute, want about 1,800", e.Second.Passed(), *tpm)
				}
			}
		})
		if _, err := (Local{}).perform(t.Context(), job.Run, p, &feed.Feed{Watchers: []job.Watcher{seen}}, nil); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(rates, []bool{false, true, true, true}) {
			t.Errorf("got seconds with a rate %t, want no rate in the first second", rates)
		}
	})
}

// Another session commits, or undoes commits, in the middle of a run of 90 transactions.
func TestRun_IsInvalidIfCountsDisagree(t *testing.T) {
	for _, tt := range []struct {
		commits int64
		limit   float64 // percent
		want    string
	}{
		{50, 1, "Another program may have worked on the schema: stop it, and repeat the run."},
		{-50, 1, "The schema's routines may roll back without reporting it: run with client_sql=true, or build the schema with Sledge."},
		{5, 1, "Another program may have worked on the schema: stop it, and repeat the run."}, // two more than the three transactions that users may have in flight
		{5, 3, ""},
		{3, 1, ""},
	} {
		synctest.Test(t, func(t *testing.T) {
			p := plantest.New(plantest.User{Takes: 97 * time.Millisecond}, load.Pacing{Duration: 3 * time.Second, Failures: load.Failures{Limit: tt.limit}})
			server := serverOf(t, p)
			time.AfterFunc(1050*time.Millisecond, func() {
				server.Mu.Lock()
				defer server.Mu.Unlock()
				server.Committed += tt.commits
			})
			result, err := Local{}.perform(t.Context(), job.Run, p, &feed.Feed{}, nil)
			if tt.want == "" {
				if err != nil {
					t.Errorf("%d more with a limit of %g: got %v", tt.commits, tt.limit, err)
				}
				return
			}
			if result.Status != job.Invalid || job.ExitOf(err) != job.ExitInvalid || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%d more with a limit of %g: got status %s and exit %d (%v), want %s and %d with %q",
					tt.commits, tt.limit, result.Status, job.ExitOf(err), err, job.Invalid, job.ExitInvalid, tt.want)
			}
			if len(result.Metrics) == 0 || result.Reason == "" {
				t.Errorf("got the headline %v and the reason %q, want both", result.Metrics, result.Reason)
			}
		})
	}
}

// serverOf returns the server of a plan's sessions.
func serverOf(t *testing.T, p plan.Plan) *plantest.Server {
	t.Helper()
	s, err := p.Database.Sessions.Connect(t.Context(), nil, database.Owner)
	if err != nil {
		t.Fatal(err)
	}
	return s.(plantest.Session).Server
}

// faulty is an executor that panics.
type faulty struct{ workload.Executor }

func (faulty) Do(context.Context, workload.Transaction) error { panic("the fault") }

func TestRun_FailsIfAUserPanics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := plantest.New(plantest.User{Takes: time.Second}, load.Pacing{Duration: time.Minute})
		sound := p.Workload.Users.NewExecutor
		p.Workload.Users.NewExecutor = func(ctx context.Context, c workload.Connection) (workload.Executor, error) {
			e, err := sound(ctx, c)
			if c.Number == 1 {
				e = faulty{e}
			}
			return e, err
		}
		result, err := Local{}.perform(t.Context(), job.Run, p, &feed.Feed{}, nil)
		fault, is := errors.AsType[*job.Fault](err)
		if !is || fault.Value != "the fault" || !strings.Contains(string(fault.Stack), "faulty") || job.ExitOf(err) != job.ExitInternal {
			t.Errorf("got %v with exit code %d, want the fault with its stack, and exit code %d", err, job.ExitOf(err), job.ExitInternal)
		}
		if result.Status != job.Failed || !strings.Contains(result.Reason, "virtual user 3") {
			t.Errorf("got status %s because %q, want a failed run because of virtual user 3", result.Status, result.Reason)
		}
	})
}

// A watcher may block a job for a while: a terminal blocks while its user scrolls back.
func TestRun_MeasuresEachSecondWithASlowWatcher(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		seen, slept := &events{}, false
		sleeper := plantest.Watcher(func(e job.Event) {
			if e.Second != nil && !slept {
				slept = true
				time.Sleep(2500 * time.Millisecond)
			}
		})
		p := plantest.New(plantest.User{Takes: 90 * time.Millisecond}, load.Pacing{Duration: 5050 * time.Millisecond})
		if _, err := (Local{}).perform(t.Context(), job.Run, p, &feed.Feed{Watchers: []job.Watcher{seen, sleeper}}, nil); err != nil {
			t.Error(err)
		}
		if want := []int64{33, 33, 33, 33, 33, 3}; !slices.Equal(seen.seconds, want) {
			t.Errorf("got seconds of %d transactions, want %d", seen.seconds, want)
		}
	})
}

func TestRun_FailsIfTheCounterPanics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := plantest.New(plantest.User{Takes: time.Second}, load.Pacing{Duration: time.Minute})
		counted := p.Server.Counter
		began := time.Now()
		p.Server.Counter = func(ctx context.Context, s database.Session) (int64, error) {
			if time.Since(began) > 3*time.Second {
				panic("the fault")
			}
			return counted(ctx, s)
		}
		result, err := Local{}.perform(t.Context(), job.Run, p, &feed.Feed{}, nil)
		if _, is := errors.AsType[*job.Fault](err); !is || job.ExitOf(err) != job.ExitInternal || result.Status != job.Failed {
			t.Errorf("got %s and %v with exit code %d, want a failed run with the fault and exit code %d", result.Status, err, job.ExitOf(err), job.ExitInternal)
		}
	})
}

func TestRun_AbortedBeforeItsStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, pacing := range []load.Pacing{{Duration: time.Minute}, {Test: true}} {
			for sessions := range 4 { // one of the monitor and three of users
				ctx, abort := context.WithCancel(t.Context())
				p := plantest.New(plantest.User{}, pacing)
				d := *p.Database
				open := d.Sessions.Connect
				var opened atomic.Int32
				d.Sessions.Connect = func(ctx context.Context, options any, as database.Role) (database.Session, error) {
					if opened.Add(1) > int32(sessions) {
						abort()
						return nil, ctx.Err()
					}
					return open(ctx, options, as)
				}
				p.Database = &d
				_, err := Local{}.perform(ctx, job.Run, p, &feed.Feed{}, nil)
				if job.ExitOf(err) != job.ExitStopped || err.Error() != "the run was aborted" {
					t.Errorf("after %d sessions: got %v with exit code %d, want the error of an aborted run and %d", sessions, err, job.ExitOf(err), job.ExitStopped)
				}
				abort()
			}
		}
	})
}
