package sqlite

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"

	"sledge/internal/database"
	"sledge/internal/meter"
)

// claim is Database.Claim. The lock is SQLite's own, on an empty file beside the
// database: one on the database itself would keep the builders out. The system takes
// it back when the process ends, however that ends.
func claim(ctx context.Context, options any) (release func() error, err error) {
	name := options.(*Options).File + "-build"
	pragmas := url.Values{"_pragma": {"busy_timeout(0)"}}
	s, err := database.OpenSQL(ctx, "sqlite", "file:"+(&url.URL{Path: filepath.ToSlash(name)}).EscapedPath()+"?"+pragmas.Encode(), dialect)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", name, err)
	}
	if err := s.Exec(ctx, "BEGIN EXCLUSIVE"); err != nil {
		if classify(err) == meter.Busy {
			err = database.ErrClaimed
		}
		return nil, errors.Join(err, s.Close())
	}
	return func() error {
		// Windows lets nobody remove a file that is open.
		if os.Remove(name) == nil {
			return s.Close()
		}
		err := s.Close()
		_ = os.Remove(name) // it is empty, and in nobody's way
		return err
	}, nil
}
