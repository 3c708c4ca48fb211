package web

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
)

// session returns the account of the client, as the server shows it.
func (s *site) session(c *http.Client, headers ...string) (told struct {
	User, Role, By string
	Others         int `json:"other_sessions"`
},
) {
	s.t.Helper()
	reply := s.ask(c, "GET", "/session", "", headers...)
	reply.wants(s.t, 200, "the session")
	if err := json.Unmarshal([]byte(reply.body), &told); err != nil {
		s.t.Fatal(err)
	}
	return told
}

// change sends a request to change the password.
func (s *site) change(c *http.Client, old, password string, headers ...string) reply {
	s.t.Helper()
	body, err := json.Marshal(map[string]string{"old": old, "new": password})
	if err != nil {
		s.t.Fatal(err)
	}
	return s.ask(c, "POST", "/session/password", string(body), append([]string{"Content-Type", "application/json"}, headers...)...)
}

func TestPassword_ChangedByItsUser(t *testing.T) {
	s := start(t, nil)
	lou, elsewhere, ann := s.in("lou"), s.in("lou"), s.in("ann")
	if told := s.session(lou); told.User != "lou" || told.By != "password" || told.Others != 1 {
		t.Errorf("got %+v, want lou with one other browser", told)
	}
	s.change(lou, "not her password", "another password").wants(t, 403, "a wrong password")
	s.change(lou, password, "short").wants(t, 422, "a short password")
	s.change(lou, password, password).wants(t, 422, "the same password")
	s.ask(lou, "POST", "/session/password", "old=x").wants(t, 400, "a form")
	s.ask(lou, "GET", "/session", "").wants(t, 200, "lou after failed changes")

	s.change(lou, password, "another password").wants(t, 204, "another password") // lou has the role look
	if told := s.session(lou); told.Role != "look" || told.Others != 0 {
		t.Errorf("got %+v, want lou with the role look in this browser only", told)
	}
	s.ask(elsewhere, "GET", "/session", "").wants(t, 401, "the other browser")
	s.ask(ann, "GET", "/session", "").wants(t, 200, "ann")
	s.logIn(s.browser(), "lou", password).wants(t, 401, "the old password")
	s.logIn(s.browser(), "lou", "another password").wants(t, 303, "the new password")
	_, log := s.log()
	if !strings.Contains(log, "changed the password") || !strings.Contains(log, `"what":"wrong password"`) || strings.Contains(log, "another password") {
		t.Errorf("got the log %s", log)
	}
}

func TestPassword_LimitsGuessesOfTheOldOne(t *testing.T) {
	s := start(t, nil)
	lou := s.in("lou")
	for range addressAttempts {
		s.change(lou, "a guess", "another password").wants(t, 403, "a guess")
	}
	reply := s.change(lou, password, "another password")
	reply.wants(t, 429, "too many guesses")
	if reply.Header.Get("Retry-After") == "" {
		t.Error("got no Retry-After")
	}
}

func TestSession_EndsOtherSessions(t *testing.T) {
	s := start(t, func(c *Config) { c.ReadOnly = true }) // allowed, because it changes only the user's own sessions
	lou, elsewhere, ann := s.in("lou"), s.in("lou"), s.in("ann")
	s.ask(lou, "DELETE", "/session/others", "", "Sec-Fetch-Site", "cross-site").wants(t, 403, "a page of another site")
	s.ask(elsewhere, "GET", "/session", "").wants(t, 200, "the other browser before")
	s.ask(lou, "DELETE", "/session/others", "").wants(t, 204, "log out elsewhere")
	s.ask(elsewhere, "GET", "/session", "").wants(t, 401, "the other browser")
	s.ask(lou, "GET", "/session", "").wants(t, 200, "this browser")
	s.ask(ann, "GET", "/session", "").wants(t, 200, "ann")
	s.change(lou, password, "another password").wants(t, 403, "a password on a read-only server")
}

func TestPassword_NoneForTokensAndTheLink(t *testing.T) {
	s := start(t, nil)
	token, err := UsersIn(s.folder).AddToken("ci", Everywhere(Act))
	if err != nil {
		t.Fatal(err)
	}
	bearer := []string{"Authorization", "Bearer " + token}
	if told := s.session(s.browser(), bearer...); told.By != "token" || told.Others != 0 {
		t.Errorf("got %+v", told)
	}
	s.change(s.browser(), "", "another password", bearer...).wants(t, 422, "a password of a program")
	s.ask(s.browser(), "DELETE", "/session/others", "", bearer...).wants(t, 422, "sessions of a program")
	alone := serve(t, t.TempDir(), nil, nil)
	c := alone.browser()
	alone.ask(c, "GET", strings.TrimPrefix(alone.URL(), alone.url), "").wants(t, 200, "the link")
	if told := alone.session(c); told.By != "link" {
		t.Errorf("got %+v", told)
	}
	alone.change(c, "", "another password").wants(t, 422, "a password of the link")
}

// Lines in the file may be in any order, because it may have been written by hand.
func TestChangePassword_InAFileInAnyOrder(t *testing.T) {
	users := UsersIn(t.TempDir())
	for _, name := range []string{"ann", "lou"} {
		if err := users.AddPassword(name, Everywhere(Look), password); err != nil {
			t.Fatal(err)
		}
	}
	list, err := users.List()
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(map[string]any{"users": []User{list[1], list[0]}})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(users.Path(), text, 0o600); err != nil {
		t.Fatal(err)
	}
	changed, err := users.ChangePassword("lou", password, "another password")
	if err != nil || changed.Name != "lou" || !isPassword(changed.Password, "another password") {
		t.Errorf("got %s and %v, want lou with her password", changed.Name, err)
	}
	if ann, _, err := users.find("ann"); err != nil || !isPassword(ann.Password, password) {
		t.Errorf("the password of ann has changed: %v", err)
	}
}

func TestChangePassword_KeepsConcurrentChanges(t *testing.T) {
	users := UsersIn(t.TempDir())
	const n = 8
	for i := range n {
		if err := users.AddPassword(fmt.Sprint("user", i), Everywhere(Look), password); err != nil {
			t.Fatal(err)
		}
	}
	var changing sync.WaitGroup
	for i := range n {
		changing.Go(func() {
			if _, err := users.ChangePassword(fmt.Sprint("user", i), password, "another password"); err != nil {
				t.Error(err)
			}
		})
	}
	changing.Wait()
	list, err := users.List()
	if err != nil {
		t.Fatal(err)
	}
	for _, user := range list {
		if !isPassword(user.Password, "another password") {
			t.Errorf("the new password of %s is lost", user.Name)
		}
	}
}
