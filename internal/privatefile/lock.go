package privatefile

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// lockPatience is the time limit for waiting until another program releases the lock. A change
// takes milliseconds.
const lockPatience = 10 * time.Second

// Lock locks the file at path against other callers of Lock, in this and in other processes, until
// unlock is called. A caller that reads the file, changes it and writes it under the lock loses no
// concurrent change. The lock is on a file beside it with the suffix ".lock", which stays. The lock
// of a process ends with the process.
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
