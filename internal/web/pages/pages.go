// Package pages embeds the built pages of the web application. Their sources are in the folder ui;
// make build puts the pages here if npm is installed. It does not know the server.
package pages

import (
	"embed"
	"io/fs"
)

//go:embed all:built
var built embed.FS

// FS returns the pages: index.html, and the files that it names by relative paths. Files in the
// folder assets have a hash in their names, so they never change. FS returns false if the program
// was built without the pages.
func FS() (fs.FS, bool) {
	if _, err := fs.Stat(built, "built/site/index.html"); err != nil {
		return nil, false
	}
	site, err := fs.Sub(built, "built/site")
	return site, err == nil
}
