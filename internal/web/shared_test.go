package web

import (
	"context"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"sledge/internal/web/share"
)

// sharing configures a server whose links to a job show its address in the API.
func sharing(c *Config) {
	c.Pages, c.Shares = pages, SharesIn(c.Folder)
	c.Shows = func(subject share.Subject, r *http.Request) bool {
		return r.URL.Path == "/api/v1/jobs/"+subject.IDs[0]
	}
}

// share makes a link of a user to a job.
func (s *site) share(by, id string, until time.Time) (l share.Link, token string) {
	s.t.Helper()
	user, _, err := s.users.find(by)
	if err != nil {
		s.t.Fatal(err)
	}
	l, token, err = s.Shares.links.Add(share.Subject{Kind: share.Job, IDs: []string{id}}, by, user.Added, until)
	if err != nil {
		s.t.Fatal(err)
	}
	return l, token
}

// open posts the token of a link.
func (s *site) open(c *http.Client, token string, headers ...string) reply {
	s.t.Helper()
	form := url.Values{"token": {token}}.Encode()
	return s.ask(c, "POST", s.BasePath+"/shared", form, append([]string{"Content-Type", "application/x-www-form-urlencoded", "Accept", "application/json"}, headers...)...)
}

func TestSharedLink_ShowsItsPageAndNothingElse(t *testing.T) {
	s := start(t, func(c *Config) {
		sharing(c)
		c.Private = []string{"/api/v1/scripts"}
		c.Others = map[string]http.Handler{"/env": c.API}
	})
	l, token := s.share("ann", "7", time.Now().Add(time.Hour))
	other, _ := s.share("ann", "8", time.Now().Add(time.Hour))
	stranger, c := s.browser(), s.browser()
	s.ask(stranger, "GET", "/shared", "").wants(t, 200, "a stranger opens the page of a link")
	s.ask(stranger, "GET", "/shared.js", "").wants(t, 200, "and its script")
	at := "/shared/" + l.ID
	s.ask(stranger, "GET", at+"/", "").wants(t, 401, "a stranger without the token")
	s.ask(stranger, "GET", at+"/api/v1/jobs/7", "").wants(t, 401, "a stranger without the token")
	s.open(stranger, "").wants(t, 403, "no token")
	s.open(stranger, token[:len(token)-1]).wants(t, 403, "a part of a token")
	s.open(stranger, l.Hash).wants(t, 403, "the hash of a token")
	s.open(c, token, "Sec-Fetch-Site", "cross-site", "Origin", "https://evil.example").wants(t, 403, "a page of another site")

	opened := s.open(c, token)
	opened.wants(t, 200, "the token")
	if want := `{"at":"shared/` + l.ID + `/"}`; strings.TrimSpace(opened.body) != want {
		t.Errorf("got %s, want %s", opened.body, want)
	}
	cookie := opened.Cookies()[0]
	if !cookie.HttpOnly || cookie.SameSite != http.SameSiteStrictMode || cookie.Path != at+"/" || !cookie.Expires.Equal(l.Until) {
		t.Errorf("got the cookie %s", cookie.Raw)
	}
	for _, test := range []struct {
		method, path string
		want         int
	}{
		{"GET", "/", 200},
		{"HEAD", "/", 200},
		{"GET", "/icon.svg", 200},
		{"GET", "/assets/main-1a2.js", 200},
		{"GET", "/assets/nosuch.js", 404},
		{"GET", "/session", 200},
		{"GET", "/api/v1/jobs/7", 200},
		{"HEAD", "/api/v1/jobs/7", 200},
		{"GET", "/api/v1/jobs/7/", 403},
		{"GET", "/api/v1/jobs/8", 403},
		{"GET", "/api/v1/jobs/77", 403},
		{"GET", "/api/v1/jobs/7/../8", 403},
		{"GET", "/api/v1/jobs/8/../7", 403},
		{"GET", "/api/v1/jobs//7", 403},
		{"GET", "/api/v1/jobs/%37", 403},
		{"GET", "/api/v1/jobs%2F7", 403},
		{"GET", "/api/v1/jobs/7%2F..%2F8", 403},
		{"GET", "/api/v1/jobs", 403},
		{"GET", "/api/v1/scripts", 403},
		{"GET", "/api/", 403},
		{"GET", "/env", 403},
		{"GET", "/login", 403},
		{"POST", "/login", 403},
		{"POST", "/logout", 403},
		{"GET", "/shared", 403},
		{"POST", "/session/password", 403},
		{"DELETE", "/session/others", 403},
		{"GET", "/index.html", 403},
		{"GET", "/assets/../index.html", 403},
		{"POST", "/", 403},
		{"OPTIONS", "/api/v1/jobs/7", 403},
		{"POST", "/api/v1/jobs/7", 403},
		{"PUT", "/api/v1/jobs/7", 403},
		{"PATCH", "/api/v1/jobs/7", 403},
		{"DELETE", "/api/v1/jobs/7", 403},
		{"ODD", "/api/v1/jobs/7", 403},
	} {
		s.ask(c, test.method, at+test.path, "").wants(t, test.want, "a visitor: "+test.method+" "+test.path)
	}
	s.ask(c, "GET", at+"/api/v1/jobs/7", "", "Connection", "Upgrade", "Upgrade", "websocket").wants(t, 403, "a visitor changes the protocol")
	if got := s.ask(c, "GET", at+"/session", "").body; !strings.HasPrefix(got, `{"user":"(link `+l.ID+`)","role":"visitor","may_act":false,`) ||
		!strings.Contains(got, `"shared":{"kind":"job","ids":["7"],"by":"ann","until":"`) {
		t.Errorf("got the session %s", got)
	}
	// The cookie works only below its own link, and not as another credential.
	raw := s.sharedCookie() + "=" + token
	for _, path := range []string{"/shared/" + other.ID + "/api/v1/jobs/8", "/shared/" + other.ID + "/api/v1/jobs/7", "/shared/" + l.ID, "/shared//api/v1/jobs/7", "/shared/../api/v1/jobs/7"} {
		if got := s.ask(stranger, "GET", path, "", "Cookie", raw, "Accept", "*/*"); got.StatusCode != 401 && got.StatusCode != 403 {
			t.Errorf("the cookie of a link at %s: got %d, want a refusal", path, got.StatusCode)
		}
	}
	for _, headers := range [][]string{{"Cookie", raw}, {"Cookie", s.cookie + "=" + token}, {"Authorization", "Bearer " + token}} {
		s.ask(stranger, "GET", "/api/v1/jobs/7", "", headers...).wants(t, 401, "the token as "+headers[0])
	}
	s.ask(stranger, "GET", at+"/api/v1/jobs/7", "", "Authorization", "Bearer "+token, "Accept", "*/*").wants(t, 401, "the token in Authorization")
	// A login adds no rights to the page of a link.
	ann := s.in("ann")
	s.ask(ann, "GET", at+"/api/v1/jobs/8", "", "Accept", "*/*").wants(t, 401, "ann without the token")
	s.open(ann, token).wants(t, 200, "ann")
	s.ask(ann, "DELETE", at+"/api/v1/jobs/7", "").wants(t, 403, "ann acts on the page of a link")
	s.ask(ann, "GET", "/api/v1/jobs/8", "").wants(t, 200, "ann elsewhere")
	for _, asked := range s.apiWas() {
		if !slices.Contains([]string{"GET /api/v1/jobs/7", "HEAD /api/v1/jobs/7", "GET /api/v1/jobs/8"}, asked) {
			t.Errorf("the API got %s", asked)
		}
	}
	if err := s.end(); err != nil {
		t.Fatal(err)
	}
	deeds, text := s.log()
	if i := slices.IndexFunc(deeds, func(d auditEntry) bool { return d.What == "opened the shared link of ann" }); i < 0 || deeds[i].Who != "(link "+l.ID+")" || deeds[i].Path != "/shared" {
		t.Errorf("the audit log does not say who opened the link: %s", text)
	}
	kept, err := os.ReadFile(filepath.Join(s.folder, "web-shares.json"))
	if err != nil {
		t.Fatal(err)
	}
	for name, of := range map[string]string{"audit log": text, "file of links": string(kept)} {
		if strings.Contains(of, token[:20]) {
			t.Errorf("the %s contains the token: %s", name, of)
		}
	}
	if info, err := os.Stat(filepath.Join(s.folder, "web-shares.json")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("got the file of links with %v, %v", info.Mode(), err)
	}
}

func TestSharedLink_EndsByTimeRevocationAndItsUser(t *testing.T) {
	s := start(t, sharing)
	now := time.Now()
	s.Shares = &Shares{share.In(s.folder, func() time.Time { return now }), s.users} // before the first request
	ann, lou := identity{name: "ann", role: Act}, identity{name: "lou", role: Own}
	for what, end := range map[string]func(id string){
		"its time": func(string) { now = now.Add(time.Hour) },
		"its maker": func(id string) {
			if err := s.Shares.Revoke(asUser(t, ann), id); err != nil {
				t.Error(err)
			}
		},
		"an owner": func(id string) {
			if err := s.Shares.Revoke(asUser(t, identity{name: "bob", role: Act}), id); err == nil {
				t.Error("bob revoked ann's link")
			}
			if err := s.Shares.Revoke(asUser(t, lou), id); err != nil {
				t.Error(err)
			}
		},
		"another server": func(id string) {
			if err := share.In(s.folder, func() time.Time { return now }).Revoke(id); err != nil {
				t.Error(err)
			}
		},
		"the account": func(string) {
			time.Sleep(time.Until(time.Now().Truncate(time.Second).Add(time.Second))) // accounts are dated by the second
			if err := s.users.AddPassword("ann", Everywhere(Act), "another password"); err != nil {
				t.Error(err)
			}
		},
	} {
		l, token := s.share("ann", "7", now.Add(time.Hour))
		c := s.browser()
		s.open(c, token).wants(t, 200, what)
		at := "/shared/" + l.ID + "/api/v1/jobs/7"
		s.ask(c, "GET", at, "").wants(t, 200, what)
		end(l.ID)
		// A browser drops the cookie at its time; an attacker keeps it.
		s.ask(s.browser(), "GET", at, "", "Cookie", s.sharedCookie()+"="+token, "Accept", "*/*").wants(t, 401, "ended by "+what)
		s.open(c, token).wants(t, 403, "ended by "+what)
		if list, err := s.Shares.List(asUser(t, lou)); err != nil || len(list) != 0 {
			t.Errorf("ended by %s: still listed: %v, %v", what, list, err)
		}
		s.attempts = newAttempts(time.Now)
	}
	if err := s.users.AddPassword("bob", Everywhere(Act), password); err != nil {
		t.Fatal(err)
	}
	s.share("bob", "7", now.Add(time.Hour))
	if err := s.users.Remove("bob"); err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.Shares.Add(asUser(t, ann), share.Subject{Kind: share.Job, IDs: []string{"8"}}, now.Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	if all, err := s.Shares.links.List(); err != nil || len(all) != 1 || all[0].By != "ann" {
		t.Errorf("got the links %v, %v, want ann's alone: bob's must not come back with an account of that name", all, err)
	}
	for _, until := range []time.Time{now, now.Add(-time.Hour), now.Add(share.MostTime + time.Minute), {}} {
		if _, _, err := s.Shares.Add(asUser(t, ann), share.Subject{Kind: share.Job, IDs: []string{"7"}}, until); err == nil {
			t.Errorf("a link until %v was made", until)
		}
	}
}

func TestSharedLink_LimitsGuesses(t *testing.T) {
	s := start(t, sharing)
	now := time.Now()
	s.attempts.now = func() time.Time { return now } // before the first request
	_, token := s.share("ann", "7", now.Add(time.Hour))
	c := s.browser()
	for range addressAttempts + 3 {
		s.open(c, token).wants(t, 200, "no guess")
	}
	for range addressAttempts {
		s.open(c, "made up").wants(t, 403, "a guess")
	}
	if reply := s.open(c, token); reply.StatusCode != 429 || reply.Header.Get("Retry-After") != "21" {
		t.Errorf("one more guess, which is right: got %d, Retry-After %s", reply.StatusCode, reply.Header.Get("Retry-After"))
	}
	now = now.Add(forgivenAfter)
	s.open(c, token).wants(t, 200, "a while later")
}

// An open stream ends with its link at once, although other clients' access is checked only now and then.
func TestSharedLink_EndsItsStreams(t *testing.T) {
	var begun, ended <-chan struct{}
	s := start(t, func(c *Config) { sharing(c); begun, ended = streaming(c) })
	for what, until := range map[string]time.Duration{"revocation": time.Hour, "time": 1500 * time.Millisecond} {
		l, token := s.share("ann", "7", time.Now().Add(until))
		c := s.browser()
		s.open(c, token).wants(t, 200, what)
		watching := make(chan int, 1)
		go func() { watching <- s.follow(c, "/shared/"+l.ID+"/api/v1/jobs/7", 1<<30) }()
		<-begun
		began := time.Now()
		if what == "revocation" {
			if err := s.Shares.Revoke(asUser(t, identity{name: "ann", role: Act}), l.ID); err != nil {
				t.Fatal(err)
			}
		}
		over(t, ended, what)
		if took := time.Since(began); took >= s.lookAgain {
			t.Errorf("%s: the stream ended after %v", what, took)
		}
		if <-watching == 0 {
			t.Errorf("%s: there was no event", what)
		}
	}
}

// asUser returns the context of a request of a user.
func asUser(t *testing.T, who identity) context.Context {
	return context.WithValue(t.Context(), visitKey{}, &visit{who: who})
}

func TestSharedLink_BelowABasePath(t *testing.T) {
	s := start(t, func(c *Config) { sharing(c); c.BasePath = "/sledge" })
	l, token := s.share("ann", "7", time.Now().Add(time.Hour))
	c := s.browser()
	opened := s.open(c, token)
	opened.wants(t, 200, "the token")
	at := "/sledge/shared/" + l.ID + "/"
	if cookie := opened.Cookies()[0]; cookie.Path != at {
		t.Errorf("got the cookie %s", cookie.Raw)
	}
	s.ask(c, "GET", at, "").wants(t, 200, "the page")
	s.ask(c, "GET", at+"api/v1/jobs/7", "").wants(t, 200, "what the link shows")
	s.ask(c, "GET", at+"api/v1/jobs/8", "").wants(t, 403, "another job")
	s.ask(c, "GET", "/sledge/api/v1/jobs/7", "", "Accept", "*/*").wants(t, 401, "without the link's path")
}
