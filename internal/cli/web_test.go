package cli

import (
	"bufio"
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sledge/internal/cli/site"
	"sledge/internal/job"
	"sledge/internal/testserver"
	"sledge/internal/web"
	"sledge/internal/web/pages"
)

// addUser adds a user with a password file.
func (w *world) addUser(t *testing.T, name, role string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "password")
	if err := os.WriteFile(file, []byte("long enough\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if code := w.run("web", "user", "add", name, "--role", role, "--password-file", file); code != job.OK {
		t.Fatalf("add %s: exit code %d: %s", name, code, &w.err)
	}
}

// startServing starts sledge web and returns the address that it prints. end presses Ctrl-C.
func startServing(t *testing.T, w *world, args ...string) (url string, end func() job.Exit) {
	t.Helper()
	r, out := io.Pipe()
	w.Args, w.Stdout, w.Stderr = append([]string{"web"}, args...), out, &w.err
	w.err.Reset()
	ended := make(chan job.Exit, 1)
	go func() {
		ended <- Run(context.Background(), w.Program)
		_ = out.Close()
	}()
	lines := bufio.NewScanner(r)
	if !lines.Scan() {
		t.Fatalf("sledge web ended with exit code %d: %s", <-ended, &w.err)
	}
	return lines.Text(), func() job.Exit {
		w.interrupt()
		select {
		case code := <-ended:
			return code
		case <-time.After(time.Minute):
			t.Fatal("Ctrl-C does not end sledge web")
			return 0
		}
	}
}

// visit requests a page with a client that trusts any certificate.
func visit(t *testing.T, c *http.Client, url string) (status int, body string) {
	t.Helper()
	response, err := c.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(text)
}

func client(t *testing.T) *http.Client {
	jar, _ := cookiejar.New(nil) // it never fails
	transport := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Jar: jar, Transport: transport, Timeout: time.Minute}
}

func TestWeb_PrintsALinkAndEndsByCtrlC(t *testing.T) {
	w := newWorld(t)
	link, end := startServing(t, w, "--listen", "127.0.0.1:0")
	c := client(t)
	if status, body := visit(t, c, link); status != 200 || !strings.Contains(body, "logged in") {
		t.Errorf("the link %s: got %d %s", link, status, body)
	}
	base, _, _ := strings.Cut(link, "login?")
	wants, shows := 404, "make build"
	if _, built := pages.FS(); built {
		wants, shows = 200, "<title>Sledge</title>"
	}
	if status, body := visit(t, c, base); status != wants || !strings.Contains(body, shows) {
		t.Errorf("the page: got %d %s", status, body)
	}
	if status, body := visit(t, c, base+"api/v1/jobs"); status != 200 || !strings.Contains(body, `"schema":"sledge-jobs-1"`) {
		t.Errorf("the jobs: got %d %s", status, body)
	}
	if status, body := visit(t, c, base+"session"); status != 200 || !strings.Contains(body, `"may_act":true`) {
		t.Errorf("the session: got %d %s", status, body)
	}
	if code := end(); code != job.OK {
		t.Errorf("got exit code %d, want %d: %s", code, job.OK, &w.err)
	}
	if said := w.err.String(); !strings.Contains(said, "logs you in once") || strings.Contains(said, "token=") {
		t.Errorf("got on standard error %s", said)
	}
}

func TestWeb_ShowsTheFingerprintOfItsCertificate(t *testing.T) {
	w := newWorld(t)
	w.addUser(t, "ann", "act")
	address, end := startServing(t, w, "--listen", "127.0.0.1:0", "--tls-self-signed", "--base-path", "/sledge")
	if !strings.HasPrefix(address, "https://127.0.0.1:") || !strings.HasSuffix(address, "/sledge/") {
		t.Errorf("got the address %s", address)
	}
	c := client(t)
	response, err := c.Get(address + "login")
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	shown := web.Fingerprint(&tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{response.TLS.PeerCertificates[0].Raw}}}})
	if code := end(); code != job.OK {
		t.Errorf("got exit code %d: %s", code, &w.err)
	}
	if said := strings.ReplaceAll(w.err.String(), "\n  ", ""); !strings.Contains(said, shown) {
		t.Errorf("got %s, want the fingerprint %s", said, shown)
	}
}

// Scripts for HammerDB's web service work at the same paths, with a token.
func TestWeb_HasThePathsOfHammerDBsWebService(t *testing.T) {
	w := newWorld(t)
	w.addUser(t, "ann", "act")
	token := func(name, role string) string {
		if code := w.run("web", "user", "add", name, "--role", role, "--token"); code != job.OK {
			t.Fatalf("exit code %d: %s", code, &w.err)
		}
		return strings.TrimSpace(w.out.String())
	}
	look, act := token("ci", "look"), token("bot", "act")
	address, end := startServing(t, w, "--listen", "127.0.0.1:0", "--base-path", "/sledge")
	ask := func(method, path, token string) (status int, location, body string) {
		r, err := http.NewRequest(method, address+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		if token != "" {
			r.Header.Set("Authorization", "Bearer "+token)
		}
		c := client(t)
		c.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
		response, err := c.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		text, _ := io.ReadAll(response.Body) // a short read fails the test below
		return response.StatusCode, response.Header.Get("Location"), string(text)
	}
	for _, test := range []struct {
		method, path, token string
		status              int
		location, says      string
	}{
		{"GET", "env", "", 401, "", "sledge web user add"},
		{"GET", "env", look, 200, "", "BASE_URL = " + address + "\n"},
		{"GET", "jobs", look, 200, "", "[]"},
		{"GET", "jobs?jobid=FFFF&resultdata", look, 404, "", "Jobid FFFF does not exist"},
		{"GET", "jobs?jobid=FFFF&delete&DELETE", act, 405, "", "send POST"},
		{"POST", "jobs?jobid=FFFF&delete", look, 403, "", "has the role look"},
		{"POST", "jobs?jobid=FFFF&delete", act, 404, "", "Jobid FFFF does not exist"},
		{"GET", "quit", act, 405, "", "send POST /quit"},
		{"POST", "quit", "", 401, "", "Bearer TOKEN"},
		{"POST", "quit", look, 403, "", "has the role look"},
		{"POST", "quit", act, 200, "", "Stopping HammerDB Web Service"},
	} {
		status, location, body := ask(test.method, test.path, test.token)
		if status != test.status || location != test.location || !strings.Contains(body, test.says) {
			t.Errorf("%s %s: got %d to %q, %s, want %d to %q, %q", test.method, test.path, status, location, body, test.status, test.location, test.says)
		}
	}
	if code := end(); code != job.OK {
		t.Errorf("after quit: exit code %d: %s", code, &w.err)
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(w.repository), "web-running-*")); len(left) > 0 {
		t.Errorf("the server left %q", left)
	}
}

// Bad input is refused before the server starts or saves anything.
func TestWeb_RefusesUnsafeSetUps(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	for _, test := range []struct {
		users bool
		args  string
		wants []string
		code  job.Exit
	}{
		{false, "--listen :8080", []string{"other machines", "--tls-self-signed", "sledge web user add", "ssh -L"}, job.ExitUsage},
		{false, "--listen 0.0.0.0:8080 --tls-self-signed", []string{"needs a user with a password"}, job.ExitUsage},
		{true, "--listen [::]:8080", []string{"needs TLS"}, job.ExitUsage},
		{true, "--listen 192.0.2.1:8080", []string{"needs TLS"}, job.ExitUsage},
		{false, "--trusted-proxy 127.0.0.1", []string{"sledge web user add"}, job.ExitUsage},
		{true, "--trusted-proxy nosuch", []string{"--trusted-proxy nosuch", "10.1.2.0/24"}, job.ExitUsage},
		{false, "--listen " + taken.Addr().String(), []string{"another program", "another port"}, job.ExitUsage},
		{false, "--listen 8080", []string{"--listen 8080", "127.0.0.1:8080"}, job.ExitUsage},
		{false, "--base-path sledge/", []string{"--base-path", "/sledge"}, job.ExitUsage},
		{false, "--tls-cert a.pem", []string{"--tls-key"}, job.ExitUsage},
		{false, "--tls-cert a.pem --tls-key b.pem --tls-self-signed", []string{"exclude each other"}, job.ExitUsage},
		{false, "--listen 127.0.0.1:0 --tls-cert nosuch.pem --tls-key nosuch.key", []string{"nosuch.pem"}, job.ExitMissing},
		{false, "--repo :memory:", []string{"--repo"}, job.ExitUsage},
		{false, "usr", []string{"did you mean user?"}, job.ExitUsage},
		{false, "user add ann", []string{"--role"}, job.ExitUsage},
		{false, "user add ann --role admin", []string{"admin", "look", "act"}, job.ExitUsage},
		{false, "user add a/b --role act", []string{"a/b"}, job.ExitUsage},
		{false, "user add link --role act", []string{"link"}, job.ExitUsage},
		{false, "user add --role act", []string{"NAME"}, job.ExitUsage},
		{false, "user add ann --role act", []string{"--password-file"}, job.ExitUsage},
		{false, "user add ann --role act --password secret", []string{"--password-file"}, job.ExitUsage},
		{false, "user add ann --role act --password-file nosuch", []string{"nosuch"}, job.ExitMissing},
		{false, "user remove ann", []string{"no such user"}, job.ExitMissing},
		{true, "user remove anne", []string{"did you mean ann?"}, job.ExitMissing},
		{true, "user add ann --role act", []string{"--replace"}, job.ExitExists},
	} {
		w := newWorld(t)
		if test.users {
			w.addUser(t, "ann", "act")
		}
		folder := filepath.Dir(w.repository)
		before, _ := os.ReadDir(folder)
		code := w.run(append([]string{"web"}, strings.Fields(test.args)...)...)
		if code != test.code {
			t.Errorf("sledge web %s: got exit code %d, want %d: %s", test.args, code, test.code, &w.err)
		}
		for _, want := range test.wants {
			if last := lastLine(w.err.String()); !strings.Contains(last, want) {
				t.Errorf("sledge web %s: got %s, want %q in it", test.args, last, want)
			}
		}
		if after, _ := os.ReadDir(folder); len(after) != len(before) {
			t.Errorf("sledge web %s: left %v", test.args, after)
		}
	}
}

func TestWebUser_AddsListsAndRemoves(t *testing.T) {
	w := newWorld(t)
	w.StdinIsTerminal = true
	answers := []string{"a password", "a password"}
	w.ReadPassword = func() (string, error) {
		if len(answers) == 0 {
			return "", fmt.Errorf("asked too often")
		}
		next := answers[0]
		answers = answers[1:]
		return next, nil
	}
	if code := w.run("web", "user", "add", "ann", "--role", "act"); code != job.OK || strings.Contains(w.out.String()+w.err.String(), "a password") {
		t.Errorf("got exit code %d, %s%s", code, &w.out, &w.err)
	}
	for _, wrong := range [][]string{{"short"}, {"one password", "another password"}} {
		answers = wrong
		if code := w.run("web", "user", "add", "lou", "--role", "look"); code != job.ExitUsage {
			t.Errorf("%q: got exit code %d", wrong, code)
		}
	}
	if code := w.run("web", "user", "add", "ci", "--role", "look", "--token"); code != job.OK || !strings.HasPrefix(w.out.String(), "sledge_") || strings.Count(w.out.String(), "\n") != 1 {
		t.Errorf("got exit code %d and %q, want only a token", code, &w.out)
	}
	if w.run("web", "user", "list"); !strings.Contains(w.out.String(), "ann") || !strings.Contains(w.out.String(), "token") || strings.Contains(w.out.String(), "lou") || strings.Contains(w.out.String(), "argon2") {
		t.Errorf("got the list %s", &w.out)
	}
	if code := w.run("web", "user", "add", "kim", "--project", "kernel = 6.11=act", "--project", "nightly=look", "--token"); code != job.OK || !strings.Contains(w.err.String(), "kim (role act in kernel = 6.11, look in nightly)") {
		t.Errorf("got exit code %d: %s", code, &w.err)
	}
	for want, flags := range map[string][]string{
		"leave one out":                     {"--role", "act", "--project", "kernel=act"},
		"--project kernel: give the role":   {"--project", "kernel"},
		"--project: ":                       {"--project", "=act"},
		"kernel is given twice":             {"--project", "kernel=act", "--project", "kernel=look"},
		`project "kernel": role "operator"`: {"--project", "kernel=operator"},
		"--role is missing":                 {},
	} {
		if code := w.run(append([]string{"web", "user", "add", "eve", "--token"}, flags...)...); code != job.ExitUsage || !strings.Contains(w.err.String(), want) {
			t.Errorf("%v: got exit code %d and %s, want %q", flags, code, &w.err, want)
		}
	}
	if w.run("web", "user", "list"); !strings.Contains(w.out.String(), "act in kernel = 6.11, look in nightly") || strings.Contains(w.out.String(), "eve") {
		t.Errorf("got the list %s", &w.out)
	}
	if code := w.run("web", "user", "remove", "ann"); code != job.OK {
		t.Errorf("got exit code %d: %s", code, &w.err)
	}
	if w.run("web", "user", "list"); strings.Contains(w.out.String(), "ann") {
		t.Errorf("got the list %s", &w.out)
	}
}

// Scripts can do everything that the user can do. So if other machines can reach the server,
// scripts run only if the user allows it.
func TestScripts_NeedPermissionIfOthersReachTheServer(t *testing.T) {
	w := newWorld(t)
	store, err := w.OpenRepository("")
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	yes, no := true, false
	for _, c := range []struct {
		what    string
		address string
		config  web.Config
		said    *bool
		runs    bool
		why     string
	}{
		{"only this machine", "127.0.0.1:0", web.Config{}, nil, true, ""},
		{"other machines", ":0", web.Config{}, nil, false, "start sledge web with --scripts"},
		{"a proxy", "127.0.0.1:0", web.Config{Proxies: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}}, nil, false, "start sledge web with --scripts"},
		{"other machines, with --scripts", ":0", web.Config{}, &yes, true, ""},
		{"this machine, with --scripts=false", "127.0.0.1:0", web.Config{}, &no, false, "--scripts=false"},
		{"a read-only server", "127.0.0.1:0", web.Config{ReadOnly: true}, &yes, false, "--read-only"},
	} {
		if c.config.Listener, err = net.Listen("tcp", c.address); err != nil {
			t.Fatal(err)
		}
		got, err := site.ScriptingOf(w.Program, c.config, store, c.said)
		if err != nil || (got.Program != nil) != c.runs || !strings.Contains(got.Why, c.why) {
			t.Errorf("%s: got %v, %q and %v, want scripts to run: %v, %q", c.what, got.Program != nil, got.Why, err, c.runs, c.why)
		}
		c.config.Listener.Close()
	}
}

// After Ctrl-C the server prints what it waits for, and how to skip the wait.
func TestWeb_NamesTheJobsThatItWaitsFor(t *testing.T) {
	w, heard := newWorld(t), make(chan struct{})
	w.does(func(ctx context.Context, _ job.Spec, _ job.Control) (job.Result, error) {
		<-ctx.Done() // ignores stop requests
		<-heard
		return job.Result{Status: job.Killed, Extent: job.Extent{Started: time.Now()}}, job.WithExit(job.ExitStopped, ctx.Err())
	})
	w.Stdout = &w.out
	r, said := io.Pipe()
	w.Stderr = said
	lines := bufio.NewReader(r)
	s, err := site.Start(w.Program, w.repository, testserver.FreePort(t))
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(context.Background()) }()
	answer := httptest.NewRecorder()
	s.Verbs.ServeHTTP(answer, httptest.NewRequest(http.MethodPost, "/api/v1/jobs", strings.NewReader(`{"action": "run", "settings": {"db": "sqlite"}}`)))
	var begun struct{ ID string }
	if err := json.Unmarshal(answer.Body.Bytes(), &begun); err != nil || begun.ID == "" {
		t.Fatalf("got %d %s", answer.Code, answer.Body)
	}
	for _, want := range []string{
		"Stopping job " + begun.ID + "; then the server ends. Press Ctrl-C again to abort.\n",
		"Aborting job " + begun.ID + ".\n",
	} {
		s.Quit()
		if line, err := lines.ReadString('\n'); err != nil || line != want {
			t.Fatalf("got %q, %v, want %q", line, err, want)
		}
	}
	close(heard)
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}
