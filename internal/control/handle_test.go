package control_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"sledge/internal/catalog/edition"
	"sledge/internal/control"
	"sledge/internal/engine"
	"sledge/internal/job"
	"sledge/internal/repository"
	"sledge/internal/settings"
	"sledge/internal/testserver"
)

// runner is a function that implements job.Runner. Tests of the layers above the runner use it to
// return any result.
type runner func(ctx context.Context, spec job.Spec, control job.Control) (job.Result, error)

func (r runner) Do(ctx context.Context, spec job.Spec, control job.Control) (job.Result, error) {
	return r(ctx, spec, control)
}

var resolver = settings.Resolver{Catalog: edition.Catalog}

// order returns an order for a small job on SQLite.
func order(t *testing.T, action job.Action, file string, set ...string) settings.Order {
	t.Helper()
	o, err := resolver.Resolve(action, settings.Sources{Flags: map[string]string{"db": "sqlite", "dbname": file}, Set: set})
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// says returns a runner that emits a number of events and succeeds.
func says(events int, e job.Event) runner {
	return func(_ context.Context, _ job.Spec, control job.Control) (job.Result, error) {
		for range events {
			control.Watchers[0].Watch(e)
		}
		return job.Result{Status: job.Succeeded}, nil
	}
}

// A front end starts a run, follows it with a slow watcher and a late one, stops it, and gets its
// result.
func TestHandle_FollowsAndStopsARun(t *testing.T) {
	testserver.SkipSQLiteUnderRace(t)
	ctx := t.Context()
	local := engine.Local{Catalog: edition.Catalog}
	file := filepath.Join(t.TempDir(), "tpcc.sqlite")
	store, err := repository.Open(filepath.Join(t.TempDir(), "jobs.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	build, err := control.Start(ctx, local, order(t, job.Build, file), control.With{})
	if err != nil {
		t.Fatal(err)
	}
	if err := build.Wait().Err(); err != nil {
		t.Fatal(err)
	}
	run, err := control.Start(ctx, local, order(t, job.Run, file, "sqlite_rampup=0", "sqlite_duration=5m"), control.With{Store: store})
	if err != nil {
		t.Fatal(err)
	}
	list := func(into *[]int64, each func(job.Event)) func() {
		done := make(chan struct{})
		go func() {
			defer close(done)
			for e, missed := range run.Watch(ctx, 1) {
				each(e)
				*into = append(*into, e.Sequence+missed*1_000_000)
			}
		}()
		return func() { <-done }
	}
	var slow, late []int64
	released, seconds := make(chan struct{}), 0
	waitSlow := list(&slow, func(job.Event) { <-released }) // it blocks in its first event
	for e := range run.Watch(ctx, 1) {
		if e.Second == nil {
			continue
		}
		if seconds++; seconds == 2 {
			break
		}
	}
	waitLate := list(&late, func(job.Event) {})
	run.Stop()
	outcome := run.Wait() // the slow watcher still blocks
	close(released)
	waitSlow()
	waitLate()
	if outcome.Job.Status != job.Partial || job.ExitOf(outcome.Err()) != job.ExitStopped || outcome.Job.Result.Summary.All().Done == 0 {
		t.Errorf("got a job %s with %d done and the error %v, want a partial one", outcome.Job.Status, outcome.Job.Result.Summary.All().Done, outcome.Err())
	}
	for i, got := range slow {
		if got != int64(i+1) {
			t.Fatalf("event %d has the sequence number %d", i+1, got)
		}
	}
	if len(slow) < 5 || !slices.Equal(slow, late) {
		t.Errorf("the slow watcher got %d events and the late one %d, want all", len(slow), len(late))
	}
	if kept, err := store.Get(ctx, run.ID()); err != nil || kept.Status != job.Partial || kept.Dropped != 0 {
		t.Errorf("the repository has %+v, %v, want a complete partial run", kept, err)
	}
}

func TestWatch_CountsMissedEvents(t *testing.T) {
	const events = control.KeptEvents + 100
	running, err := control.Start(t.Context(), says(events, job.Event{Message: "line"}), order(t, job.Check, "x"), control.With{})
	if err != nil {
		t.Fatal(err)
	}
	running.Wait()
	for _, from := range []int64{0, 1, 50, 101, events - 1} {
		var got, missedInAll int64
		for e, missed := range running.Watch(t.Context(), from) {
			if e.Sequence != max(from, 1)+got+missedInAll+missed {
				t.Fatalf("from %d: got event %d after %d events and %d missed", from, e.Sequence, got, missedInAll+missed)
			}
			got++
			missedInAll += missed
		}
		if want := max(101-max(from, 1), 0); missedInAll != want || got+missedInAll != events-max(from, 1)+1 {
			t.Errorf("from %d: got %d events and %d missed, want %d missed", from, got, missedInAll, want)
		}
	}
}

func TestWatch_LogOfSecondsIsBounded(t *testing.T) {
	running, err := control.Start(t.Context(), says(control.KeptSeconds+5, job.Event{Second: &job.Second{}}), order(t, job.Run, "x"), control.With{})
	if err != nil {
		t.Fatal(err)
	}
	running.Wait()
	for e, missed := range running.Watch(t.Context(), 1) {
		if e.Sequence != 6 || missed != 5 {
			t.Errorf("the first event is %d after %d missed, want 6 after 5", e.Sequence, missed)
		}
		break
	}
}

// A watcher stops when its own context ends, even if the job continues.
func TestWatch_EndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		running, err := control.Start(t.Context(), runner(func(ctx context.Context, _ job.Spec, _ job.Control) (job.Result, error) {
			<-ctx.Done()
			return job.Result{}, ctx.Err()
		}), order(t, job.Run, "x"), control.With{})
		if err != nil {
			t.Fatal(err)
		}
		ctx, leave := context.WithTimeout(t.Context(), time.Minute)
		defer leave()
		for e := range running.Watch(ctx, 1) {
			t.Errorf("got event %+v, want none", e)
		}
		running.Abort()
		if got := running.Wait(); got.Job.Status != job.Failed || !errors.Is(got.Failure, context.Canceled) {
			t.Errorf("got %s and %v, want an aborted job", got.Job.Status, got.Failure)
		}
	})
}

func TestInterrupt_StopsARunThenAborts(t *testing.T) {
	for _, tt := range []struct {
		action job.Action
		want   string
	}{
		{job.Run, "1 stop, 2 abort, 3 aborted, 4 the last line"},
		{job.Build, "1 abort, 2 aborted, 3 the last line"},
	} {
		with := control.With{
			Begun:   (*control.Handle).Interrupt, // before the runner begins
			Closing: func(error) []job.Event { return []job.Event{{Message: "the last line"}} },
		}
		broken := make(chan struct{})
		running, err := control.Start(t.Context(), runner(func(ctx context.Context, _ job.Spec, control job.Control) (job.Result, error) {
			if tt.action == job.Run {
				<-control.Stop
			}
			<-broken
			<-ctx.Done()
			control.Watchers[0].Watch(job.Event{Message: "aborted"})
			return job.Result{}, ctx.Err()
		}), order(t, tt.action, "x"), with)
		if err != nil {
			t.Fatal(err)
		}
		running.Interrupt()
		running.Interrupt()
		close(broken)
		running.Wait()
		running.Interrupt() // has no effect after the end
		var got []string
		for e := range running.Watch(t.Context(), 1) {
			got = append(got, fmt.Sprintf("%d %s%s", e.Sequence, e.Request, e.Message))
		}
		if strings.Join(got, ", ") != tt.want {
			t.Errorf("%s: got %q, want %q", tt.action, strings.Join(got, ", "), tt.want)
		}
	}
}

// A stop request is accepted while an attending watcher blocks, and is reported later.
func TestInterrupt_WorksBesideABlockedWatcher(t *testing.T) {
	holding, stopped := make(chan struct{}), make(chan struct{})
	running, err := control.Start(t.Context(), runner(func(_ context.Context, _ job.Spec, control job.Control) (job.Result, error) {
		go func() { <-control.Stop; close(stopped) }()
		control.Watchers[0].Watch(job.Event{Message: "held up"})
		return job.Result{Status: job.Partial}, nil
	}), order(t, job.Run, "x"), control.With{Attending: []job.Watcher{watcher(func(e job.Event) {
		if e.Message != "" {
			close(holding)
			<-stopped
		}
	})}})
	if err != nil {
		t.Fatal(err)
	}
	<-holding
	running.Stop()
	running.Wait()
	var got []string
	for e := range running.Watch(t.Context(), 1) {
		got = append(got, string(e.Request)+e.Message)
	}
	if want := []string{"held up", "stop"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestHandle_RecordsEveryKindOfEnd(t *testing.T) {
	store, err := repository.Open(filepath.Join(t.TempDir(), "jobs.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	for _, tt := range []struct {
		name   string
		runner runner
		status job.Status
		exit   job.Exit
	}{
		{"it succeeds", says(3, job.Event{Message: "line"}), job.Succeeded, job.OK},
		{"it is invalid without an error", func(context.Context, job.Spec, job.Control) (job.Result, error) {
			return job.Result{Status: job.Invalid, Reason: "too many failures"}, nil
		}, job.Invalid, job.ExitInvalid},
		{"it fails without a reason", func(context.Context, job.Spec, job.Control) (job.Result, error) {
			return job.Result{Status: job.Failed}, nil
		}, job.Failed, job.ExitError},
		{"it panics", func(context.Context, job.Spec, job.Control) (job.Result, error) { panic("broken") }, job.Failed, job.ExitInternal},
		{"its goroutine ends", func(context.Context, job.Spec, job.Control) (job.Result, error) {
			runtime.Goexit()
			return job.Result{}, nil
		}, job.Failed, job.ExitInternal},
		{"it is cancelled", func(ctx context.Context, _ job.Spec, _ job.Control) (job.Result, error) {
			<-ctx.Done()
			return job.Result{Status: job.Partial}, job.WithExit(job.ExitStopped, ctx.Err())
		}, job.Partial, job.ExitStopped},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		running, err := control.Start(ctx, tt.runner, order(t, job.Run, "x"), control.With{
			Store:   store,
			Closing: func(error) []job.Event { return []job.Event{{Message: "the last line"}} },
		})
		if err != nil {
			t.Fatal(err)
		}
		if tt.name == "it is cancelled" {
			cancel()
		}
		got := running.Wait()
		cancel()
		if got.Job.Status != tt.status || job.ExitOf(got.Err()) != tt.exit || got.Lost != nil {
			t.Errorf("%s: got %s and %v (exit code %d), want %s and %d", tt.name, got.Job.Status, got.Err(), job.ExitOf(got.Err()), tt.status, tt.exit)
		}
		kept, err := store.Get(t.Context(), running.ID())
		if err != nil || kept.Status != tt.status {
			t.Errorf("%s: recorded as %s, %v, want %s", tt.name, kept.Status, err, tt.status)
		}
		running.Tell(job.Event{Samples: []job.Sample{{Value: 1}}}) // has no effect after the end
	}
}

func TestHandle_IgnoresEventsAfterTheEnd(t *testing.T) {
	var kept job.Watcher
	running, err := control.Start(t.Context(), runner(func(_ context.Context, _ job.Spec, control job.Control) (job.Result, error) {
		kept = control.Watchers[0]
		kept.Watch(job.Event{Message: "in time"})
		return job.Result{Status: job.Succeeded}, nil
	}), order(t, job.Check, "x"), control.With{})
	if err != nil {
		t.Fatal(err)
	}
	running.Wait()
	kept.Watch(job.Event{Message: "too late"})
	var got []string
	for e := range running.Watch(t.Context(), 1) {
		got = append(got, strconv.FormatInt(e.Sequence, 10)+" "+e.Message)
	}
	if want := []string{"1 in time"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestAttending_ReceivesEventsInOrderBeforeTheEnd(t *testing.T) {
	var heard []int64
	running, err := control.Start(t.Context(), says(100, job.Event{Message: "line"}), order(t, job.Check, "x"), control.With{
		Attending: []job.Watcher{watcher(func(e job.Event) { heard = append(heard, e.Sequence) })},
	})
	if err != nil {
		t.Fatal(err)
	}
	running.Wait()
	if len(heard) != 100 || heard[0] != 1 || heard[99] != 100 || !slices.IsSorted(heard) {
		t.Errorf("got the events %v, want 1 to 100", heard)
	}
}

// What sessions did in a second is not in the log, whose events count without gaps.
func TestAttending_ReceivesTheActivityOfASecond(t *testing.T) {
	heard := 0
	running, err := control.Start(t.Context(), runner(func(_ context.Context, _ job.Spec, control job.Control) (job.Result, error) {
		for _, w := range control.Watchers {
			w.Watch(job.Event{Message: "first"})
			w.Watch(job.Event{Activity: &job.ActivitySecond{Samples: 5}})
			w.Watch(job.Event{Message: "second"})
		}
		return job.Result{Status: job.Succeeded}, nil
	}), order(t, job.Run, "x"), control.With{Attending: []job.Watcher{watcher(func(e job.Event) {
		if e.Activity != nil {
			heard += e.Activity.Samples
		}
	})}})
	if err != nil {
		t.Fatal(err)
	}
	running.Wait()
	var logged []string
	for e := range running.Watch(t.Context(), 1) {
		logged = append(logged, strconv.FormatInt(e.Sequence, 10)+" "+e.Message)
	}
	if want := []string{"1 first", "2 second"}; !slices.Equal(logged, want) || heard != 5 {
		t.Errorf("got the log %q and %d samples, want %q and 5", logged, heard, want)
	}
}

// watcher is a function that implements job.Watcher.
type watcher func(job.Event)

func (w watcher) Watch(e job.Event) { w(e) }

func TestRuns_HaveTheirNumberOfUsers(t *testing.T) {
	o, err := resolver.Resolve(job.Run, settings.Sources{Flags: map[string]string{
		"db": "sqlite", "dbname": filepath.Join(t.TempDir(), "none", "x.db"), "users": "1,2,3",
	}})
	if err != nil {
		t.Fatal(err)
	}
	orders, err := o.Runs()
	if err != nil {
		t.Fatal(err)
	}
	for i, one := range orders {
		running, err := control.Start(t.Context(), engine.Local{Catalog: edition.Catalog}, one, control.With{})
		if err != nil {
			t.Fatal(err)
		}
		if got := running.Wait(); got.Job.Spec.Users != i+1 || got.Failure == nil {
			t.Errorf("got a job of %d users and the error %v, want %d users and a missing schema", got.Job.Spec.Users, got.Failure, i+1)
		}
	}
}

func TestStart_SettlesTheLoadTime(t *testing.T) {
	before := time.Now().UTC().Truncate(time.Second)
	o := order(t, job.Build, "x", "sqlite_load_time=now")
	got, err := time.Parse(time.DateTime, o.Spec.Options["load_time"])
	if err != nil || got.Before(before) || got.After(time.Now()) {
		t.Errorf("got the load time %q, %v, want the current time", o.Spec.Options["load_time"], err)
	}
	resumed, err := resolver.Resolve(job.Build, settings.Sources{Flags: map[string]string{"db": "sqlite", "dbname": "x"}, Set: []string{"sqlite_load_time=now"}, Resume: true})
	if err != nil || resumed.Spec.Options["load_time"] != "now" {
		t.Errorf("a build to resume: got the load time %q, %v, want now, which the build settles", resumed.Spec.Options["load_time"], err)
	}
}

// A resumed build takes the load time from the build log of the first build, and the repository
// records it.
func TestResume_RecordsTheLoadTimeOfTheFirstBuild(t *testing.T) {
	testserver.SkipSQLiteUnderRace(t)
	store, err := repository.Open(filepath.Join(t.TempDir(), "jobs.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	file := filepath.Join(t.TempDir(), "tpcc.sqlite")
	build := func(resume bool) job.Spec { // aborted as soon as it loads
		t.Helper()
		o, err := resolver.Resolve(job.Build, settings.Sources{Flags: map[string]string{"db": "sqlite", "dbname": file}, Set: []string{"load_time=now"}, Resume: resume})
		if err != nil {
			t.Fatal(err)
		}
		if resume { // begin at least a second later
			time.Sleep(time.Second)
		}
		building, err := control.Start(t.Context(), engine.Local{Catalog: edition.Catalog}, o, control.With{Store: store})
		if err != nil {
			t.Fatal(err)
		}
		for e := range building.Watch(t.Context(), 1) {
			if e.Step != nil && e.Step.Name == job.StepLoad {
				building.Abort()
			}
		}
		outcome := building.Wait()
		kept, err := store.Get(t.Context(), building.ID())
		if err != nil || job.ExitOf(outcome.Failure) != job.ExitStopped {
			t.Fatalf("got %v and %v, want an aborted build", outcome.Failure, err)
		}
		if got, want := outcome.Job.Spec.Options["load_time"], kept.Spec.Options["load_time"]; got != want {
			t.Errorf("the outcome has the load time %q, and the repository %q", got, want)
		}
		return kept.Spec
	}
	first, resumed := build(false), build(true)
	if _, err := time.Parse(time.DateTime, first.Options["load_time"]); err != nil {
		t.Errorf("the first build: %v", err)
	}
	if !resumed.Resume || !maps.Equal(resumed.Options, first.Options) {
		t.Errorf("the resumed build has the options %v, want those of the first, %v", resumed.Options, first.Options)
	}
}
