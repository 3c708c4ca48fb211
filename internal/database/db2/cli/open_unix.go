//go:build (linux && db2) || darwin

package cli

import "github.com/ebitengine/purego"

// Static reports whether the program cannot load libraries.
const Static = false

func open(path string) (uintptr, error) {
	return purego.Dlopen(path, purego.RTLD_NOW|purego.RTLD_LOCAL)
}

func find(library uintptr, name string) (uintptr, error) { return purego.Dlsym(library, name) }

func invoke(function uintptr, args ...uintptr) uintptr {
	result, _, _ := purego.SyscallN(function, args...)
	return result
}
