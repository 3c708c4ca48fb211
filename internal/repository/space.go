package repository

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"time"

	"sledge/internal/job"
)

const (
	// pagesAtOnce is how many pages are given back before others get their turn to
	// write: 8 MB.
	pagesAtOnce = 2000

	// worthwhile is how many bytes must be free for a file of before to be written anew.
	worthwhile = 1 << 20

	// briefly is how long space is waited for that somebody reads.
	briefly = time.Second
)

// GiveBack gives the space of deleted jobs back to the disk. Others may go on reading
// and recording: pages are given back a few at a time. A file that an older version
// made has to be written anew for that, once, which waits until no job is recorded. What
// others read just now is given back when they have done. It may be broken off at any
// moment by ctx, and loses nothing.
func (s *Store) GiveBack(ctx context.Context) error {
	if s.path == inMemory {
		return nil
	}
	if err := s.giveBack(ctx); err != nil {
		return fmt.Errorf("give the space of deleted jobs back: %w", err)
	}
	return nil
}

func (s *Store) giveBack(ctx context.Context) error {
	c, err := s.db.Conn(ctx)
	if err != nil {
		return err
	}
	defer c.Close()
	const incremental = 2
	var mode, free, size int64
	row := c.QueryRowContext(ctx, `SELECT auto_vacuum, freelist_count, page_size FROM pragma_auto_vacuum, pragma_freelist_count, pragma_page_size`)
	if err := row.Scan(&mode, &free, &size); err != nil || free == 0 {
		return err
	}
	if mode == incremental {
		err = freePages(ctx, c)
	} else {
		err = s.writeAnew(ctx, c, free*size)
	}
	if err != nil {
		return err
	}
	return shrink(ctx, c)
}

// freePages gives back all pages that are free.
func freePages(ctx context.Context, c *sql.Conn) error {
	for before := int64(math.MaxInt64); ; {
		var free int64
		err := c.QueryRowContext(ctx, "PRAGMA freelist_count").Scan(&free)
		if err != nil || free == 0 || free >= before { // others free pages faster than this does
			return err
		}
		before = free
		if err := freeSome(ctx, c); err != nil {
			return err
		}
	}
}

// freeSome gives some pages back, in a transaction of its own.
func freeSome(ctx context.Context, c *sql.Conn) error {
	rows, err := c.QueryContext(ctx, fmt.Sprintf("PRAGMA incremental_vacuum(%d)", pagesAtOnce))
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() { // reading a row is what frees a page
	}
	return rows.Err()
}

// writeAnew writes the whole file anew, without what is free and so that later it can
// be given back bit by bit. Nobody can write meanwhile, and a large file takes minutes:
// so it is done where it is worth it and no job is being recorded.
func (s *Store) writeAnew(ctx context.Context, c *sql.Conn, free int64) error {
	if free < worthwhile {
		return nil
	}
	running, err := s.List(ctx, Query{Status: job.Running, Limit: 1})
	if err != nil || len(running) > 0 {
		return err
	}
	_, err = c.ExecContext(ctx, "VACUUM") // which heeds the connection's auto_vacuum
	return err
}

// shrink moves what is in the write-ahead log into the file, which only then becomes
// smaller, and empties the log. Where somebody reads, it does as much as it can.
func shrink(ctx context.Context, c *sql.Conn) (err error) {
	var before int64
	if err := c.QueryRowContext(ctx, "PRAGMA busy_timeout").Scan(&before); err != nil {
		return err
	}
	wait := func(ctx context.Context, ms int64) error {
		_, err := c.ExecContext(ctx, fmt.Sprintf("PRAGMA busy_timeout = %d", ms))
		return err
	}
	if err := wait(ctx, briefly.Milliseconds()); err != nil {
		return err
	}
	// The connection goes back to the others.
	defer func() { err = errors.Join(err, wait(context.WithoutCancel(ctx), before)) }()
	var busy, log, moved int64
	err = c.QueryRowContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)").Scan(&busy, &log, &moved)
	if isBusy(err) {
		return nil
	}
	return err
}
