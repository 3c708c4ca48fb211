// Package target works on the database of a plan as each kind of job does: it opens sessions, claims
// the database, reads its facts and counts, and finds the state of the schema. It knows no users.
package target

import (
	"context"
	"errors"
	"fmt"
	"time"

	"sledge/internal/database"
	"sledge/internal/engine/plan"
	"sledge/internal/job"
)

// Rollback ends a transaction whose work has failed. The context may be what ended
// that: the rollback must not fail for it. If it fails all the same the connection
// is gone, and the transaction with it.
func Rollback(ctx context.Context, s database.Session) {
	short, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	_ = s.Rollback(short)
}

// ConnectWorker opens a session that works for the build, and says so to builds that
// may come later.
func ConnectWorker(ctx context.Context, j plan.Job) (database.Session, error) {
	s, err := Connect(ctx, j, database.Builder)
	if err == nil {
		s, err = Steady(ctx, j, s)
	}
	if err != nil || j.Schema.Claims == nil {
		return s, err
	}
	if err := j.Schema.Claims.Work(ctx, s); err != nil {
		s.Close()
		return nil, fmt.Errorf("mark the session as one of a build: %w", err)
	}
	return s, nil
}

// Pause waits, unless the context ends.
func Pause(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Patience bounds how long a reading may take.
const Patience = 10 * time.Second

// CloseQuietly closes a session, if there is one: one that cannot be closed cleanly is
// closed all the same.
func CloseQuietly(s *database.Session) {
	if *s != nil {
		_ = (*s).Close()
		*s = nil
	}
}

const (
	// asking bounds how long a server may take to hear that it is to cancel something.
	Asking = 10 * time.Second

	// cancelling bounds how long it may take to do so. Most look every few milliseconds
	// whether they are to end, but not in the middle of every step.
	Cancelling = time.Minute
)

// Interrupted says that an action was, where its error comes of that and does not say so:
// each database words it in its own way.
func Interrupted(ctx context.Context, action job.Action, err error) error {
	if err == nil || ctx.Err() == nil || job.ExitOf(err) == job.ExitStopped {
		return err
	}
	return job.WithExit(job.ExitStopped, fmt.Errorf("the %s was aborted", action))
}

// Connect opens a session, and marks an error as one of connecting.
func Connect(ctx context.Context, j plan.Job, as database.Role) (database.Session, error) {
	defer j.WaitFor("an answer from %s", j.Target())()
	s, err := j.Database.Sessions.Connect(ctx, j.Connection, as)
	if err != nil {
		return nil, job.WithExit(ExitOfConnect(err), err)
	}
	return s, nil
}

// ConnectSteady opens a session that Sledge needs for itself.
func ConnectSteady(ctx context.Context, j plan.Job) (database.Session, error) {
	s, err := Connect(ctx, j, database.Owner)
	if err != nil {
		return nil, err
	}
	return Steady(ctx, j, s)
}

// Steady sets a session right so that it outlasts what the server sets for everybody.
func Steady(ctx context.Context, j plan.Job, s database.Session) (database.Session, error) {
	if j.Server.Steady == nil {
		return s, nil
	}
	if err := j.Server.Steady(ctx, s); err != nil {
		_ = s.Close()
		return nil, fmt.Errorf("set isolation and time-outs of a session: %w", err)
	}
	return s, nil
}

// ConnectFrom opens a session at one of the servers that the options name, from one of them
// on, the first after the last; and returns which it is.
func ConnectFrom(ctx context.Context, j plan.Job, first int, as database.Role) (s database.Session, server int, err error) {
	n := len(j.Targets)
	order := make([]int, n)
	for i := range order {
		order[i] = (first + i) % n
	}
	s, err = database.ConnectFirst(order, func(i int) (database.Session, error) {
		one := j
		one.Connection, server = j.Targets[i], i
		return Connect(ctx, one, as)
	})
	return s, server, err
}

// ExitOfConnect returns ExitMissing for a missing database and ExitConnect for an unreachable server.
func ExitOfConnect(err error) job.Exit {
	switch {
	case errors.Is(err, database.ErrMissing):
		return job.ExitMissing
	case errors.Is(err, database.ErrUnfit):
		return job.ExitUsage
	}
	return job.ExitConnect
}

// Introduce tells what a virtual user has to tell when it has connected.
func Introduce(ctx context.Context, j plan.Job, s database.Session, tell func(job.Event)) error {
	if j.Server.Connection == nil {
		return nil
	}
	lines, err := j.Server.Connection(ctx, s)
	if err != nil {
		return fmt.Errorf("ask about the connection: %w", err)
	}
	for _, line := range lines {
		tell(job.Event{Step: &job.Step{Name: job.StepConnection, Stage: job.Begins, Of: line}})
	}
	return nil
}
