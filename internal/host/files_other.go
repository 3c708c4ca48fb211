//go:build !unix

package host

// OpenFiles returns the limit of open files of this process; 0, because it is unknown on this
// system.
func OpenFiles() int { return 0 }
