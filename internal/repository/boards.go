package repository

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"time"

	"sledge/internal/job"

	sqlite3 "modernc.org/sqlite/lib"
)

// Board is a page that users compose of tiles.
type Board struct {
	Number  int64
	Name    string
	Tiles   []Tile
	By      string // the user who changed it last, or ""
	Changed time.Time
}

// Tile shows a part of a job, or of the newest run with a label.
type Tile struct {
	Kind  string `json:"kind"`
	Job   job.ID `json:"job,omitempty"`
	Label string `json:"label,omitempty"` // name=value, or name for any value; "" if Job is set
}

// mostBoards limits the boards, because a list contains them all.
const mostBoards = 1000

// Boards lists the boards, sorted by name.
func (s *Store) Boards(ctx context.Context) ([]Board, error) {
	list, err := s.boards(ctx, `ORDER BY name`)
	if err != nil {
		return nil, fmt.Errorf("list boards: %w", err)
	}
	return list, nil
}

// Board returns the board with a number. An unknown number is an error.
func (s *Store) Board(ctx context.Context, number int64) (Board, error) {
	list, err := s.boards(ctx, `WHERE number = ?`, number)
	if err == nil && len(list) == 0 {
		err = noBoard(number)
	}
	if err != nil {
		return Board{}, fmt.Errorf("find board: %w", err)
	}
	return list[0], nil
}

// noBoard returns the error for a number that no board has.
func noBoard(number int64) error {
	return job.WithExit(job.ExitMissing, fmt.Errorf("there is no board %d any more, or there never was: choose one from the list", number))
}

func (s *Store) boards(ctx context.Context, which string, arguments ...any) (list []Board, err error) {
	rows, err := s.db.QueryContext(ctx, `SELECT number, name, tiles, changed_by, changed_ms FROM board `+which, arguments...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var one Board
		var tiles string
		var changed int64
		if err := rows.Scan(&one.Number, &one.Name, &tiles, &one.By, &changed); err != nil {
			return nil, err
		}
		if err := json.Unmarshal([]byte(tiles), &one.Tiles); err != nil {
			return nil, fmt.Errorf("tiles of %s: %w", one.Name, err)
		}
		one.Changed = time.UnixMilli(changed).UTC()
		list = append(list, one)
	}
	return list, rows.Err()
}

// PutBoard adds a board if its number is 0, and otherwise replaces the board that has the number. It
// returns the board with its number.
func (s *Store) PutBoard(ctx context.Context, one Board) (Board, error) {
	if err := job.CheckName(one.Name); err != nil {
		return one, job.WithExit(job.ExitUsage, fmt.Errorf("the name of a board: %w", err))
	}
	tiles, err := json.Marshal(one.Tiles)
	if err != nil {
		return one, err
	}
	one.Changed = time.Now().UTC().Truncate(time.Millisecond)
	err = s.transact(ctx, func(tx *sql.Tx) error {
		if one.Number != 0 {
			result, err := tx.ExecContext(ctx, `UPDATE board SET name = ?, tiles = ?, changed_by = ?, changed_ms = ? WHERE number = ?`,
				one.Name, string(tiles), one.By, one.Changed.UnixMilli(), one.Number)
			return changedOne(result, err, noBoard(one.Number))
		}
		var kept int
		if err := tx.QueryRowContext(ctx, `SELECT count(*) FROM board`).Scan(&kept); err != nil {
			return err
		}
		if kept >= mostBoards {
			return job.WithExit(job.ExitUsage, fmt.Errorf("%d boards are saved, which is the limit: delete one", mostBoards))
		}
		return tx.QueryRowContext(ctx, `INSERT INTO board (name, tiles, changed_by, changed_ms) VALUES (?, ?, ?, ?) RETURNING number`,
			one.Name, string(tiles), one.By, one.Changed.UnixMilli()).Scan(&one.Number)
	})
	switch {
	case hasCode(err, sqlite3.SQLITE_CONSTRAINT):
		return one, job.WithExit(job.ExitExists, fmt.Errorf("there is already a board with the name %s: choose another name, or change that board", one.Name))
	case err != nil:
		return one, fmt.Errorf("save board: %w", err)
	}
	return one, nil
}

// RemoveBoard removes a board. The jobs that it shows stay.
func (s *Store) RemoveBoard(ctx context.Context, number int64) error {
	result, err := s.db.ExecContext(ctx, `DELETE FROM board WHERE number = ?`, number)
	if err := changedOne(result, err, noBoard(number)); err != nil {
		return fmt.Errorf("delete board: %w", err)
	}
	return nil
}
