package sqlite

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"sledge/internal/database"
	"sledge/internal/meter"
)

// claim is Container.Claim. The claim is SQLite's own lock on an empty file beside the database,
// because a lock on the database itself would exclude the builders. The operating system releases
// it when the process ends, even if the process is killed. Runs share the lock as readers.
func claim(ctx context.Context, options any, shared bool) (release func() error, err error) {
	name := of(options).File + "-build"
	for {
		s, err := openClaim(ctx, name)
		if err != nil {
			return nil, err
		}
		switch err := lock(ctx, s, shared); {
		case errors.Is(err, errGivenUp):
			_ = s.Close() // it locked a file that was removed meanwhile
		case err != nil:
			return nil, errors.Join(err, s.Close())
		default:
			return func() error { return giveUp(context.WithoutCancel(ctx), s, name, shared) }, nil
		}
	}
}

// claimSoon claims the file. If another job has the claim, claimSoon waits for up to a second, and
// waited is true.
func claimSoon(ctx context.Context, options any) (release func() error, waited bool, err error) {
	const tries, pause = 20, 50 * time.Millisecond
	for try := 1; ; try++ {
		release, err = claim(ctx, options, false)
		if !errors.Is(err, database.ErrClaimed) || try == tries {
			return release, try > 1, err
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return nil, true, ctx.Err()
		}
	}
}

// openClaim opens or creates the lock file.
func openClaim(ctx context.Context, name string) (database.Session, error) {
	pragmas := url.Values{"_pragma": {"busy_timeout(0)"}}
	s, err := database.OpenSQL(ctx, "sqlite", "file:"+(&url.URL{Path: filepath.ToSlash(name)}).EscapedPath()+"?"+pragmas.Encode(), dialect)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", name, err)
	}
	return s, nil
}

// errGivenUp means that the lock file was removed after it was opened, so another process may hold
// the lock of a new file with that name.
var errGivenUp = errors.New("the lock file was removed by an earlier claim")

// lock locks the file. The journal is in memory, because after the file is removed, a journal on
// disk would belong to another process's file with the same name.
func lock(ctx context.Context, s database.Session, shared bool) error {
	begin := "BEGIN EXCLUSIVE"
	if shared {
		begin = "BEGIN" // the first read takes the lock
	}
	for _, statement := range []string{"PRAGMA journal_mode = memory", begin} {
		err := s.Exec(ctx, statement)
		if err != nil && classify(err) == meter.Busy {
			return database.ErrClaimed
		}
		if err != nil {
			return err
		}
	}
	t, err := s.Query(ctx, "PRAGMA user_version", 1)
	if err != nil && classify(err) == meter.Busy {
		return database.ErrClaimed
	}
	if err == nil && t.Rows[0][0] != "0" {
		err = errGivenUp
	}
	return err
}

// giveUp removes the file and then releases its lock. A mark in the file tells processes that
// already have it open.
func giveUp(ctx context.Context, s database.Session, name string, shared bool) error {
	if shared {
		if s.Exec(ctx, "COMMIT") != nil || s.Exec(ctx, "BEGIN EXCLUSIVE") != nil {
			return s.Close() // others share it; the last of them removes the file
		}
	}
	if os.Remove(name) == nil {
		return errors.Join(s.Exec(ctx, "PRAGMA user_version = 1"), s.Exec(ctx, "COMMIT"), s.Close())
	}
	// Windows cannot remove a file that another process has open, for example while it waits for
	// the lock.
	err := s.Close()
	_ = os.Remove(name) // it is empty and harmless
	return err
}
