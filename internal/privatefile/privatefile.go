// Package privatefile writes files that only their owner may read. It knows nothing about their
// content.
package privatefile

import (
	"errors"
	"os"
	"path/filepath"
)

// Replace replaces the content of a file atomically: readers see either the old or the new content,
// even after a crash. It creates the folder if it does not exist.
func Replace(path string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	file, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*") // with mode 0600
	if err != nil {
		return err
	}
	_, err = file.Write(text)
	err = errors.Join(err, file.Sync(), file.Close())
	if err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		_ = os.Remove(file.Name()) // the earlier error matters
	}
	return err
}
