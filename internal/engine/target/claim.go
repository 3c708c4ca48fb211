package target

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"sledge/internal/database"
	"sledge/internal/engine/feed"
	"sledge/internal/engine/plan"
	"sledge/internal/job"
	"sledge/internal/meter"
)

// A build or a delete claims its database exclusively, and runs share a claim, if the database
// supports claims. So no two builds use one schema, and no build changes a schema that is being
// measured. A server continues a statement, such as the creation of an index, even if its client
// was killed. The next job must not begin before that statement has ended.

// claimPatience is the time limit for a claim. It allows the server to notice that the previous
// client is gone.
const claimPatience = 5 * time.Second

// claimAgain is the interval between requests for a claim, and between searches for sessions of a
// killed build.
const claimAgain = 100 * time.Millisecond

// claimWatch is the interval between checks of a claim's session.
const claimWatch = time.Second

// Claim claims the database for a build or a delete, and ends the remaining sessions of a killed
// build. The caller releases the claim. The context held ends with ctx, or when the claim is lost;
// LostClaim then returns the error.
func Claim(ctx context.Context, j plan.Job, f *feed.Feed) (held context.Context, release func() error, err error) {
	switch {
	case j.Database.Container.Claim != nil:
		release, err = claimFile(ctx, j, false)
		return ctx, release, err
	case j.Schema.Claims != nil:
		return claimOnServer(ctx, j, f)
	}
	return ctx, func() error { return nil }, nil
}

// LostClaim returns the error of a lost claim instead of err, if the claim was lost.
func LostClaim(ctx, held context.Context, err error) error {
	if err != nil && ctx.Err() == nil && held.Err() != nil {
		return context.Cause(held)
	}
	return err
}

// ShareClaim claims the database for a run, in the session of its monitor, which holds the claim
// until it is closed. If the user lacks the privilege, the run holds no claim.
func ShareClaim(ctx context.Context, j plan.Job, s database.Session) (release func() error, err error) {
	release = func() error { return nil }
	switch {
	case j.Database.Container.Claim != nil:
		return claimFile(ctx, j, true)
	case j.Schema.Claims != nil:
		err = awaitClaim(ctx, j, func() (bool, error) {
			shared, err := j.Schema.Claims.Share(ctx, s)
			if err != nil && j.Database.Sessions.Classify(err) == meter.Permission {
				return true, nil
			}
			return shared, err
		}, func() error { return refuseBeside(ctx, j, s) })
	}
	return release, err
}

// claimFile claims a file with the database's own lock.
func claimFile(ctx context.Context, j plan.Job, shared bool) (release func() error, err error) {
	err = awaitClaim(ctx, j, func() (claimed bool, err error) {
		release, err = j.Database.Container.Claim(ctx, j.Connection, shared)
		if errors.Is(err, database.ErrClaimed) {
			return false, nil
		}
		return true, err
	}, func() error {
		if shared {
			return refuse(j, otherBuild, "another process")
		}
		return refuse(j, otherJob, "another process")
	})
	return release, err
}

// claimOnServer claims a database with a session that holds the claim until it is closed.
func claimOnServer(ctx context.Context, j plan.Job, f *feed.Feed) (held context.Context, release func() error, err error) {
	s, err := ConnectSteady(ctx, j)
	if err != nil {
		return nil, nil, err
	}
	err = awaitClaim(ctx, j, func() (bool, error) {
		return j.Schema.Claims.Take(ctx, s)
	}, func() error { return refuseBeside(ctx, j, s) })
	if err == nil {
		err = endOrphans(ctx, j, f, s)
	}
	if err != nil {
		return nil, nil, errors.Join(err, s.Close())
	}
	held, lose := context.WithCancelCause(ctx)
	var watching sync.WaitGroup
	watching.Go(func() { watchClaim(held, j, s, lose) })
	return held, func() error {
		lose(context.Canceled)
		watching.Wait()
		return s.Close()
	}, nil
}

// watchClaim ends held when the session of the claim is lost. The server has then released the
// claim, so another build or run may begin.
func watchClaim(held context.Context, j plan.Job, s database.Session, lose context.CancelCauseFunc) {
	for Pause(held, claimWatch) == nil {
		_, err := j.Schema.Claims.Holder(held, s) // any query will do
		if err != nil && held.Err() == nil && j.Database.Sessions.Classify(err) == meter.Connection {
			lose(fmt.Errorf("the session that claimed %s is lost, so other jobs may work there: %w", j.Target(), err))
			return
		}
	}
}

// awaitClaim requests the claim until it is granted. It gives up after claimPatience.
func awaitClaim(ctx context.Context, j plan.Job, ask func() (claimed bool, err error), refuse func() error) error {
	defer j.WaitFor("another job in %s to end", j.Target())()
	for end := time.Now().Add(claimPatience); ; {
		claimed, err := ask()
		if err != nil {
			return fmt.Errorf("claim the database: %w", err)
		}
		if claimed {
			return nil
		}
		if time.Now().After(end) {
			return refuse()
		}
		if err := Pause(ctx, claimAgain); err != nil {
			return err
		}
	}
}

// refuseBeside returns an error that names the running job and its sessions.
func refuseBeside(ctx context.Context, j plan.Job, s database.Session) error {
	runs, err := j.Schema.Claims.Sharers(ctx, s)
	if err != nil {
		return fmt.Errorf("list the runs on the database: %w", err)
	}
	if len(runs) > 0 && j.Spec.Action != job.Run {
		return refuse(j, otherRun, Listed(runs, 3))
	}
	who, err := j.Schema.Claims.Holder(ctx, s)
	switch {
	case err != nil:
		return fmt.Errorf("find the session that claims the database: %w", err)
	case who == "" && j.Spec.Action != job.Run:
		return refuse(j, otherJob, "a session that cannot be seen")
	}
	return refuse(j, otherBuild, cmp.Or(who, "a session that cannot be seen"))
}

// Reasons why a job cannot begin, for messages.
const (
	otherBuild = "another build or deletion is running"
	otherRun   = "a run is in progress"
	otherJob   = "a run, another build or a deletion is in progress"
)

func refuse(j plan.Job, what, who string) error {
	return job.WithExit(job.ExitExists, fmt.Errorf(
		"%s in %s (%s): wait for it to end, or end its session if its client is gone", what, j.Target(), who))
}

// endOrphans ends the sessions that still work for a build without a claim, and waits until they
// have ended.
func endOrphans(ctx context.Context, j plan.Job, f *feed.Feed, s database.Session) error {
	defer j.WaitFor("the sessions of an earlier build in %s to end", j.Target())()
	for said := false; ; {
		orphans, err := j.Schema.Claims.Orphans(ctx, s)
		if err != nil {
			return fmt.Errorf("look for sessions of an earlier build: %w", err)
		}
		if len(orphans) == 0 {
			return nil
		}
		if !said {
			said = true
			var names []string
			for _, o := range orphans {
				names = append(names, o.Name)
			}
			f.Message(job.Monitor, "The server is still working for an earlier build that was killed: ending %s", strings.Join(names, ", "))
		}
		for _, o := range orphans {
			// Ignore the error: the session has already ended, or the user may not end it and must
			// wait.
			_ = o.End(ctx, s)
		}
		if err := Pause(ctx, claimAgain); err != nil {
			return err
		}
	}
}
