package console

import (
	"os"
	"runtime"

	"sledge/internal/workbench"
)

// tempDir returns the folder that everything goes to which has no other place:
// the first of HammerDB's variables that names a folder one can write to, or else
// the system's own. The environment has lines "NAME=value".
func tempDir(environ []string) string {
	names := []string{"TMP", "TMPDIR", "TEMP"}
	if runtime.GOOS == "windows" {
		names = []string{"TEMP", "TMP", "TMPDIR"}
	}
	for _, name := range names {
		if folder := workbench.Variable(environ, name); folder != "" && isWritable(folder) {
			return folder
		}
	}
	if folder := os.TempDir(); isWritable(folder) {
		return folder
	}
	return "."
}

// isWritable finds out by making a file, since permissions alone do not tell.
func isWritable(folder string) bool {
	file, err := os.CreateTemp(folder, ".sledge-*")
	if err != nil {
		return false
	}
	return file.Close() == nil && os.Remove(file.Name()) == nil
}
