package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"path"
	"strings"
	"time"

	"sledge/internal/web/secret"
	"sledge/internal/web/share"
)

// A shared link is BASE/shared#TOKEN. Browsers send no part of an address after #, so no server and no
// proxy logs the token. A script of that page removes the token from the address and posts it. The
// server then sets a cookie for BASE/shared/ID/, and below that path serves the pages and the few
// requests that the shared page needs. The cookie of a login has no effect there.

const (
	sharedPath   = "/shared"
	sharedScript = "/shared.js"
)

// visitor is the role of a client with a shared link. No user can have it.
const visitor Role = "visitor"

// Shares are the shared links of the users of a folder. Its methods take the user from the context of
// a request that a Server passes on.
type Shares struct {
	links *share.Store
	users *Users
}

// SharesIn returns the shared links that are saved in a folder.
func SharesIn(folder string) *Shares {
	return &Shares{share.In(folder, time.Now), UsersIn(folder)}
}

// Add makes a link of the user to a subject, and returns it with its token.
func (s *Shares) Add(ctx context.Context, subject share.Subject, until time.Time) (share.Link, string, error) {
	name := UserName(ctx)
	user, _, err := s.users.find(name)
	if err != nil {
		return share.Link{}, "", err
	}
	if err := s.endOfGone(); err != nil {
		return share.Link{}, "", err
	}
	return s.links.Add(subject, name, user.Added, until)
}

// endOfGone revokes the links whose users' accounts are gone.
func (s *Shares) endOfGone() error {
	all, err := s.links.List()
	if err != nil {
		return err
	}
	for _, l := range all {
		has, err := s.hasMaker(l)
		if err == nil && !has {
			err = s.links.Revoke(l.ID)
		}
		if err != nil && !errors.Is(err, share.ErrMissing) {
			return err
		}
	}
	return nil
}

// List returns the links that work and that the user may revoke.
func (s *Shares) List(ctx context.Context) (list []share.Link, err error) {
	v, _ := ctx.Value(visitKey{}).(*visit)
	all, err := s.links.List()
	if err != nil {
		return nil, err
	}
	for _, l := range all {
		works, err := s.hasMaker(l)
		if err != nil {
			return nil, err
		}
		if works && v != nil && (v.who.role == Own || v.who.name == l.By) {
			list = append(list, l)
		}
	}
	return list, nil
}

// Revoke ends a link of the user. A user with the role Own can end the links of all users.
func (s *Shares) Revoke(ctx context.Context, id string) error {
	list, err := s.List(ctx)
	if err != nil {
		return err
	}
	for _, l := range list {
		if l.ID == id {
			return s.links.Revoke(id)
		}
	}
	return share.ErrMissing
}

// hasMaker reports whether the user who made a link still has the same account. Otherwise the link does
// not work. The user of the login link has one until there are users.
func (s *Shares) hasMaker(l share.Link) (bool, error) {
	users, err := s.users.List()
	switch {
	case err != nil:
		return false, err
	case l.By == linkUser:
		return len(users) == 0, nil
	case l.By == keyUser:
		return true, nil
	}
	user, found, err := s.users.find(l.By)
	return found && user.Added.Equal(l.Added), err
}

// byToken returns the working link of a token.
func (s *Shares) byToken(token string) (l share.Link, works bool, err error) {
	l, found, err := s.links.ByToken(token)
	if err != nil || !found {
		return share.Link{}, false, err
	}
	works, err = s.hasMaker(l)
	return l, works, err
}

// showShared shows the page that opens a link.
func (s *Server) showShared(w http.ResponseWriter, _ *http.Request) {
	s.show(w, http.StatusOK, "shared.html", map[string]any{"Base": s.BasePath})
}

// openShared sets the cookie of a link whose token was posted, and responds with the address of its page.
func (s *Server) openShared(w http.ResponseWriter, r *http.Request) {
	if err := r.ParseForm(); err != nil {
		s.refuse(w, r, http.StatusBadRequest, "post the token of a shared link as a form")
		return
	}
	token := r.PostForm.Get("token")
	// Attempts are counted for each token, so that guesses from many addresses lock out no visitor.
	giveBack, wait := s.attempts.begin(visitOf(r).address, sharedPath+secret.Hash(token))
	if wait > 0 {
		note(r, "", "shared link refused: too many attempts")
		s.refuseFor(w, r, wait)
		return
	}
	link, works, err := s.Shares.byToken(token)
	if err != nil {
		s.sayOnce(err.Error())
		s.refuse(w, r, http.StatusInternalServerError, "The server cannot read its shared links. It has printed the reason.")
		return
	}
	if !works {
		note(r, "", "shared link refused")
		s.refuse(w, r, http.StatusForbidden, notShared)
		return
	}
	giveBack()
	cookie := s.cookieOf(r, token, link.Until)
	cookie.Name, cookie.Path = s.sharedCookie(), cookie.Path+"shared/"+link.ID+"/"
	http.SetCookie(w, cookie)
	visitOf(r).link = &link
	note(r, visitorOf(link).name, "opened the shared link of "+link.By)
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]string{"at": "shared/" + link.ID + "/"}) // the client may be gone
}

// notShared is the message for a link that does not work.
const notShared = "This link does not work any more: its time has passed, or it was revoked, or a part of it is missing. Ask for a new one."

// sharedCookie returns the name of the cookie with the token of a link.
func (s *Server) sharedCookie() string { return s.cookie + "-shared" }

// visitorOf returns the identity of a client with a link.
func visitorOf(l share.Link) identity {
	return identity{name: "(link " + l.ID + ")", role: visitor, proof: l.Hash}
}

// sharedID returns the ID of a link and the path below its page from the path of a visitor's request.
func sharedID(path string) (id, rest string, is bool) {
	below, is := strings.CutPrefix(path, sharedPath+"/")
	if !is {
		return "", "", false
	}
	id, _, _ = strings.Cut(below, "/")
	return id, below[len(id):], true
}

// authorizeVisitor returns the request of a visitor without the link's path, if the link shows what it
// asks for. Otherwise it refuses the request and returns nil.
func (s *Server) authorizeVisitor(w *responseWriter, r *http.Request, v *visit) *http.Request {
	id, rest, _ := sharedID(r.URL.Path)
	inner := r.Clone(r.Context())
	inner.URL.Path = rest
	link, works, err := s.visited(r, id)
	switch {
	case err != nil:
		s.sayOnce(err.Error())
		s.refuse(w, inner, http.StatusInternalServerError, "the server cannot read its shared links; it has printed the reason")
		return nil
	case !works:
		s.refuse(w, inner, http.StatusUnauthorized, "Open the link again that you were sent. If that does not help: "+notShared)
		return nil
	}
	v.who, v.link = visitorOf(link), &link
	if acts(r) || r.URL.RawPath != "" || path.Clean(rest) != rest || !s.shows(link, inner) {
		s.refuse(w, inner, http.StatusForbidden, "this link shows something else: log in to see more")
		return nil
	}
	return inner
}

// shows reports whether a link shows what a request asks for: the files of the pages, the session, and
// requests to the API that its page sends.
func (s *Server) shows(link share.Link, r *http.Request) bool {
	if strings.HasPrefix(r.URL.Path, "/api/") {
		return s.Shows(link.Subject, r)
	}
	return isOfPages(r.URL.Path)
}

// visited returns the link of a visitor's request.
func (s *Server) visited(r *http.Request, id string) (share.Link, bool, error) {
	cookie, err := r.Cookie(s.sharedCookie())
	if err != nil || s.Shares == nil {
		return share.Link{}, false, nil // no cookie
	}
	link, works, err := s.Shares.byToken(cookie.Value)
	return link, works && link.ID == id, err
}

// shown describes a link to its visitors.
type shown struct {
	share.Subject
	By    string    `json:"by"`
	Until time.Time `json:"until"`
}

// shownBy returns the description of a link; nil without one.
func shownBy(l *share.Link) *shown {
	if l == nil {
		return nil
	}
	return &shown{l.Subject, l.By, l.Until}
}

// refuseFor refuses an attempt that must wait.
func (s *Server) refuseFor(w http.ResponseWriter, r *http.Request, wait time.Duration) {
	seconds := int(wait/time.Second) + 1
	w.Header().Set("Retry-After", fmt.Sprint(seconds))
	s.refuse(w, r, http.StatusTooManyRequests, fmt.Sprintf("Too many attempts. Try again in %d s.", seconds))
}
