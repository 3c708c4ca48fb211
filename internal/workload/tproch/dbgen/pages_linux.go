package dbgen

import "syscall"

// hugePages returns zeroed memory that is kept for good, outside of Go's heap: what is read
// here and there in tens of megabytes costs less on pages of 2 MB, and the garbage collector
// would let a heap grow that has so much in it.
func hugePages(size int) []byte {
	memory, err := syscall.Mmap(-1, 0, size, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		return make([]byte, size)
	}
	_ = syscall.Madvise(memory, syscall.MADV_HUGEPAGE) // a wish: without it, the memory is as good and slower
	return memory
}
