// Package target provides the access to a plan's database that all kinds of job share: it opens
// sessions, claims the database, reads its facts and counts, and finds the state of the schema. It
// does not know users.
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

// Rollback ends a failed transaction. It ignores the cancellation of ctx, which may have caused the
// failure. It ignores an error: if the rollback fails, the connection is lost, and so is the
// transaction.
func Rollback(ctx context.Context, s database.Session) {
	short, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	_ = s.Rollback(short)
}

// ConnectWorker opens a session for a build, and marks it so that later builds can find it.
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
		return nil, fmt.Errorf("mark the session as a build's: %w", err)
	}
	return s, nil
}

// Pause waits for d, or until the context ends.
func Pause(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Patience is the time limit for reading a count or testing a transaction.
const Patience = 10 * time.Second

// CloseQuietly closes a session, if there is one, and ignores errors.
func CloseQuietly(s *database.Session) {
	if *s != nil {
		_ = (*s).Close()
		*s = nil
	}
}

const (
	// Asking is the time limit of a request to cancel a statement.
	Asking = 10 * time.Second

	// Cancelling is the time limit of the cancellation itself. Most servers check every few
	// milliseconds whether to end a statement, but not during every step.
	Cancelling = time.Minute
)

// Interrupted returns the error of an aborted action if ctx was cancelled, because each database
// words the resulting error differently. Otherwise it returns err.
func Interrupted(ctx context.Context, action job.Action, err error) error {
	if err == nil || ctx.Err() == nil || job.ExitOf(err) == job.ExitStopped {
		return err
	}
	return job.WithExit(job.ExitStopped, fmt.Errorf("the %s was aborted", action))
}

// Connect opens a session. Its errors have the exit code of a failed connection.
func Connect(ctx context.Context, j plan.Job, as database.Role) (database.Session, error) {
	defer j.WaitFor("an answer from %s", j.Target())()
	s, err := j.Database.Sessions.Connect(ctx, j.Connection, as)
	if err != nil {
		return nil, job.WithExit(ExitOfConnect(err), withCause(err))
	}
	return s, nil
}

// ConnectSteady opens a session that the server's default time-outs do not end.
func ConnectSteady(ctx context.Context, j plan.Job) (database.Session, error) {
	s, err := Connect(ctx, j, database.Owner)
	if err != nil {
		return nil, err
	}
	return Steady(ctx, j, s)
}

// Steady configures a session so that the server's default time-outs do not end it.
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

// ConnectFrom opens a session at one of the servers that the options name. It tries them in order
// from the given one, and continues with the first after the last. It returns the number of the
// server.
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

// withCause adds the cause to an error of connecting, unless the error names an option.
func withCause(err error) error {
	if c := database.CauseOf(err); c != nil {
		return job.WithCause(*c, err)
	}
	return err
}

// ExitOfConnect returns ExitMissing for a missing database, ExitUsage for an unsuitable one, and
// ExitConnect for any other error.
func ExitOfConnect(err error) job.Exit {
	switch {
	case errors.Is(err, database.ErrMissing):
		return job.ExitMissing
	case errors.Is(err, database.ErrUnfit):
		return job.ExitUsage
	}
	return job.ExitConnect
}

// Introduce reports the properties of a virtual user's connection.
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
