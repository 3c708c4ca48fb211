package engine

import (
	"context"
	"errors"
	"sync"

	"sledge/internal/engine/feed"
	"sledge/internal/engine/plan"
	"sledge/internal/job"
)

// announcer tells which step of a build begins, once for each: several builders come to
// the indexes of their tables.
type announcer struct {
	job  plan.Job
	feed *feed.Feed

	mu   sync.Mutex
	said map[job.StepName]bool
}

// stepOf names the steps that scripts of a pair are.
var stepOf = map[string]job.StepName{
	"indexes": job.StepIndexes, "references": job.StepIndexes, "routines": job.StepRoutines, "finish": job.StepStatistics,
}

// begins tells that a step begins.
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

// workers are the virtual users of a build. They have the positions after the monitor;
// a single one is the monitor itself, of whom others speak.
type workers struct {
	feed  *feed.Feed
	alone bool
}

// work lets a virtual user work and tells how it fared.
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
	case errors.Is(err, context.Canceled): // because of another builder, or of the user
		w.feed.State(position, job.UserFailed)
		return err
	}
	w.feed.Fail(position, err)
	return &feed.Error{Position: position, Err: err}
}
