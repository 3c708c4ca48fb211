package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"modernc.org/tcl"
)

// library returns the folder of the part of Tcl that is written in Tcl, which
// this program has with it and unpacks beside itself once.
func library() (string, error) {
	program, err := os.Executable()
	if err != nil {
		return "", err
	}
	folder := filepath.Join(filepath.Dir(program), "library")
	if isLibrary(folder) {
		return folder, nil
	}
	// Under another name until it is whole, as two may begin at the same time.
	unpacked, err := os.MkdirTemp(filepath.Dir(program), "library-")
	if err != nil {
		return "", fmt.Errorf("unpack the library: %w", err)
	}
	defer os.RemoveAll(unpacked)
	if err := tcl.Library(unpacked); err != nil {
		return "", fmt.Errorf("unpack the library: %w", err)
	}
	if os.Rename(unpacked, folder) == nil || isLibrary(folder) {
		return folder, nil
	}
	// A program that clears caches has left a part of it.
	if err := errors.Join(os.RemoveAll(folder), os.Rename(unpacked, folder)); err != nil {
		return "", fmt.Errorf("unpack the library: %w", err)
	}
	return folder, nil
}

// isLibrary reports whether a library is in a folder, by the file that Tcl begins
// with.
func isLibrary(folder string) bool {
	_, err := os.Stat(filepath.Join(folder, "init.tcl"))
	return err == nil
}
