// Package privatefile writes files that only their owner may read.
package privatefile

import (
	"errors"
	"os"
	"path/filepath"
)

// Replace puts text in the place of whatever a file holds, in one step: nobody ever reads half of
// it, and a machine that fails leaves the one or the other. It makes the folder if there is none.
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
		_ = os.Remove(file.Name()) // the error that matters is known
	}
	return err
}
