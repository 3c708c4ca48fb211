// Package sqlitefile says how the SQLite files that Sledge keeps for its user are
// made, named and written to. It knows no table, and registers no driver.
package sqlitefile

import (
	"context"
	"database/sql"
	"errors"
	"net/url"
	"os"
	"path/filepath"
)

// Create makes an empty file where there is none, and the folders above it, for
// the user's eyes only: SQLite would make it readable for everybody. SQLite gives
// the files beside it the same mode.
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

// URI names a file to the driver, with settings such as "mode=ro". It is a URI
// since a path may hold a question mark.
func URI(path, settings string) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	path = filepath.ToSlash(path)
	if path[0] != '/' {
		path = "/" + path // a drive letter of Windows
	}
	return (&url.URL{Scheme: "file", Path: path, RawQuery: settings}).String(), nil
}

// Transact runs work in a transaction, which is committed if it returns no error.
func Transact(ctx context.Context, db *sql.DB, work func(*sql.Tx) error) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if err := work(tx); err != nil {
		return errors.Join(err, tx.Rollback())
	}
	return tx.Commit()
}
