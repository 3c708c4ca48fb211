package repository

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"sledge/internal/job"
	"sledge/internal/option"

	sqlite3 "modernc.org/sqlite/lib"
)

// Setup is a set-up with a name: the settings of jobs that a user wants to start again.
type Setup struct {
	Number   int64
	Name     string
	Action   job.Action
	Settings option.Values // by the names of a configuration file, without secrets
	By       string        // the user who changed it last, or ""
	Changed  time.Time
}

// mostSetups limits the set-ups, because a list contains them all.
const mostSetups = 1000

const setupColumns = `number, name, action, settings, changed_by, changed_ms`

// Setups lists the set-ups, sorted by name.
func (s *Store) Setups(ctx context.Context) ([]Setup, error) {
	list, err := s.setups(ctx, `ORDER BY name`)
	if err != nil {
		return nil, fmt.Errorf("list set-ups: %w", err)
	}
	return list, nil
}

// Setup returns the set-up with a number. An unknown number is an error.
func (s *Store) Setup(ctx context.Context, number int64) (Setup, error) {
	list, err := s.setups(ctx, `WHERE number = ?`, number)
	if err == nil && len(list) == 0 {
		err = noSetup(number)
	}
	if err != nil {
		return Setup{}, fmt.Errorf("find set-up: %w", err)
	}
	return list[0], nil
}

// noSetup returns the error for a number that no set-up has.
func noSetup(number int64) error {
	return job.WithExit(job.ExitMissing, fmt.Errorf("there is no set-up %d any more, or there never was: choose one from the list", number))
}

func (s *Store) setups(ctx context.Context, which string, arguments ...any) (list []Setup, err error) {
	rows, err := s.db.QueryContext(ctx, `SELECT `+setupColumns+` FROM setup `+which, arguments...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var one Setup
		var settings string
		var changed int64
		if err := rows.Scan(&one.Number, &one.Name, &one.Action, &settings, &one.By, &changed); err != nil {
			return nil, err
		}
		if err := json.Unmarshal([]byte(settings), &one.Settings); err != nil {
			return nil, fmt.Errorf("settings of %s: %w", one.Name, err)
		}
		one.Changed = time.UnixMilli(changed).UTC()
		list = append(list, one)
	}
	return list, rows.Err()
}

// AddSetup adds a set-up, and returns it with its number. The caller has removed secrets from the
// settings.
func (s *Store) AddSetup(ctx context.Context, one Setup) (Setup, error) {
	err := s.putSetup(ctx, &one, func(tx *sql.Tx, settings string) error {
		var kept int
		if err := tx.QueryRowContext(ctx, `SELECT count(*) FROM setup`).Scan(&kept); err != nil {
			return err
		}
		if kept >= mostSetups {
			return job.WithExit(job.ExitUsage, fmt.Errorf("%d set-ups are saved, which is the limit: delete one", mostSetups))
		}
		return tx.QueryRowContext(ctx, `INSERT INTO setup (name, action, settings, changed_by, changed_ms) VALUES (?, ?, ?, ?, ?) RETURNING number`,
			one.Name, one.Action, settings, one.By, one.Changed.UnixMilli()).Scan(&one.Number)
	})
	return one, err
}

// ChangeSetup replaces the set-up that has the same number.
func (s *Store) ChangeSetup(ctx context.Context, one Setup) (Setup, error) {
	err := s.putSetup(ctx, &one, func(tx *sql.Tx, settings string) error {
		result, err := tx.ExecContext(ctx, `UPDATE setup SET name = ?, action = ?, settings = ?, changed_by = ?, changed_ms = ? WHERE number = ?`,
			one.Name, one.Action, settings, one.By, one.Changed.UnixMilli(), one.Number)
		return changedOne(result, err, noSetup(one.Number))
	})
	return one, err
}

// RemoveSetup removes a set-up that no schedule starts.
func (s *Store) RemoveSetup(ctx context.Context, number int64) error {
	result, err := s.db.ExecContext(ctx, `DELETE FROM setup WHERE number = ?`, number)
	if hasCode(err, sqlite3.SQLITE_CONSTRAINT) {
		return job.WithExit(job.ExitExists, errors.New("a schedule starts this set-up: delete the schedule first"))
	}
	if err := changedOne(result, err, noSetup(number)); err != nil {
		return fmt.Errorf("delete set-up: %w", err)
	}
	return nil
}

// putSetup checks a set-up, and writes it in a transaction.
func (s *Store) putSetup(ctx context.Context, one *Setup, put func(tx *sql.Tx, settings string) error) error {
	if err := job.CheckName(one.Name); err != nil {
		return job.WithExit(job.ExitUsage, fmt.Errorf("the name of a set-up: %w", err))
	}
	settings, err := json.Marshal(one.Settings)
	if err != nil {
		return err
	}
	one.Changed = time.Now().UTC().Truncate(time.Millisecond)
	err = s.transact(ctx, func(tx *sql.Tx) error { return put(tx, string(settings)) })
	switch {
	case hasCode(err, sqlite3.SQLITE_CONSTRAINT):
		return job.WithExit(job.ExitExists, fmt.Errorf("there is already a set-up with the name %s: choose another name, or change that set-up", one.Name))
	case err != nil:
		return fmt.Errorf("save set-up: %w", err)
	}
	return nil
}

// changedOne returns the error of a statement, or missing if the statement changed no row.
func changedOne(result sql.Result, err, missing error) error {
	if err != nil {
		return err
	}
	if n, err := result.RowsAffected(); err != nil || n > 0 {
		return err
	}
	return missing
}
