package repository

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"sledge/internal/job"

	sqlite3 "modernc.org/sqlite/lib"
)

// Schedule starts a set-up once or again and again.
type Schedule struct {
	Number  int64
	Setup   Setup  // when adding, only its number counts
	Owner   string // the user who switched it on, or ""
	Enabled bool
	Cron    string // when it starts; "" for a single start
	Zone    string // the time zone of Cron
	Next    time.Time
	Last    *ScheduledStart // nil if none was due yet
}

// ScheduledStart is a start that was due.
type ScheduledStart struct {
	Number   int64
	Schedule int64
	Due      time.Time
	Outcome  StartOutcome
	Times    int    // how many starts were missed; otherwise 1
	Job      job.ID // the first job that was started
	Reason   string // why no job was started
}

// StartOutcome tells what became of a start.
type StartOutcome string

// The outcomes of starts.
const (
	Started StartOutcome = "started"
	Missed  StartOutcome = "missed" // not tried
	Failed  StartOutcome = "failed" // no job began
)

const (
	mostSchedules = 1000
	mostStarts    = 200 // remembered starts of a schedule
)

// Schedules lists the schedules, the oldest first.
func (s *Store) Schedules(ctx context.Context) ([]Schedule, error) {
	list, err := s.schedules(ctx, ``)
	if err != nil {
		return nil, fmt.Errorf("list schedules: %w", err)
	}
	return list, nil
}

// Schedule returns the schedule with a number. An unknown number is an error.
func (s *Store) Schedule(ctx context.Context, number int64) (Schedule, error) {
	list, err := s.schedules(ctx, `WHERE c.number = ?`, number)
	if err == nil && len(list) == 0 {
		err = noSchedule(number)
	}
	if err != nil {
		return Schedule{}, fmt.Errorf("find schedule: %w", err)
	}
	return list[0], nil
}

// noSchedule returns the error for a number that no schedule has.
func noSchedule(number int64) error {
	return job.WithExit(job.ExitMissing, fmt.Errorf("there is no schedule %d any more, or there never was: choose one from the list", number))
}

func (s *Store) schedules(ctx context.Context, which string, arguments ...any) ([]Schedule, error) {
	setups, err := s.setups(ctx, ``)
	if err != nil {
		return nil, err
	}
	byNumber := map[int64]Setup{}
	for _, one := range setups {
		byNumber[one.Number] = one
	}
	rows, err := s.db.QueryContext(ctx, `SELECT c.number, c.setup, c.owner, c.enabled, c.cron, c.zone, coalesce(c.next_ms, 0),
			l.number, coalesce(l.due_ms, 0), coalesce(l.outcome, ''), coalesce(l.times, 0), coalesce(l.job, ''), coalesce(l.reason, '')
		FROM schedule c LEFT JOIN scheduled_start l ON l.number = (SELECT max(number) FROM scheduled_start WHERE schedule = c.number)
		`+which+` ORDER BY c.number`, arguments...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var list []Schedule
	for rows.Next() {
		var one Schedule
		var last ScheduledStart
		var setup, next, due int64
		var lastNumber sql.NullInt64
		if err := rows.Scan(&one.Number, &setup, &one.Owner, &one.Enabled, &one.Cron, &one.Zone, &next,
			&lastNumber, &due, &last.Outcome, &last.Times, &last.Job, &last.Reason); err != nil {
			return nil, err
		}
		one.Setup, one.Next = byNumber[setup], timeOf(next)
		if lastNumber.Valid {
			last.Number, last.Schedule, last.Due = lastNumber.Int64, one.Number, timeOf(due)
			one.Last = &last
		}
		list = append(list, one)
	}
	return list, rows.Err()
}

// timeOf returns the time of milliseconds; 0 is the zero time.
func timeOf(ms int64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}

// millisecondsOf is the reverse of timeOf, with NULL for the zero time.
func millisecondsOf(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t.UnixMilli()
}

// AddSchedule adds a schedule, and returns it with its number.
func (s *Store) AddSchedule(ctx context.Context, one Schedule) (Schedule, error) {
	var number int64
	err := s.transact(ctx, func(tx *sql.Tx) error {
		var kept int
		if err := tx.QueryRowContext(ctx, `SELECT count(*) FROM schedule`).Scan(&kept); err != nil {
			return err
		}
		if kept >= mostSchedules {
			return job.WithExit(job.ExitUsage, fmt.Errorf("there are %d schedules, which is the limit: delete one", mostSchedules))
		}
		return tx.QueryRowContext(ctx, `INSERT INTO schedule (setup, owner, enabled, cron, zone, next_ms) VALUES (?, ?, ?, ?, ?, ?) RETURNING number`,
			one.Setup.Number, one.Owner, one.Enabled, one.Cron, one.Zone, millisecondsOf(one.Next)).Scan(&number)
	})
	if hasCode(err, sqlite3.SQLITE_CONSTRAINT) {
		err = noSetup(one.Setup.Number)
	}
	if err != nil {
		return Schedule{}, fmt.Errorf("save schedule: %w", err)
	}
	return s.Schedule(ctx, number)
}

// ChangeSchedule replaces the times and the owner of a schedule, and switches it on or off.
func (s *Store) ChangeSchedule(ctx context.Context, one Schedule) error {
	result, err := s.db.ExecContext(ctx, `UPDATE schedule SET owner = ?, enabled = ?, cron = ?, zone = ?, next_ms = ? WHERE number = ?`,
		one.Owner, one.Enabled, one.Cron, one.Zone, millisecondsOf(one.Next), one.Number)
	if err := changedOne(result, err, noSchedule(one.Number)); err != nil {
		return fmt.Errorf("save schedule: %w", err)
	}
	return nil
}

// RemoveSchedule removes a schedule and its past starts.
func (s *Store) RemoveSchedule(ctx context.Context, number int64) error {
	result, err := s.db.ExecContext(ctx, `DELETE FROM schedule WHERE number = ?`, number)
	if err := changedOne(result, err, noSchedule(number)); err != nil {
		return fmt.Errorf("delete schedule: %w", err)
	}
	return nil
}

// TakeStart takes the next start of a schedule for this program, as due.Due has it, and sets the one
// after it; without one the schedule is off. It records due, which SettleStart replaces, and returns it
// with its number. taken is false if another program has taken the start, or the schedule has changed.
func (s *Store) TakeStart(ctx context.Context, due ScheduledStart, next time.Time) (start ScheduledStart, taken bool, err error) {
	start = due
	err = s.transact(ctx, func(tx *sql.Tx) error {
		result, err := tx.ExecContext(ctx, `UPDATE schedule SET next_ms = ?, enabled = ? WHERE number = ? AND enabled AND next_ms = ?`,
			millisecondsOf(next), !next.IsZero(), due.Schedule, due.Due.UnixMilli())
		if err != nil {
			return err
		}
		if n, err := result.RowsAffected(); err != nil || n == 0 {
			return err
		}
		taken = true
		if err := tx.QueryRowContext(ctx, `INSERT INTO scheduled_start (schedule, due_ms, outcome, times, job, reason) VALUES (?, ?, ?, ?, ?, ?) RETURNING number`,
			due.Schedule, due.Due.UnixMilli(), due.Outcome, due.Times, due.Job, due.Reason).Scan(&start.Number); err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `DELETE FROM scheduled_start WHERE schedule = ?1 AND number <= (
			SELECT number FROM scheduled_start WHERE schedule = ?1 ORDER BY number DESC LIMIT 1 OFFSET ?2)`, due.Schedule, mostStarts)
		return err
	})
	if err != nil {
		return start, false, fmt.Errorf("take the start of schedule %d: %w", due.Schedule, err)
	}
	return start, taken, nil
}

// SettleStart replaces what was recorded about a start.
func (s *Store) SettleStart(ctx context.Context, start ScheduledStart) error {
	_, err := s.db.ExecContext(ctx, `UPDATE scheduled_start SET outcome = ?, job = ?, reason = ? WHERE number = ?`,
		start.Outcome, start.Job, start.Reason, start.Number)
	if err != nil {
		return fmt.Errorf("record the start of schedule %d: %w", start.Schedule, err)
	}
	return nil
}

// ScheduledStarts lists the past starts of a schedule, the newest first.
func (s *Store) ScheduledStarts(ctx context.Context, schedule int64) (list []ScheduledStart, err error) {
	rows, err := s.db.QueryContext(ctx, `SELECT number, due_ms, outcome, times, job, reason FROM scheduled_start WHERE schedule = ? ORDER BY number DESC`, schedule)
	if err != nil {
		return nil, fmt.Errorf("list starts: %w", err)
	}
	defer rows.Close()
	for rows.Next() {
		one := ScheduledStart{Schedule: schedule}
		var due int64
		if err := rows.Scan(&one.Number, &due, &one.Outcome, &one.Times, &one.Job, &one.Reason); err != nil {
			return nil, fmt.Errorf("list starts: %w", err)
		}
		one.Due = timeOf(due)
		list = append(list, one)
	}
	return list, rows.Err()
}
