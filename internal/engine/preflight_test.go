package engine

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"sledge/internal/database"
	"sledge/internal/engine/feed"
	"sledge/internal/engine/load"
	"sledge/internal/engine/plan/plantest"
	"sledge/internal/job"
	"sledge/internal/sqlfile"
	"sledge/internal/workload"
)

// Every transaction fails, from the first or from a later one on.
func TestRun_EndsIfAllTransactionsFail(t *testing.T) {
	failsFrom := func(n int) (script []error) {
		for i := range 100_000 {
			script = append(script, nil)
			if i >= n {
				script[i] = plantest.ErrBroken
			}
		}
		return script
	}
	for _, tt := range []struct {
		name     string
		pacing   load.Pacing
		script   []error
		wantTook time.Duration
		want     string // what the error says
	}{
		{"in the ramp-up", load.Pacing{RampUp: 5 * time.Minute, Duration: time.Minute, Failures: load.Failures{EndIfAll: true}}, failsFrom(0), 30 * time.Second, "nothing has succeeded for 30 s"},
		{"while it is measured", load.Pacing{Duration: 5 * time.Minute, Failures: load.Failures{EndIfAll: true}}, failsFrom(100), 41 * time.Second, "nothing has succeeded for 30 s"},
		{"unless on_all_failing is continue", load.Pacing{Duration: time.Minute, Failures: load.Failures{Limit: 100}}, failsFrom(0), time.Minute, "all "},
		{"unless something succeeds", load.Pacing{Duration: time.Minute, Failures: load.Failures{EndIfAll: true, Limit: 100}}, []error{plantest.ErrBroken, plantest.ErrBroken, plantest.ErrBroken, plantest.ErrBroken, nil}, time.Minute, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				p := plantest.New(plantest.User{Takes: 100 * time.Millisecond, Script: tt.script}, tt.pacing)
				result, err := Local{}.perform(t.Context(), job.Run, p, &feed.Feed{}, nil)
				if took := time.Since(began); took < tt.wantTook-time.Second || took > tt.wantTook+2*time.Second {
					t.Errorf("took %s, want about %s", took, tt.wantTook)
				}
				if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
					t.Errorf("got %v, want %q", err, tt.want)
				}
				if err != nil && tt.pacing.Failures.EndIfAll && (job.ExitOf(err) != job.ExitAborted || result.Status != job.Failed || !strings.Contains(err.Error(), plantest.ErrBroken.Error())) {
					t.Errorf("got %s, exit code %d, %v", result.Status, job.ExitOf(err), err)
				}
			})
		})
	}
}

// trialExecutor commits in its session, or fails with err.
type trialExecutor struct {
	workload.Executor
	session database.Session
	err     error
}

func (e trialExecutor) Do(ctx context.Context, _ workload.Transaction) error {
	if e.err != nil {
		return e.err
	}
	return e.session.Commit(ctx)
}

// withRoutines returns the SQL library of a schema that has stored routines.
func withRoutines(t *testing.T) *sqlfile.Library {
	t.Helper()
	files := fstest.MapFS{"sql/probe.sql": {Data: []byte("probe")}, "sql/installed_routines.sql": {Data: []byte("routines")}}
	l, err := sqlfile.NewLibrary(func(int) string { return "?" }, sqlfile.Place{Files: files, Dir: "sql"})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// The server or the user lacks something that the run needs, which the preflight finds.
func TestRun_IsRefusedBeforeUsersConnect(t *testing.T) {
	errReads, errPassword := errors.New("read-only"), errors.New("wrong password")
	for _, tt := range []struct {
		name       string
		trial      error
		finish     error // of the check of the post-run maintenance
		byRoutines bool
		want       string // what the error says, or ""
	}{
		{"all is well", nil, nil, false, ""},
		{"a server that only reads", errReads, nil, false, "is read-only, such as"},
		{"a server that only reads, by routines", errReads, nil, true, "is read-only, such as"},
		{"a failed transaction", plantest.ErrBroken, nil, false, "a trial of the workload failed"},
		{"a failed transaction that routines could do", plantest.ErrBroken, nil, true, ""},
		{"a deadlock with other sessions", plantest.ErrDeadlock, nil, false, ""},
		{"a wrong password for the post-run maintenance", nil, errPassword, false, "the post-run maintenance would fail"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := plantest.New(plantest.User{Takes: 10 * time.Millisecond}, load.Pacing{Duration: time.Second})
				var users atomic.Int32 // users connect in parallel
				newExecutor := p.Workload.Users.NewExecutor
				p.Workload.Users.NewExecutor = func(ctx context.Context, c workload.Connection) (workload.Executor, error) {
					users.Add(1)
					return newExecutor(ctx, c)
				}
				p.Workload.Users.NewTrial = func(_ context.Context, c workload.Connection) (workload.Executor, error) {
					return trialExecutor{session: c.Session, err: tt.trial}, nil
				}
				p.Workload.Users.Piecemeal = func(any) bool { return !tt.byRoutines }
				if tt.byRoutines {
					p.SQL = withRoutines(t)
				}
				p.Database.Runs.Maintenance = &database.Maintenance{
					Do:       func(context.Context, any, func(job.Event)) error { return nil },
					Possible: func(context.Context, any) error { return tt.finish },
				}
				p.Database.Sessions.ReadsOnly = func(err error) bool { return errors.Is(err, errReads) }
				_, err := Local{}.perform(t.Context(), job.Run, p, &feed.Feed{}, nil)
				if (err == nil) != (tt.want == "") || err != nil && (!strings.Contains(err.Error(), tt.want) || users.Load() > 0) {
					t.Errorf("got %v after %d users had connected, want %q", err, users.Load(), tt.want)
				}
			})
		})
	}
}
