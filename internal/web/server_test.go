package web

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"sledge/internal/web/secret"
)

const password = "correct horse battery"

func TestMain(m *testing.M) {
	usualCost = cost{memory: 64, time: 1, threads: 1}
	os.Exit(m.Run())
}

// site is a running server with its output and the requests of its API.
type site struct {
	*Server
	t      *testing.T
	url    string // without a path
	folder string
	end    func() error

	mu    sync.Mutex
	said  []string
	asked []string // requests to the API: method and path
}

// start starts a server with the users ann, who may act, and lou, who may look.
func start(t *testing.T, change func(*Config)) *site {
	t.Helper()
	folder := t.TempDir()
	users := UsersIn(folder)
	for name, role := range map[string]Role{"ann": Act, "lou": Look} {
		if err := users.AddPassword(name, Everywhere(role), password); err != nil {
			t.Fatal(err)
		}
	}
	return serve(t, folder, change, nil)
}

// serve starts a server on the files of a folder.
func serve(t *testing.T, folder string, change func(*Config), tune func(*Server)) *site {
	t.Helper()
	s := &site{t: t, folder: folder}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	config := Config{Listener: listener, Folder: folder, Say: func(line string) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.said = append(s.said, line)
	}}
	config.API = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.asked = append(s.asked, r.Method+" "+r.URL.Path)
		s.mu.Unlock()
		fmt.Fprintf(w, "%s %s", r.Method, r.URL.Path)
	})
	if change != nil {
		change(&config)
	}
	if s.Server, err = New(config); err != nil {
		t.Fatal(err)
	}
	if tune != nil {
		tune(s.Server)
	}
	_, port, _ := net.SplitHostPort(s.Address())
	s.url = "http://127.0.0.1:" + port
	if config.TLS != nil {
		s.url = "https://127.0.0.1:" + port
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx) }()
	s.end = sync.OnceValue(func() error { cancel(); return <-ended })
	t.Cleanup(func() {
		if err := s.end(); err != nil {
			t.Errorf("the server ended with %v", err)
		}
	})
	return s
}

// browser keeps cookies, and follows no redirect.
func (s *site) browser() *http.Client {
	jar, _ := cookiejar.New(nil) // it never fails
	transport := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, DisableCompression: true}
	s.t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Jar: jar, Transport: transport, Timeout: time.Minute, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// reply is a response, with its body.
type reply struct {
	*http.Response
	body string
}

// ask sends a request as a browser that navigates does. headers are names and values in turn; Host
// sets the host.
func (s *site) ask(c *http.Client, method, path, body string, headers ...string) reply {
	s.t.Helper()
	r, err := http.NewRequest(method, s.url+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	if !slices.Contains(headers, "Accept") {
		r.Header.Set("Accept", "text/html,*/*;q=0.8")
	}
	for i := 0; i < len(headers); i += 2 {
		if headers[i] == "Host" {
			r.Host = headers[i+1]
		}
		r.Header.Add(headers[i], headers[i+1])
	}
	response, err := c.Do(r)
	if err != nil {
		s.t.Fatalf("%s %s: %v", method, path, err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		s.t.Fatalf("%s %s: %v", method, path, err)
	}
	return reply{response, string(text)}
}

// wants fails the test unless the response has the status.
func (r reply) wants(t *testing.T, status int, what string) {
	t.Helper()
	if r.StatusCode != status {
		t.Errorf("%s: got %d, want %d: %s", what, r.StatusCode, status, r.body)
	}
}

// logIn sends the login form.
func (s *site) logIn(c *http.Client, name, password string, headers ...string) reply {
	s.t.Helper()
	form := url.Values{"name": {name}, "password": {password}}.Encode()
	return s.ask(c, "POST", s.BasePath+"/login", form, append([]string{"Content-Type", "application/x-www-form-urlencoded"}, headers...)...)
}

// in returns a browser in which a user has logged in.
func (s *site) in(name string) *http.Client {
	s.t.Helper()
	c := s.browser()
	s.logIn(c, name, password).wants(s.t, http.StatusSeeOther, "log in as "+name)
	return c
}

// apiWas returns the requests to the API.
func (s *site) apiWas() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked
}

func (s *site) wasSaid() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Join(s.said, "\n")
}

// log reads the audit log.
func (s *site) log() (deeds []auditEntry, text string) {
	s.t.Helper()
	all, err := os.ReadFile(filepath.Join(s.folder, "web-audit.jsonl"))
	if err != nil {
		s.t.Fatal(err)
	}
	for line := range bytes.Lines(all) {
		var d auditEntry
		if err := json.Unmarshal(line, &d); err != nil {
			s.t.Fatalf("%s: %v", line, err)
		}
		deeds = append(deeds, d)
	}
	return deeds, string(all)
}

var pages = fstest.MapFS{
	"index.html":         {Data: []byte("<!doctype html><title>the pages</title>" + strings.Repeat(" ", 2000))},
	"icon.svg":           {Data: []byte("<svg/>")},
	"assets/main-1a2.js": {Data: []byte("export {}" + strings.Repeat(" ", 2000))},
	// The server does not look into it.
	"assets/main-1a2.js.br": {Data: []byte("brotli of the script")},
}

func TestServer_RefusesRequestsWithoutLogin(t *testing.T) {
	s := start(t, func(c *Config) { c.Pages = pages })
	c := s.browser()
	for _, test := range []struct {
		method, path string
		want         int
	}{
		{"GET", "/", 303},
		{"GET", "/index.html", 303},
		{"GET", "/assets/main-1a2.js", 303},
		{"GET", "/nosuch", 303},
		{"GET", "/api/v1/jobs", 401},
		{"HEAD", "/api/v1/jobs", 401},
		{"POST", "/api/v1/jobs", 401},
		{"GET", "/session", 401},
		{"GET", "/login/../api/v1/jobs", 303},
		{"POST", "/", 401},
		{"POST", "/logout", 401},
		{"DELETE", "/login", 405},
		{"GET", "//api/v1/jobs", 303},
		{"GET", "/login.css/../api/", 303},
		{"GET", "/login", 200},
		{"GET", "/login.css", 200},
		{"GET", "/login.js", 200},
	} {
		reply := s.ask(c, test.method, test.path, "")
		reply.wants(t, test.want, test.method+" "+test.path)
		if to, _, _ := strings.Cut(reply.Header.Get("Location"), "?"); test.want == 303 && to != "/login" {
			t.Errorf("%s %s leads to %q, want the login", test.method, test.path, to)
		}
	}
	s.ask(c, "GET", "/", "", "Cookie", s.cookie+"=made-up").wants(t, 303, "a forged cookie")
	if asked := s.apiWas(); len(asked) > 0 {
		t.Errorf("strangers reached the API: %q", asked)
	}
}

func TestLink_LogsInOnce(t *testing.T) {
	s := serve(t, t.TempDir(), nil, nil)
	link := strings.TrimPrefix(s.URL(), s.url)
	if !strings.HasPrefix(link, "/login?token=") || !s.HasLink() {
		t.Fatalf("got the link %q", link)
	}
	s.ask(s.browser(), "GET", "/login?token=made-up", "").wants(t, 403, "another token")
	s.ask(s.browser(), "HEAD", link, "").wants(t, 200, "a HEAD request for the link")
	s.ask(s.browser(), "GET", link, "", "Sec-Purpose", "prefetch").wants(t, 503, "a browser that prefetches links")
	c := s.browser()
	reply := s.ask(c, "GET", link, "")
	reply.wants(t, 200, "the link")
	if refresh := reply.Header.Get("Refresh"); refresh != "0; url=/" {
		t.Errorf("got the Refresh header %q", refresh)
	}
	s.ask(c, "POST", "/api/v1/jobs", "").wants(t, 200, "the user of the link acts")
	again := s.browser()
	s.ask(again, "GET", link, "").wants(t, 403, "the link a second time")
	s.ask(again, "GET", "/api/v1/jobs", "").wants(t, 401, "the user of a used link")
}

func TestLink_NoneIfThereAreUsers(t *testing.T) {
	folder := t.TempDir()
	before := serve(t, folder, nil, nil)
	c := before.browser()
	before.ask(c, "GET", strings.TrimPrefix(before.URL(), before.url), "").wants(t, 200, "the link")
	if err := before.end(); err != nil {
		t.Fatal(err)
	}
	if err := UsersIn(folder).AddPassword("ann", Everywhere(Act), password); err != nil {
		t.Fatal(err)
	}
	s := serve(t, folder, nil, nil)
	if s.HasLink() || strings.Contains(s.URL(), "token") {
		t.Errorf("got the link %s although there is a user", s.URL())
	}
	s.sessions.mu.Lock()
	defer s.sessions.mu.Unlock()
	if n := len(s.sessions.byHash); n != 0 {
		t.Errorf("%d sessions of the link outlive the first user", n)
	}
}

func TestCookie_IsForThisServerOnly(t *testing.T) {
	own, err := SelfSigned(t.TempDir(), []string{"127.0.0.1"})
	if err != nil {
		t.Fatal(err)
	}
	proxied := func(c *Config) {
		c.Proxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}
		c.BasePath = "/sledge"
	}
	for name, test := range map[string]struct {
		change  func(*Config)
		headers []string
		path    string
		secure  bool
	}{
		"HTTP":                               {func(*Config) {}, nil, "/", false},
		"TLS":                                {func(c *Config) { c.TLS = own }, nil, "/", true},
		"a proxy by TLS":                     {proxied, []string{"X-Forwarded-Proto", "https"}, "/sledge/", true},
		"a proxy without":                    {proxied, []string{"X-Forwarded-Proto", "http"}, "/sledge/", false},
		"a client that claims to be a proxy": {func(*Config) {}, []string{"X-Forwarded-Proto", "https"}, "/", false},
	} {
		s := start(t, test.change)
		reply := s.logIn(s.browser(), "ann", password, test.headers...)
		cookies := reply.Cookies()
		if len(cookies) != 1 {
			t.Fatalf("%s: got %d cookies, want 1: %d %s", name, len(cookies), reply.StatusCode, reply.body)
		}
		got := cookies[0]
		if !got.HttpOnly || got.SameSite != http.SameSiteStrictMode || got.Path != test.path || got.Secure != test.secure || got.Domain != "" {
			t.Errorf("%s: got the cookie %s", name, got.Raw)
		}
		if kept, _ := os.ReadFile(filepath.Join(s.folder, "web-sessions.json")); bytes.Contains(kept, []byte(got.Value)) || !bytes.Contains(kept, []byte(secret.Hash(got.Value))) {
			t.Errorf("%s: the file of sessions contains a usable token, or no session: %s", name, kept)
		}
	}
}

// Browsers are told to use only TLS if the request came by TLS, to the name of a machine.
func TestTLS_IsRequiredFromThenOn(t *testing.T) {
	own, err := SelfSigned(t.TempDir(), []string{"tests.example.org"})
	if err != nil {
		t.Fatal(err)
	}
	plain := func(c *Config) { c.Hostnames = []string{"tests.example.org"} }
	byTLS := func(c *Config) { plain(c); c.TLS = own }
	proxied := func(c *Config) { plain(c); c.Proxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")} }
	for name, test := range map[string]struct {
		change  func(*Config)
		headers []string
		want    string
	}{
		"HTTP":                               {plain, []string{"Host", "tests.example.org"}, ""},
		"TLS":                                {byTLS, []string{"Host", "tests.example.org"}, onlyTLS},
		"TLS with a port":                    {byTLS, []string{"Host", "Tests.example.org:8443"}, onlyTLS},
		"TLS to localhost":                   {byTLS, []string{"Host", "localhost"}, ""},
		"TLS to an address":                  {byTLS, nil, ""},
		"a proxy by TLS":                     {proxied, []string{"Host", "tests.example.org", "X-Forwarded-Proto", "https"}, onlyTLS},
		"a proxy by TLS with another name":   {proxied, []string{"X-Forwarded-Host", "tests.example.org", "X-Forwarded-Proto", "https"}, onlyTLS},
		"a proxy without":                    {proxied, []string{"Host", "tests.example.org", "X-Forwarded-Proto", "http"}, ""},
		"a client that claims to be a proxy": {plain, []string{"Host", "tests.example.org", "X-Forwarded-Proto", "https"}, ""},
	} {
		s := start(t, test.change)
		for _, path := range []string{"/login", "/", "/api/v1/jobs"} {
			if got := s.ask(s.browser(), "GET", path, "", test.headers...).Header.Get("Strict-Transport-Security"); got != test.want {
				t.Errorf("%s: %s: got %q, want %q", name, path, got, test.want)
			}
		}
	}
}

func TestRoleLook_RefusesActions(t *testing.T) {
	s := start(t, nil)
	ann, lou := s.in("ann"), s.in("lou")
	s.ask(lou, "GET", "/api/v1/jobs", "").wants(t, 200, "lou looks")
	for _, method := range []string{"POST", "PUT", "PATCH", "DELETE", "OPTIONS", "ODD"} {
		s.ask(lou, method, "/api/v1/jobs/1", "").wants(t, 403, "lou: "+method)
		s.ask(ann, method, "/api/v1/jobs/1", "").wants(t, 200, "ann: "+method)
	}
	s.ask(lou, "GET", "/api/v1/console", "", "Connection", "Upgrade", "Upgrade", "websocket").wants(t, 403, "lou changes the protocol")
	s.ask(lou, "POST", "/logout", "").wants(t, 303, "lou logs out")
	s.ask(lou, "GET", "/api/v1/jobs", "").wants(t, 401, "lou after that")
	for _, asked := range s.apiWas() {
		if strings.HasPrefix(asked, "DELETE") {
			return
		}
	}
	t.Errorf("the API got the requests %q, want ann's among them", s.apiWas())
}

func TestCrossOrigin_RefusesActions(t *testing.T) {
	s := start(t, nil)
	c := s.in("ann")
	for name, test := range map[string]struct {
		headers []string
		want    int
	}{
		"a program":                {nil, 200},
		"a page of ours":           {[]string{"Sec-Fetch-Site", "same-origin", "Origin", s.url}, 200},
		"an old browser":           {[]string{"Origin", s.url}, 200},
		"another site":             {[]string{"Sec-Fetch-Site", "cross-site", "Origin", "https://evil.example"}, 403},
		"another port":             {[]string{"Sec-Fetch-Site", "same-site", "Origin", "http://127.0.0.1:1"}, 403},
		"an old browser elsewhere": {[]string{"Origin", "https://evil.example"}, 403},
		"a sandbox":                {[]string{"Origin", "null"}, 403},
	} {
		s.ask(c, "POST", "/api/v1/jobs", "", test.headers...).wants(t, test.want, name)
		if test.want == 403 {
			s.ask(c, "GET", "/api/v1/console", "", append(test.headers, "Connection", "Upgrade", "Upgrade", "websocket")...).wants(t, 403, name+" changes the protocol")
			s.logIn(s.browser(), "ann", password, test.headers...).wants(t, 403, name+" logs in")
		}
	}
}

func TestToken_LogsInPrograms(t *testing.T) {
	s := start(t, nil)
	token, err := s.users.AddToken("ci", Everywhere(Look))
	if err != nil {
		t.Fatal(err)
	}
	c := s.browser()
	s.ask(c, "GET", "/api/v1/jobs", "", "Authorization", "Bearer "+token).wants(t, 200, "a token")
	s.ask(c, "POST", "/api/v1/jobs", "", "Authorization", "Bearer "+token).wants(t, 403, "a token with the role look")
	for _, wrong := range []string{"Bearer " + token + "x", "Bearer ", "Bearer", "Basic " + token, token} {
		reply := s.ask(c, "GET", "/api/v1/jobs", "", "Authorization", wrong)
		reply.wants(t, 401, wrong)
		if kind := reply.Header.Get("Content-Type"); kind != "application/problem+json" || reply.Header.Get("WWW-Authenticate") == "" {
			t.Errorf("%s: got %s and %v", wrong, kind, reply.Header)
		}
	}
	s.ask(s.in("ann"), "GET", "/api/v1/jobs", "", "Authorization", "Bearer wrong").wants(t, 401, "a wrong token beside a cookie")
	s.logIn(c, "ci", token).wants(t, 401, "a token as a password")
	s.logIn(c, "ci", "").wants(t, 401, "no password")
	if err := s.users.Remove("ci"); err != nil {
		t.Fatal(err)
	}
	s.ask(c, "GET", "/api/v1/jobs", "", "Authorization", "Bearer "+token).wants(t, 401, "a token of a removed user")
	if text, _ := os.ReadFile(s.users.Path()); bytes.Contains(text, []byte(token)) || bytes.Contains(text, []byte(password)) {
		t.Errorf("the file of users holds a secret: %s", text)
	}
}

// Other commands of the user who started the server query and end it.
func TestKey_MayAct(t *testing.T) {
	key := NewKey()
	s := start(t, func(c *Config) { c.Key = key })
	c := s.browser()
	s.ask(c, "POST", "/api/v1/jobs", "", "Authorization", "Bearer "+key).wants(t, 200, "the key")
	other := NewKey()
	if len(other) != len(key) || other == key {
		t.Fatalf("got the keys %q and %q", key, other)
	}
	for _, wrong := range []string{other, "", key + "x"} {
		s.ask(c, "GET", "/api/v1/jobs", "", "Authorization", "Bearer "+wrong).wants(t, 401, "another key")
	}
	s.logIn(c, keyUser, key).wants(t, 401, "the key as a password")
	if err := s.users.AddPassword(keyUser, Everywhere(Act), password); err == nil {
		t.Error("a user can have the name of the key's client")
	}
	if err := s.end(); err != nil {
		t.Fatal(err)
	}
	if deeds, text := s.log(); deeds[0].Who != keyUser || strings.Contains(text, key) {
		t.Errorf("the log says %s", text)
	}
}

// Programs that fetch an address get an error, not a redirect to a page.
func TestOthers_NeedAuthorization(t *testing.T) {
	s := start(t, func(c *Config) {
		c.BasePath = "/sledge"
		c.Others = map[string]http.Handler{"/env": http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodPut {
				w.Header().Set("Location", "env/7")
				w.WriteHeader(http.StatusCreated)
				return
			}
			Note(r.Context(), "what was done")
			fmt.Fprintf(w, "%s %s", r.Method, r.URL.Path)
		})}
	})
	look, err := s.users.AddToken("ci", Everywhere(Look))
	if err != nil {
		t.Fatal(err)
	}
	act, err := s.users.AddToken("bot", Everywhere(Act))
	if err != nil {
		t.Fatal(err)
	}
	c := s.browser()
	for _, test := range []struct {
		method, path, token, accept string
		want                        int
		body                        string
	}{
		{"GET", "/sledge/env", look, "*/*", 200, "GET /env"},
		{"GET", "/env", look, "", 200, "GET /env"}, // the proxy has removed the base path
		{"POST", "/sledge/env", act, "*/*", 200, "POST /env"},
		{"PUT", "/sledge/env", act, "*/*", 201, ""},
		{"POST", "/sledge/env", look, "*/*", 403, "has the role look"},
		{"GET", "/sledge/env", "", "*/*", 401, "Bearer TOKEN (sledge web user add"},
		{"GET", "/sledge/env", "", "", 401, "Bearer TOKEN (sledge web user add"},
		{"GET", "/sledge/env", "wrong", "*/*", 401, "the token in Authorization is unknown"},
		{"GET", "/sledge/env", "", "text/html,*/*", 303, ""},
		{"GET", "/sledge/env/more", look, "*/*", 404, ""},
	} {
		headers := []string{"Accept", test.accept}
		if test.token != "" {
			headers = append(headers, "Authorization", "Bearer "+test.token)
		}
		reply := s.ask(c, test.method, test.path, "", headers...)
		if reply.StatusCode != test.want || !strings.Contains(reply.body, test.body) {
			t.Errorf("%+v: got %d %s", test, reply.StatusCode, reply.body)
		}
	}
	if err := s.end(); err != nil {
		t.Fatal(err)
	}
	deeds, _ := s.log()
	if i := slices.IndexFunc(deeds, func(d auditEntry) bool { return d.Method == "POST" }); i < 0 || deeds[i].Who != "bot" || deeds[i].What != "what was done" {
		t.Errorf("the log has %+v, want the action of bot", deeds)
	}
	if i := slices.IndexFunc(deeds, func(d auditEntry) bool { return d.Method == "PUT" }); i < 0 || deeds[i].What != "made env/7" {
		t.Errorf("the log has %+v, want the address that bot created", deeds)
	}
}

func TestReadOnly_RefusesToAct(t *testing.T) {
	key := NewKey()
	s := start(t, func(c *Config) { c.ReadOnly, c.Key = true, key })
	c := s.in("ann")
	s.ask(c, "GET", "/api/v1/jobs", "").wants(t, 200, "looking")
	if reply := s.ask(c, "POST", "/api/v1/jobs", ""); reply.StatusCode != 403 || !strings.Contains(reply.body, "--read-only") {
		t.Errorf("acting: got %d %s", reply.StatusCode, reply.body)
	}
	if reply := s.ask(c, "GET", "/session", ""); strings.TrimSpace(reply.body) != `{"user":"ann","role":"act","may_act":false,"read_only":true,"by":"password","other_sessions":0}` {
		t.Errorf("got the session %s", reply.body)
	}
	if asked := s.apiWas(); len(asked) != 1 {
		t.Errorf("the API got the requests %q, want one GET", asked)
	}
	s.ask(s.browser(), "POST", "/api/v1/quit", "", "Authorization", "Bearer "+key).wants(t, 200, "a command with the key, which may act")
}

func TestPrivate_NeedsRoleAct(t *testing.T) {
	s := start(t, func(c *Config) { c.Private = []string{"/api/v1/scripts"} })
	for path, status := range map[string]int{
		"/api/v1/scripts": 403, "/api/v1/scripts/a.tcl": 403, "/api/v1/%73cripts/a.tcl": 403, "/api/v1/scripts%2Fa.tcl": 403,
		"/api/v1/scriptsofothers": 200, "/api/v1/jobs": 200,
	} {
		s.ask(s.in("lou"), "GET", path, "").wants(t, status, "lou looks at "+path)
		s.ask(s.in("ann"), "GET", path, "").wants(t, 200, "ann looks at "+path)
	}
	s = start(t, func(c *Config) { c.Private, c.ReadOnly = []string{"/api/v1/scripts"}, true })
	s.ask(s.in("ann"), "GET", "/api/v1/scripts", "").wants(t, 403, "ann on a read-only server")
}

func TestOwned_NeedsRoleOwnToChange(t *testing.T) {
	s := start(t, func(c *Config) { c.Private, c.Owned = []string{"/api/v1/notices"}, []string{"/api/v1/notices"} })
	if err := s.users.AddPassword("olga", Everywhere(Own), password); err != nil {
		t.Fatal(err)
	}
	for name, status := range map[string]struct{ read, change int }{"lou": {403, 403}, "ann": {200, 403}, "olga": {200, 200}} {
		s.ask(s.in(name), "GET", "/api/v1/notices", "").wants(t, status.read, name+" looks")
		s.ask(s.in(name), "POST", "/api/v1/notices/receivers/ops/test", "").wants(t, status.change, name+" tests a receiver")
		s.ask(s.in(name), "DELETE", "/api/v1/n%6ftices/receivers/ops", "").wants(t, status.change, name+" removes a receiver")
	}
}

func TestLogin_LimitsGuesses(t *testing.T) {
	s := start(t, func(c *Config) { c.Proxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")} })
	now := time.Now()
	s.attempts.now = func() time.Time { return now } // before the first request
	c := s.browser()
	from := func(address string) []string { return []string{"X-Forwarded-For", address} }
	for range addressAttempts {
		s.logIn(c, "ann", "wrong password", from("192.0.2.1")...).wants(t, 401, "a guess")
	}
	reply := s.logIn(c, "ann", password, from("192.0.2.1")...)
	if reply.wants(t, 429, "one more guess, which is right"); reply.Header.Get("Retry-After") != "21" {
		t.Errorf("got Retry-After %q, want 21", reply.Header.Get("Retry-After"))
	}
	for range addressAttempts + 1 {
		s.logIn(c, "ann", password, from("192.0.2.2")...).wants(t, 303, "another address, which does not guess")
	}
	now = now.Add(forgivenAfter)
	s.logIn(c, "ann", password, from("192.0.2.1")...).wants(t, 303, "a while later")
	s.logIn(c, "ann", "wrong password", from("192.0.2.1")...).wants(t, 401, "a guess")
	s.logIn(c, "ann", password, from("192.0.2.1")...).wants(t, 429, "one more guess")
}

func TestAttempts_LimitManyAddresses(t *testing.T) {
	now := time.Now()
	a := newAttempts(func() time.Time { return now })
	through := 0
	for i := range 200 {
		if _, wait := a.begin(netip.AddrFrom4([4]byte{192, 0, 2, byte(i)}), "ann"); wait == 0 {
			through++
		}
	}
	if through != nameAttempts {
		t.Errorf("200 addresses had %d attempts at one name, want %d", through, nameAttempts)
	}
	through = 0
	for i := range 200 { // addresses in one network, which an attacker can use
		address := netip.AddrFrom16([16]byte{0: 0x20, 1: 0x01, 15: byte(i)})
		if _, wait := a.begin(address, fmt.Sprint("name", i)); wait == 0 {
			through++
		}
	}
	if through != addressAttempts {
		t.Errorf("200 addresses of a /64 had %d attempts, want %d", through, addressAttempts)
	}
}

func TestAttempts_OfOneNameNeverCountForAnother(t *testing.T) {
	now := time.Now()
	a := newAttempts(func() time.Time { return now })
	for i := range 2 * mostAllowances { // more names and addresses than the limit
		address := netip.AddrFrom4([4]byte{10, byte(i >> 16), byte(i >> 8), byte(i)})
		if _, wait := a.begin(address, fmt.Sprint("name", i)); wait > 0 {
			t.Fatalf("attempt %d, the first of its address and name, has to wait %v", i, wait)
		}
	}
	if kept := len(a.names.byKey); kept != mostAllowances || a.names.latest.Len() != kept || len(a.addresses.byKey) != kept {
		t.Errorf("kept %d names, want %d", kept, mostAllowances)
	}
}

func TestAudit_NamesUsersAndNoSecrets(t *testing.T) {
	s := start(t, nil)
	token, err := s.users.AddToken("ci", Everywhere(Act))
	if err != nil {
		t.Fatal(err)
	}
	c, stranger := s.in("ann"), s.browser()
	cookie := c.Jar.Cookies(&url.URL{Scheme: "http", Host: "127.0.0.1", Path: "/"})[0].Value
	s.ask(c, "DELETE", "/api/v1/jobs/7?token=planted-query", "planted-body").wants(t, 200, "a auditEntry")
	s.ask(c, "GET", "/api/v1/jobs", "").wants(t, 200, "a look")
	s.ask(stranger, "POST", "/api/v1/jobs", "", "Authorization", "Bearer "+token).wants(t, 200, "a program's action")
	s.ask(stranger, "GET", "/api/v1/jobs", "", "Authorization", "Bearer planted-token").wants(t, 401, "a forged token")
	s.logIn(stranger, "planted-name", "planted-password").wants(t, 401, "an unknown name")
	s.logIn(stranger, "lou", "planted-password").wants(t, 401, "a wrong password")
	s.ask(s.in("lou"), "POST", "/api/v1/jobs", "").wants(t, 403, "a refused action")
	if err := s.end(); err != nil { // the server writes the line after the response
		t.Fatal(err)
	}
	deeds, text := s.log()
	got := ""
	for _, d := range deeds {
		got += strings.TrimSpace(fmt.Sprintf("%s %s %s %d %s", d.Who, d.Method, d.Path, d.Status, d.What)) + "\n"
		if d.Address != "127.0.0.1" || time.Since(d.Time) > time.Minute {
			t.Errorf("got the address %s and the time %v", d.Address, d.Time)
		}
	}
	const want = `ann POST /login 303 logged in
ann DELETE /api/v1/jobs/7 200
ci POST /api/v1/jobs 200
GET /api/v1/jobs 401
POST /login 401 login refused: no such user
lou POST /login 401 login refused: wrong password
lou POST /login 303 logged in
lou POST /api/v1/jobs 403
`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	for _, secret := range []string{"planted", token, cookie, password} {
		if strings.Contains(text, secret) {
			t.Errorf("the log holds %q:\n%s", secret, text)
		}
	}
}

func TestAudit_LimitsLinesWithoutLogin(t *testing.T) {
	s := start(t, nil)
	c := s.browser()
	for range 100 {
		s.ask(c, "POST", "/api/v1/jobs", "").wants(t, 401, "a stranger")
	}
	if err := s.end(); err != nil {
		t.Fatal(err)
	}
	if deeds, _ := s.log(); len(deeds) == 0 || len(deeds) > addressAttempts+1 {
		t.Errorf("100 requests of a stranger left %d lines, want a few", len(deeds))
	}
}

func TestAudit_CutsLongPaths(t *testing.T) {
	s := start(t, nil)
	s.ask(s.in("ann"), "POST", "/api/"+strings.Repeat("x", 10_000), "").wants(t, 200, "a long path")
	if err := s.end(); err != nil {
		t.Fatal(err)
	}
	if deeds, _ := s.log(); len(deeds) != 2 || len(deeds[1].Path) > 510 || !strings.HasSuffix(deeds[1].Path, "xxx...") {
		t.Errorf("got %d lines, the last of %.600q", len(deeds), deeds[len(deeds)-1].Path)
	}
}

func TestHost_RefusesOtherNames(t *testing.T) {
	s := start(t, func(c *Config) {
		c.Hostnames = []string{"tests.example.org"}
		c.Proxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}
	})
	c := s.browser()
	for host, want := range map[string]int{
		"localhost:9": 200, "LOCALHOST": 200, "127.0.0.1": 200, "[::1]:8080": 200, "tests.example.org": 200, "Tests.Example.Org.:443": 200,
		"evil.example": 421, "evil.example:8080": 421, "localhost.evil.example": 421, "127.0.0.1.evil.example": 421,
	} {
		s.ask(c, "GET", "/login", "", "Host", host).wants(t, want, host)
		s.ask(c, "GET", "/login", "", "X-Forwarded-Host", host).wants(t, want, "for "+host)
	}
	s.ask(c, "GET", "/login", "", "Host", "evil.example", "X-Forwarded-Host", "localhost").wants(t, 421, "a client that claims to be a proxy")
}

func TestHost_ReachableServerAcceptsEveryNameUnlessHostnamesAreSet(t *testing.T) {
	everywhere := &net.TCPAddr{IP: net.IPv4zero, Port: 8080}
	for _, test := range []struct {
		names []string
		host  string
		want  bool
	}{
		{nil, "db1.example.org:8080", true},
		{[]string{"db1.example.org"}, "db1.example.org:8080", true},
		{[]string{"db1.example.org"}, "evil.example", false},
		{[]string{"db1.example.org"}, "192.0.2.7:8080", true},
	} {
		s := Server{Config: Config{Listener: addressed{address: everywhere}, Hostnames: test.names}}
		if err := s.checkHost(test.host); (err == nil) != test.want {
			t.Errorf("%q, with the names %q: got %v, want it accepted: %t", test.host, test.names, err, test.want)
		}
	}
}

func TestLogin_LeadsBackToTheRequestedPage(t *testing.T) {
	s := start(t, func(c *Config) { c.BasePath, c.Pages = "/sledge", pages })
	asked := s.ask(s.browser(), "GET", "/sledge/jobs?jobid=7&result", "")
	if to := asked.Header.Get("Location"); to != "/sledge/login?next=%2Fjobs%3Fjobid%3D7%26result" {
		t.Errorf("a client without login is sent to %q", to)
	}
	if form := s.ask(s.browser(), "GET", asked.Header.Get("Location"), ""); !strings.Contains(form.body, `value="/jobs?jobid=7&amp;result"`) {
		t.Errorf("the form lacks the requested page: %s", form.body)
	}
	for next, want := range map[string]string{
		"/jobs?jobid=7&result": "/sledge/jobs?jobid=7&result",
		"/a%2Fb?to=//evil":     "/sledge/a%2Fb?to=//evil",
		"":                     "/sledge/",
		"/login?next=/login":   "/sledge/",
		// These would lead to other sites.
		"//evil.example":               "/sledge/",
		"///evil.example":              "/sledge/",
		`/\evil.example`:               "/sledge/",
		"/%5cevil.example":             "/sledge/",
		"/../admin":                    "/sledge/",
		"/%2e%2e/admin":                "/sledge/",
		"https://evil.example/":        "/sledge/",
		"javascript:alert(1)":          "/sledge/",
		"evil.example":                 "/sledge/",
		".evil.example":                "/sledge/",
		"@evil.example":                "/sledge/",
		"/x\r\nLocation: //evil":       "/sledge/",
		"/" + strings.Repeat("x", 600): "/sledge/",
	} {
		form := url.Values{"name": {"ann"}, "password": {password}, "next": {next}}.Encode()
		reply := s.ask(s.browser(), "POST", "/sledge/login", form, "Content-Type", "application/x-www-form-urlencoded")
		if to := reply.Header.Get("Location"); reply.StatusCode != 303 || to != want {
			t.Errorf("%q: got %d to %q, want %q", next, reply.StatusCode, to, want)
		}
	}
}

// addressed is a listener that reports an address on which a test must not listen.
type addressed struct {
	net.Listener
	address net.Addr
}

func (a addressed) Addr() net.Addr { return a.address }

func TestBasePath_BehindAProxy(t *testing.T) {
	s := start(t, func(c *Config) { c.BasePath, c.Pages = "/sledge", pages })
	c := s.browser()
	if reply := s.ask(c, "GET", "/sledge", ""); reply.StatusCode != 308 || reply.Header.Get("Location") != "/sledge/" {
		t.Errorf("got %d to %q", reply.StatusCode, reply.Header.Get("Location"))
	}
	for _, path := range []string{"/sledge/", "/"} { // a proxy may remove the base path
		if reply := s.ask(c, "GET", path, ""); reply.StatusCode != 303 || reply.Header.Get("Location") != "/sledge/login" {
			t.Errorf("%s: got %d to %q", path, reply.StatusCode, reply.Header.Get("Location"))
		}
	}
	if reply := s.ask(c, "GET", "/sledge/login", ""); !strings.Contains(reply.body, `action="/sledge/login"`) || !strings.Contains(reply.body, `href="/sledge/login.css"`) {
		t.Errorf("got %s", reply.body)
	}
	if reply := s.logIn(c, "ann", password); reply.Header.Get("Location") != "/sledge/" {
		t.Errorf("the login leads to %q", reply.Header.Get("Location"))
	}
	s.ask(c, "GET", "/sledge/assets/main-1a2.js", "").wants(t, 200, "a file of the pages")
	if reply := s.ask(c, "GET", "/sledge/api/v1/jobs", ""); reply.body != "GET /api/v1/jobs" {
		t.Errorf("the API was asked for %q", reply.body)
	}
	s.ask(c, "GET", "/sledge2/api/v1/jobs", "").wants(t, 303, "a path that only begins with the base path")
	for path, want := range map[string]bool{
		"": true, "/sledge": true, "/a/b.c": true,
		"/": false, "sledge": false, "/sledge/": false, "//x": false, "/a/../b": false, "/a b": false, `/"x`: false, "/.hidden": false,
	} {
		if err := CheckBasePath(path); (err == nil) != want {
			t.Errorf("the base path %q: got %v, want it accepted: %t", path, err, want)
		}
	}
}

func TestOrigin_TrustsOnlyProxies(t *testing.T) {
	for name, test := range map[string]struct {
		proxies   []netip.Prefix
		forwarded []string
		want      string
	}{
		"no proxy":                          {nil, []string{"192.0.2.1"}, "127.0.0.1"},
		"a proxy":                           {[]netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, []string{"192.0.2.1"}, "192.0.2.1"},
		"an address that the client forged": {[]netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, []string{"198.51.100.9, 192.0.2.1"}, "192.0.2.1"},
		"two proxies":                       {[]netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("10.0.0.0/8")}, []string{"198.51.100.9", "192.0.2.1, 10.1.1.1"}, "192.0.2.1"},
		"no address":                        {[]netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, []string{"192.0.2.1, <script>"}, "127.0.0.1"},
	} {
		s := start(t, func(c *Config) { c.Proxies = test.proxies })
		var headers []string
		for _, value := range test.forwarded {
			headers = append(headers, "X-Forwarded-For", value)
		}
		s.logIn(s.browser(), "ann", password, headers...).wants(t, 303, name)
		if err := s.end(); err != nil {
			t.Fatal(err)
		}
		if deeds, _ := s.log(); len(deeds) != 1 || deeds[0].Address != test.want {
			t.Errorf("%s: got %+v, want the address %s", name, deeds, test.want)
		}
	}
}

// Allow lists the methods that an address accepts, even if pages are served below the same root.
func TestAllow_ListsTheMethodsOfAnAddress(t *testing.T) {
	s := start(t, func(c *Config) { c.Pages = fstest.MapFS{"index.html": {Data: []byte("<p>")}} })
	ann := s.in("ann")
	for path, want := range map[string]string{
		"/": "GET, HEAD", "/login": "GET, HEAD, POST", "/logout": "POST", "/login.css": "GET, HEAD",
		sessionPath: "GET, HEAD", passwordPath: "POST", othersPath: "DELETE",
	} {
		for _, method := range []string{"GET", "HEAD", "POST", "PUT", "DELETE"} {
			if slices.Contains(strings.Split(want, ", "), method) {
				continue
			}
			got := s.ask(ann, method, path, "")
			got.wants(t, http.StatusMethodNotAllowed, method+" "+path)
			if allow := got.Header.Get("Allow"); allow != want {
				t.Errorf("%s %s: got Allow: %s, want %s", method, path, allow, want)
			}
		}
	}
}

func TestResponses_HaveSecurityHeaders(t *testing.T) {
	s := start(t, func(c *Config) {
		c.Pages = pages
		c.API = http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("the API has a fault") })
	})
	in, out := s.in("ann"), s.browser()
	for _, test := range []struct {
		c            *http.Client
		method, path string
		want         int
	}{
		{out, "GET", "/login", 200},
		{out, "GET", "/", 303},
		{out, "GET", "/api/x", 401},
		{in, "GET", "/", 200},
		{in, "GET", "/assets/main-1a2.js", 200},
		{in, "GET", "/nosuch", 404},
		{in, "PUT", "/", 405},
		{in, "GET", "/api/x", 500},
	} {
		reply := s.ask(test.c, test.method, test.path, "")
		reply.wants(t, test.want, test.path)
		for header, want := range map[string]string{
			"Content-Security-Policy": policy, "X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY", "Referrer-Policy": "same-origin",
			"Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Resource-Policy": "same-origin",
		} {
			if got := reply.Header.Get(header); got != want {
				t.Errorf("%s: got %s: %q, want %q", test.path, header, got, want)
			}
		}
		if strings.Contains(reply.body, "the API has a fault") {
			t.Errorf("%s: the response contains the internal error: %s", test.path, reply.body)
		}
	}
	if strings.Contains(policy, "unsafe") || strings.Contains(policy, "http") || strings.Contains(policy, "*") {
		t.Errorf("the policy allows other origins: %s", policy)
	}
	if said := s.wasSaid(); !strings.Contains(said, "the API has a fault") || !strings.Contains(said, "server_test.go") {
		t.Errorf("after a panic, got the lines %q", said)
	}
}

func TestPages_AreServedAsBuilt(t *testing.T) {
	s := start(t, func(c *Config) { c.Pages = pages })
	c := s.in("lou")
	for path, want := range map[string]struct{ kind, cache, body string }{
		"/":                   {"text/html; charset=utf-8", "no-cache", "<title>the pages"},
		"/icon.svg":           {"image/svg+xml", "no-cache", "<svg/>"},
		"/assets/main-1a2.js": {"text/javascript; charset=utf-8", "private, max-age=31536000, immutable", "export {}"},
	} {
		reply := s.ask(c, "GET", path, "")
		if reply.StatusCode != 200 || reply.Header.Get("Content-Type") != want.kind || reply.Header.Get("Cache-Control") != want.cache || !strings.Contains(reply.body, want.body) {
			t.Errorf("%s: got %d %v %s", path, reply.StatusCode, reply.Header, reply.body)
		}
	}
	if reply := s.ask(c, "GET", "/assets/main-1a2.js", "", "Accept-Encoding", "gzip"); reply.Header.Get("Content-Encoding") != "gzip" || len(reply.body) > 200 {
		t.Errorf("got %d bytes, as %q, want them compressed", len(reply.body), reply.Header.Get("Content-Encoding"))
	}
	for accepted, want := range map[string]string{"gzip, deflate, br, zstd": "br", "br;q=0.5": "br", "gzip, br;q=0": "gzip", "br;q=0.0": "", "brotli": ""} {
		reply := s.ask(c, "GET", "/assets/main-1a2.js", "", "Accept-Encoding", accepted)
		if got := reply.Header.Get("Content-Encoding"); got != want || got == "br" && (reply.body != "brotli of the script" || reply.Header.Get("Content-Type") != "text/javascript; charset=utf-8") || reply.Header.Get("Vary") != "Accept-Encoding" {
			t.Errorf("Accept-Encoding %q: got %v %.30q, want %q", accepted, reply.Header, reply.body, want)
		}
	}
	for _, path := range []string{"/..%2f..%2fetc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/assets", "/assets/", "/assets%5cmain-1a2.js", "/%00", "/nosuch"} {
		if reply := s.ask(c, "GET", path, ""); reply.StatusCode < 300 || reply.StatusCode >= 500 || strings.Contains(reply.body, "root:") {
			t.Errorf("%s: got %d %s", path, reply.StatusCode, reply.body)
		}
	}
}

// A stream of events is sent at once, and a large document is compressed.
func TestCompression_DocumentsButNotEvents(t *testing.T) {
	read := make(chan struct{})
	s := start(t, func(c *Config) {
		c.API = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/api/v1/jobs" {
				w.Header().Set("Content-Type", "application/json")
				fmt.Fprintf(w, "[%s1]", strings.Repeat("1,", 5000))
				return
			}
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprint(w, "data: 1\n\n")
			if err := http.NewResponseController(w).Flush(); err != nil {
				t.Error(err)
			}
			<-read
		})
	})
	defer close(read)
	c := s.in("lou")
	if reply := s.ask(c, "GET", "/api/v1/jobs", "", "Accept-Encoding", "gzip"); reply.Header.Get("Content-Encoding") != "gzip" || len(reply.body) > 500 {
		t.Errorf("got %d bytes, as %q, want them compressed", len(reply.body), reply.Header.Get("Content-Encoding"))
	}
	r, err := http.NewRequest("GET", s.url+"/api/v1/jobs/7/events", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Accept-Encoding", "gzip")
	response, err := c.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	line, err := bufio.NewReader(response.Body).ReadString('\n')
	if err != nil || line != "data: 1\n" || response.Header.Get("Content-Encoding") != "" {
		t.Errorf("got %q as %q, %v, want the event before the stream ends", line, response.Header.Get("Content-Encoding"), err)
	}
}

func TestPages_MissingOnesNameTheRemedy(t *testing.T) {
	s := start(t, nil)
	c := s.in("ann")
	for _, path := range []string{"/", "/jobs/7"} {
		if reply := s.ask(c, "GET", path, ""); reply.StatusCode != 404 || !strings.Contains(reply.body, "make build") || !strings.Contains(reply.Header.Get("Content-Type"), "text/html") {
			t.Errorf("%s: got %d %s", path, reply.StatusCode, reply.body)
		}
	}
}

// streaming configures an API with one stream, and returns channels that are closed at the stream's
// first event and at its end.
func streaming(c *Config) (begun, ended <-chan struct{}) {
	first, over := make(chan struct{}, 1), make(chan struct{}, 1)
	c.API = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		defer func() { over <- struct{}{} }()
		for i := 0; ; i++ {
			if _, err := fmt.Fprintf(w, "id: %d\ndata: tick\n\n", i); err != nil {
				return
			}
			w.(http.Flusher).Flush()
			if i == 0 {
				first <- struct{}{}
			}
			select {
			case <-r.Context().Done():
				return
			case <-time.After(10 * time.Millisecond):
			}
		}
	})
	return first, over
}

// follow reads a stream until it ends or enough events have come.
func (s *site) follow(c *http.Client, path string, enough int, headers ...string) (events int) {
	s.t.Helper()
	r, err := http.NewRequest("GET", s.url+path, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	response, err := c.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer response.Body.Close()
	for lines := bufio.NewScanner(response.Body); events < enough && lines.Scan(); {
		if strings.HasPrefix(lines.Text(), "id: ") {
			events++
		}
	}
	return events
}

func over(t *testing.T, ended <-chan struct{}, what string) {
	t.Helper()
	select {
	case <-ended:
	case <-time.After(time.Minute):
		t.Fatalf("%s: the stream did not end", what)
	}
}

// limit is the timeout in tests of timeouts. It is longer than the delays of a busy machine.
const limit = 500 * time.Millisecond

func TestStream_OutlastsTimeouts(t *testing.T) {
	folder := t.TempDir()
	token, err := UsersIn(folder).AddToken("ci", Everywhere(Look))
	if err != nil {
		t.Fatal(err)
	}
	var begun, ended <-chan struct{}
	s := serve(t, folder, func(c *Config) { begun, ended = streaming(c) }, func(s *Server) {
		s.timeouts = timeouts{headers: limit, body: limit, write: limit, idle: limit, end: time.Second}
		s.lookAgain = 50 * time.Millisecond
	})
	const enough = 150 // three times as long as any limit
	if events := s.follow(s.browser(), "/api/v1/events", enough, "Authorization", "Bearer "+token); events != enough {
		t.Errorf("got %d events, want %d", events, enough)
	}
	<-begun
	over(t, ended, "the reader left")
}

func TestStream_EndsWithItsUserAndTheServer(t *testing.T) {
	var begun, ended <-chan struct{}
	folder := t.TempDir()
	users := UsersIn(folder)
	if err := users.AddPassword("ann", Everywhere(Act), password); err != nil {
		t.Fatal(err)
	}
	token, err := users.AddToken("ci", Everywhere(Look))
	if err != nil {
		t.Fatal(err)
	}
	s := serve(t, folder, func(c *Config) { begun, ended = streaming(c) }, func(s *Server) { s.lookAgain = 20 * time.Millisecond })
	watching := make(chan int, 1)
	begin := func(c *http.Client, headers ...string) {
		go func() { watching <- s.follow(c, "/api/v1/events", 1<<30, headers...) }()
		<-begun
	}
	begin(s.browser(), "Authorization", "Bearer "+token)
	if err := s.users.Remove("ci"); err != nil {
		t.Fatal(err)
	}
	over(t, ended, "the user was removed")
	if events := <-watching; events == 0 {
		t.Error("got no event before the user was removed")
	}
	c := s.in("ann")
	begin(c)
	s.ask(c, "POST", "/logout", "").wants(t, 303, "logging out")
	over(t, ended, "the session was ended")
	<-watching
	begin(s.in("ann"))
	began := time.Now()
	if err := s.end(); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(began); took >= s.timeouts.end {
		t.Errorf("the server took %v to end, with a stream open", took)
	}
	<-watching
}

func TestServer_DisconnectsClientsThatDoNotRead(t *testing.T) {
	failed := make(chan error, 1)
	folder := t.TempDir()
	token, err := UsersIn(folder).AddToken("ci", Everywhere(Look))
	if err != nil {
		t.Fatal(err)
	}
	s := serve(t, folder, func(c *Config) {
		c.API = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			for chunk := make([]byte, 1<<20); ; {
				if _, err := w.Write(chunk); err != nil {
					failed <- err
					return
				}
			}
		})
	}, func(s *Server) { s.timeouts.write = limit })
	conn, err := net.Dial("tcp", s.Address())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprintf(conn, "GET /api/v1/big HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\n\r\n", token)
	select {
	case err := <-failed:
		if !os.IsTimeout(err) {
			t.Errorf("writing ended with %v, want a timeout", err)
		}
	case <-time.After(time.Minute):
		t.Fatal("the server waits for a client that does not read")
	}
}

func TestServer_DisconnectsSlowRequests(t *testing.T) {
	folder := t.TempDir()
	token, err := UsersIn(folder).AddToken("ci", Everywhere(Act))
	if err != nil {
		t.Fatal(err)
	}
	failed := make(chan error, 1)
	s := serve(t, folder, func(c *Config) {
		c.API = http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			_, err := io.ReadAll(r.Body)
			failed <- err
		})
	}, func(s *Server) {
		s.timeouts.headers, s.timeouts.body, s.timeouts.idle = limit, limit, limit
	})
	for _, begun := range []string{"GET /login HTTP/1.1\r\nHost: loc", "GET /login HTTP/1.1\r\nHost: localhost\r\n\r\n", "POST /api/v1/x HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\nAuthorization: Bearer " + token + "\r\n\r\nhalf"} {
		conn, err := net.Dial("tcp", s.Address())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		fmt.Fprint(conn, begun)
		_ = conn.SetReadDeadline(time.Now().Add(time.Minute))
		if _, err := io.ReadAll(conn); os.IsTimeout(err) {
			t.Errorf("the server waits on for the rest of %q", begun)
		}
	}
	select {
	case err := <-failed:
		if !os.IsTimeout(err) {
			t.Errorf("reading half a body ended with %v, want a timeout", err)
		}
	case <-time.After(time.Minute):
		t.Error("the server waits for the other half of a body")
	}
}

// Handling a request may take longer than the timeout of its body. net/http ensures this, over
// HTTP/2 in another way.
func TestBodyTimeout_DoesNotLimitHandling(t *testing.T) {
	own, err := SelfSigned(t.TempDir(), []string{"127.0.0.1"})
	if err != nil {
		t.Fatal(err)
	}
	for protocol, config := range map[string]*tls.Config{"HTTP/1.1": nil, "HTTP/2.0": own} {
		folder := t.TempDir()
		token, err := UsersIn(folder).AddToken("ci", Everywhere(Act))
		if err != nil {
			t.Fatal(err)
		}
		s := serve(t, folder, func(c *Config) {
			c.TLS = config
			c.API = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if _, err := io.ReadAll(r.Body); err != nil {
					t.Errorf("%s: read the body: %v", protocol, err)
				}
				select {
				case <-r.Context().Done():
					t.Errorf("%s: the request was aborted while it was handled", protocol)
				case <-time.After(5 * limit / 2):
				}
				_, _ = io.WriteString(w, "done by "+r.Proto)
			})
		}, func(s *Server) { s.timeouts.body, s.timeouts.write = limit, limit })
		c := s.browser()
		c.Transport.(*http.Transport).ForceAttemptHTTP2 = true
		if reply := s.ask(c, "POST", "/api/v1/check", "body", "Authorization", "Bearer "+token); reply.body != "done by "+protocol {
			t.Errorf("got %d %q, want it done by %s", reply.StatusCode, reply.body, protocol)
		}
	}
}

func TestRequests_AreLimitedInSize(t *testing.T) {
	folder := t.TempDir()
	users := UsersIn(folder)
	token, err := users.AddToken("ci", Everywhere(Act))
	if err != nil {
		t.Fatal(err)
	}
	s := serve(t, folder, func(c *Config) {
		c.API = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			n, err := io.Copy(io.Discard, r.Body)
			fmt.Fprintf(w, "%d %t", n, err == nil)
		})
	}, nil)
	c := s.browser()
	for size, want := range map[int]string{1000: "1000 true", 1 << 20: "1048576 true", 1<<20 + 1: "1048576 false"} {
		if reply := s.ask(c, "POST", "/api/v1/x", strings.Repeat("x", size), "Authorization", "Bearer "+token); reply.body != want {
			t.Errorf("%d bytes: got %q, want %q", size, reply.body, want)
		}
	}
	s.logIn(c, "ci", strings.Repeat("x", 4<<10)).wants(t, 400, "a form that is too long")
	s.ask(c, "GET", "/login", "", "X-Long", strings.Repeat("x", 60<<10)).wants(t, 200, "a header")
	s.ask(c, "GET", "/login", "", "X-Long", strings.Repeat("x", 72<<10)).wants(t, 431, "a long header")
}

// The limits must agree with the manual.
func TestLimits_AgreeWithTheManual(t *testing.T) {
	manual, err := os.ReadFile(filepath.Join("..", "..", "docs", "web.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		fmt.Sprintf("| %d s for headers, a minute for a body, a minute for each part of a response; %d MiB |", usualTimeouts.headers/time.Second, bodyBytes>>20),
		fmt.Sprintf("| %d attempts at once from an address (of IPv6, a /64), %d at a name, then one in %d s |", addressAttempts, nameAttempts, forgivenAfter/time.Second),
	} {
		if !bytes.Contains(manual, []byte(want)) {
			t.Errorf("docs/web.md lacks %q", want)
		}
	}
	if usualTimeouts.body != time.Minute || usualTimeouts.write != time.Minute || usualTimeouts.end != 5*time.Second || sessionFor != 7*24*time.Hour {
		t.Errorf("got %+v, and sessions of %v", usualTimeouts, sessionFor)
	}
}

func TestSession_OutlivesTheServerButNotItsUser(t *testing.T) {
	s := start(t, nil)
	c := s.in("ann")
	address := s.Address()
	if err := s.end(); err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		t.Skipf("another program took the port: %v", err)
	}
	again := serve(t, s.folder, func(c *Config) { _ = c.Listener.Close(); c.Listener = listener }, nil)
	again.ask(c, "GET", "/api/v1/jobs", "").wants(t, 200, "after another start")
	if err := again.users.AddPassword("ann", Everywhere(Look), password); err != nil {
		t.Fatal(err)
	}
	again.ask(c, "GET", "/api/v1/jobs", "").wants(t, 401, "after a new password")
	again.logIn(c, "ann", password).wants(t, 303, "the new password")
	again.ask(c, "POST", "/api/v1/jobs", "").wants(t, 403, "the new role")
	if err := again.users.Remove("ann"); err != nil {
		t.Fatal(err)
	}
	again.ask(c, "GET", "/api/v1/jobs", "").wants(t, 401, "after the user was removed")
}

// Servers with the same folder share sessions.
func TestSessions_SharedByServers(t *testing.T) {
	path := filepath.Join(t.TempDir(), "sessions.json")
	open := func() *sessions {
		s, err := openSessions(path, time.Now)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	one, other := open(), open()
	var tokens []string
	for _, s := range []*sessions{one, other, one} {
		token, _, err := s.begin("dba", "")
		if err != nil {
			t.Fatal(err)
		}
		tokens = append(tokens, token)
	}
	if err := other.endToken(tokens[1]); err != nil {
		t.Fatal(err)
	}
	again := open()
	for i, want := range []bool{true, false, true} {
		if _, found := again.find(tokens[i]); found != want {
			t.Errorf("session %d exists: %t, want %t", i+1, found, want)
		}
	}
}

func TestSessions_EndAfterAWeek(t *testing.T) {
	now := time.Now()
	sessions, err := openSessions(filepath.Join(t.TempDir(), "s.json"), func() time.Time { return now })
	if err != nil {
		t.Fatal(err)
	}
	token, _, err := sessions.begin("ann", "proof")
	if err != nil {
		t.Fatal(err)
	}
	now = now.Add(sessionFor)
	if _, found := sessions.find(token); !found {
		t.Error("a session ended before its time")
	}
	now = now.Add(time.Second)
	if _, found := sessions.find(token); found {
		t.Error("a session outlives its time")
	}
	for range mostSessions + 10 {
		sessions.byHash[secret.New()] = session{Ends: now.Add(time.Hour)}
		sessions.prune()
	}
	if n := len(sessions.byHash); n >= mostSessions+1 {
		t.Errorf("%d sessions are kept, want no more than %d", n, mostSessions)
	}
}

func TestFiles_OnlyForTheirOwner(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no such file modes")
	}
	s := start(t, nil)
	s.in("ann")
	if _, err := SelfSigned(s.folder, []string{"localhost"}); err != nil {
		t.Fatal(err)
	}
	var names []string
	_ = fs.WalkDir(os.DirFS(s.folder), ".", func(name string, entry fs.DirEntry, _ error) error {
		if info, err := entry.Info(); err == nil && !entry.IsDir() {
			names = append(names, name)
			if info.Mode().Perm() != 0o600 {
				t.Errorf("%s has the mode %v", name, info.Mode())
			}
		}
		return nil
	})
	if len(names) != 6 {
		t.Errorf("got the files %q, want those of users and sessions, a lock of each, the log and the certificate", names)
	}
	if err := os.Chmod(s.users.Path(), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := s.users.List(); err == nil || !strings.Contains(err.Error(), "chmod 600") {
		t.Errorf("a file of users that others may read: got %v", err)
	}
	s.ask(s.browser(), "GET", "/", "", "Cookie", s.cookie+"=x").wants(t, 303, "a damaged file of users, without a session")
	if err := os.WriteFile(s.users.Path(), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(s.users.Path(), 0o600); err != nil {
		t.Fatal(err)
	}
	s.ask(s.browser(), "GET", "/api/v1/jobs", "", "Authorization", "Bearer x").wants(t, 500, "with a damaged file of users no login succeeds")
}

func TestServe_FinishesOpenResponses(t *testing.T) {
	begun, goOn := make(chan struct{}), make(chan struct{})
	folder := t.TempDir()
	token, err := UsersIn(folder).AddToken("ci", Everywhere(Act))
	if err != nil {
		t.Fatal(err)
	}
	s := serve(t, folder, func(c *Config) {
		c.API = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			close(begun)
			<-goOn
			fmt.Fprintf(w, "done %v", r.Context().Err())
		})
	}, nil)
	got := make(chan string, 1)
	go func() {
		got <- s.ask(s.browser(), "POST", "/api/v1/jobs", "", "Authorization", "Bearer "+token).body
	}()
	<-begun
	ended := make(chan error, 1)
	go func() { ended <- s.end() }()
	time.Sleep(50 * time.Millisecond) // the server is ending
	close(goOn)
	if body := <-got; body != "done <nil>" {
		t.Errorf("got %q, want the whole response", body)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

func TestServe_AbortsResponsesThatDoNotEnd(t *testing.T) {
	begun, released := make(chan struct{}), make(chan struct{})
	folder := t.TempDir()
	token, err := UsersIn(folder).AddToken("ci", Everywhere(Act))
	if err != nil {
		t.Fatal(err)
	}
	s := serve(t, folder, func(c *Config) {
		c.API = http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			close(begun)
			<-r.Context().Done()
			time.Sleep(50 * time.Millisecond) // the handler returns a while after the abort
			close(released)
		})
	}, func(s *Server) { s.timeouts.end = 4 * limit })
	r, err := http.NewRequest("POST", s.url+"/api/v1/jobs", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	c, cutOff := s.browser(), make(chan error, 1)
	go func() {
		_, err := c.Do(r)
		cutOff <- err
	}()
	<-begun
	ended := make(chan error, 1)
	go func() { ended <- s.end() }()
	select {
	case err := <-ended:
		if err != nil || <-cutOff == nil {
			t.Errorf("the server ended with %v, and the response without an error", err)
		}
		select {
		case <-released:
		default:
			t.Error("the server ended before the aborted request")
		}
		if log, err := os.ReadFile(filepath.Join(folder, "web-audit.jsonl")); err != nil || !strings.Contains(string(log), `"POST"`) {
			t.Errorf("got the log %s, %v, want a line of the aborted request", log, err)
		}
	case <-time.After(time.Minute):
		t.Error("the server waits for a response that does not end")
		c.CloseIdleConnections()
	}
}
