package cli

import (
	"path/filepath"
	"syscall"

	"golang.org/x/sys/windows"
)

// Static reports whether the program cannot load libraries.
const Static = false

// open loads a library. Windows also searches its folder for other libraries that it needs.
func open(path string) (uintptr, error) {
	flags := uintptr(windows.LOAD_LIBRARY_SEARCH_DEFAULT_DIRS)
	if filepath.IsAbs(path) {
		flags |= windows.LOAD_LIBRARY_SEARCH_DLL_LOAD_DIR
	}
	library, err := windows.LoadLibraryEx(path, 0, flags)
	return uintptr(library), err
}

func find(library uintptr, name string) (uintptr, error) {
	return windows.GetProcAddress(windows.Handle(library), name)
}

func invoke(function uintptr, args ...uintptr) uintptr {
	result, _, _ := syscall.SyscallN(function, args...)
	return result
}
