package server

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"sledge/internal/agent"
	"sledge/internal/job"
)

// testAgent is an agent that serves on a port of 127.0.0.1, with a client's file for it.
type testAgent struct {
	*Server
	saved agent.Saved
}

// serve starts an agent. Its readings are those that a test adds. ahead is by how much its clock is
// ahead. allowed is what it allows: one value at most.
func serve(t *testing.T, identity Identity, token string, ahead time.Duration, allowed ...Allowed) testAgent {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := New(identity, "test")
	for _, one := range allowed {
		s.Allow(one)
	}
	s.now = func() time.Time { return time.Now().Add(ahead) }
	s.begun = s.now()
	ctx, end := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- s.Serve(ctx, listener) }()
	t.Cleanup(func() {
		end()
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
	return testAgent{s, agent.Saved{Name: "db1", Address: listener.Addr().String(), Fingerprint: identity.Fingerprint(), Token: token}}
}

func initialized(t *testing.T) (Identity, string) {
	t.Helper()
	folder := t.TempDir()
	_, token, err := Init(folder, false)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := Init(folder, false); job.ExitOf(err) != job.ExitExists {
		t.Errorf("a second time: got %v", err)
	}
	identity, err := Open(folder)
	if err != nil {
		t.Fatal(err)
	}
	return identity, token
}

// reading adds a reading that was taken now.
func (a testAgent) reading(t *testing.T, value float64) (at time.Time) {
	t.Helper()
	at = time.Now()
	if err := a.history.add(a.now().Sub(a.begun), []job.Sample{{Series: job.Series{Name: "planted", Labels: map[string]string{"disk": "sda"}}, Value: value}}); err != nil {
		t.Fatal(err)
	}
	return at
}

// With many clients, each polls less often.
func TestServer_AsksManyClientsForFewerPolls(t *testing.T) {
	identity, token := initialized(t)
	a := serve(t, identity, token, 0)
	var last agent.Poll
	for range 30 {
		c := agent.NewClient(a.saved)
		defer c.Close()
		poll, err := c.Poll(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		last = poll
	}
	if last.Pause < 6*time.Second || last.Pause > 7*time.Second {
		t.Errorf("got a pause of %v with 30 clients, want 6 s and a little", last.Pause)
	}
}

// planted returns the planted values of readings.
func planted(readings []agent.Placed) (values []float64) {
	for _, r := range readings {
		for _, s := range r.Samples {
			if s.Name == "planted" {
				values = append(values, s.Value)
			}
		}
	}
	return values
}

func TestClient_PlacesReadingsWhateverTheAgentsClockSays(t *testing.T) {
	identity, token := initialized(t)
	for _, ahead := range []time.Duration{0, time.Hour, -time.Hour} {
		a := serve(t, identity, token, ahead)
		a.reading(t, 1)
		c := agent.NewClient(a.saved)
		defer c.Close()
		first, err := c.Poll(t.Context())
		if err != nil || first.Host == nil || first.Host.CPUs == 0 || len(first.Readings) != 0 {
			t.Fatalf("the first poll: got %+v, %v", first, err)
		}
		at := a.reading(t, 2)
		poll, err := c.Poll(t.Context())
		if got := planted(poll.Readings); err != nil || !slices.Equal(got, []float64{2}) {
			t.Fatalf("got %v, %v, want only the reading after the first poll", got, err)
		}
		if off := poll.Readings[0].At.Sub(at); off.Abs() > 5*time.Millisecond+poll.Within {
			t.Errorf("%v ahead: the reading is %v from its time", ahead, off)
		}
		if off := poll.Ahead - ahead; off.Abs() > 5*time.Millisecond+poll.Within {
			t.Errorf("got %v ahead, want %v", poll.Ahead, ahead)
		}
	}
}

func TestClient_FillsWhatTheHistoryHas(t *testing.T) {
	identity, token := initialized(t)
	a := serve(t, identity, token, 0)
	c := agent.NewClient(a.saved)
	defer c.Close()
	if _, err := c.Poll(t.Context()); err != nil {
		t.Fatal(err)
	}
	for i := range mostKept + 5 {
		a.reading(t, float64(i))
	}
	poll, err := c.Poll(t.Context())
	got := planted(poll.Readings)
	if err != nil || len(got) < mostKept-3 || got[len(got)-1] != mostKept+4 || poll.Lost < 5 {
		t.Errorf("got %d readings and %d lost, %v, want about %d and 5", len(got), poll.Lost, err, mostKept)
	}
}

func TestClient_NoticesThatTheAgentWasRestarted(t *testing.T) {
	identity, token := initialized(t)
	a := serve(t, identity, token, 0)
	c := agent.NewClient(a.saved)
	defer c.Close()
	if _, err := c.Poll(t.Context()); err != nil {
		t.Fatal(err)
	}
	a.history.mu.Lock() // as a restart: another start, and no readings
	a.history.start, a.history.kept, a.history.bytes, a.history.last = "another", nil, 0, 0
	a.history.mu.Unlock()
	a.reading(t, 7)
	poll, err := c.Poll(t.Context())
	if got := planted(poll.Readings); err != nil || !poll.Began || !slices.Equal(got, []float64{7}) {
		t.Errorf("got %v, began %t, %v, want the reading since the restart", got, poll.Began, err)
	}
}

func TestClient_RefusesAnotherServerAndAnotherToken(t *testing.T) {
	identity, token := initialized(t)
	a := serve(t, identity, token, 0)
	for what, change := range map[string]func(*agent.Saved){
		"has another certificate than the saved agent": func(s *agent.Saved) { s.Fingerprint = strings.Repeat("0", 64) },
		"refused the token":                            func(s *agent.Saved) { s.Token = "wrong" },
		"connection refused":                           func(s *agent.Saved) { s.Address = "127.0.0.1:1" },
	} {
		saved := a.saved
		change(&saved)
		c := agent.NewClient(saved)
		if _, err := c.Poll(t.Context()); err == nil || !strings.Contains(err.Error(), what) || strings.Contains(err.Error(), saved.Token) {
			t.Errorf("got %v, want %q", err, what)
		}
		c.Close()
	}
}

// impostor serves an answer with the agent's certificate.
func impostor(t *testing.T, identity Identity, handler http.HandlerFunc) agent.Saved {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: handler, TLSConfig: identity.TLS.Clone()}
	go func() { _ = server.ServeTLS(listener, "", "") }()
	t.Cleanup(func() { _ = server.Close() })
	return agent.Saved{Name: "db1", Address: listener.Addr().String(), Fingerprint: identity.Fingerprint()}
}

func TestClient_EndsHostileAnswers(t *testing.T) {
	identity, _ := initialized(t)
	answer := func(text string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, text) }
	}
	future, err := json.Marshal(agent.Document{Schema: agent.Schema, Start: "a", Last: 1, Readings: []agent.Reading{{Number: 2, At: int64(time.Hour)}}})
	if err != nil {
		t.Fatal(err)
	}
	for what, handler := range map[string]http.HandlerFunc{
		"is longer than 4 MiB":       answer(strings.Repeat(" ", 5<<20)),
		"is not valid UTF-8":         answer("{\"schema\":\"\xff\"}"),
		"is not a document":          answer(`[]`),
		`it speaks "sledge-agent-9"`: answer(`{"schema":"sledge-agent-9"}`),
		"in the future":              answer(string(future)),
		"the agent answered 302": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "https://127.0.0.1:1/", http.StatusFound)
		},
		"no answer within 2s": func(w http.ResponseWriter, r *http.Request) { // an endless body
			for r.Context().Err() == nil {
				_, _ = io.WriteString(w, " ")
				_ = http.NewResponseController(w).Flush()
				time.Sleep(50 * time.Millisecond)
			}
		},
	} {
		c := agent.NewClient(impostor(t, identity, handler))
		begun := time.Now()
		_, err := c.Poll(t.Context())
		if err == nil || !strings.Contains(err.Error(), what) || time.Since(begun) > 5*time.Second {
			t.Errorf("got %v after %v, want %q", err, time.Since(begun), what)
		}
		c.Close()
	}
	c := agent.NewClient(impostor(t, identity, answer(fmt.Sprintf(`{"schema":%q,"start":"a","sent_ns":1,"last":1,"host":{"name":"a\nb"}}`, agent.Schema))))
	defer c.Close()
	if poll, err := c.Poll(t.Context()); err != nil || poll.Host.Name != "a b" {
		t.Errorf("got %+v, %v, want a name on one line", poll.Host, err)
	}
}

// Only requests with the token have an answer.
func TestServer_AnswersOnlyRequestsWithTheToken(t *testing.T) {
	identity, token := initialized(t)
	a := serve(t, identity, token, 0)
	protocols := new(http.Protocols)
	protocols.SetHTTP2(true)
	stranger := http.Client{Transport: &http.Transport{Protocols: protocols, TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
	defer stranger.CloseIdleConnections()
	ask := func(method, path, authorization string, body io.Reader) int {
		r, err := http.NewRequestWithContext(t.Context(), method, "https://"+a.saved.Address+path, body)
		if err != nil {
			t.Fatal(err)
		}
		if authorization != "" {
			r.Header.Set("Authorization", authorization)
		}
		response, err := stranger.Do(r)
		if err != nil {
			return 0 // the agent ended the request
		}
		text, _ := io.ReadAll(response.Body)
		_ = response.Body.Close()
		if bytes.Contains(text, []byte("readings")) && response.StatusCode == http.StatusOK && !strings.HasSuffix(authorization, token) {
			t.Fatalf("%s %s with %q: answered %s", method, path, authorization, text)
		}
		return response.StatusCode
	}
	if got := ask("GET", agent.Path, "Bearer "+token, nil); got != http.StatusOK {
		t.Errorf("with the token: got %d", got)
	}
	for _, authorization := range []string{"", "Bearer ", "Bearer " + token[1:], "Bearer " + token + "x", "Basic " + token + "=", "Bearer " + identity.tokenHash} {
		if got := ask("GET", agent.Path, authorization, nil); got != http.StatusUnauthorized {
			t.Errorf("with %q: got %d, want 401", authorization, got)
		}
	}
	for path, want := range map[string]int{"/": 404, agent.Path + "?after=x": 400, agent.Path + "?after=-9223372036854775808&start=" + a.history.start: 200} {
		if got := ask("GET", path, "Bearer "+token, nil); got != want {
			t.Errorf("%s: got %d, want %d", path, got, want)
		}
	}
	if got := ask("POST", agent.Path, "Bearer "+token, strings.NewReader(strings.Repeat("x", 1<<20))); got != http.StatusMethodNotAllowed && got != 0 {
		t.Errorf("POST: got %d, want 405", got)
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 200 { // bytes that are neither TLS nor HTTP
		conn, err := net.Dial("tcp", a.saved.Address)
		if err != nil {
			t.Fatal(err)
		}
		noise := make([]byte, random.IntN(300))
		for i := range noise {
			noise[i] = byte(random.Uint32())
		}
		_, _ = conn.Write(noise)
		_ = conn.Close()
	}
	if got := ask("GET", agent.Path, "Bearer "+token, nil); got != http.StatusOK {
		t.Errorf("after the noise: got %d", got)
	}
}

// Only the token for changes can make changes, and only those that are allowed.
func TestServer_ChangesOnlyWhatIsAllowed(t *testing.T) {
	identity, watching := initialized(t)
	if identity.MayChange() {
		t.Fatal("there is a token for changes")
	}
	identity, token, err := InitChanges(identity.folder, false)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := InitChanges(identity.folder, false); job.ExitOf(err) != job.ExitExists {
		t.Errorf("a second time: got %v", err)
	}
	if again, err := Open(identity.folder); err != nil || again.changesHash != identity.changesHash || again.tokenHash != identity.tokenHash {
		t.Errorf("got %+v, %v, want the same hashes", again, err)
	}
	a := serve(t, identity, token, 0)
	folder := t.TempDir()
	allowed := Allowed{Restart: "echo restart >> " + filepath.Join(folder, "log"), Settings: filepath.Join(folder, "own.cnf")}
	as := func(token string) *agent.Client {
		saved := a.saved
		saved.Token = token
		c := agent.NewClient(saved)
		t.Cleanup(c.Close)
		return c
	}
	wants := func(what string, err error, text string) {
		t.Helper()
		if err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("%s: got %v, want %q", what, err, text)
		}
	}
	none := agent.SettingsFile{Path: allowed.Settings, None: true}
	for token, want := range map[string]string{token: "--allow restart=", watching: "only watches", "wrong": "refused the token"} {
		wants("not allowed", as(token).Restart(t.Context()), want)
	}
	wants("not allowed", as(token).MayRestart(t.Context()), "--allow restart=")
	wants("not allowed", as(token).WriteSettings(t.Context(), none), "--allow settings=")
	a = serve(t, identity, token, 0, allowed)
	_, err = as(watching).ReadSettings(t.Context())
	wants("reading", err, "only watches")
	wants("a token that only watches", as(watching).MayRestart(t.Context()), "does not allow restarts")

	c := as(token)
	if err := c.MayRestart(t.Context()); err != nil {
		t.Error(err)
	}
	if err := c.Restart(t.Context()); err != nil {
		t.Error(err)
	}
	if text, err := os.ReadFile(filepath.Join(folder, "log")); err != nil || string(text) != "restart\n" {
		t.Errorf("got %q, %v, want that the command ran once", text, err)
	}
	if got, err := c.ReadSettings(t.Context()); err != nil || got != none {
		t.Errorf("got %+v, %v, want %+v", got, err, none)
	}
	own := agent.SettingsFile{Path: allowed.Settings, Text: "[mysqld]\n" + strings.Repeat("# é\u0001\n", 50_000)}
	if err := c.WriteSettings(t.Context(), own); err != nil {
		t.Error(err)
	}
	if got, err := c.ReadSettings(t.Context()); err != nil || got != own {
		t.Errorf("got %d bytes, %v, want the %d that were written", len(got.Text), err, len(own.Text))
	}
	if err := c.WriteSettings(t.Context(), none); err != nil {
		t.Error(err)
	}
	if got, err := c.ReadSettings(t.Context()); err != nil || got != none {
		t.Errorf("got %+v, %v, want no file again", got, err)
	}
	wants("another file", c.WriteSettings(t.Context(), agent.SettingsFile{Path: filepath.Join(folder, "other"), Text: "x"}), "and not in")
	wants("a long file", c.WriteSettings(t.Context(), agent.SettingsFile{Path: allowed.Settings, Text: strings.Repeat("x", agent.MostFileBytes+1)}), "at most 1 MiB")
	if names, err := os.ReadDir(folder); err != nil || len(names) != 1 {
		t.Errorf("got the files %v, %v, want the log alone", names, err)
	}
}

// A restart waits for the command of an earlier one, even of an agent that was killed.
func TestServer_RestartsOneAfterAnother(t *testing.T) {
	identity, _ := initialized(t)
	identity, token, err := InitChanges(identity.folder, false)
	if err != nil {
		t.Fatal(err)
	}
	log := filepath.Join(t.TempDir(), "log")
	allowed := Allowed{Restart: fmt.Sprintf("echo begin >> %[1]s; sleep 0.3; echo end >> %[1]s; echo no server here; exit 3", log)}
	var agents []testAgent
	for range 2 { // the second is the one that was started after a kill
		a := serve(t, identity, token, 0, allowed)
		agents = append(agents, a)
	}
	failures := make(chan error)
	restart := func(a testAgent) {
		c := agent.NewClient(a.saved)
		defer c.Close()
		failures <- c.Restart(t.Context())
	}
	go restart(agents[0])
	for {
		if _, err := os.Stat(log); err == nil {
			break
		}
		time.Sleep(5 * time.Millisecond)
	}
	go restart(agents[1])
	go restart(agents[1])
	for range 3 {
		if err := <-failures; err == nil || !strings.Contains(err.Error(), "exit status 3: no server here") {
			t.Errorf("got %v, want the command's failure", err)
		}
	}
	if text, err := os.ReadFile(log); err != nil || string(text) != strings.Repeat("begin\nend\n", 3) {
		t.Errorf("got %q, %v, want one after another", text, err)
	}
}

// The agent's own readings are those of its machine.
func TestServer_SamplesItsMachine(t *testing.T) {
	identity, token := initialized(t)
	a := serve(t, identity, token, 0)
	c := agent.NewClient(a.saved)
	defer c.Close()
	if _, err := c.Poll(t.Context()); err != nil {
		t.Fatal(err)
	}
	time.Sleep(1200 * time.Millisecond) // a reading a second
	poll, err := c.Poll(t.Context())
	if err != nil || len(poll.Readings) == 0 {
		t.Fatalf("got %+v, %v", poll, err)
	}
	names := map[string]bool{}
	for _, s := range poll.Readings[0].Samples {
		names[s.Name] = true
		if s.Labels["machine"] != a.saved.Name {
			t.Errorf("got %v, want the name of the saved agent as the machine", s.Series)
		}
	}
	if !names["CPU"] || !names["memory"] || names["Sledge's CPU"] {
		t.Errorf("got the series %v, want those of the machine alone", names)
	}
}
