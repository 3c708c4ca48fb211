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

// A build and a deletion claim their database for themselves, and runs claim it together, where
// it has a way to do that: no two builds work in one schema, and none on a schema that is being
// measured. A server goes on with a statement, such as the making of an index, though the
// client that sent it was killed: what comes next must not begin before that has ended.

// claimPatience is how long a claim is waited for: the server may not have noticed
// yet that the client of the last one has gone.
const claimPatience = 5 * time.Second

// claimAgain is how often it is asked for, and whether an orphan has ended.
const claimAgain = 100 * time.Millisecond

// claimWatch is how often the session of a claim is asked whether it is still there.
const claimWatch = time.Second

// Claim claims the database for a build or a deletion, and ends what a build that
// was killed still does there. The caller releases it. The context held ends with ctx, or when the claim is lost:
// LostClaim returns the error then.
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

// LostClaim returns why the claim was lost, or else err.
func LostClaim(ctx, held context.Context, err error) error {
	if err != nil && ctx.Err() == nil && held.Err() != nil {
		return context.Cause(held)
	}
	return err
}

// share claims the database for a run, in the session of its monitor, which holds the claim
// until it is closed. Where a user may see nothing of others, runs do without.
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

// claimFile claims a file by the database itself.
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

// claimOnServer claims by a session that holds the claim until it is closed.
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

// watchClaim ends held when the session of the claim is lost: the server has given the claim back, so another build or
// a run may begin.
func watchClaim(held context.Context, j plan.Job, s database.Session, lose context.CancelCauseFunc) {
	for Pause(held, claimWatch) == nil {
		_, err := j.Schema.Claims.Holder(held, s) // any question will do
		if err != nil && held.Err() == nil && j.Database.Sessions.Classify(err) == meter.Connection {
			lose(fmt.Errorf("the session that claimed %s is lost, so other jobs may work there: %w", j.Target(), err))
			return
		}
	}
}

// awaitClaim asks for the claim until it is given, or for as long as it takes a server
// to notice that a client has gone, and then refuses.
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

// refuseBeside refuses, and names the running job and its sessions.
func refuseBeside(ctx context.Context, j plan.Job, s database.Session) error {
	runs, err := j.Schema.Claims.Sharers(ctx, s)
	if err != nil {
		return fmt.Errorf("ask who runs on the database: %w", err)
	}
	if len(runs) > 0 && j.Spec.Action != job.Run {
		return refuse(j, otherRun, Listed(runs, 3))
	}
	who, err := j.Schema.Claims.Holder(ctx, s)
	switch {
	case err != nil:
		return fmt.Errorf("ask who builds in the database: %w", err)
	case who == "" && j.Spec.Action != job.Run:
		return refuse(j, otherJob, "a session that cannot be seen")
	}
	return refuse(j, otherBuild, cmp.Or(who, "a session that cannot be seen"))
}

// What may stand in the way of a job, for a message.
const (
	otherBuild = "another build is running, or a deletion,"
	otherRun   = "a run is in progress"
	otherJob   = "a run is in progress, another build or a deletion,"
)

func refuse(j plan.Job, what, who string) error {
	return job.WithExit(job.ExitExists, fmt.Errorf(
		"%s in %s (%s): wait for it to end, or end its session if its client is gone", what, j.Target(), who))
}

// endOrphans ends the sessions that still work for a build whose claim is gone, and
// waits until they have.
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
			// One that has ended meanwhile cannot be ended again; one that may not be
			// ended is waited for.
			_ = o.End(ctx, s)
		}
		if err := Pause(ctx, claimAgain); err != nil {
			return err
		}
	}
}
