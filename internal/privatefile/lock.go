package privatefile

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// lockPatience is how long another program may hold the lock; a change takes moments.
const lockPatience = 10 * time.Second

// Lock waits until no other program that locks the file is changing it, and prevents changes
// until unlock is called. Each change reads the file first, so concurrent changes are not lost.
// The lock is a file beside it with the suffix ".lock", which stays. A program that ends loses
// its locks.
func Lock(path string) (unlock func(), err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	file, err := os.OpenFile(path+".lock", os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	for begun := time.Now(); ; time.Sleep(5 * time.Millisecond) {
		held, err := tryLock(file)
		switch {
		case held || errors.Is(err, errors.ErrUnsupported): // some file systems have no locks
			return func() { file.Close() }, nil
		case err == nil && time.Since(begun) > lockPatience:
			err = fmt.Errorf("another program has been changing %s for %s: stop it, or try again", path, lockPatience)
		}
		if err != nil {
			return nil, errors.Join(err, file.Close())
		}
	}
}
