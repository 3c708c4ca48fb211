package web

import (
	"fmt"
	"net/http"
	"path"
	"strings"
)

// A member has roles in projects only. It gets the pages, its own account, and those operations of the
// API that Within allows for its projects. Everything else is refused.

// authorizeMember reports whether a request of a member is allowed, and refuses it if not.
func (s *Server) authorizeMember(w *responseWriter, r *http.Request, who identity) bool {
	status, detail := s.refusesMember(who, r)
	if status != 0 {
		s.refuse(w, r, status, detail)
	}
	return status == 0
}

// refusesMember returns the status and the reason with which a request of a member is refused; 0 if it
// is allowed.
func (s *Server) refusesMember(who identity, r *http.Request) (status int, detail string) {
	switch {
	case r.URL.Path == "/logout", r.URL.Path == othersPath:
		return 0, ""
	case s.ReadOnly && acts(r):
		return http.StatusForbidden, "this server changes nothing: it was started with --read-only"
	case r.URL.Path == passwordPath:
		return 0, ""
	case r.Header.Get("Upgrade") != "", r.URL.RawPath != "", path.Clean(r.URL.Path) != r.URL.Path:
	case strings.HasPrefix(r.URL.Path, "/api/") && s.Within != nil:
		return s.Within(who.projects, r)
	case !acts(r) && isOfPages(r.URL.Path):
		return 0, ""
	}
	return http.StatusForbidden, fmt.Sprintf("%s has roles in projects only, which do not include this: ask the administrator of this server for a role", who.name)
}

// isOfPages reports whether a path is a file of the pages, or the session that they show.
func isOfPages(path string) bool {
	return path == "/" || path == "/icon.svg" || path == sessionPath || strings.HasPrefix(path, "/assets/")
}
