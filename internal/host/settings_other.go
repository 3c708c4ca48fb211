//go:build !linux

package host

// settings returns nil: they are read on Linux only.
func settings() map[string]string { return nil }
