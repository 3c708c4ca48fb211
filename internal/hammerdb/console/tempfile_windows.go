package console

import "os"

// openOurs opens a file for writing, and makes it where there is none, but follows no
// link. The temporary folder is the user's own on Windows.
func openOurs(path string, flags int, mode os.FileMode) (*os.File, error) {
	if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
		return nil, notOursError{path, "is not a regular file"}
	}
	return os.OpenFile(path, flags|os.O_CREATE, mode)
}
