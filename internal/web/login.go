package web

import (
	"context"
	"crypto/subtle"
	"embed"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"path"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

// link is what the program prints where there are no users. Its token logs in once.
type link struct {
	token string
	used  atomic.Bool
}

func newLink() *link { return &link{token: randomText()} }

// use reports whether a token is the link's, the first time that it is.
func (l *link) use(token string) bool {
	return l != nil && subtle.ConstantTimeCompare([]byte(l.token), []byte(token)) == 1 && l.used.CompareAndSwap(false, true)
}

//go:embed login.html message.html login.css login.js
var own embed.FS

var templates = template.Must(template.ParseFS(own, "*.html"))

// page answers with a page of the server's own.
func (s *Server) page(w http.ResponseWriter, status int, title, text string) {
	s.show(w, status, "message.html", map[string]any{"Title": title, "Text": text, "Base": s.BasePath})
}

func (s *Server) show(w http.ResponseWriter, status int, name string, values map[string]any) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_ = templates.ExecuteTemplate(w, name, values) // who asked may be gone
}

// showFile answers with a file of the page of the log-in.
func showFile(name, kind string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", kind+"; charset=utf-8")
		w.Header().Set("Cache-Control", "no-cache")
		http.ServeFileFS(w, r, own, name)
	}
}

// showLogin shows the form, or lets in who has the link.
func (s *Server) showLogin(w http.ResponseWriter, r *http.Request) {
	token, next := r.URL.Query().Get("token"), wanted(r.URL.Query().Get(keyNext))
	if token == "" || r.Method == http.MethodHead {
		s.form(w, http.StatusOK, "", next)
		return
	}
	if strings.Contains(r.Header.Get("Sec-Purpose"), "prefetch") {
		s.page(w, http.StatusServiceUnavailable, "Not yet", "This link works only once, so the browser must not open it ahead of you.")
		return
	}
	if !s.link.use(token) {
		note(r, "", "link refused")
		s.form(w, http.StatusForbidden, "This link has been used, or the server was started again since. Start sledge web again for a new one.", next)
		return
	}
	if !s.enter(w, r, linkUser, "", next) {
		return
	}
	note(r, linkUser, "logged in by the link")
	// A redirect would still count as what led here, which may be another site, and the
	// browser would keep the cookie back. A page of ours does not.
	w.Header().Set("Refresh", "0; url="+s.BasePath+"/")
	s.page(w, http.StatusOK, "You are logged in", "The pages open in a moment.")
}

// keyNext is the name of what was asked for before the log-in, in its address and its form.
const keyNext = "next"

// wanted returns what was asked for before a log-in: a path below the base path, with its
// query. It is "/" for what may lead anywhere else, and for the log-in itself.
func wanted(next string) string {
	u, err := url.Parse(next)
	if err != nil || u.Scheme != "" || u.Host != "" || len(next) > longestNext || strings.Contains(u.Path, `\`) ||
		!strings.HasPrefix(u.Path, "/") || path.Clean(u.Path) != u.Path || u.Path == "/login" {
		return "/"
	}
	u.User, u.Fragment, u.RawFragment = nil, "", "" // what is behind # the browser takes along
	return u.String()
}

// longestNext is that of a path and query in bytes, which stand in a form.
const longestNext = 512

// form shows the form with what was wrong the last time, and what was asked for before.
func (s *Server) form(w http.ResponseWriter, status int, wrong, next string) {
	users, err := s.users.List()
	if err != nil {
		s.sayOnce(err.Error())
	}
	s.show(w, status, "login.html", map[string]any{"Wrong": wrong, "Base": s.BasePath, "Users": len(users) > 0, "Next": next})
}

// logIn lets in who has a password.
func (s *Server) logIn(w http.ResponseWriter, r *http.Request) {
	if err := r.ParseForm(); err != nil {
		s.form(w, http.StatusBadRequest, "The server could not read the form. Try again.", "/")
		return
	}
	next := wanted(r.PostForm.Get(keyNext))
	name, password := r.PostForm.Get("name"), r.PostForm.Get("password")
	giveBack, wait := s.attempts.begin(visitOf(r).address, name)
	if wait > 0 {
		seconds := int(wait/time.Second) + 1
		note(r, "", "log-in refused: too many attempts")
		w.Header().Set("Retry-After", strconv.Itoa(seconds))
		s.form(w, http.StatusTooManyRequests, fmt.Sprintf("Too many attempts. Try again in %d s.", seconds), next)
		return
	}
	user, found, err := s.users.find(name)
	if err != nil {
		s.sayOnce(err.Error())
		s.form(w, http.StatusInternalServerError, "The server cannot read its users, and has printed why.", next)
		return
	}
	hash := user.Password
	if hash == "" {
		hash = nobody()
	}
	if !isPassword(hash, password) {
		// A name that is none may be a password that was typed a line too early.
		if found {
			note(r, user.Name, "log-in refused: wrong password")
		} else {
			note(r, "", "log-in refused: no such user")
		}
		s.form(w, http.StatusUnauthorized, "No user has this name and this password.", next)
		return
	}
	giveBack()
	if !s.enter(w, r, user.Name, user.proof(), next) {
		return
	}
	note(r, user.Name, "logged in")
	http.Redirect(w, r, s.BasePath+next, http.StatusSeeOther)
}

// enter begins a session and gives the browser its cookie.
func (s *Server) enter(w http.ResponseWriter, r *http.Request, user, proof, next string) bool {
	token, ends, err := s.sessions.begin(user, proof)
	if err != nil {
		s.sayOnce(err.Error())
		s.form(w, http.StatusInternalServerError, "The server cannot keep your session, and has printed why.", next)
		return false
	}
	http.SetCookie(w, s.cookieOf(r, token, ends))
	return true
}

func (s *Server) cookieOf(r *http.Request, token string, ends time.Time) *http.Cookie {
	return &http.Cookie{
		Name: s.cookie, Value: token, Path: s.BasePath + "/", Expires: ends,
		HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: visitOf(r).secure,
	}
}

// logOut ends a session.
func (s *Server) logOut(w http.ResponseWriter, r *http.Request) {
	if cookie, err := r.Cookie(s.cookie); err == nil {
		if err := s.sessions.endToken(cookie.Value); err != nil {
			s.sayOnce(err.Error())
		}
	}
	note(r, "", "logged out")
	http.SetCookie(w, s.cookieOf(r, "", time.Unix(1, 0)))
	http.Redirect(w, r, s.BasePath+"/login", http.StatusSeeOther)
}

// Note has the log say what a request did, where its method and path do not, by the request's
// context. It holds nothing secret, and is for handlers that a Server hands requests on to.
func Note(ctx context.Context, what string) {
	if v, ok := ctx.Value(visitKey{}).(*visit); ok {
		v.did = what
	}
}

// note has the log say what a request did, and about whom where nobody has come in.
func note(r *http.Request, whom, what string) {
	v := visitOf(r)
	v.about, v.did = whom, what
}
