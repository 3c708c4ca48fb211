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

	"sledge/internal/web/secret"
)

// link is the login link that the program prints if there are no users. Its token works once.
type link struct {
	token string
	used  atomic.Bool
}

func newLink() *link { return &link{token: secret.New()} }

// use reports whether a token is the link's and has not been used before.
func (l *link) use(token string) bool {
	return l != nil && subtle.ConstantTimeCompare([]byte(l.token), []byte(token)) == 1 && l.used.CompareAndSwap(false, true)
}

//go:embed login.html message.html login.css login.js shared.html shared.js
var own embed.FS

var templates = template.Must(template.ParseFS(own, "*.html"))

// page responds with a page that shows a message.
func (s *Server) page(w http.ResponseWriter, status int, title, text string) {
	s.show(w, status, "message.html", map[string]any{"Title": title, "Text": text, "Base": s.BasePath})
}

func (s *Server) show(w http.ResponseWriter, status int, name string, values map[string]any) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_ = templates.ExecuteTemplate(w, name, values) // the client may be gone
}

// showFile responds with a file of the login page.
func showFile(name, kind string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", kind+"; charset=utf-8")
		w.Header().Set("Cache-Control", "no-cache")
		http.ServeFileFS(w, r, own, name)
	}
}

// showLogin shows the login form, or logs in a client that has the link.
func (s *Server) showLogin(w http.ResponseWriter, r *http.Request) {
	token, next := r.URL.Query().Get("token"), safeNext(r.URL.Query().Get(keyNext))
	if token == "" || r.Method == http.MethodHead {
		s.form(w, http.StatusOK, "", next)
		return
	}
	if strings.Contains(r.Header.Get("Sec-Purpose"), "prefetch") {
		s.page(w, http.StatusServiceUnavailable, "Not yet", "This link works only once, and the browser tried to load it in advance. Open it again.")
		return
	}
	if !s.link.use(token) {
		note(r, "", "link refused")
		s.form(w, http.StatusForbidden, "This link has been used already, or the server has been restarted. Start sledge web again for a new link.", next)
		return
	}
	if !s.enter(w, r, linkUser, "", next) {
		return
	}
	note(r, linkUser, "logged in by the link")
	// If a page of another site contains the link, the browser does not send the cookie after a
	// redirect, because the request still counts as that site's. It sends the cookie when a page of
	// this server loads the next one.
	w.Header().Set("Refresh", "0; url="+s.BasePath+"/")
	s.page(w, http.StatusOK, "You are logged in", "The pages open in a moment.")
}

// keyNext is the parameter with the path to open after the login.
const keyNext = "next"

// safeNext returns the path to open after a login: a path below the base path, with its query. It
// returns "/" if next may lead to another site or to the login page.
func safeNext(next string) string {
	u, err := url.Parse(next)
	if err != nil || u.Scheme != "" || u.Host != "" || len(next) > longestNext || strings.Contains(u.Path, `\`) ||
		!strings.HasPrefix(u.Path, "/") || path.Clean(u.Path) != u.Path || u.Path == "/login" {
		return "/"
	}
	u.User, u.Fragment, u.RawFragment = nil, "", "" // the browser keeps the fragment itself
	return u.String()
}

// longestNext is the maximum length of next in bytes.
const longestNext = 512

// form shows the login form, with an error and the path to open after the login.
func (s *Server) form(w http.ResponseWriter, status int, wrong, next string) {
	users, err := s.users.List()
	if err != nil {
		s.sayOnce(err.Error())
	}
	s.show(w, status, "login.html", map[string]any{"Wrong": wrong, "Base": s.BasePath, "Users": len(users) > 0, "Next": next})
}

// logIn logs in a user with a password.
func (s *Server) logIn(w http.ResponseWriter, r *http.Request) {
	if err := r.ParseForm(); err != nil {
		s.form(w, http.StatusBadRequest, "The server could not read the form. Try again.", "/")
		return
	}
	next := safeNext(r.PostForm.Get(keyNext))
	name, password := r.PostForm.Get("name"), r.PostForm.Get("password")
	giveBack, wait := s.attempts.begin(visitOf(r).address, name)
	if wait > 0 {
		seconds := int(wait/time.Second) + 1
		note(r, "", "login refused: too many attempts")
		w.Header().Set("Retry-After", strconv.Itoa(seconds))
		s.form(w, http.StatusTooManyRequests, fmt.Sprintf("Too many attempts. Try again in %d s.", seconds), next)
		return
	}
	user, found, err := s.users.find(name)
	if err != nil {
		s.sayOnce(err.Error())
		s.form(w, http.StatusInternalServerError, "The server cannot read its users. It has printed the reason.", next)
		return
	}
	hash := user.Password
	if hash == "" {
		hash = unmatchedHash()
	}
	if !isPassword(hash, password) {
		// An unknown name is not logged, because it may be a password typed into the wrong field.
		if found {
			note(r, user.Name, "login refused: wrong password")
		} else {
			note(r, "", "login refused: no such user")
		}
		s.form(w, http.StatusUnauthorized, "The name or the password is wrong.", next)
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
		s.form(w, http.StatusInternalServerError, "The server cannot save your session. It has printed the reason.", next)
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

// Note adds details of a request to the audit log, by the request's context. Handlers to which a
// Server passes requests call it. what must not contain secrets.
func Note(ctx context.Context, what string) {
	if v, ok := ctx.Value(visitKey{}).(*visit); ok {
		v.did = what
	}
}

// note adds details of a request to the audit log, and its user if the client has not logged in.
func note(r *http.Request, user, what string) {
	v := visitOf(r)
	v.about, v.did = user, what
}
