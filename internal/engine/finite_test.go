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
	"sledge/internal/engine/load"
	"sledge/internal/job"
	"sledge/internal/option"
	"sledge/internal/workload"
)

// finiteUser does a number of transactions, the n-th of which takes n seconds and returns n
// rows.
type finiteUser struct {
	fakeUser
	stream, left, done int
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
	u.takes = time.Duration(t.Inputs.(*finiteInputs).number) * time.Second
	return u.fakeUser.Do(ctx, t)
}

func (u *finiteUser) Span(t workload.Transaction) workload.Span {
	in := t.Inputs.(*finiteInputs)
	return workload.Span{Stream: in.stream, Set: 1, Number: in.number, Of: 3, Rows: int64(in.number)}
}

// finitePlan is a run of two users, with three transactions each.
func finitePlan(script []error, options load.FiniteOptions) Plan {
	p := fakePlan(fakeUser{}, options.Pacing())
	p.Users = 2
	w := *p.Workload
	w.Finite = true
	server := &fakeServer{interrupted: make(chan struct{})}
	w.NewTerminal = func(seat workload.Seat) workload.Terminal { return &finiteUser{stream: seat.Number, left: 3} }
	w.NewExecutor = func(context.Context, workload.Connection) (workload.Executor, error) {
		return &finiteUser{fakeUser: fakeUser{server: server, script: script}}, nil
	}
	w.Score = func(w workload.Window) []job.Metric {
		return []job.Metric{{Name: "spans", Value: float64(len(w.Spans))}}
	}
	d := *p.Database
	d.Connect = func(context.Context, any, database.Role) (database.Session, error) {
		return instantSession{server: server}, nil
	}
	p.Workload, p.Database = &w, &d
	return p
}

func TestARunThatEndsWhenItsWorkIsDone(t *testing.T) {
	for _, tt := range []struct {
		name    string
		script  []error
		options load.FiniteOptions
		stop    time.Duration

		want       []string // spans: position, stream, number, when, how long, rows, outcome
		wantTook   time.Duration
		wantStatus job.Status
		wantExit   job.Exit
		wantError  string
	}{
		{
			name: "keeps each transaction",
			want: []string{
				"1 stream 0: 1 of 3 at 0 s for 1 s, 1 rows, done", "2 stream 1: 1 of 3 at 0 s for 1 s, 1 rows, done",
				"1 stream 0: 2 of 3 at 1 s for 2 s, 2 rows, done", "2 stream 1: 2 of 3 at 1 s for 2 s, 2 rows, done",
				"1 stream 0: 3 of 3 at 3 s for 3 s, 3 rows, done", "2 stream 1: 3 of 3 at 3 s for 3 s, 3 rows, done",
			},
			wantTook: 6 * time.Second, wantStatus: job.Succeeded,
		},
		{
			name:    "starts users apart",
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
			name:   "goes on after a failure, and is not valid",
			script: []error{nil, errBroken, nil},
			want: []string{
				"1 stream 0: 1 of 3 at 0 s for 1 s, 1 rows, done", "2 stream 1: 1 of 3 at 0 s for 1 s, 1 rows, done",
				"1 stream 0: 2 of 3 at 1 s for 2 s, 0 rows, failed: constraint: broken rule", "2 stream 1: 2 of 3 at 1 s for 2 s, 0 rows, failed: constraint: broken rule",
				"1 stream 0: 3 of 3 at 3.01 s for 3 s, 3 rows, done", "2 stream 1: 3 of 3 at 3.01 s for 3 s, 3 rows, done",
			},
			wantTook: 6010 * time.Millisecond, wantStatus: job.Invalid, wantExit: job.ExitInvalid, wantError: "2 of 6 transactions failed",
		},
		{
			name:   "ends at the first failure where that is asked for",
			script: []error{errBroken}, options: load.FiniteOptions{RaiseError: true},
			want:     []string{"1 stream 0: 1 of 3 at 0 s for 1 s, 0 rows, failed: constraint: broken rule", "2 stream 1: 1 of 3 at 0 s for 1 s, 0 rows, failed: constraint: broken rule"},
			wantTook: time.Second, wantStatus: job.Failed, wantExit: job.ExitAborted, wantError: "only: broken rule",
		},
		{
			name: "is cut off at its time limit", options: load.FiniteOptions{TimeLimit: option.Minutes(2500 * time.Millisecond)},
			want: []string{
				"1 stream 0: 1 of 3 at 0 s for 1 s, 1 rows, done", "2 stream 1: 1 of 3 at 0 s for 1 s, 1 rows, done",
				"1 stream 0: 2 of 3 at 1 s for 1.5 s, 0 rows, cut off", "2 stream 1: 2 of 3 at 1 s for 1.5 s, 0 rows, cut off",
			},
			wantTook: 2500 * time.Millisecond, wantStatus: job.Partial, wantExit: job.ExitStopped, wantError: "the time limit of 2.5s was over before the work was done",
		},
		{
			name: "lets users finish what they are in when it is stopped", stop: 1500 * time.Millisecond,
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
				result, err := workThrough(t.Context(), finitePlan(tt.script, tt.options), &feed{watchers: []job.Watcher{told}}, stop, "test")
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
				if n, _ := result.Metric("spans"); int(n) != len(tt.want) {
					t.Errorf("the workload saw %g spans, want %d", n, len(tt.want))
				}
				begun, ended := 0, 0
				for _, e := range told.all {
					switch {
					case e.Span == nil:
					case e.Span.Outcome == "":
						begun++
					default:
						ended++
					}
				}
				if begun != len(tt.want) || ended != len(tt.want) {
					t.Errorf("told of %d that began and %d that ended, want %d", begun, ended, len(tt.want))
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
