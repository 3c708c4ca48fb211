//go:build !windows

package console

import (
	"errors"
	"os"
	"syscall"
)

// openOurs opens or creates a file for writing. It does not follow links, does not block on a pipe,
// and refuses files of other users.
func openOurs(path string, flags int, mode os.FileMode) (*os.File, error) {
	file, err := os.OpenFile(path, flags|os.O_CREATE|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, mode)
	if errors.Is(err, syscall.ELOOP) {
		return nil, notOursError{path, "is a symbolic link"}
	}
	if err != nil {
		// In a shared folder, the system may refuse even root access to other users' files.
		if info, statErr := os.Lstat(path); statErr == nil && foreign(info) != "" {
			err = notOursError{path, foreign(info)}
		}
		return nil, err
	}
	info, err := file.Stat()
	if err == nil && foreign(info) != "" {
		err = notOursError{path, foreign(info)}
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
}

// foreign returns the reason why a file may belong to another user, or "".
func foreign(info os.FileInfo) string {
	if !info.Mode().IsRegular() {
		return "is not a regular file"
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	switch {
	case ok && int(stat.Uid) != os.Geteuid():
		return "belongs to another user"
	case ok && stat.Nlink > 1:
		return "has another name as well"
	}
	return ""
}
