package web

import (
	"cmp"
	"context"
	"crypto/subtle"
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"
)

// visit is what is known of a request.
type visit struct {
	address netip.Addr // of whom a proxy asks for, where one does
	secure  bool       // the browser speaks TLS, to us or to a proxy
	who     identity   // the zero value is somebody who has not come in

	about string // whom it is about, where nobody has come in
	did   string // what it did, where its method and path do not say it
}

// identity is somebody who has come in.
type identity struct {
	name  string
	role  Role
	proof string // what changes when the user does
}

// keyUser is what somebody is called who has the Key; no user can be.
const keyUser = "(owner)"

type visitKey struct{}

// visitOf returns what guard has found out about a request.
func visitOf(r *http.Request) *visit {
	v, _ := r.Context().Value(visitKey{}).(*visit)
	return v
}

// Who is the name of whoever has come in, by the context of a request that a Server hands on; ""
// for nobody.
func Who(ctx context.Context) string {
	v, _ := ctx.Value(visitKey{}).(*visit)
	if v == nil {
		return ""
	}
	return v.who.name
}

// guard hands on what may be asked, and keeps the log.
func (s *Server) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(plain http.ResponseWriter, r *http.Request) {
		w := newAnswer(plain, s.patience.taken)
		v := &visit{}
		r = r.WithContext(context.WithValue(r.Context(), visitKey{}, v))
		asked := r // with the address as it was
		defer func() {
			if fault := recover(); fault != nil {
				if fault == http.ErrAbortHandler {
					panic(fault)
				}
				s.Say(fmt.Sprintf("this is a bug in Sledge: please report it, with the lines below: %s %s: %v\n%s", asked.Method, asked.URL.Path, fault, debug.Stack()))
				s.refuse(w, r, http.StatusInternalServerError, "this is a bug in Sledge: please report it, with what the server printed")
			}
			s.note(w, asked, v)
			w.begin() // for what is left of the answer
		}()
		s.secure(w.Header())
		if r = s.seeThrough(w, r, v); r == nil {
			return
		}
		limitBody(w, r, s.patience.body)
		if !s.mayCome(w, r, v) {
			return
		}
		ctx, end := s.whileIn(r, v.who)
		defer end()
		next.ServeHTTP(w, r.WithContext(ctx))
	})
}

// seeThrough finds out where a request comes from and what it asks for. It returns nil if it
// has refused it.
func (s *Server) seeThrough(w *answer, r *http.Request, v *visit) *http.Request {
	inner := r.Clone(r.Context())
	if s.BasePath != "" && r.URL.Path == s.BasePath {
		http.Redirect(w, r, s.BasePath+"/", http.StatusPermanentRedirect)
		return nil
	}
	// A proxy may have taken the base path away already.
	if path, below := strings.CutPrefix(r.URL.Path, s.BasePath+"/"); below {
		inner.URL.Path = "/" + path
		inner.URL.RawPath = ""
		if raw, below := strings.CutPrefix(r.URL.RawPath, s.BasePath+"/"); below {
			inner.URL.RawPath = "/" + raw
		}
	}
	host, err := s.origin(r, v)
	if err != nil {
		s.refuse(w, inner, http.StatusMisdirectedRequest, err.Error())
		return nil
	}
	inner.Host = host
	return inner
}

// acts reports whether a request may change something. One that is upgraded to another
// protocol may ask for anything later.
func acts(r *http.Request) bool {
	return r.Method != http.MethodGet && r.Method != http.MethodHead || r.Header.Get("Upgrade") != ""
}

// isPrivate reports whether a request asks for what those who may only look do not get to see.
func (s *Server) isPrivate(r *http.Request) bool {
	return slices.ContainsFunc(s.Private, func(path string) bool {
		return r.URL.Path == path || strings.HasPrefix(r.URL.Path, path+"/")
	})
}

// mayCome reports whether a request may be handled, and answers it where it may not.
func (s *Server) mayCome(w *answer, r *http.Request, v *visit) bool {
	checked := r
	if acts(r) && (r.Method == http.MethodGet || r.Method == http.MethodHead) {
		checked = r.Clone(r.Context())
		checked.Method = http.MethodPost // or it would pass as harmless
	}
	if err := s.cross.Check(checked); err != nil {
		s.refuse(w, r, http.StatusForbidden, "the request came from a page of another site, which may not do this: "+err.Error())
		return false
	}
	switch r.URL.Path {
	case "/login", "/login.css", "/login.js", "/icon.svg":
		return true
	}
	who, in, err := s.identify(r)
	if err != nil {
		s.sayOnce(err.Error())
		s.refuse(w, r, http.StatusInternalServerError, "the server cannot read its users or sessions, and has printed why")
		return false
	}
	if !in {
		s.sendToLogin(w, r)
		return false
	}
	v.who = who
	switch {
	case r.URL.Path == "/logout" || r.URL.Path == othersPath || !acts(r) && !s.isPrivate(r):
		return true
	case s.ReadOnly && who.name != keyUser:
		s.refuse(w, r, http.StatusForbidden, "nobody may act on this server: it was started with --read-only")
		return false
	case r.URL.Path == passwordPath:
		return true
	case who.role != Act:
		s.refuse(w, r, http.StatusForbidden, fmt.Sprintf("%s may only look, and this takes the role %s: ask whoever started the server for it", who.name, Act))
		return false
	}
	return true
}

// identify finds out who asks. An Authorization header counts before a cookie.
func (s *Server) identify(r *http.Request) (who identity, in bool, err error) {
	if header := r.Header.Get("Authorization"); header != "" {
		scheme, token, _ := strings.Cut(header, " ")
		if !strings.EqualFold(scheme, "Bearer") {
			return identity{}, false, nil
		}
		token = strings.TrimSpace(token)
		if s.Key != "" && subtle.ConstantTimeCompare([]byte(s.Key), []byte(token)) == 1 {
			return identity{name: keyUser, role: Act}, true, nil
		}
		user, found, err := s.users.byToken(token)
		return identity{user.Name, user.Role, user.proof()}, found, err
	}
	cookie, err := r.Cookie(s.cookie)
	if err != nil {
		return identity{}, false, nil // there is none
	}
	of, found := s.sessions.find(cookie.Value)
	if !found {
		return identity{}, false, nil
	}
	return s.known(of.User, of.Proof)
}

// known returns who has come in as a user, if the user is still there and comes in by the same.
func (s *Server) known(name, proof string) (who identity, in bool, err error) {
	if name == linkUser {
		return identity{name: linkUser, role: Act}, s.link != nil, nil
	}
	user, found, err := s.users.find(name)
	if err != nil || !found || subtle.ConstantTimeCompare([]byte(user.proof()), []byte(proof)) != 1 {
		return identity{}, false, err
	}
	return identity{user.Name, user.Role, proof}, true, nil
}

// whileIn returns a context that ends when whoever reads of the API may no longer do so, or
// the server ends: a stream of events can outlive the session that it was asked for in.
func (s *Server) whileIn(r *http.Request, who identity) (ctx context.Context, end func()) {
	if acts(r) || !strings.HasPrefix(r.URL.Path, "/api/") {
		return r.Context(), func() {}
	}
	ctx, cancel := context.WithCancel(r.Context())
	var looking sync.WaitGroup
	looking.Go(func() {
		again := time.NewTicker(s.lookAgain)
		defer again.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-s.ending:
				cancel()
				return
			case <-again.C:
			}
			if now, in, err := s.identify(r); err != nil || !in || now != who {
				cancel()
			}
		}
	})
	return ctx, func() { cancel(); looking.Wait() }
}

// sendToLogin answers somebody who has not come in.
func (s *Server) sendToLogin(w *answer, r *http.Request) {
	if isProgram(r) || acts(r) {
		w.Header().Set("WWW-Authenticate", "Bearer")
		detail := "log in, or send a token as Authorization: Bearer TOKEN (sledge web user add NAME --role look --token makes one)"
		if r.Header.Get("Authorization") != "" {
			detail = "the token in Authorization is not known here: sledge web user add NAME --role look --token makes one"
		}
		s.refuse(w, r, http.StatusUnauthorized, detail)
		return
	}
	login := s.BasePath + "/login"
	if next := wanted(r.URL.RequestURI()); next != "/" {
		login += "?" + url.Values{keyNext: {next}}.Encode()
	}
	http.Redirect(w, r, login, http.StatusSeeOther)
}

// note adds a request to the log of what was done, if it did something or was refused.
func (s *Server) note(w *answer, r *http.Request, v *visit) {
	refused := w.status == http.StatusForbidden || w.status == http.StatusMisdirectedRequest || w.status == http.StatusTooManyRequests ||
		w.status == http.StatusUnauthorized && r.Header.Get("Authorization") != ""
	if !acts(r) && !refused && v.did == "" {
		return
	}
	who := v.who.name
	if v.about != "" {
		who = v.about
	}
	if who == "" {
		// Strangers must not be able to fill the disk.
		if _, wait := s.strangers.begin(v.address, ""); wait > 0 {
			return
		}
	}
	status := w.status
	if status == 0 {
		status = http.StatusOK // net/http's, where a handler has said nothing
	}
	path := r.URL.Path
	if len(path) > 500 {
		path = path[:500] + "..."
	}
	err := s.audit.add(deed{
		Time: time.Now().UTC(), Who: who, Address: v.address.String(), Method: r.Method, Path: path, Status: status, What: cmp.Or(v.did, made(w)),
	})
	if err != nil {
		s.sayOnce(err.Error())
	}
}

// made says what an answer says that the request has made; "" where it has made nothing.
func made(w *answer) string {
	if at := w.Header().Get("Location"); w.status == http.StatusCreated && at != "" {
		return "made " + at
	}
	return ""
}
