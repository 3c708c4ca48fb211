// Package sqlitefile creates, names and changes the SQLite files that Sledge keeps for its user. It
// knows none of their tables, and registers no driver.
package sqlitefile

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
)

// Create creates an empty file and its folders if they do not exist. Only the user can read the
// file, whereas SQLite would make it readable for everyone. SQLite gives the same mode to the files
// that it creates beside it.
func Create(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	return f.Close()
}

// URI returns the name of a file for the driver, with settings such as "mode=ro". It is a URI
// because a path may contain a question mark.
func URI(path, settings string) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	path = filepath.ToSlash(path)
	if path[0] != '/' {
		path = "/" + path // Windows: the path begins with a drive letter
	}
	return (&url.URL{Scheme: "file", Path: path, RawQuery: settings}).String(), nil
}

// Transact calls work in a transaction. It commits the transaction if work returns nil, and
// otherwise rolls it back.
func Transact(ctx context.Context, db interface {
	BeginTx(ctx context.Context, options *sql.TxOptions) (*sql.Tx, error)
}, work func(*sql.Tx) error,
) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if err := work(tx); err != nil {
		return errors.Join(err, tx.Rollback())
	}
	return tx.Commit()
}

// ErrForeign means that another program wrote the file, or Sledge for another purpose.
var ErrForeign = errors.New("this is a file of another program")

// Version returns the version that SetVersion stored in a file of an application, or 0 for a new
// file. It returns ErrForeign for a file of another application.
func Version(ctx context.Context, db interface {
	QueryRowContext(ctx context.Context, query string, arguments ...any) *sql.Row
}, application int,
) (int, error) {
	var marked, version, tables int
	row := db.QueryRowContext(ctx, `SELECT application_id, user_version, (SELECT count(*) FROM sqlite_schema)
		FROM pragma_application_id, pragma_user_version`)
	if err := row.Scan(&marked, &version, &tables); err != nil {
		return 0, err
	}
	if marked != application && (marked != 0 || tables > 0) {
		return 0, ErrForeign
	}
	return version, nil
}

// SetVersion marks a file as a file of the application, and stores the version of its tables.
func SetVersion(ctx context.Context, tx *sql.Tx, application, version int) error {
	_, err := tx.ExecContext(ctx, fmt.Sprintf("PRAGMA application_id = %d; PRAGMA user_version = %d", application, version))
	return err
}
