package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"sledge/internal/database"
	"sledge/internal/sqlschema"
)

// copyOf returns the path of the copy of a file.
func copyOf(file string) string { return file + "-copy" }

// restore is Container.Restore. The copy is a file beside the database.
func restore(ctx context.Context, options any) (kept bool, err error) {
	o := of(options)
	created, err := wasCreated(ctx, options)
	if err != nil {
		return false, err
	}
	if !created {
		return false, o.Wrong("file", o.File, "no build created %s, so it is not replaced by a copy", o.File)
	}
	ours, err := hasCopy(ctx, o)
	if err != nil {
		return false, err
	}
	return !ours, alone(ctx, o, func() error {
		if !ours {
			return replaceFile(o.File, copyOf(o.File))
		}
		if err := replaceFile(copyOf(o.File), o.File); err != nil {
			return err
		}
		return errors.Join(removed(o.File+"-wal"), removed(o.File+"-shm"))
	})
}

// hasCopy reports whether restore kept a copy of the file. Another file by its name is an error.
func hasCopy(ctx context.Context, o *Options) (bool, error) {
	spare := *o
	spare.File = copyOf(o.File)
	if _, err := os.Stat(spare.File); errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	s, err := connect(ctx, &spare, database.Owner)
	if err != nil {
		return false, err
	}
	ours, err := sqlschema.WasCreated(ctx, s, "", "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = '"+sqlschema.CreationTable+"'", filepath.Base(o.File))
	if err = errors.Join(err, s.Close()); err == nil && !ours {
		err = fmt.Errorf("%s is not a copy that Sledge made: rename it", spare.File)
	}
	return ours, err
}

// dropCopy removes the copy of the file, if there is one.
func dropCopy(ctx context.Context, o *Options) error {
	ours, err := hasCopy(ctx, o)
	if err != nil || !ours {
		return nil // it is not proven to be ours
	}
	return removeFile(copyOf(o.File))
}

// alone calls work while no other connection can write to the file, all of whose rows are in the file
// itself.
func alone(ctx context.Context, o *Options, work func() error) (err error) {
	s, err := connect(ctx, o, database.Owner)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	if err := s.Exec(ctx, "PRAGMA wal_checkpoint(TRUNCATE)"); err != nil {
		return fmt.Errorf("write all rows into %s: %w", o.File, err)
	}
	if err := s.Begin(ctx, database.ReadWrite); err != nil {
		return fmt.Errorf("keep others from writing to %s: %w", o.File, err)
	}
	return errors.Join(work(), s.Rollback(ctx))
}

// replaceFile copies a file over another one, which it replaces only when the copy is whole.
func replaceFile(from, to string) (err error) {
	source, err := os.Open(from)
	if err != nil {
		return err
	}
	defer source.Close()
	part, err := os.CreateTemp(filepath.Dir(to), filepath.Base(to)+".part-")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(part.Name())
		}
	}()
	_, err = io.Copy(part, source)
	if err = errors.Join(err, part.Sync(), part.Close()); err != nil {
		return err
	}
	if info, statErr := os.Stat(from); statErr == nil {
		_ = os.Chmod(part.Name(), info.Mode().Perm())
	}
	return os.Rename(part.Name(), to)
}

// removeFile removes a database with the files that SQLite keeps beside it.
func removeFile(file string) error {
	for _, suffix := range []string{"", "-wal", "-shm"} {
		if err := removed(file + suffix); err != nil {
			return err
		}
	}
	return nil
}

// removed removes a file if it exists.
func removed(file string) error {
	if err := os.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
