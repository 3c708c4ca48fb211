package engine

import (
	"context"
	"errors"
	"sync"

	"sledge/internal/job"
)

// announcer tells which step of a build begins, once for each: several builders come to
// the indexes of their tables.
type announcer struct {
	plan Plan
	feed *feed

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
		step.Kind = a.plan.routines()
	}
	a.feed.step(job.Monitor, step)
}

// routines is what the code is called that a build puts into the database.
func (p Plan) routines() string {
	if p.Database.Routines == nil {
		return "stored procedures"
	}
	return p.Database.Routines(p.Connection)
}

// schema is a step that is about the whole schema.
func (p Plan) schema(name job.StepName) job.Step {
	s := p.Database.SchemaName(p.Connection)
	return job.Step{Name: name, Of: s.Name, Owner: s.Owner}
}

// workers are the virtual users of a build. They have the positions after the monitor;
// a single one is the monitor itself, of whom others speak.
type workers struct {
	feed  *feed
	alone bool
}

// work lets a virtual user work and tells how it fared.
func (w workers) work(number int, work func(position int) error) error {
	if w.alone {
		return work(job.Monitor)
	}
	position := job.FirstWorker + number
	w.feed.state(position, job.UserRunning)
	err := work(position)
	switch {
	case err == nil:
		w.feed.state(position, job.UserSucceeded)
		return nil
	case errors.Is(err, context.Canceled): // because of another builder, or of the user
		w.feed.state(position, job.UserFailed)
		return err
	}
	w.feed.fail(position, err)
	return &userError{position: position, err: err}
}
