package dictionaries

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"modernc.org/sqlite" // also registers the driver "sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"sledge/internal/job"
	"sledge/internal/sqlitefile"
)

// file saves settings in a SQLite file, with a row for each setting that was ever set. It contains
// passwords, because scripts that run in several steps set them in the first step and use them in
// the next. Therefore only the user may read it (docs/decisions/011-settings-in-one-file.md).
type file struct {
	path string
	db   *sql.DB

	// exposed is a warning that other users could read the file when it was opened, and whether
	// they still can; "" if they could not.
	exposed string
}

// setting is a row of the file.
type setting struct{ dictionary, section, key, value string }

// String names the setting, without its value.
func (s setting) String() string { return s.dictionary + " " + s.section + ":" + s.key }

const (
	// applicationID marks a SQLite file as Sledge's settings: "SldS".
	applicationID = 0x536c6453
	fileVersion   = 1

	// Several consoles may write at once; a write waits this long for its turn.
	connectionSettings = "_busy_timeout=30000&_txlock=immediate"

	schema = `CREATE TABLE setting (
		dictionary TEXT NOT NULL,
		section    TEXT NOT NULL,
		key        TEXT NOT NULL,
		value      TEXT NOT NULL,
		PRIMARY KEY (dictionary, section, key)
	) WITHOUT ROWID`
)

// openFile opens the file at path, creates it if it does not exist, and reads it.
func openFile(path string) (*file, []setting, error) {
	f, err := connectFile(path)
	if err != nil {
		return nil, nil, explain(path, err)
	}
	kept, err := f.read()
	if err != nil {
		return nil, nil, errors.Join(explain(path, err), f.close())
	}
	return f, kept, nil
}

// explain adds the file's name to an error, and advice if the file is damaged.
func explain(path string, err error) error {
	err = fmt.Errorf("settings %s: %w", path, err)
	if e, ok := errors.AsType[*sqlite.Error](err); ok {
		const primary = 0xff // the other bits are SQLite's extended code
		switch e.Code() & primary {
		case sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT:
			err = fmt.Errorf("%w: the file is damaged or holds no settings: move it away to start with the defaults", err)
		}
	}
	return job.WithExit(job.ExitUsage, err)
}

func connectFile(path string) (*file, error) {
	if err := sqlitefile.Create(path); err != nil {
		return nil, err
	}
	source, err := sqlitefile.URI(path, connectionSettings)
	if err != nil {
		return nil, err
	}
	db, err := sql.Open("sqlite", source)
	if err != nil {
		return nil, err
	}
	f := &file{path: path, db: db}
	if err := f.prepare(); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	f.tighten() // after connectFile has verified that the file is Sledge's
	return f, nil
}

// tighten removes other users' access to the file, which may be a copy or created by hand.
func (f *file) tighten() {
	exposed, err := sqlitefile.Tighten(f.path)
	switch {
	case err != nil:
		f.exposed = fmt.Sprintf("settings %s: other users can read the passwords in it: %v: make the file your own, or set SLEDGE_SETTINGS to another one", f.path, err)
	case exposed:
		f.exposed = fmt.Sprintf("settings %s: other users could read the passwords in it; now only you can", f.path)
	}
}

// prepare creates the table in a new file, and refuses a file that does not contain Sledge's
// settings.
func (f *file) prepare() error {
	ready, err := isReady(f.db)
	if err != nil || ready {
		return err
	}
	return sqlitefile.Transact(context.Background(), f.db, func(tx *sql.Tx) error {
		if ready, err := isReady(tx); err != nil || ready { // another console may have been first
			return err
		}
		if _, err := tx.Exec(schema); err != nil {
			return err
		}
		return sqlitefile.SetVersion(context.Background(), tx, applicationID, fileVersion)
	})
}

// isReady reports whether the file has its table.
func isReady(db interface {
	QueryRowContext(ctx context.Context, query string, arguments ...any) *sql.Row
},
) (bool, error) {
	version, err := sqlitefile.Version(context.Background(), db, applicationID)
	switch {
	case errors.Is(err, sqlitefile.ErrForeign):
		return false, errors.New("the file belongs to another program: choose another one for the settings")
	case err == nil && version != 0 && version != fileVersion:
		return false, fmt.Errorf("the file has version %d and this Sledge reads version %d: use the Sledge that wrote it, or another file", version, fileVersion)
	}
	return version == fileVersion, err
}

func (f *file) read() ([]setting, error) {
	rows, err := f.db.Query("SELECT dictionary, section, key, value FROM setting ORDER BY dictionary, section, key")
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var kept []setting
	for rows.Next() {
		var s setting
		if err := rows.Scan(&s.dictionary, &s.section, &s.key, &s.value); err != nil {
			return nil, err
		}
		kept = append(kept, s)
	}
	return kept, rows.Err()
}

// write saves settings in one transaction. Other rows do not change.
func (f *file) write(settings ...setting) error {
	err := sqlitefile.Transact(context.Background(), f.db, func(tx *sql.Tx) error {
		for _, s := range settings {
			_, err := tx.Exec("INSERT INTO setting VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET value = excluded.value",
				s.dictionary, s.section, s.key, s.value)
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return explain(f.path, err)
	}
	return nil
}

func (f *file) close() error { return f.db.Close() }
