package coordinator

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"sledge/internal/catalog"
	"sledge/internal/database"
	"sledge/internal/engine/feed"
	"sledge/internal/engine/plan"
	"sledge/internal/job"
)

// Post-run maintenance is timed separately and does not change the measurements.
func TestMaintain(t *testing.T) {
	type finish = func(ctx context.Context, tell func(job.Step)) error
	unrestored := &database.UnrestoredError{Statements: []string{"SET GLOBAL a = 1", "SET GLOBAL b = 2"}, Err: errors.New("it is gone")}
	for _, tt := range []struct {
		name   string
		before job.Status
		finish finish
		stop   bool // after a second
		want   []job.Tidied
		status job.Status
		exit   job.Exit
		untidy string // error of the maintenance
	}{
		{
			"all steps end", "",
			func(_ context.Context, tell func(job.Step)) error {
				tell(job.Step{Name: job.StepCheckpoint, Stage: job.LeftOut, Why: "it needs a superuser"})
				tell(job.Step{Name: job.StepVacuum, Stage: job.Begins})
				time.Sleep(3 * time.Second)
				tell(job.Step{Name: job.StepVacuum, Stage: job.Ends})
				return nil
			},
			false,
			[]job.Tidied{{Work: job.StepCheckpoint, Ended: job.LeftOut, Why: "it needs a superuser"}, {Work: job.StepVacuum, Ended: job.Ends, Seconds: 3}},
			"", job.OK, "",
		},
		{
			"a step is given up", "",
			func(_ context.Context, tell func(job.Step)) error {
				tell(job.Step{Name: job.StepPurge, Stage: job.Begins, Count: 50})
				time.Sleep(12 * time.Second)
				tell(job.Step{Name: job.StepPurge, Stage: job.GivenUp, Count: 7, Seconds: 10})
				tell(job.Step{Name: job.StepWriteBack, Stage: job.LeftOut, Needs: "10.7.0"})
				return nil
			},
			false,
			[]job.Tidied{{Work: job.StepPurge, Ended: job.GivenUp, Seconds: 12, Had: 50, Left: 7}, {Work: job.StepWriteBack, Ended: job.LeftOut, Why: "the server is older than 10.7.0"}},
			"", job.OK, "",
		},
		{
			"it is stopped", "",
			func(ctx context.Context, tell func(job.Step)) error {
				tell(job.Step{Name: job.StepPurge, Stage: job.Begins, Count: 50})
				<-ctx.Done()
				return errors.New("driver: bad connection")
			},
			true,
			[]job.Tidied{{Work: job.StepPurge, Seconds: 1, Had: 50, Left: 50}},
			job.Partial, job.ExitStopped, "post-run maintenance was stopped",
		},
		{
			"it is stopped and cannot be undone", "",
			func(ctx context.Context, tell func(job.Step)) error {
				<-ctx.Done()
				return errors.Join(errors.New("driver: bad connection"), unrestored)
			},
			true, nil, job.Partial, job.ExitStopped,
			"post-run maintenance was stopped: THE SERVER MAY STILL HAVE TEMPORARY SETTINGS (it is gone): restore them with SET GLOBAL a = 1; SET GLOBAL b = 2;",
		},
		{
			"it fails", "",
			func(context.Context, func(job.Step)) error { return errors.New("no route") },
			false, nil, job.Failed, job.ExitAborted, "post-run maintenance failed: no route",
		},
		{
			"it fails after an invalid run", job.Invalid,
			func(context.Context, func(job.Step)) error { return errors.New("no route") },
			false, nil, job.Invalid, job.ExitError, "post-run maintenance failed: no route",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := &database.Database{Runs: database.Runs{Maintenance: &database.Maintenance{Do: func(ctx context.Context, _ any, tell func(job.Event)) error {
					return tt.finish(ctx, func(s job.Step) { tell(job.Event{Step: &s}) })
				}}}}
				stop := make(chan struct{})
				if tt.stop {
					time.AfterFunc(time.Second, func() { close(stop) })
				}
				result := job.Result{Status: tt.before}
				err := maintain(t.Context(), plan.Job{Pair: catalog.Pair{Database: d}}, &feed.Feed{}, &result, stop)
				if result.Status != tt.status || job.ExitOf(err) != tt.exit || result.Untidy != tt.untidy {
					t.Errorf("got %s, exit %d, %q; want %s, %d, %q", result.Status, job.ExitOf(err), result.Untidy, tt.status, tt.exit, tt.untidy)
				}
				if tt.status == job.Failed && !strings.HasPrefix(result.Reason, "the run was measured in full, but post-run maintenance") {
					t.Errorf("got the reason %q", result.Reason)
				}
				if !reflect.DeepEqual(result.Tidied, tt.want) {
					t.Errorf("got %+v, want %+v", result.Tidied, tt.want)
				}
			})
		})
	}
}
