//go:build !windows && !darwin && !(linux && db2)

package cli

// Static reports whether the program cannot load libraries.
const Static = true

func open(string) (uintptr, error) { return 0, ErrStatic }

func find(uintptr, string) (uintptr, error) { return 0, ErrStatic }

func invoke(uintptr, ...uintptr) uintptr { panic("cli: " + ErrStatic.Error()) }
