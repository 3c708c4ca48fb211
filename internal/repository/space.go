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
	// pagesAtOnce is the number of pages, 8 MB, that one transaction returns; other writers get
	// their turn after it.
	pagesAtOnce = 2000

	// worthwhile is the minimum number of free bytes for which an old file is rewritten.
	worthwhile = 1 << 20

	// briefly is the time limit for waiting until no connection reads the write-ahead log.
	briefly = time.Second
)

// GiveBack returns the space of deleted jobs to the disk. Other processes can read and record
// meanwhile, because it returns a few pages at a time. It must rewrite a file of an older version
// once, and does so only while no job is recorded. Pages that are being read are returned later.
// ctx may interrupt it at any moment without loss.
func (s *Store) GiveBack(ctx context.Context) error {
	if s.path == inMemory {
		return nil
	}
	if err := s.giveBack(ctx); err != nil {
		return fmt.Errorf("return the space of deleted jobs: %w", err)
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
		err = s.rewrite(ctx, c, free*size)
	}
	if err != nil {
		return err
	}
	return shrink(ctx, c)
}

// freePages returns all free pages.
func freePages(ctx context.Context, c *sql.Conn) error {
	for before := int64(math.MaxInt64); ; {
		var free int64
		err := c.QueryRowContext(ctx, "PRAGMA freelist_count").Scan(&free)
		if err != nil || free == 0 || free >= before { // other connections free pages faster than this loop
			return err
		}
		before = free
		if err := freeSome(ctx, c); err != nil {
			return err
		}
	}
}

// freeSome returns some pages, in its own transaction.
func freeSome(ctx context.Context, c *sql.Conn) error {
	rows, err := c.QueryContext(ctx, fmt.Sprintf("PRAGMA incremental_vacuum(%d)", pagesAtOnce))
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() { // reading a row frees a page
	}
	return rows.Err()
}

// rewrite writes the whole file again, without free pages and in a form that can shrink bit by
// bit. It blocks writers, and a large file takes minutes: so it runs only if it is worth it and
// no job is being recorded.
func (s *Store) rewrite(ctx context.Context, c *sql.Conn, free int64) error {
	if free < worthwhile {
		return nil
	}
	running, err := s.List(ctx, Query{Status: job.Running, Limit: 1})
	if err != nil || len(running) > 0 {
		return err
	}
	_, err = c.ExecContext(ctx, "VACUUM") // it applies the connection's auto_vacuum
	return err
}

// shrink writes the write-ahead log back to the file, which becomes smaller only then, and empties
// the log. While other connections read, it does as much as it can.
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
	// The connection returns to the pool, so its timeout must be restored.
	defer func() { err = errors.Join(err, wait(context.WithoutCancel(ctx), before)) }()
	var busy, log, moved int64
	err = c.QueryRowContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)").Scan(&busy, &log, &moved)
	if isBusy(err) {
		return nil
	}
	return err
}
