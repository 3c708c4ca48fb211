package web

import (
	"bytes"
	"net/http"
	"os"
	"runtime"
	"slices"
	"strings"
)

// Users with the role look need not know where the server keeps its files. In responses to them, a
// path of this machine has no folder: "…/t.sqlite". Paths are in settings, targets, messages of
// databases and lines of virtual users, so the text of the response is searched without regard to its format.

// folders finds the folders of paths. A path begins with a name in the root folder, or with a drive.
// Without that, addresses of the API would look like paths.
type folders struct {
	roots  map[string]bool
	drives bool // paths begin with drives, as on Windows
}

// ownFolders finds paths of this machine.
func ownFolders() folders {
	f := folders{map[string]bool{}, runtime.GOOS == "windows"}
	entries, _ := os.ReadDir("/") // without a list, no path is known
	for _, e := range entries {
		f.roots[e.Name()] = true
	}
	return f
}

// Characters that end a name in a path, and those after which a path may begin.
const (
	ends   = " \t\r\n\"'<>()/\\;,:|"
	before = " \t\r\n\"'(=:;,|>["
)

// hide replaces folders in a text. JSON doubles the backslashes between drives and folders.
func (f folders) hide(text []byte, isJSON bool) []byte {
	text = replaced(text, '/', func(at int) (from, end int) {
		root, _, found := bytes.Cut(text[at+1:min(len(text), at+257)], []byte("/"))
		if !found || !f.roots[string(root)] || !begins(text, at) {
			return at, at
		}
		return at, at + 1 + len(root)
	}, "/")
	if !f.drives {
		return text
	}
	separator := `\`
	if isJSON {
		separator = `\\`
	}
	return replaced(text, '\\', func(at int) (from, end int) {
		from = at - len("C:")
		if from < 0 || text[at-1] != ':' || text[from]|0x20 < 'a' || text[from]|0x20 > 'z' || !begins(text, from) {
			return at, at
		}
		return from, at
	}, separator)
}

// begins reports whether a path may begin at a position of a text.
func begins(text []byte, at int) bool {
	return at == 0 || strings.IndexByte(before, text[at-1]) >= 0 || bytes.HasSuffix(text[:at], []byte("file://"))
}

// replaced replaces the folders of the paths in a text. first returns the bounds of the beginning of
// a path, without the separator after it, for a position of the byte mark; equal ones if there is no
// path.
func replaced(text []byte, mark byte, first func(at int) (from, end int), separator string) []byte {
	var out []byte
	done := 0
	for at := 0; ; {
		next := bytes.IndexByte(text[at:], mark)
		if next < 0 {
			break
		}
		from, end := first(at + next)
		at += next + 1
		if !bytes.HasPrefix(text[end:], []byte(separator)) || from == end {
			continue
		}
		for follows := true; follows; {
			for end += len(separator); bytes.HasPrefix(text[end:], []byte(separator)); {
				end += len(separator)
			}
			name := nameAt(text[end:])
			if follows = name > 0 && bytes.HasPrefix(text[end+name:], []byte(separator)); follows {
				end += name
			}
		}
		out = append(append(out, text[done:from]...), "…/"...)
		done, at = end, end
	}
	if done == 0 {
		return text
	}
	return append(out, text[done:]...)
}

// nameAt returns the length of the name at the beginning of a text. A name may contain single spaces.
func nameAt(text []byte) int {
	for i, c := range text {
		if strings.IndexByte(ends, c) < 0 {
			continue
		}
		if c != ' ' || i == 0 || i+1 == len(text) || strings.IndexByte(ends, text[i+1]) >= 0 {
			return i
		}
	}
	return len(text)
}

// withoutFolders hides folders in the text of responses to users who may not change anything.
func (s *Server) withoutFolders(next http.Handler) http.Handler {
	matcher := ownFolders()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if v := visitOf(r); v.who.name == keyUser || v.who.role.mayAct() && !s.ReadOnly || under(s.Plain, r.URL.Path) {
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
