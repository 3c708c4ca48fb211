package coordinator

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"sledge/internal/database"
	"sledge/internal/engine/feed"
	"sledge/internal/engine/plan"
	"sledge/internal/job"
)

// maintain performs the post-run maintenance that the database's options request, and records its
// steps and their times in the result. A stop or abort request aborts it. The run itself has been
// measured by then, and the result says so even if the maintenance fails.
func maintain(ctx context.Context, j plan.Job, f *feed.Feed, result *job.Result, stop <-chan struct{}) error {
	if j.Database.Runs.Maintenance == nil {
		return nil
	}
	ctx, cancel := context.WithCancel(ctx)
	quit := make(chan struct{})
	var watching sync.WaitGroup
	watching.Go(func() {
		select {
		case <-stop:
			cancel()
		case <-quit:
		}
	})
	t := maintenance{tell: f.As(job.Monitor)}
	err := j.Database.Runs.Maintenance.Do(ctx, j.Connection, t.watch)
	stopped := ctx.Err() != nil
	close(quit)
	watching.Wait()
	cancel()
	t.abort()
	result.Tidied = t.done
	if err == nil {
		return nil
	}
	exit, status := job.ExitAborted, job.Failed
	result.Untidy = fmt.Sprintf("post-run maintenance failed: %v", err)
	if stopped {
		exit, status = job.ExitStopped, job.Partial
		result.Untidy = "post-run maintenance was stopped"
		if unrestored, is := errors.AsType[*database.UnrestoredError](err); is {
			result.Untidy += ": " + unrestored.Error()
		}
	}
	err = errors.New(result.Untidy)
	if result.Status.Whole() { // a worse verdict takes precedence
		return err
	}
	return failedAfterwards(result, status, exit, err)
}

// failedAfterwards marks a result as complete, with an error that happened after the measured time.
func failedAfterwards(result *job.Result, status job.Status, exit job.Exit, why error) error {
	result.Status, result.Untidy = status, why.Error()
	err := fmt.Errorf("the run was measured in full, but %w", why)
	result.Reason = err.Error()
	return job.WithExit(exit, err)
}

// maintenance records the server's work after a run.
type maintenance struct {
	tell    func(job.Event)
	done    []job.Tidied
	current *job.Tidied // the current step, or nil
	began   time.Time
}

// watch records the state of a step, and passes the event on.
func (t *maintenance) watch(e job.Event) {
	t.tell(e)
	if p := e.Progress; p != nil && t.current != nil {
		t.current.Left = max(t.current.Had-p.Done, 0)
	}
	s := e.Step
	if s == nil {
		return
	}
	switch s.Stage {
	case job.Begins:
		t.abort()
		t.current, t.began = &job.Tidied{Work: s.Name, Had: s.Count, Left: s.Count}, time.Now()
	case job.Ends, job.GivenUp:
		if t.current != nil {
			t.current.Ended, t.current.Left = s.Stage, s.Count
			t.finish()
		}
	case job.LeftOut:
		why := s.Why
		if s.Needs != "" {
			why = "the server is older than " + s.Needs
		}
		t.done = append(t.done, job.Tidied{Work: s.Name, Ended: job.LeftOut, Why: why})
	}
}

// abort records that the current step was aborted.
func (t *maintenance) abort() {
	if t.current != nil {
		t.finish()
	}
}

func (t *maintenance) finish() {
	t.current.Seconds = time.Since(t.began).Seconds()
	t.done, t.current = append(t.done, *t.current), nil
}
