package repository

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/dustin/go-humanize"

	"sledge/internal/host"
	"sledge/internal/job"

	sqlite3 "modernc.org/sqlite/lib"
)

const (
	// checkEvery is the interval between checks of the pages. They are also checked after a process
	// was killed during a job, because that may have damaged pages.
	checkEvery = 24 * time.Hour

	// sayAfter is the time after which the user gets a message about a running check.
	sayAfter = 2 * time.Second
)

// ErrDamaged means that pages of a repository are damaged.
var ErrDamaged = errors.New("the file is damaged")

// damaged adds advice to an error about damaged pages, and returns any other error as it is.
func damaged(path string, err error) error {
	if !hasCode(err, sqlite3.SQLITE_CORRUPT) && !errors.Is(err, ErrDamaged) {
		return err
	}
	if !errors.Is(err, ErrDamaged) {
		err = fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return fmt.Errorf("%w. Nothing was written to it. Keep a copy of %s, save what can still be read with sledge jobs export ID --repo %s, and start a new repository",
		err, path, path)
}

// ensureWhole checks the pages of a repository if a check is due, and returns ErrDamaged if it
// finds damage. It calls say with a line if the check takes long.
func ensureWhole(ctx context.Context, db *sql.DB, path string, version int, say func(line string)) error {
	if version == 0 {
		return nil // it is new
	}
	if current := version >= wholeSince; current {
		due, err := checkDue(ctx, db)
		if err != nil || !due {
			return err
		}
	}
	notice := time.AfterFunc(sayAfter, func() {
		size := ""
		if info, err := os.Stat(path); err == nil {
			size = " (" + humanize.Bytes(uint64(info.Size())) + ")"
		}
		say(fmt.Sprintf("checking the job repository %s%s for damage, which is done once a day", path, size))
	})
	defer notice.Stop()
	return quickCheck(ctx, db)
}

// wholeSince is the version of the schema that records the last check.
const wholeSince = 4

// checkDue reports whether a check of the pages is due.
func checkDue(ctx context.Context, db *sql.DB) (bool, error) {
	var millis int64
	if err := db.QueryRowContext(ctx, `SELECT max(checked_ms) FROM whole`).Scan(&millis); err != nil {
		return false, err
	}
	if checked := time.UnixMilli(millis); time.Since(checked).Abs() >= checkEvery {
		return true, nil
	}
	// A running job shows a sign of life at intervals. The last sign of a killed job may be some
	// time before its end.
	rows, err := db.QueryContext(ctx, `SELECT seen_ms, host, pid, process_begun_ms FROM job
		WHERE status = 'running' AND seen_ms > ?`, millis-heartbeat.Milliseconds())
	if err != nil {
		return false, err
	}
	defer rows.Close()
	for rows.Next() {
		var process host.Process
		var seen, begun int64
		if err := rows.Scan(&seen, &process.Host, &process.PID, &begun); err != nil {
			return false, err
		}
		process.Begun = time.UnixMilli(begun)
		j := job.Job{Status: job.Running}
		if judge(&j, process, time.UnixMilli(seen)); j.Status == job.Killed {
			return true, nil
		}
	}
	return false, rows.Err()
}

// quickCheck runs SQLite's quick check, which reads all pages.
func quickCheck(ctx context.Context, db *sql.DB) error {
	rows, err := db.QueryContext(ctx, "PRAGMA quick_check(1)")
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var found string
		if err := rows.Scan(&found); err != nil {
			return err
		}
		if found != "ok" {
			return fmt.Errorf("%w: %s", ErrDamaged, strings.ReplaceAll(found, "\n", ", "))
		}
	}
	return rows.Err()
}

// noteWhole records that the check, if one was due, found no damage.
func noteWhole(ctx context.Context, db *sql.DB) error {
	due, err := checkDue(ctx, db)
	if err == nil && due {
		_, err = db.ExecContext(ctx, `UPDATE whole SET checked_ms = ?`, time.Now().UnixMilli())
	}
	return err
}
