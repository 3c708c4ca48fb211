//go:build !linux

package dbgen

// hugePages returns zeroed memory that is kept for good.
func hugePages(size int) []byte { return make([]byte, size) }
