package coordinator

import (
	"context"
	"errors"
	"fmt"

	"sledge/internal/database"
	"sledge/internal/engine/feed"
	"sledge/internal/engine/plan"
	"sledge/internal/engine/target"
	"sledge/internal/job"
	"sledge/internal/meter"
	"sledge/internal/workload"
)

// Before its users connect, a run detects a read-only server, a user without privileges, and a
// wrong password for post-run maintenance.

// preflight executes one transaction of each kind as the users will, and rolls it back. It also
// verifies that post-run maintenance is possible.
func preflight(ctx context.Context, g plan.Group, f *feed.Feed) error {
	p := g.Plan
	if m := p.Database.Runs.Maintenance; m != nil && m.Possible != nil {
		if err := m.Possible(ctx, p.Connection); err != nil {
			return job.WithExit(target.ExitOfConnect(err), fmt.Errorf("the post-run maintenance would fail: %w", err))
		}
	}
	if p.Workload.Users.NewTrial == nil {
		return nil
	}
	s, err := target.Connect(ctx, p.Job, database.Owner)
	if err != nil {
		return err
	}
	defer target.CloseQuietly(&s)
	ctx, cancel := context.WithTimeoutCause(ctx, target.Patience, errBusy)
	defer cancel()
	err = try(ctx, g, s)
	switch class := p.Database.Sessions.Classify(err); {
	case err == nil:
		return nil
	case job.ExitOf(err) == job.ExitUsage: // the workload knows why
		return err
	case context.Cause(ctx) == errBusy && p.AnyLength: // the time was not enough for all transactions
		return nil
	case context.Cause(ctx) == errBusy, class.Retryable():
		f.Message(p.Monitor(), "Could not test whether the schema is writable: %v", errors.Join(errBusy, err))
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case p.Database.Sessions.ReadsOnly != nil && p.Database.Sessions.ReadsOnly(err):
		return job.WithExit(job.ExitUsage, fmt.Errorf(
			"%s is read-only, such as a standby or a replica: %w. Name the primary server, or make this one accept writes", p.Target(), err))
	case class == meter.Permission && (p.Piecemeal() || needsRightsOfTables(ctx, p, s)):
		return job.WithExit(job.ExitUsage, fmt.Errorf(
			"the user lacks privileges for the workload in %s: %w. Grant it the privileges to read and write all tables, or run as the user that built them", p.Target(), err))
	case p.Piecemeal():
		return job.WithExit(job.ExitError, fmt.Errorf("a trial of the workload failed in %s: %w", p.Target(), err))
	}
	return nil // stored routines may have rights that the user lacks
}

// needsRightsOfTables reports whether a stored routine runs with the privileges of its caller.
func needsRightsOfTables(ctx context.Context, p plan.Plan, s database.Session) bool {
	const query = "callers_rights" // only databases with such routines have it
	if !p.SQL.Has(query) {
		return false
	}
	t, err := s.Query(ctx, p.SQL.Text(query), 1)
	return err == nil && len(t.Rows) > 0
}

// errBusy means that a trial waited for other sessions until its time limit.
var errBusy = fmt.Errorf("other sessions held locks on its rows for longer than %s", target.Patience)

// try executes a transaction of each requested kind and rolls it back.
func try(ctx context.Context, g plan.Group, s database.Session) error {
	p := g.Plan
	discard := func(job.Event) {}
	executor, err := p.Workload.Users.NewTrial(ctx, workload.Connection{
		Users: p.Terminals(), Seed: p.Spec.Seed, Options: p.Settings, Session: trial{s}, SQL: p.SQL,
		Database: p.Database, Classify: p.Database.Sessions.Classify, Tell: discard,
		Open: func(ctx context.Context) (database.Session, error) { return target.Connect(ctx, p.Job, database.Owner) },
	})
	if err != nil {
		return errors.Join(err, s.Rollback(ctx))
	}
	terminal := p.Workload.Users.NewTerminal(workload.Slot{
		Users: p.Terminals(), Seed: p.Spec.Seed, Options: p.Settings, Survey: g.Survey, SQL: p.SQL, Rand: p.Rand(trialStream), Tell: discard,
	})
	const picks = 1000 // a kind that has not occurred by then is too rare to matter
	tried := map[meter.Kind]bool{}
	for n := 0; n < picks && len(tried) < len(p.Workload.Kinds); n++ {
		next, more := terminal.Pick()
		if !more {
			break
		}
		if tried[next.Kind] {
			continue
		}
		tried[next.Kind] = true
		err := executor.Do(ctx, next)
		if err != nil && !errors.Is(err, workload.ErrRolledBack) {
			return fmt.Errorf("%s: %w", p.Workload.Kinds[next.Kind].Name, errors.Join(err, s.Rollback(ctx)))
		}
	}
	return nil
}

// trialStream separates the random numbers of a trial from those of terminals.
const trialStream = -2

// trial is a session that rolls back instead of committing.
type trial struct{ database.Session }

// Commit implements database.Session.
func (t trial) Commit(ctx context.Context) error { return t.Rollback(ctx) }
