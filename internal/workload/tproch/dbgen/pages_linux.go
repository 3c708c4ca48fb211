package dbgen

import "syscall"

// hugePages returns zeroed memory that is never freed, outside of Go's heap. Scattered reads of
// tens of megabytes cost less on pages of 2 MB, and so much data would make the garbage collector
// let the heap grow.
func hugePages(size int) []byte {
	memory, err := syscall.Mmap(-1, 0, size, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		return make([]byte, size)
	}
	_ = syscall.Madvise(memory, syscall.MADV_HUGEPAGE) // a hint: without it, the memory works, but slower
	return memory
}
