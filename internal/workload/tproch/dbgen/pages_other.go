//go:build !linux

package dbgen

// hugePages returns zeroed memory that is never freed.
func hugePages(size int) []byte { return make([]byte, size) }
