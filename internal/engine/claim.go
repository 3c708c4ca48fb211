package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"sledge/internal/database"
	"sledge/internal/job"
)

// A build and a delete claim their database, where it has a way to do that, so that no
// two of them work in one schema. A server goes on with a statement, such as
// the making of an index, though the client that sent it was killed: what comes next
// must not begin before that has ended.

// claimPatience is how long a claim is waited for: the server may not have noticed
// yet that the client of the last one has gone.
const claimPatience = 5 * time.Second

// claimAgain is how often it is asked for, and whether an orphan has ended.
const claimAgain = 100 * time.Millisecond

// claim claims the database for what is to be done in it, and ends what a build that
// was killed still does there. It is to be released.
func (p Plan) claim(ctx context.Context, f *feed) (release func() error, err error) {
	switch {
	case p.Database.Claim != nil:
		err := p.awaitClaim(ctx, func() (claimed bool, err error) {
			release, err = p.Database.Claim(ctx, p.Connection)
			if errors.Is(err, database.ErrClaimed) {
				return false, nil
			}
			return true, err
		}, func() error { return p.refuse("another process") })
		return release, err
	case p.Schema.Claims != nil:
		return p.claimOnServer(ctx, f)
	}
	return func() error { return nil }, nil
}

// claimOnServer claims by a session that holds the claim until it is closed.
func (p Plan) claimOnServer(ctx context.Context, f *feed) (release func() error, err error) {
	s, err := connectSteady(ctx, p)
	if err != nil {
		return nil, err
	}
	err = p.awaitClaim(ctx, func() (bool, error) {
		return p.Schema.Claims.Take(ctx, s)
	}, func() error { return p.refuseBeside(ctx, s) })
	if err == nil {
		err = p.endOrphans(ctx, f, s)
	}
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s.Close, nil
}

// awaitClaim asks for the claim until it is given, or for as long as it takes a server
// to notice that somebody has gone, and then refuses.
func (p Plan) awaitClaim(ctx context.Context, ask func() (claimed bool, err error), refuse func() error) error {
	defer p.waitFor("a build in %s to end", p.target())()
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
		if err := pause(ctx, claimAgain); err != nil {
			return err
		}
	}
}

// refuseBeside refuses, and says whose session has the claim.
func (p Plan) refuseBeside(ctx context.Context, s database.Session) error {
	who, err := p.Schema.Claims.Holder(ctx, s)
	if err != nil {
		return fmt.Errorf("ask who builds in the database: %w", err)
	}
	return p.refuse(cmp.Or(who, "a session that cannot be seen"))
}

func (p Plan) refuse(who string) error {
	return job.WithExit(job.ExitExists, fmt.Errorf(
		"another build is running in %s (%s): wait for it to end, or end its session if its client is gone", p.target(), who))
}

// endOrphans ends the sessions that still work for a build whose claim is gone, and
// waits until they have.
func (p Plan) endOrphans(ctx context.Context, f *feed, s database.Session) error {
	defer p.waitFor("the sessions of an earlier build in %s to end", p.target())()
	for said := false; ; {
		orphans, err := p.Schema.Claims.Orphans(ctx, s)
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
			f.message(job.Monitor, "The server is still working for an earlier build that was killed: ending %s", strings.Join(names, ", "))
		}
		for _, o := range orphans {
			// One that has ended meanwhile cannot be ended again; one that may not be
			// ended is waited for.
			_ = o.End(ctx, s)
		}
		if err := pause(ctx, claimAgain); err != nil {
			return err
		}
	}
}

// connectWorker opens a session that works for the build, and says so to builds that
// may come later.
func connectWorker(ctx context.Context, p Plan) (database.Session, error) {
	s, err := connectSteady(ctx, p)
	if err != nil || p.Schema.Claims == nil {
		return s, err
	}
	if err := p.Schema.Claims.Work(ctx, s); err != nil {
		s.Close()
		return nil, fmt.Errorf("mark the session as one of a build: %w", err)
	}
	return s, nil
}

// pause waits, unless the context ends.
func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
