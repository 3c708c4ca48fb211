// Package repository stores jobs in a SQLite file: their settings, events and results. It does not
// know databases under test or workloads.
package repository

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"modernc.org/sqlite"

	"sledge/internal/job"

	// also registers the driver "sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"sledge/internal/sqlitefile"
)

// Store is the repository of jobs: a SQLite file that several processes may use at once. If a
// process is killed, the file stays readable and lacks at most the last two seconds of the job, or
// the last half minute after the first hour of a run.
type Store struct {
	db   *sql.DB
	path string
}

// migrations holds the steps from each version of the schema to the next. A number at the beginning
// of each file name gives their order. A released step never changes.
//
//go:embed sql/*.sql
var migrations embed.FS

const (
	// applicationID, the bytes "Sldg", marks a SQLite file as Sledge's, so that Sledge never writes
	// to a file of another program.
	applicationID = 0x536c6467

	// settings apply to each connection. In WAL mode, synchronous=NORMAL survives the end of any
	// process, but a power failure can lose the last seconds, so transactToDisk writes the end of a
	// job. Transactions are immediate, because one that begins by reading cannot wait for the write
	// lock later. auto_vacuum=INCREMENTAL lets new files return unused pages one by one; older
	// files keep their mode until Store.GiveBack rewrites them.
	settings = "_auto_vacuum=INCREMENTAL&" + readSettings

	// readSettings change nothing in a file, so they also apply to reading.
	readSettings = "_busy_timeout=30000&_synchronous=NORMAL&_foreign_keys=on&_txlock=immediate"

	inMemory = ":memory:"

	usualPatience = 30 * time.Second // as _busy_timeout above
)

// DefaultPath returns the default path of the repository: $SLEDGE_REPO, or a file in the user's
// data folder.
func DefaultPath() (string, error) {
	if path := os.Getenv("SLEDGE_REPO"); path != "" {
		return path, nil
	}
	folder, err := dataFolder()
	if err != nil {
		return "", job.WithExit(job.ExitUsage, fmt.Errorf("choose a path for the job repository: %w; set SLEDGE_REPO to a file", err))
	}
	return filepath.Join(folder, "sledge", "jobs.db"), nil
}

// dataFolder follows the XDG base directory specification, according to which a relative
// XDG_DATA_HOME is ignored. macOS and Windows have their own folders.
func dataFolder() (string, error) {
	if runtime.GOOS == "darwin" || runtime.GOOS == "windows" {
		return os.UserConfigDir()
	}
	if folder := os.Getenv("XDG_DATA_HOME"); filepath.IsAbs(folder) {
		return folder, nil
	}
	home, err := os.UserHomeDir()
	return filepath.Join(home, ".local", "share"), err
}

// Open opens the repository at path. It creates a missing one, which only the user can read,
// because results may be confidential. The path ":memory:" creates a repository that exists until
// it is closed.
//
// Once a day, and after a job whose process was killed, Open checks all pages, and refuses a
// damaged file.
func Open(path string) (*Store, error) { return OpenSaying(path, func(string) {}) }

// OpenSaying opens a repository as Open does, and calls say with a line about an operation that
// takes long.
func OpenSaying(path string, say func(line string)) (*Store, error) {
	s, err := open(path, say)
	if err != nil {
		return nil, fmt.Errorf("open job repository %s: %w", path, damaged(path, err))
	}
	return s, nil
}

func open(path string, say func(line string)) (*Store, error) {
	dsn := inMemory + "?" + settings
	if path != inMemory {
		if err := sqlitefile.Create(path); err != nil {
			return nil, err
		}
		var err error
		if dsn, err = sqlitefile.URI(path, settings); err != nil {
			return nil, err
		}
	}
	db, err := sql.Open(sqliteDriver, dsn)
	if err != nil {
		return nil, err
	}
	if path == inMemory {
		db.SetMaxOpenConns(1) // each connection would have a database of its own
	}
	ctx := context.Background()
	steps, err := readMigrations()
	if err == nil {
		err = prepare(ctx, db, path, steps, say)
	}
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return &Store{db, path}, nil
}

// prepare prepares the file for writing.
func prepare(ctx context.Context, db *sql.DB, path string, steps []string, say func(line string)) error {
	if path == inMemory {
		return migrate(ctx, db, steps)
	}
	if err := examine(ctx, path, steps, say); err != nil {
		return err
	}
	if err := migrate(ctx, db, steps); err != nil {
		return err
	}
	if err := useWAL(ctx, db); err != nil {
		return err
	}
	return noteWhole(ctx, db)
}

// examine checks the file through a separate connection, which changes nothing in it. The settings
// for writing would.
func examine(ctx context.Context, path string, steps []string, say func(line string)) error {
	dsn, err := sqlitefile.URI(path, "mode=rw&"+readSettings)
	if err != nil {
		return err
	}
	db, err := sql.Open("sqlite", dsn)
	if err != nil {
		return err
	}
	version, err := schemaVersion(ctx, db, len(steps))
	if err == nil {
		err = ensureWhole(ctx, db, path, version, say)
	}
	return errors.Join(err, db.Close())
}

func readMigrations() ([]string, error) {
	names, err := fs.Glob(migrations, "sql/*.sql")
	if err != nil {
		return nil, err
	}
	steps := make([]string, len(names))
	for _, name := range names {
		number, _, _ := strings.Cut(path.Base(name), "_")
		version, err := strconv.Atoi(number)
		if err != nil || version < 1 || version > len(steps) || steps[version-1] != "" {
			return nil, fmt.Errorf("there is no schema migration %s, only %d migrations", name, len(steps))
		}
		text, err := migrations.ReadFile(name)
		if err != nil {
			return nil, err
		}
		steps[version-1] = string(text)
	}
	return steps, nil
}

// migrate brings the schema from its current version to the newest one in steps. The version is
// stored in PRAGMA user_version.
func migrate(ctx context.Context, db *sql.DB, steps []string) error {
	version, err := schemaVersion(ctx, db, len(steps))
	if err != nil || version == len(steps) {
		return err
	}
	return sqlitefile.Transact(ctx, db, func(tx *sql.Tx) error {
		version, err := schemaVersion(ctx, tx, len(steps)) // another process may have been first
		if err != nil {
			return err
		}
		for i, step := range steps[version:] {
			if _, err := tx.ExecContext(ctx, step); err != nil {
				return fmt.Errorf("migrate its schema to version %d: %w", version+i+1, err)
			}
		}
		return sqlitefile.SetVersion(ctx, tx, applicationID, len(steps))
	})
}

// schemaVersion returns the version of the schema, 0 for a new file. It refuses files that are not
// Sledge's, and versions that this program does not know.
func schemaVersion(ctx context.Context, db interface {
	QueryRowContext(ctx context.Context, query string, arguments ...any) *sql.Row
}, known int,
) (int, error) {
	version, err := sqlitefile.Version(ctx, db, applicationID)
	switch {
	case errors.Is(err, sqlitefile.ErrForeign):
		return 0, job.WithExit(job.ExitUsage, fmt.Errorf("%w: choose another path for the repository with --repo or SLEDGE_REPO", err))
	case err != nil:
		return 0, err
	case version > known:
		return 0, job.WithExit(job.ExitUsage, fmt.Errorf("a newer sledge wrote it (its schema has version %d, and this sledge knows versions up to %d): use the newer one", version, known))
	}
	return version, nil
}

// useWAL sets the mode in which readers do not wait for writers. SQLite does not wait for a lock to
// change the mode, so useWAL retries. The mode stays in the file.
func useWAL(ctx context.Context, db *sql.DB) error {
	const tries, pause = 100, 50 * time.Millisecond
	var err error
	for range tries {
		if _, err = db.ExecContext(ctx, "PRAGMA journal_mode = WAL"); !isBusy(err) {
			return err
		}
		time.Sleep(pause)
	}
	return err
}

func isBusy(err error) bool { return hasCode(err, sqlite3.SQLITE_BUSY) }

// hasCode reports whether an error is SQLite's with that code.
func hasCode(err error, code int) bool {
	const primary = 0xff // the other bits distinguish codes of the same kind
	var e *sqlite.Error
	return errors.As(err, &e) && e.Code()&primary == code
}

// transactToDisk runs work in a transaction. When it returns, the transaction and all earlier ones
// are on the disk.
func (s *Store) transactToDisk(ctx context.Context, work func(*sql.Tx) error) error {
	conn, err := s.db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	if _, err := conn.ExecContext(ctx, "PRAGMA synchronous = FULL"); err != nil {
		return err
	}
	if err := sqlitefile.Transact(ctx, conn, work); err != nil {
		return err
	}
	// Everything is on the disk already, in the log. The checkpoint serves users who copy the file
	// alone; nothing is lost if it fails.
	_, _ = conn.ExecContext(ctx, "PRAGMA wal_checkpoint")
	_, err = conn.ExecContext(ctx, "PRAGMA synchronous = NORMAL")
	return err
}

// transact runs work in a transaction. While other processes hold the repository, it waits up to
// usualPatience.
func (s *Store) transact(ctx context.Context, work func(*sql.Tx) error) error {
	return sqlitefile.Transact(ctx, s.db, work)
}

// transactBriefly is transact for callers that can try again later.
func (s *Store) transactBriefly(ctx context.Context, work func(*sql.Tx) error) error {
	conn, err := s.db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	wait := func(d time.Duration) error {
		_, err := conn.ExecContext(ctx, fmt.Sprintf("PRAGMA busy_timeout = %d", d.Milliseconds()))
		return err
	}
	if err := wait(patience); err != nil {
		return err
	}
	// The connection returns to the pool. An error here does not undo the commit.
	defer func() { _ = wait(usualPatience) }()
	return sqlitefile.Transact(ctx, conn, work)
}

// Path returns the path of the repository.
func (s *Store) Path() string { return s.path }

// Close closes the repository. The caller ends all recorders first.
func (s *Store) Close() error { return s.db.Close() }
