package web

import (
	"io/fs"
	"net/http"
	"path"
	"strings"

	"github.com/klauspost/compress/gzhttp"
)

// contentTypes are the content types of the pages' files. The machine's own table of types may
// differ.
var contentTypes = map[string]string{
	".css": "text/css; charset=utf-8", ".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8",
	".json": "application/json", ".svg": "image/svg+xml", ".webmanifest": "application/manifest+json",
	".png": "image/png", ".woff2": "font/woff2", ".txt": "text/plain; charset=utf-8", ".wasm": "application/wasm",
}

// HowToGetPages tells users how to build a program with the pages.
const HowToGetPages = "install Node.js with npm, run make build in Sledge's sources, and start that program."

// noPages is the message of a program without pages.
const noPages = "This program was built without its pages. To get them, " + HowToGetPages + " The API and the command line work without them."

// accepts reports whether a client accepts a content encoding.
func accepts(r *http.Request, encoding string) bool {
	for part := range strings.SplitSeq(r.Header.Get("Accept-Encoding"), ",") {
		name, quality, _ := strings.Cut(part, ";")
		if strings.TrimSpace(name) == encoding {
			return strings.TrimRight(strings.TrimSpace(quality), "0.") != "q="
		}
	}
	return false
}

// pages serves the built pages, or a message on how to get them. Browsers accept brotli by TLS and
// from their own machine, and gzip everywhere.
func (s *Server) pages() http.Handler {
	if s.Pages == nil {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			s.refuse(w, r, http.StatusNotFound, noPages)
		})
	}
	wrap, err := gzhttp.NewWrapper(gzhttp.EnableZstd(false)) // its zstd is larger than its gzip
	if err != nil {
		panic(err) // the options are ours
	}
	return wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if acts(r) {
			w.Header().Set("Allow", "GET, HEAD")
			s.refuse(w, r, http.StatusMethodNotAllowed, "pages accept only GET and HEAD")
			return
		}
		name := strings.TrimPrefix(path.Clean(r.URL.Path), "/")
		if name == "" {
			name = "index.html"
		}
		info, err := fs.Stat(s.Pages, name) // fails for paths outside of Pages
		if err != nil || !info.Mode().IsRegular() {
			s.refuse(w, r, http.StatusNotFound, "This page does not exist.")
			return
		}
		if kind := contentTypes[path.Ext(name)]; kind != "" {
			w.Header().Set("Content-Type", kind)
		}
		w.Header().Set("Cache-Control", "no-cache")
		if strings.HasPrefix(name, "assets/") { // their names contain a hash of their contents
			w.Header().Set("Cache-Control", "private, max-age=31536000, immutable")
		}
		if accepts(r, "br") {
			if _, err := fs.Stat(s.Pages, name+".br"); err == nil { // the build compresses large files
				w.Header().Set("Content-Encoding", "br")
				w.Header().Set("Vary", "Accept-Encoding")
				name += ".br"
			}
		}
		http.ServeFileFS(w, r, s.Pages, name)
	}))
}
