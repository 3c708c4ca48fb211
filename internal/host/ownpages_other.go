//go:build !linux

package host

// ReleaseOwnPages does nothing on this system.
func ReleaseOwnPages() error { return nil }
