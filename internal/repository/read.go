package repository

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"sledge/internal/job"

	sqlite3 "modernc.org/sqlite/lib"

	"sledge/internal/sqlitefile"
)

// OpenToRead opens an existing repository for reading. It creates no repository, and no files
// beside a repository that it cannot write to.
func OpenToRead(path string) (*Store, error) {
	if path == inMemory {
		return Open(path)
	}
	s, err := openToRead(path)
	if err != nil {
		return nil, fmt.Errorf("open job repository %s: %w", path, damaged(path, err))
	}
	return s, nil
}

func openToRead(path string) (*Store, error) {
	file, err := os.Open(path) // its error is clearer than SQLite's
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, job.WithExit(job.ExitMissing, errors.New("it does not exist: the first build or run creates it"))
	case err != nil:
		return nil, err
	}
	info, err := file.Stat()
	if err := errors.Join(err, file.Close()); err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, job.WithExit(job.ExitUsage, errors.New("it is not a regular file: name a file"))
	}
	if info.Size() == 0 {
		return nil, job.WithExit(job.ExitMissing, errors.New("the file is empty: the first build or run fills it"))
	}
	// SQLite opens a file for reading if it may not write to it.
	db, err := openCurrent(path, "mode=rw&"+readSettings)
	if hasCode(err, sqlite3.SQLITE_CANTOPEN) || hasCode(err, sqlite3.SQLITE_READONLY) {
		// SQLite also needs files beside the repository to read the write-ahead log, and cannot
		// create them here.
		if log, err := os.Stat(path + "-wal"); err == nil && log.Size() > 0 {
			return nil, fmt.Errorf("the newest jobs are in %s-wal, which can only be read in a folder that you may write to: copy both files to such a folder, and open the copy", path)
		}
		db, err = openCurrent(path, "mode=ro&immutable=1&"+readSettings)
	}
	if err != nil {
		return nil, err
	}
	return &Store{db, path}, nil
}

// openCurrent opens a file whose schema is up to date, or updates the schema.
func openCurrent(path, settings string) (*sql.DB, error) {
	dsn, err := sqlitefile.URI(path, settings)
	if err != nil {
		return nil, err
	}
	db, err := sql.Open(sqliteDriver, dsn)
	if err != nil {
		return nil, err
	}
	steps, err := readMigrations()
	if err == nil {
		err = readable(context.Background(), db, steps)
	}
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

// readable updates the schema if necessary. If it cannot, it returns an error.
func readable(ctx context.Context, db *sql.DB, steps []string) error {
	version, err := schemaVersion(ctx, db, len(steps))
	if err != nil || version == len(steps) {
		return err
	}
	if err := quickCheck(ctx, db); err != nil {
		return err
	}
	if err := migrate(ctx, db, steps); err != nil {
		return fmt.Errorf("an older sledge wrote it, and it cannot be updated there (%w): copy it to a folder that you may write to, and open the copy", err)
	}
	return nil
}
