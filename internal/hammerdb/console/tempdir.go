package console

import (
	"errors"
	"os"
	"runtime"

	"sledge/internal/settings"
)

// TempDir returns the default folder for output: the first writable folder that one of HammerDB's
// variables names, or else the system's temporary folder. The environment has lines "NAME=value".
func TempDir(environ []string) string {
	names := []string{"TMP", "TMPDIR", "TEMP"}
	if runtime.GOOS == "windows" {
		names = []string{"TEMP", "TMP", "TMPDIR"}
	}
	for _, name := range names {
		if folder := settings.Variable(environ, name); folder != "" && isWritable(folder) {
			return folder
		}
	}
	if folder := os.TempDir(); isWritable(folder) {
		return folder
	}
	return "."
}

// isWritable tests a folder by creating a file, because permissions alone do not decide.
func isWritable(folder string) bool {
	file, err := os.CreateTemp(folder, ".sledge-*")
	if err != nil {
		return false
	}
	return file.Close() == nil && os.Remove(file.Name()) == nil
}

// notOursError is the refusal to write to a file in the temporary folder that another user may have
// created.
type notOursError struct{ path, what string }

// Error names the file and the way out.
func (e notOursError) Error() string {
	return e.path + " " + e.what + ", so nothing was written to it: remove it, or set TMP to a folder of your own"
}

// writeOurs writes a file in the temporary folder like os.WriteFile, but refuses a file of another
// user.
func writeOurs(path, text string, mode os.FileMode) error {
	file, err := openOurs(path, os.O_WRONLY, mode)
	if err != nil {
		return err
	}
	err = file.Truncate(0) // after openOurs has verified the owner
	if err == nil {
		_, err = file.WriteString(text)
	}
	return errors.Join(err, file.Close())
}
