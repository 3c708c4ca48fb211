package web

import (
	"encoding/json"
	"errors"
	"net/http"
)

// The paths of a user's own account, which need no role.
const (
	sessionPath  = "/session"
	passwordPath = sessionPath + "/password"
	othersPath   = sessionPath + "/others"
)

// showSession responds with the user who is logged in, so that pages can hide buttons that the
// server would refuse.
func (s *Server) showSession(w http.ResponseWriter, r *http.Request) {
	who := visitOf(r).who
	by, others := s.loginDetails(r, who)
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(struct { // the client may be gone
		User     string            `json:"user"`
		Role     Role              `json:"role"`
		Projects map[string]string `json:"projects,omitempty"`
		MayAct   bool              `json:"may_act"`
		ReadOnly bool              `json:"read_only"`
		By       string            `json:"by"`
		Others   int               `json:"other_sessions"`
		Shared   *shown            `json:"shared,omitempty"`
	}{who.name, who.role, who.projects, who.role.mayAct() && !s.ReadOnly, s.ReadOnly, by, others, shownBy(visitOf(r).link)})
}

// loginDetails returns how the user logged in, and the number of their other sessions.
func (s *Server) loginDetails(r *http.Request, who identity) (by string, others int) {
	cookie, err := r.Cookie(s.cookie)
	switch {
	case who.role == visitor:
		return byShared, 0
	case r.Header.Get("Authorization") != "" || err != nil:
		return byToken, 0
	case who.name == linkUser:
		by = byLink
	default:
		by = byPassword
	}
	return by, s.sessions.others(who.name, who.proof, cookie.Value)
}

// The ways to log in.
const (
	byPassword = "password"
	byToken    = "token"
	byLink     = "link"
	byShared   = "shared" // with a shared link
)

// By returns how a user logs in: with a password or a token.
func (u User) By() string {
	if u.Token != "" {
		return byToken
	}
	return byPassword
}

// changePassword changes the user's password if the request contains the old one, and ends their
// other sessions.
func (s *Server) changePassword(w http.ResponseWriter, r *http.Request) {
	var asked struct{ Old, New string }
	if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
		s.refuse(w, r, http.StatusBadRequest, `send {"old": "...", "new": "..."}`)
		return
	}
	v := visitOf(r)
	giveBack, wait := s.attempts.begin(v.address, v.who.name)
	if wait > 0 {
		s.refuseFor(w, r, wait)
		return
	}
	user, err := s.users.ChangePassword(v.who.name, asked.Old, asked.New)
	switch {
	case errors.Is(err, errWrongPassword):
		note(r, v.who.name, "wrong password")
		s.refuse(w, r, http.StatusForbidden, "The old password is wrong.")
		return
	case errors.Is(err, errUnfit):
		giveBack()
		s.refuse(w, r, http.StatusUnprocessableEntity, err.Error())
		return
	case err != nil:
		s.sayOnce(err.Error())
		s.refuse(w, r, http.StatusInternalServerError, "The server cannot change the password. It has printed the reason.")
		return
	}
	giveBack()
	note(r, user.Name, "changed the password")
	token, ends, err := s.sessions.renew(user.Name, user.proof())
	if err != nil {
		s.sayOnce(err.Error()) // the user must log in again
	} else {
		http.SetCookie(w, s.cookieOf(r, token, ends))
	}
	w.WriteHeader(http.StatusNoContent)
}

// endOthers ends the user's other sessions.
func (s *Server) endOthers(w http.ResponseWriter, r *http.Request) {
	cookie, err := r.Cookie(s.cookie)
	if err != nil || r.Header.Get("Authorization") != "" {
		s.refuse(w, r, http.StatusUnprocessableEntity, "a token has no sessions: log in with a password")
		return
	}
	who := visitOf(r).who.name
	if err := s.sessions.endOthers(who, cookie.Value); err != nil {
		s.sayOnce(err.Error())
		s.refuse(w, r, http.StatusInternalServerError, "The server cannot end the sessions. It has printed the reason.")
		return
	}
	note(r, who, "logged out elsewhere")
	w.WriteHeader(http.StatusNoContent)
}
