package sqlitefile

import (
	"errors"
	"io/fs"
	"os"
	"runtime"
)

// beside lists the endings of the file and of the files that SQLite keeps beside it, which contain
// parts of its data.
var beside = []string{"", "-wal", "-shm", "-journal"}

// Tighten restricts a file, and SQLite's files beside it, to the user. exposed is true if other
// users could read one of them. On Windows, where the folder's permissions apply, it does nothing.
func Tighten(path string) (exposed bool, err error) {
	if runtime.GOOS == "windows" {
		return false, nil
	}
	for _, ending := range beside {
		info, err := os.Stat(path + ending)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return exposed, err
		}
		const others = 0o077
		if info.Mode().Perm()&others == 0 {
			continue
		}
		exposed = true
		if err := os.Chmod(path+ending, info.Mode().Perm()&^others); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return exposed, err
		}
	}
	return exposed, nil
}
