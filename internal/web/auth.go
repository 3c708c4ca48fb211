package web

import (
	"cmp"
	"context"
	"crypto/subtle"
	"fmt"
	"maps"
	"net/http"
	"net/netip"
	"net/url"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"sledge/internal/web/share"
)

// visit holds the details of a request.
type visit struct {
	address netip.Addr  // of the client, even behind a trusted proxy
	secure  bool        // whether the browser uses TLS, to this server or to a proxy
	who     identity    // zero if the client has not logged in
	link    *share.Link // of a visitor

	about string // the user in the audit log if the client has not logged in
	did   string // details for the audit log, or ""
}

// identity is a user who has logged in.
type identity struct {
	name     string
	role     Role
	projects map[string]string // of a member: its roles
	proof    string            // changes with the user's password or token
}

// identityOf returns the identity of a user.
func identityOf(u User) identity {
	return identity{u.Name, cmp.Or(u.Role, member), u.RoleByProject(), u.proof()}
}

// equals reports whether two identities have the same rights and the same proof.
func (i identity) equals(o identity) bool {
	return i.name == o.name && i.role == o.role && i.proof == o.proof && maps.Equal(i.projects, o.projects)
}

// keyUser is the name of a client that sends the Key. No user can have it.
const keyUser = "(owner)"

type visitKey struct{}

// visitOf returns the details of a request, which guard sets.
func visitOf(r *http.Request) *visit {
	v, _ := r.Context().Value(visitKey{}).(*visit)
	return v
}

// Projects returns the roles of the user who is logged in, by project, from the context of a request that
// a Server passes on; nil if the user's role is for the whole server.
func Projects(ctx context.Context) map[string]string {
	v, _ := ctx.Value(visitKey{}).(*visit)
	if v == nil {
		return nil
	}
	return v.who.projects
}

// UserName returns the name of the user who is logged in, or "", from the context of a request that a
// Server passes on.
func UserName(ctx context.Context) string {
	v, _ := ctx.Value(visitKey{}).(*visit)
	if v == nil {
		return ""
	}
	return v.who.name
}

// guard passes on requests that are allowed, and writes the audit log.
func (s *Server) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(plain http.ResponseWriter, r *http.Request) {
		w := newResponseWriter(plain, s.timeouts.write)
		v := &visit{}
		r = r.WithContext(context.WithValue(r.Context(), visitKey{}, v))
		asked := r // with its original path
		defer func() {
			if fault := recover(); fault != nil {
				if fault == http.ErrAbortHandler {
					panic(fault)
				}
				s.Say(fmt.Sprintf("this is a bug in Sledge: please report it, with the lines below: %s %s: %v\n%s", asked.Method, asked.URL.Path, fault, debug.Stack()))
				s.refuse(w, r, http.StatusInternalServerError, "this is a bug in Sledge: please report it, with the lines that the server printed")
			}
			s.note(w, asked, v)
			w.begin() // net/http flushes the rest of the response
		}()
		s.secure(w.Header())
		if r = s.resolveOrigin(w, r, v); r == nil {
			return
		}
		limitBody(w, r, s.timeouts.body)
		if _, _, below := sharedID(r.URL.Path); below {
			if r = s.authorizeVisitor(w, r, v); r == nil {
				return
			}
		} else if !s.authorize(w, r, v) {
			return
		}
		ctx, end := s.whileAllowed(r, v)
		defer end()
		next.ServeHTTP(w, r.WithContext(ctx))
	})
}

// resolveOrigin determines the client of a request, and the request's path below the base path. If
// it refuses the request, it responds and returns nil.
func (s *Server) resolveOrigin(w *responseWriter, r *http.Request, v *visit) *http.Request {
	inner := r.Clone(r.Context())
	if s.BasePath != "" && r.URL.Path == s.BasePath {
		http.Redirect(w, r, s.BasePath+"/", http.StatusPermanentRedirect)
		return nil
	}
	// A proxy may have removed the base path already.
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
	if v.secure && isName(host) {
		w.Header().Set("Strict-Transport-Security", onlyTLS)
	}
	return inner
}

// acts reports whether a request may change something. A request that upgrades to another protocol
// may do anything later.
func acts(r *http.Request) bool {
	return r.Method != http.MethodGet && r.Method != http.MethodHead || r.Header.Get("Upgrade") != ""
}

// isPrivate reports whether a path needs the role Act even to read it.
func (s *Server) isPrivate(r *http.Request) bool {
	return under(s.Private, r.URL.Path)
}

// authorize reports whether a request is allowed, and refuses it if not.
func (s *Server) authorize(w *responseWriter, r *http.Request, v *visit) bool {
	checked := r
	if acts(r) && (r.Method == http.MethodGet || r.Method == http.MethodHead) {
		checked = r.Clone(r.Context())
		checked.Method = http.MethodPost // GET would pass the check
	}
	if err := s.cross.Check(checked); err != nil {
		s.refuse(w, r, http.StatusForbidden, "the request came from a page of another site, which is not allowed: "+err.Error())
		return false
	}
	switch r.URL.Path {
	case "/login", "/login.css", "/login.js", "/icon.svg", sharedPath, sharedScript:
		return true
	}
	who, in, err := s.identify(r)
	if err != nil {
		s.sayOnce(err.Error())
		s.refuse(w, r, http.StatusInternalServerError, "the server cannot read its users or sessions; it has printed the reason")
		return false
	}
	if !in {
		s.sendToLogin(w, r)
		return false
	}
	v.who = who
	if who.role == member {
		return s.authorizeMember(w, r, who)
	}
	switch {
	case r.URL.Path == "/logout" || r.URL.Path == othersPath || !acts(r) && !s.isPrivate(r):
		return true
	case s.ReadOnly && who.name != keyUser:
		s.refuse(w, r, http.StatusForbidden, "this server changes nothing: it was started with --read-only")
		return false
	case r.URL.Path == passwordPath:
		return true
	case !who.role.mayAct():
		s.refuse(w, r, http.StatusForbidden, fmt.Sprintf("%s has the role look, and this needs the role %s: ask the administrator of this server for it", who.name, Act))
		return false
	case who.role != Own && acts(r) && under(s.Owned, r.URL.Path):
		s.refuse(w, r, http.StatusForbidden, fmt.Sprintf("%s has the role act, and this needs the role %s, which the administrator gives by sledge web user add %[1]s --role %[2]s --replace", who.name, Own))
		return false
	}
	return true
}

// identify returns the user of a request. An Authorization header wins over a cookie.
func (s *Server) identify(r *http.Request) (who identity, in bool, err error) {
	if header := r.Header.Get("Authorization"); header != "" {
		scheme, token, _ := strings.Cut(header, " ")
		if !strings.EqualFold(scheme, "Bearer") {
			return identity{}, false, nil
		}
		token = strings.TrimSpace(token)
		if s.Key != "" && subtle.ConstantTimeCompare([]byte(s.Key), []byte(token)) == 1 {
			return identity{name: keyUser, role: Own}, true, nil
		}
		user, found, err := s.users.byToken(token)
		return identityOf(user), found, err
	}
	cookie, err := r.Cookie(s.cookie)
	if err != nil {
		return identity{}, false, nil // no cookie
	}
	of, found := s.sessions.find(cookie.Value)
	if !found {
		return identity{}, false, nil
	}
	return s.known(of.User, of.Proof)
}

// known returns the identity of a session's user, if the user still exists with the same password.
func (s *Server) known(name, proof string) (who identity, in bool, err error) {
	if name == linkUser {
		return identity{name: linkUser, role: Own}, s.link != nil, nil
	}
	user, found, err := s.users.find(name)
	if err != nil || !found || subtle.ConstantTimeCompare([]byte(user.proof()), []byte(proof)) != 1 {
		return identity{}, false, err
	}
	return identityOf(user), true, nil
}

// whileAllowed returns a context that ends when the client may no longer read the API, or when the
// server ends. Otherwise a stream of events would outlive its session or its shared link.
func (s *Server) whileAllowed(r *http.Request, v *visit) (ctx context.Context, end func()) {
	if acts(r) || !strings.HasPrefix(r.URL.Path, "/api/") {
		return r.Context(), func() {}
	}
	ctx, cancel := context.WithCancel(r.Context())
	var revoked <-chan struct{}
	var over <-chan time.Time
	if v.link != nil {
		revoked, over = s.Shares.links.Revoked(v.link.ID), time.After(s.Shares.links.Left(*v.link))
	}
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
			case <-revoked:
				cancel()
				return
			case <-over:
				cancel()
				return
			case <-again.C:
			}
			if !s.isAllowed(r, v) {
				cancel()
			}
		}
	})
	return ctx, func() { cancel(); looking.Wait() }
}

// isAllowed reports whether the client of a request that was allowed still has its session or its link.
func (s *Server) isAllowed(r *http.Request, v *visit) bool {
	if v.link != nil {
		_, works, err := s.visited(r, v.link.ID)
		return err == nil && works && s.shows(*v.link, r) // a board may show another job now
	}
	now, in, err := s.identify(r)
	if err != nil || !in || !now.equals(v.who) {
		return false
	}
	if now.role != member {
		return true
	}
	status, _ := s.refusesMember(now, r) // a job may be in another project now
	return status == 0
}

// sendToLogin responds to a client that has not logged in: with a redirect, or an error to programs.
func (s *Server) sendToLogin(w *responseWriter, r *http.Request) {
	if isProgram(r) || acts(r) {
		w.Header().Set("WWW-Authenticate", "Bearer")
		detail := "log in, or send a token as Authorization: Bearer TOKEN (sledge web user add NAME --role look --token creates one)"
		if r.Header.Get("Authorization") != "" {
			detail = "the token in Authorization is unknown: sledge web user add NAME --role look --token creates one"
		}
		s.refuse(w, r, http.StatusUnauthorized, detail)
		return
	}
	login := s.BasePath + "/login"
	if next := safeNext(r.URL.RequestURI()); next != "/" {
		login += "?" + url.Values{keyNext: {next}}.Encode()
	}
	http.Redirect(w, r, login, http.StatusSeeOther)
}

// note adds a request to the audit log if it may have changed something or was refused.
func (s *Server) note(w *responseWriter, r *http.Request, v *visit) {
	refused := w.status == http.StatusForbidden || w.status == http.StatusMisdirectedRequest || w.status == http.StatusTooManyRequests ||
		w.status == http.StatusUnauthorized && r.Header.Get("Authorization") != ""
	if !acts(r) && !refused && v.did == "" {
		return
	}
	who := v.who.name
	if v.about != "" {
		who = v.about
	}
	if who == "" || v.link != nil {
		// Clients that have not logged in must not be able to fill the disk.
		if _, wait := s.strangers.begin(v.address, ""); wait > 0 {
			return
		}
	}
	status := w.status
	if status == 0 {
		status = http.StatusOK // the default of net/http
	}
	path := r.URL.Path
	if len(path) > 500 {
		path = path[:500] + "..."
	}
	err := s.audit.add(auditEntry{
		Time: time.Now().UTC(), Who: who, Address: v.address.String(), Method: r.Method, Path: path, Status: status, What: cmp.Or(v.did, createdAddress(w)),
	})
	if err != nil {
		s.sayOnce(err.Error())
	}
}

// createdAddress returns an entry for the audit log that names what a request created, or "".
func createdAddress(w *responseWriter) string {
	if at := w.Header().Get("Location"); w.status == http.StatusCreated && at != "" {
		return "made " + at
	}
	return ""
}
