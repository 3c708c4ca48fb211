// Package pages has the web application's pages as files, where they were built: their
// sources are in the folder ui, and make build puts them here if there is npm. It knows
// nothing of who serves them.
package pages

import (
	"embed"
	"io/fs"
)

//go:embed all:built
var built embed.FS

// FS returns the pages: index.html, and the files that it names by relative paths. Those in
// the folder assets have a hash in their names, and so never change. It returns false where
// the program was built without the pages.
func FS() (fs.FS, bool) {
	if _, err := fs.Stat(built, "built/site/index.html"); err != nil {
		return nil, false
	}
	site, err := fs.Sub(built, "built/site")
	return site, err == nil
}
