// Package workloads has the examples of own workloads, for sledge workload new.
package workloads

import (
	"embed"
	"io/fs"
)

//go:embed */*.toml */*.sql */*/*.sql */*.lua
var files embed.FS

// Names lists the examples.
func Names() (names []string) {
	entries, _ := fs.ReadDir(files, ".") // an embedded folder can be read
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// Example returns the files of an example. If no example has that name, the error is fs.ErrNotExist.
func Example(name string) (fs.FS, error) {
	if _, err := fs.Stat(files, name); err != nil {
		return nil, err
	}
	return fs.Sub(files, name)
}
