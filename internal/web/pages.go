package web

import (
	"io/fs"
	"net/http"
	"path"
	"strings"

	"github.com/klauspost/compress/gzhttp"
)

// contentTypes are those of the pages' files. What the machine thinks of a name's ending may
// be something else.
var contentTypes = map[string]string{
	".css": "text/css; charset=utf-8", ".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8",
	".json": "application/json", ".svg": "image/svg+xml", ".webmanifest": "application/manifest+json",
	".png": "image/png", ".woff2": "font/woff2", ".txt": "text/plain; charset=utf-8", ".wasm": "application/wasm",
}

// HowToGetPages says what to do where a program was built without them.
const HowToGetPages = "install Node.js with npm, run make build in Sledge's sources, and start that program."

// noPages is shown in their place.
const noPages = "This program was built without its pages. To get them, " + HowToGetPages + " The API and the command line work without them."

// pages serves the built pages, or says how to get them.
func (s *Server) pages() http.Handler {
	if s.Pages == nil {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			s.refuse(w, r, http.StatusNotFound, noPages)
		})
	}
	return gzhttp.GzipHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if acts(r) {
			w.Header().Set("Allow", "GET, HEAD")
			s.refuse(w, r, http.StatusMethodNotAllowed, "a page takes GET only")
			return
		}
		name := strings.TrimPrefix(path.Clean(r.URL.Path), "/")
		if name == "" {
			name = "index.html"
		}
		info, err := fs.Stat(s.Pages, name) // it refuses what leads out
		if err != nil || !info.Mode().IsRegular() {
			s.refuse(w, r, http.StatusNotFound, "There is no such page.")
			return
		}
		if kind := contentTypes[path.Ext(name)]; kind != "" {
			w.Header().Set("Content-Type", kind)
		}
		w.Header().Set("Cache-Control", "no-cache")
		if strings.HasPrefix(name, "assets/") { // whose names change with what is in them
			w.Header().Set("Cache-Control", "private, max-age=31536000, immutable")
		}
		http.ServeFileFS(w, r, s.Pages, name)
	}))
}
