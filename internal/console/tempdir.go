package console

import (
	"os"
	"runtime"
	"slices"
	"strings"
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
		if folder := variable(environ, name); folder != "" && isWritable(folder) {
			return folder
		}
	}
	if folder := os.TempDir(); isWritable(folder) {
		return folder
	}
	return "."
}

// variable returns the value of an environment variable: of two lines of one
// name the last counts, as it does for os/exec.
func variable(environ []string, name string) string {
	for _, line := range slices.Backward(environ) {
		key, value, _ := strings.Cut(line, "=")
		if key == name || runtime.GOOS == "windows" && strings.EqualFold(key, name) {
			return value
		}
	}
	return ""
}

// isWritable finds out by making a file, since permissions alone do not tell.
func isWritable(folder string) bool {
	file, err := os.CreateTemp(folder, ".sledge-*")
	if err != nil {
		return false
	}
	return file.Close() == nil && os.Remove(file.Name()) == nil
}
