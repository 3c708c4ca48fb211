package engine

import (
	"context"
	"errors"
	"sync"

	"sledge/internal/engine/feed"
	"sledge/internal/engine/plan"
	"sledge/internal/job"
)

// announcer reports the start of each step of a build once, although several builders reach it.
type announcer struct {
	job  plan.Job
	feed *feed.Feed

	mu   sync.Mutex
	said map[job.StepName]bool
}

// stepOf maps names of SQL scripts to steps.
var stepOf = map[string]job.StepName{
	"indexes": job.StepIndexes, "references": job.StepIndexes, "routines": job.StepRoutines, "finish": job.StepStatistics,
}

// begins reports that a step begins.
func (a *announcer) begins(name job.StepName) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.said[name] {
		return
	}
	a.said[name] = true
	step := job.Step{Name: name}
	if name == job.StepRoutines {
		step.Kind = a.job.Routines()
	}
	a.feed.Step(job.Monitor, step)
}

// workers are the virtual users of a build. Their positions follow the monitor's. A single worker
// is the monitor itself.
type workers struct {
	feed  *feed.Feed
	alone bool
}

// work runs a virtual user and reports how it ended.
func (w workers) work(number int, work func(position int) error) error {
	if w.alone {
		return work(job.Monitor)
	}
	position := job.FirstWorker + number
	w.feed.State(position, job.UserRunning)
	err := work(position)
	switch {
	case err == nil:
		w.feed.State(position, job.UserSucceeded)
		return nil
	case errors.Is(err, context.Canceled): // another builder failed, or the user stopped the build
		w.feed.State(position, job.UserFailed)
		return err
	}
	w.feed.Fail(position, err)
	return &feed.Error{Position: position, Err: err}
}
