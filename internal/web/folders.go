package web

import (
	"bytes"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
)

// Users with the role look need not know where the server keeps its files. In responses to them, a
// path of this machine has no folder: "…/t.sqlite". Paths are in settings, targets, messages of
// databases and lines of virtual users, so the text of the response is searched, whatever its format.

// folders matches the folders of paths, in JSON and in other text. JSON doubles backslashes.
type folders struct{ inJSON, inText *regexp.Regexp }

// part matches a name in a path, which may contain spaces.
const part = `[^\s"'<>()/\\;,:|]+(?: [^\s"'<>()/\\;,:|]+)*`

// foldersIn returns a matcher for paths that begin with one of the names in the root folder. Without
// them, the addresses of the API would look like paths.
func foldersIn(names []string) folders {
	quoted := make([]string, len(names))
	for i, name := range names {
		quoted[i] = regexp.QuoteMeta(name)
	}
	slices.SortFunc(quoted, func(a, b string) int { return len(b) - len(a) }) // the longest first
	matcher := func(backslash string) *regexp.Regexp {
		alternatives := []string{`[A-Za-z]:` + backslash + `(?:` + part + backslash + `)*`}
		if len(quoted) > 0 {
			alternatives = append(alternatives, `/(?:`+strings.Join(quoted, "|")+`)/+(?:`+part+`/+)*`)
		}
		return regexp.MustCompile(`(^|[\s"'(=:;,|>\[]|file://)(?:` + strings.Join(alternatives, "|") + `)`)
	}
	return folders{matcher(`\\\\`), matcher(`\\`)}
}

// ownFolders returns a matcher for paths of this machine.
func ownFolders() folders {
	var names []string
	entries, _ := os.ReadDir("/") // fails where the root cannot be listed; the matcher then knows only drives
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return foldersIn(names)
}

// hide replaces folders in a text.
func (f folders) hide(text []byte, isJSON bool) []byte {
	paths := f.inText
	if isJSON {
		paths = f.inJSON
	}
	return paths.ReplaceAll(text, []byte("${1}…/"))
}

// withoutFolders hides folders in the text of responses to users who may not change anything.
func (s *Server) withoutFolders(next http.Handler) http.Handler {
	matcher := ownFolders()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if v := visitOf(r); v.who.name == keyUser || v.who.role == Act && !s.ReadOnly || under(s.Plain, r.URL.Path) {
			next.ServeHTTP(w, r)
			return
		}
		f := &folderWriter{ResponseWriter: w, folders: matcher}
		next.ServeHTTP(f, r)
		_ = f.send(len(f.held)) // the client may be gone
	})
}

// under reports whether a path is one of a list, or below it.
func under(list []string, path string) bool {
	return slices.ContainsFunc(list, func(one string) bool { return path == one || strings.HasPrefix(path, one+"/") })
}

// folderWriter is an http.ResponseWriter that hides folders in text. It holds back the text after the
// last character that cannot be part of a path.
type folderWriter struct {
	http.ResponseWriter
	folders
	held   []byte
	begun  bool
	isText bool
	isJSON bool // also a stream of events, whose data are JSON
}

// mostHeld limits the text that is held back. A path is shorter.
const mostHeld = 16 << 10

// WriteHeader implements http.ResponseWriter.
func (w *folderWriter) WriteHeader(status int) {
	if !w.begun && status >= 200 {
		w.begun = true
		kind := w.Header().Get("Content-Type")
		w.isJSON = strings.Contains(kind, "json") || strings.HasPrefix(kind, "text/event-stream")
		w.isText = w.isJSON || kind == "" || strings.HasPrefix(kind, "text/")
		if w.isText {
			w.Header().Del("Content-Length")
		}
	}
	w.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (w *folderWriter) Write(p []byte) (int, error) {
	if !w.begun {
		w.WriteHeader(http.StatusOK)
	}
	if !w.isText {
		return w.ResponseWriter.Write(p)
	}
	w.held = append(w.held, p...)
	end := bytes.LastIndexAny(w.held, "\n\"<>") + 1
	if end == 0 && len(w.held) > mostHeld {
		end = len(w.held)
	}
	return len(p), w.send(end)
}

// send writes the first n bytes that are held back.
func (w *folderWriter) send(n int) error {
	if n == 0 {
		return nil
	}
	_, err := w.ResponseWriter.Write(w.hide(w.held[:n], w.isJSON))
	w.held = append(w.held[:0], w.held[n:]...)
	return err
}

// FlushError implements the interface that http.ResponseController uses.
func (w *folderWriter) FlushError() error {
	if err := w.send(len(w.held)); err != nil {
		return err
	}
	return http.NewResponseController(w.ResponseWriter).Flush()
}

// Flush implements http.Flusher.
func (w *folderWriter) Flush() { _ = w.FlushError() } // Flush cannot return an error

// Unwrap implements the interface that http.ResponseController uses.
func (w *folderWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
