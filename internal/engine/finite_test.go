package engine

import (
	"cmp"
	"context"
	"fmt"
	"slices"
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
	"sledge/internal/option"
	"sledge/internal/workload"
)

// finiteUser does a fixed number of transactions. The n-th takes n units of time and returns n
// rows.
type finiteUser struct {
	plantest.User
	unit               time.Duration
	stream, left, done int
}

// finiteSession is a session whose statements can be cancelled.
type finiteSession struct {
	plantest.Session
	cancelled chan struct{}
	deaf      bool // the server ignores cancel requests
}

func (s finiteSession) Cancel(context.Context) error {
	if !s.deaf {
		s.cancelled <- struct{}{}
	}
	return nil
}

func (u *finiteUser) Pick() (workload.Transaction, bool) {
	if u.left == 0 {
		return workload.Transaction{}, false
	}
	u.left--
	u.done++
	return workload.Transaction{Inputs: &finiteInputs{u.stream, u.done}}, true
}

type finiteInputs struct{ stream, number int }

func (u *finiteUser) Do(ctx context.Context, t workload.Transaction) error {
	u.Takes = time.Duration(t.Inputs.(*finiteInputs).number) * u.unit
	return u.User.Do(ctx, t)
}

func (u *finiteUser) Span(t workload.Transaction) workload.Span {
	in := t.Inputs.(*finiteInputs)
	return workload.Span{Stream: in.stream, Set: 1, Number: in.number, Of: 3, Rows: int64(in.number)}
}

// finitePlan is a run of two users, with three transactions each.
func finitePlan(script []error, options load.FiniteOptions, unit time.Duration, deaf bool) plan.Plan {
	p := plantest.New(plantest.User{}, options.Pacing())
	p.Users = 2
	w := *p.Workload
	w.Users.Finite = true
	server := &plantest.Server{Interrupted: make(chan struct{})}
	w.Users.NewTerminal = func(slot workload.Slot) workload.Terminal { return &finiteUser{stream: slot.Number, left: 3} }
	w.Users.NewExecutor = func(_ context.Context, c workload.Connection) (workload.Executor, error) {
		session := c.Session.(finiteSession)
		return &finiteUser{User: plantest.User{Server: session.Server, Script: script, Cancelled: session.cancelled}, unit: unit}, nil
	}
	w.Score.Of = func(w workload.Window) []job.Metric {
		return []job.Metric{{Name: "spans", Value: float64(len(w.Spans))}}
	}
	d := *p.Database
	d.Sessions.Connect = func(context.Context, any, database.Role) (database.Session, error) {
		// Each session has a server of its own, so that an interrupt ends one session only.
		own := &plantest.Server{Interrupted: make(chan struct{})}
		return finiteSession{plantest.Session{Server: own}, make(chan struct{}), deaf}, nil
	}
	p.Workload, p.Database, p.Server = &w, &d, server.Answers()
	return p
}

const overLimit = "cancelled because it took longer than 1.5s, which is what option query_limit allows"

func TestFiniteRun(t *testing.T) {
	for _, tt := range []struct {
		name    string
		script  []error
		options load.FiniteOptions
		stop    time.Duration
		unit    time.Duration // 0 is a second
		deaf    bool          // the server ignores cancel requests

		want       []string // spans: position, stream, number, when, how long, rows, outcome
		wantTook   time.Duration
		wantStatus job.Status
		wantExit   job.Exit
		wantError  string
	}{
		{
			name: "has a span of each transaction",
			want: []string{
				"1 stream 0: 1 of 3 at 0 s for 1 s, 1 rows, done", "2 stream 1: 1 of 3 at 0 s for 1 s, 1 rows, done",
				"1 stream 0: 2 of 3 at 1 s for 2 s, 2 rows, done", "2 stream 1: 2 of 3 at 1 s for 2 s, 2 rows, done",
				"1 stream 0: 3 of 3 at 3 s for 3 s, 3 rows, done", "2 stream 1: 3 of 3 at 3 s for 3 s, 3 rows, done",
			},
			wantTook: 6 * time.Second, wantStatus: job.Succeeded,
		},
		{
			name:    "starts users with a delay",
			options: load.FiniteOptions{UserDelay: 500 * time.Millisecond},
			want: []string{
				"1 stream 0: 1 of 3 at 0 s for 1 s, 1 rows, done", "1 stream 0: 2 of 3 at 1 s for 2 s, 2 rows, done",
				"1 stream 0: 3 of 3 at 3 s for 3 s, 3 rows, done",
				"2 stream 1: 1 of 3 at 0.5 s for 1 s, 1 rows, done", "2 stream 1: 2 of 3 at 1.5 s for 2 s, 2 rows, done",
				"2 stream 1: 3 of 3 at 3.5 s for 3 s, 3 rows, done",
			},
			wantTook: 6500 * time.Millisecond, wantStatus: job.Succeeded,
		},
		{
			name:   "continues after a failure and is invalid",
			script: []error{nil, plantest.ErrBroken, nil},
			want: []string{
				"1 stream 0: 1 of 3 at 0 s for 1 s, 1 rows, done", "2 stream 1: 1 of 3 at 0 s for 1 s, 1 rows, done",
				"1 stream 0: 2 of 3 at 1 s for 2 s, 0 rows, failed: constraint: broken rule", "2 stream 1: 2 of 3 at 1 s for 2 s, 0 rows, failed: constraint: broken rule",
				"1 stream 0: 3 of 3 at 3.01 s for 3 s, 3 rows, done", "2 stream 1: 3 of 3 at 3.01 s for 3 s, 3 rows, done",
			},
			wantTook: 6010 * time.Millisecond, wantStatus: job.Invalid, wantExit: job.ExitInvalid, wantError: "2 of 6 transactions failed",
		},
		{
			name:   "ends at the first failure with raise_error",
			script: []error{plantest.ErrBroken}, options: load.FiniteOptions{RaiseError: true},
			want:     []string{"1 stream 0: 1 of 3 at 0 s for 1 s, 0 rows, failed: constraint: broken rule", "2 stream 1: 1 of 3 at 0 s for 1 s, 0 rows, failed: constraint: broken rule"},
			wantTook: time.Second, wantStatus: job.Failed, wantExit: job.ExitAborted, wantError: "only: broken rule",
		},
		{
			name: "cancels a transaction over the limit and continues", options: load.FiniteOptions{QueryLimit: option.Minutes(1500 * time.Millisecond)},
			want: []string{
				"1 stream 0: 1 of 3 at 0 s for 1 s, 1 rows, done", "2 stream 1: 1 of 3 at 0 s for 1 s, 1 rows, done",
				"1 stream 0: 2 of 3 at 1 s for 1.5 s, 0 rows, failed: over the limit: " + overLimit, "2 stream 1: 2 of 3 at 1 s for 1.5 s, 0 rows, failed: over the limit: " + overLimit,
				"1 stream 0: 3 of 3 at 2.51 s for 1.5 s, 0 rows, failed: over the limit: " + overLimit, "2 stream 1: 3 of 3 at 2.51 s for 1.5 s, 0 rows, failed: over the limit: " + overLimit,
			},
			wantTook: 4020 * time.Millisecond, wantStatus: job.Invalid, wantExit: job.ExitInvalid,
			wantError: "4 of 6 transactions failed (66.67 %; at most 0 % may fail); 4 were cancelled after 1.5s, which is what option query_limit allows",
		},
		{
			name: "ends at the first transaction over the limit with raise_error", options: load.FiniteOptions{QueryLimit: option.Minutes(500 * time.Millisecond), RaiseError: true},
			want: []string{
				"1 stream 0: 1 of 3 at 0 s for 0.5 s, 0 rows, failed: over the limit: cancelled because it took longer than 500ms, which is what option query_limit allows",
				"2 stream 1: 1 of 3 at 0 s for 0.5 s, 0 rows, failed: over the limit: cancelled because it took longer than 500ms, which is what option query_limit allows",
			},
			wantTook: 500 * time.Millisecond, wantStatus: job.Failed, wantExit: job.ExitAborted, wantError: "only: cancelled because it took longer than 500ms",
		},
		{
			name:    "disconnects from a server that has not cancelled a statement after a minute, and ends",
			options: load.FiniteOptions{QueryLimit: option.Minutes(500 * time.Millisecond), UserDelay: 10 * time.Second},
			unit:    time.Minute, deaf: true,
			want: []string{
				"1 stream 0: 1 of 3 at 0 s for 60 s, 1 rows, done", "2 stream 1: 1 of 3 at 10 s for 60 s, 1 rows, done",
				"1 stream 0: 2 of 3 at 60 s for 60.5 s, 0 rows, failed: connection: it took longer than 500ms, and could not be cancelled: the server continued it for another 1m0s: connection lost",
				"2 stream 1: 2 of 3 at 70 s for 52.5 s, 0 rows, " + string(job.SpanCutOff),
			},
			wantTook: 2*time.Minute + 2500*time.Millisecond, wantStatus: job.Failed, wantExit: job.ExitAborted, wantError: "virtual user 1: only: it took longer than 500ms, and could not be cancelled",
		},
		{
			name: "is aborted at its time limit", options: load.FiniteOptions{TimeLimit: option.Minutes(2500 * time.Millisecond)},
			want: []string{
				"1 stream 0: 1 of 3 at 0 s for 1 s, 1 rows, done", "2 stream 1: 1 of 3 at 0 s for 1 s, 1 rows, done",
				"1 stream 0: 2 of 3 at 1 s for 1.5 s, 0 rows, " + string(job.SpanCutOff), "2 stream 1: 2 of 3 at 1 s for 1.5 s, 0 rows, " + string(job.SpanCutOff),
			},
			wantTook: 2500 * time.Millisecond, wantStatus: job.Partial, wantExit: job.ExitStopped, wantError: "the time limit of 2.5s was over before the work was done",
		},
		{
			name: "finishes transactions in flight after a stop request", stop: 1500 * time.Millisecond,
			want: []string{
				"1 stream 0: 1 of 3 at 0 s for 1 s, 1 rows, done", "2 stream 1: 1 of 3 at 0 s for 1 s, 1 rows, done",
				"1 stream 0: 2 of 3 at 1 s for 2 s, 2 rows, done", "2 stream 1: 2 of 3 at 1 s for 2 s, 2 rows, done",
			},
			wantTook: 3 * time.Second, wantStatus: job.Partial, wantExit: job.ExitStopped, wantError: "before its work was done: its result is partial",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var stop chan struct{}
				if tt.stop > 0 {
					stop = make(chan struct{})
					time.AfterFunc(tt.stop, func() { close(stop) })
				}
				told := &events{}
				start := time.Now()
				result, err := Local{Version: "test"}.perform(t.Context(), job.Run, finitePlan(tt.script, tt.options, cmp.Or(tt.unit, time.Second), tt.deaf), &feed.Feed{Watchers: []job.Watcher{told}}, stop)
				if took := time.Since(start); took != tt.wantTook {
					t.Errorf("took %s, want %s", took, tt.wantTook)
				}
				if got := cmp.Or(result.Status, job.Succeeded); got != tt.wantStatus || job.ExitOf(err) != tt.wantExit {
					t.Errorf("got %s, exit %d, %v; want %s, exit %d", got, job.ExitOf(err), err, tt.wantStatus, tt.wantExit)
				}
				if tt.wantError != "" && (err == nil || !strings.Contains(err.Error(), tt.wantError)) {
					t.Errorf("got error %v, want %q", err, tt.wantError)
				}
				var got []string
				for _, s := range result.Spans {
					got = append(got, spell(s))
				}
				slices.Sort(got)
				slices.Sort(tt.want)
				if !slices.Equal(got, tt.want) {
					t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(tt.want, "\n"))
				}
				seen := len(tt.want)
				if !slices.ContainsFunc(tt.want, func(span string) bool { return strings.HasSuffix(span, ", done") }) {
					seen = 0 // a run without a completed transaction has no metrics
				}
				if n, _ := result.Metric("spans"); int(n) != seen {
					t.Errorf("the workload saw %g spans, want %d", n, seen)
				}
				begun, ended := 0, 0
				states := map[int]job.UserState{}
				for _, e := range told.all {
					if e.State != "" {
						states[e.User] = e.State
					}
					switch {
					case e.Span == nil:
					case e.Span.Outcome == "":
						begun++
					default:
						ended++
					}
				}
				if begun != len(tt.want) || ended != len(tt.want) {
					t.Errorf("got events of %d spans that began and %d that ended, want %d", begun, ended, len(tt.want))
				}
				state := job.UserFailed // the user did not do all its work
				if tt.wantStatus == job.Succeeded || tt.wantStatus == job.Invalid {
					state = job.UserSucceeded
				}
				if states[1] != state || states[2] != state {
					t.Errorf("got the states %v, want %s", states, state)
				}
			})
		})
	}
}

// endlessUser is a user whose transactions have no time limit.
type endlessUser struct{ workload.Terminal }

func (u endlessUser) Pick() (workload.Transaction, bool) {
	t, more := u.Terminal.Pick()
	t.Unlimited = true
	return t, more
}

func TestFiniteRun_CancelsNoUnlimitedTransaction(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := finitePlan(nil, load.FiniteOptions{QueryLimit: option.Minutes(500 * time.Millisecond)}, time.Second, false)
		w := *p.Workload
		limited := w.Users.NewTerminal
		w.Users.NewTerminal = func(slot workload.Slot) workload.Terminal { return endlessUser{limited(slot)} }
		p.Workload = &w
		result, err := Local{Version: "test"}.perform(t.Context(), job.Run, p, &feed.Feed{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range result.Spans {
			if !s.Done() {
				t.Errorf("got %s, want it done", spell(s))
			}
		}
	})
}

// stagedPlan is a run of two stages. In the first, user 0 does three transactions and user 1 does
// one; in the second, user 0 does one and user 1 does three.
func stagedPlan(script []error, options load.FiniteOptions) plan.Plan {
	p := finitePlan(script, options, time.Second, false)
	w := *p.Workload
	w.Users.Stages = func(any, int, any) ([]string, error) { return []string{"first", "second"}, nil }
	w.Users.NewTerminal = func(slot workload.Slot) workload.Terminal {
		left := 1
		if (slot.Number == 0) == (slot.Stage == "first") {
			left = 3
		}
		return &finiteUser{stream: slot.Number, left: left}
	}
	p.Workload = &w
	return p
}

func TestStages_BeginTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		told := &events{}
		result, err := Local{Version: "test"}.perform(t.Context(), job.Run, stagedPlan(nil, load.FiniteOptions{}), &feed.Feed{Watchers: []job.Watcher{told}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, s := range result.Spans {
			got = append(got, s.Stage+" "+spell(s))
		}
		slices.Sort(got)
		want := []string{
			"first 1 stream 0: 1 of 3 at 0 s for 1 s, 1 rows, done", "first 1 stream 0: 2 of 3 at 1 s for 2 s, 2 rows, done",
			"first 1 stream 0: 3 of 3 at 3 s for 3 s, 3 rows, done", "first 2 stream 1: 1 of 3 at 0 s for 1 s, 1 rows, done",
			"second 1 stream 0: 1 of 3 at 6 s for 1 s, 1 rows, done", "second 2 stream 1: 1 of 3 at 6 s for 1 s, 1 rows, done",
			"second 2 stream 1: 2 of 3 at 7 s for 2 s, 2 rows, done", "second 2 stream 1: 3 of 3 at 9 s for 3 s, 3 rows, done",
		}
		if !slices.Equal(got, want) {
			t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		var phases []string
		for _, e := range told.all {
			if e.Phase != nil {
				phases = append(phases, e.Phase.Stage)
			}
		}
		if !slices.Equal(phases, []string{"first", "second"}) {
			t.Errorf("got the stages %q, want first and second", phases)
		}
	})
}

// A run ends although a user waits for the others to finish a stage.
func TestStages_RunEndsDuringTheFirst(t *testing.T) {
	for name, tt := range map[string]struct {
		script  []error
		options load.FiniteOptions
		stop    time.Duration
		took    time.Duration
	}{
		"because a user failed":       {script: []error{nil, plantest.ErrBroken}, options: load.FiniteOptions{RaiseError: true}, took: 3 * time.Second},
		"because the run was stopped": {stop: 1500 * time.Millisecond, took: 3 * time.Second},
		"because its time was up":     {options: load.FiniteOptions{TimeLimit: option.Minutes(2500 * time.Millisecond)}, took: 2500 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var stop chan struct{}
				if tt.stop > 0 {
					stop = make(chan struct{})
					time.AfterFunc(tt.stop, func() { close(stop) })
				}
				start := time.Now()
				result, err := Local{Version: "test"}.perform(t.Context(), job.Run, stagedPlan(tt.script, tt.options), &feed.Feed{}, stop)
				if took := time.Since(start); took != tt.took || err == nil {
					t.Errorf("took %s, %v; want an error after %s", took, err, tt.took)
				}
				for _, s := range result.Spans {
					if s.Stage != "first" {
						t.Errorf("got %+v, want no span of the second stage", s)
					}
				}
			})
		})
	}
}

func spell(s job.Span) string {
	text := fmt.Sprintf("%d stream %d: %d of %d at %g s for %g s, %d rows, %s", s.User, s.Stream, s.Number, s.Of, s.From, s.Seconds, s.Rows, s.Outcome)
	if s.Outcome == job.SpanFailed {
		text += ": " + s.Class + ": " + s.Message
	}
	return text
}
