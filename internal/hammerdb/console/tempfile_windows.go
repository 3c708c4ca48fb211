package console

import "os"

// openOurs opens or creates a file for writing. It does not follow links. On Windows each user has
// their own temporary folder.
func openOurs(path string, flags int, mode os.FileMode) (*os.File, error) {
	if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
		return nil, notOursError{path, "is not a regular file"}
	}
	return os.OpenFile(path, flags|os.O_CREATE, mode)
}
