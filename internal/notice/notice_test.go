package notice

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"sledge/internal/document"
	"sledge/internal/job"
)

// The client must ignore this proxy, at which nothing listens. Go reads the environment once.
func TestMain(m *testing.M) {
	if err := os.Setenv("HTTP_PROXY", "http://127.0.0.1:9"); err != nil {
		panic(err)
	}
	m.Run()
}

const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

// The values are a test vector of Standard Webhooks.
func TestSign_FollowsStandardWebhooks(t *testing.T) {
	key, err := Webhook{Secret: secret}.key()
	if err != nil {
		t.Fatal(err)
	}
	const want = "g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
	if got := sign(key, "msg_p5jXN8AQM9LWM0D4loKWxJek", "1614265330", []byte(`{"test": 2432232314}`)); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// clock is a time that tests set.
type clock struct{ now time.Time }

func newClock() *clock { return &clock{time.Date(2026, 11, 27, 12, 0, 0, 0, time.UTC)} }

// got is a request that a webhook's receiver has accepted the signature of.
type got struct {
	id     string
	at     time.Time
	notice document.Notice
}

// hook is a receiver that checks signatures. It answers with the next of its statuses, or with 204.
type hook struct {
	*httptest.Server
	mu       sync.Mutex
	got      []got
	statuses []int
}

func newHook(t *testing.T, statuses ...int) *hook {
	h := &hook{statuses: statuses}
	h.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		one := got{id: r.Header.Get("Webhook-Id")}
		seconds, err := strconv.ParseInt(r.Header.Get("Webhook-Timestamp"), 10, 64)
		if err != nil {
			t.Error(err)
		}
		one.at = time.Unix(seconds, 0).UTC()
		key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
		if err != nil {
			t.Error(err)
		}
		if got, want := r.Header.Get("Webhook-Signature"), "v1,"+sign(key, one.id, strconv.FormatInt(seconds, 10), body); got != want {
			t.Errorf("got the signature %s, want %s", got, want)
		}
		if err := json.Unmarshal(body, &one.notice); err != nil {
			t.Errorf("%v in %s", err, body)
		}
		h.mu.Lock()
		defer h.mu.Unlock()
		h.got = append(h.got, one)
		status := http.StatusNoContent
		if len(h.statuses) > 0 {
			status, h.statuses = h.statuses[0], h.statuses[1:]
		}
		w.WriteHeader(status)
	}))
	t.Cleanup(h.Close)
	return h
}

// open returns the Notices of a folder with a receiver of every event.
func open(t *testing.T, folder string, c *clock, r Receiver) *Notices {
	t.Helper()
	n := New(Config{Folder: folder, Now: func() time.Time { return c.now }, Say: func(line string) { t.Error(line) }})
	r.Name, r.Events = "ops", events
	if _, err := n.Put(r); err != nil {
		t.Fatal(err)
	}
	return n
}

// last returns the last delivery.
func last(t *testing.T, n *Notices) Delivery {
	t.Helper()
	list, err := n.Deliveries()
	if err != nil {
		t.Fatal(err)
	}
	if len(list) == 0 {
		t.Fatal("no delivery was logged")
	}
	return list[0]
}

// failedRun is a notice with texts of others.
func failedRun() document.Notice {
	return document.NewNotice(job.Job{
		ID: "6B02470C10A26D3B4C4E2F1A", Status: job.Failed, Reason: "ERROR:  <!channel> @all\r\nBcc: eve@example.com \x1b[2J\u202e " + strings.Repeat("x", 1000),
		Spec:  job.Spec{Action: job.Run, Database: "postgresql", Workload: "tprocc", Labels: map[string]string{"kernel": "6.11\r\nBcc: eve@example.com"}},
		Begun: time.Date(2026, 11, 27, 11, 0, 0, 0, time.UTC), Ended: time.Date(2026, 11, 27, 12, 0, 0, 0, time.UTC),
	}, "PostgreSQL", "TPROC-C")
}

func TestDeliver_RepeatsUntilTheReceiverAccepts(t *testing.T) {
	c, h, folder := newClock(), newHook(t, 500, 503), t.TempDir()
	n := open(t, folder, c, Receiver{Pages: "https://load.example/sledge/", Webhook: &Webhook{URL: h.URL + "/hook/token", Secret: secret}})
	n.Post(failedRun())
	var starts []time.Time
	for begun := c.now; c.now.Sub(begun) < time.Hour; {
		next := n.Deliver(t.Context())
		starts = append(starts, c.now)
		if next.IsZero() {
			break
		}
		if early := n.Deliver(t.Context()); early != next {
			t.Errorf("nothing was due, and the next try moved from %s to %s", next, early)
		}
		c.now = next
		// Another program, after the end of the first, continues.
		n = New(n.Config)
	}
	if want := []time.Duration{0, 15 * time.Second, time.Minute}; len(starts) != 3 || starts[1].Sub(starts[0]) != want[1] || starts[2].Sub(starts[0]) != want[2] {
		t.Fatalf("got tries at %v, want them after %v", starts, want)
	}
	if len(h.got) != 3 || h.got[0].id != h.got[2].id || !h.got[2].at.Equal(starts[2]) {
		t.Errorf("got %+v, want 3 requests with one ID, and the time of the try", h.got)
	}
	notice := h.got[2].notice
	if notice.Event != "failed" || notice.Title != "Run failed (PostgreSQL, TPROC-C)" || notice.Link != "https://load.example/sledge/#/jobs/6B02470C10A26D3B4C4E2F1A" {
		t.Errorf("got %+v", notice)
	}
	if strings.ContainsAny(notice.Job.Reason+notice.Job.Labels["kernel"], "\r\n\x1b\u202e") || len(notice.Job.Reason) > 320 || !strings.Contains(notice.Job.Reason, "KiB more") && !strings.Contains(notice.Job.Reason, "bytes more") {
		t.Errorf("got the reason %q and the label %q, want them in a line, and cut", notice.Job.Reason, notice.Job.Labels["kernel"])
	}
	if strings.Contains(notice.Text, "<!") || strings.Contains(notice.Text, "@all") || !strings.Contains(notice.Text, "&lt;!channel&gt;") {
		t.Errorf("got the text %q, want it escaped for chat services", notice.Text)
	}
	if d := last(t, n); d.Status != Delivered || d.Tries != 3 || d.Error != "" || d.To != h.URL+"/…" || d.Job != "6B02470C10A26D3B4C4E2F1A" {
		t.Errorf("got %+v", d)
	}
	text, err := os.ReadFile(n.path)
	if err != nil || strings.Contains(string(text), `"notice"`) {
		t.Errorf("the file has a notice that was delivered: %s, %v", text, err)
	}
	if info, err := os.Stat(n.path); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("got the mode %v, %v, want 0600", info.Mode(), err)
	}
}

func TestDeliver_GivesUpAfterFiveTries(t *testing.T) {
	c, h := newClock(), newHook(t, 500, 500, 500, 500, 500)
	n := open(t, t.TempDir(), c, Receiver{Webhook: &Webhook{URL: h.URL, Secret: secret}})
	begun := c.now
	n.Post(failedRun())
	for next := n.Deliver(t.Context()); !next.IsZero(); next = n.Deliver(t.Context()) {
		c.now = next
	}
	if d := last(t, n); len(h.got) != 5 || d.Status != Failed || d.Tries != 5 || d.Error != "it answered 500 Internal Server Error" || c.now.Sub(begun) != 10*time.Minute {
		t.Errorf("got %d requests, %+v after %s, want 5 within 10 minutes", len(h.got), d, c.now.Sub(begun))
	}
}

// A program that is killed during a try has claimed it, so that no other program makes it at the same
// time. The delivery continues, or fails if it was the last try.
func TestDeliver_ContinuesAfterTheProgramWasKilled(t *testing.T) {
	c, h := newClock(), newHook(t)
	n := open(t, t.TempDir(), c, Receiver{Webhook: &Webhook{URL: h.URL, Secret: secret}})
	n.Post(failedRun())
	if due, _ := n.claim(); len(due) != 1 {
		t.Fatalf("got %d claimed tries, want 1", len(due))
	}
	next := n.Deliver(t.Context())
	if len(h.got) != 0 || next.Sub(c.now) != 15*time.Second {
		t.Fatalf("got %d requests, and the next at %s, want one after 15 s", len(h.got), next)
	}
	c.now = next
	if n.Deliver(t.Context()); len(h.got) != 1 || last(t, n).Status != Delivered {
		t.Errorf("got %d requests, %+v, want it delivered", len(h.got), last(t, n))
	}

	n.Post(failedRun())
	for range pauses {
		_, next = n.claim()
		c.now = next
	}
	if n.Deliver(t.Context()); len(h.got) != 1 || last(t, n).Status != Failed {
		t.Errorf("got %d requests, %+v, want it failed", len(h.got), last(t, n))
	}
}

// A receiver that hangs delays no other, and the end of the program aborts its try, which the next
// program repeats.
func TestStart_DeliversBesideAHangingReceiver(t *testing.T) {
	release, hanging := make(chan struct{}), make(chan struct{}, 9)
	slow := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		hanging <- struct{}{}
		<-release
	}))
	defer slow.Close()
	defer close(release)
	h, folder := newHook(t), t.TempDir()
	n := open(t, folder, newClock(), Receiver{Webhook: &Webhook{URL: slow.URL, Secret: secret}})
	if _, err := n.Put(Receiver{Name: "fast", Events: events, Webhook: &Webhook{URL: h.URL, Secret: secret}}); err != nil {
		t.Fatal(err)
	}
	n.Start()
	n.Post(failedRun())
	<-hanging
	for deadline := time.Now().Add(10 * time.Second); len(slices.DeleteFunc(deliveries(t, n), func(d Delivery) bool { return d.Status != Delivered })) == 0; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("got %+v, want one delivered", deliveries(t, n))
		}
	}
	n.end()
	n.loop.Wait()
	for _, d := range deliveries(t, n) {
		if d.Receiver == "ops" && (d.Status != Waiting || d.Tries != 0) {
			t.Errorf("got %+v, want it to wait for its first try", d)
		}
	}
	n.limit = 50 * time.Millisecond
	if d, err := n.Test(t.Context(), "ops"); err != nil || d.Status != Failed || d.Error != "it did not answer within 50ms" {
		t.Errorf("got %+v, %v, want the time limit", d, err)
	}
}

func deliveries(t *testing.T, n *Notices) []Delivery {
	t.Helper()
	list, err := n.Deliveries()
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func TestTest_FollowsNoRedirectAndQuotesNoAddress(t *testing.T) {
	h := newHook(t)
	away := httptest.NewServer(http.RedirectHandler(h.URL+"/other", http.StatusTemporaryRedirect))
	defer away.Close()
	n := open(t, t.TempDir(), newClock(), Receiver{Webhook: &Webhook{URL: away.URL + "/T00/token", Secret: secret}})
	d, err := n.Test(t.Context(), "ops")
	if err != nil || d.Status != Failed || d.Error != "it answered 307, which redirects to another address: give that address" || len(h.got) != 0 {
		t.Errorf("got %+v, %v, and %d requests after the redirect", d, err, len(h.got))
	}
	away.Close()
	if d, err = n.Test(t.Context(), "ops"); err != nil || d.Status != Failed || d.Error == "" || strings.Contains(d.Error, "token") {
		t.Errorf("got %+v, %v, want an error without the path of the address", d, err)
	}
	if list := deliveries(t, n); len(list) != 2 || list[1].Event != "test" || list[1].Tries != 1 {
		t.Errorf("got %+v, want both tests in the log", list)
	}
}

func TestTest_IgnoresProxiesOfTheEnvironment(t *testing.T) {
	const nowhere = "http://192.0.2.1/" // an address for documentation: Go uses no proxy for the own machine
	n := open(t, t.TempDir(), newClock(), Receiver{Webhook: &Webhook{URL: nowhere, Secret: secret}})
	n.limit = 50 * time.Millisecond
	if d, err := n.Test(t.Context(), "ops"); err != nil || d.Status != Failed || strings.Contains(d.Error, "proxy") {
		t.Errorf("got %+v, %v, want no use of the proxy", d, err)
	}
}

func TestPost_KeepsTheNewestDeliveries(t *testing.T) {
	c, h := newClock(), newHook(t)
	n := open(t, t.TempDir(), c, Receiver{Webhook: &Webhook{URL: h.URL, Secret: secret}})
	err := n.change(func(s *state) error {
		for i := range mostDeliveries + 5 {
			s.add(entry{Delivery: Delivery{ID: strconv.Itoa(i), Status: Delivered}})
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	n.Post(failedRun())
	list := deliveries(t, n)
	if len(list) != mostDeliveries || list[0].Event != "failed" || list[mostDeliveries-1].ID != "6" {
		t.Errorf("got %d deliveries, from %+v to %+v", len(list), list[0], list[len(list)-1])
	}
	for _, r := range []Receiver{{Name: "ops", Events: []string{"ended"}}} {
		if _, err := n.Put(Receiver{Name: r.Name, Events: r.Events, Webhook: &Webhook{}}); err != nil {
			t.Fatal(err)
		}
	}
	if n.Post(failedRun()); len(deliveries(t, n)) != mostDeliveries || deliveries(t, n)[0].ID != list[0].ID {
		t.Error("a receiver got a notice of an event that it has not chosen")
	}
}

func TestPut_ChecksReceiversAndKeepsSecrets(t *testing.T) {
	web := func(address, secret string) Receiver {
		return Receiver{Webhook: &Webhook{URL: address, Secret: secret}}
	}
	email := func(change func(*Email)) Receiver {
		e := &Email{Host: "mail.example.com", User: "load", Password: "planted", From: "Load <load@example.com>", To: []string{"ann@example.com"}}
		change(e)
		return Receiver{Email: e}
	}
	tests := []struct {
		name string
		r    Receiver
		want string // part of the error; "" if it is saved
	}{
		{"a webhook", web("https://hooks.example.com/T00/token?a=b", secret), ""},
		{"the same without its secrets", web("", ""), ""},
		{"the same with the address that responses show", web("https://hooks.example.com/…", ""), ""},
		{"another address with the same key", web("http://127.0.0.1:9", ""), ""},
		{"no host", web("https:///path", ""), "url: give an address"},
		{"a file", web("file:///etc/passwd", ""), "url: give an address"},
		{"a user in the address", web("https://me:planted@example.com/", ""), "url: leave out the user"},
		{"a short secret", web("https://example.com", "whsec_YWJj"), "secret: give whsec_"},
		{"a mail server", email(func(*Email) {}), ""},
		{"the same without its password", email(func(e *Email) { e.Password = "" }), ""},
		{"another mail server with the saved password", email(func(e *Email) { e.Host, e.Password = "evil.example.com", "" }), "the saved password is for another server"},
		{"another port with the saved password", email(func(e *Email) { e.Port, e.Password = 2525, "" }), "the saved password is for another server"},
		{"a password without encryption", email(func(e *Email) { e.Security = NoTLS }), "security: a password needs"},
		{"a header in an address", email(func(e *Email) { e.To = []string{"ann@example.com\r\nBcc: eve@example.com"} }), "to: "},
		{"a header in the sender", email(func(e *Email) { e.From = "\"a\r\nBcc: eve\"@example.com" }), "from: "},
		{"a command in the host", email(func(e *Email) { e.Host = "mail.example.com\r\nRSET" }), "host: "},
		{"no receiver", Receiver{}, "either a webhook or an e-mail"},
	}
	folder := t.TempDir()
	n := New(Config{Folder: folder})
	for _, test := range tests {
		test.r.Name, test.r.Events = "ops", []string{"missed", "ended", "missed"}
		got, err := n.Put(test.r)
		if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got %v, want %q", test.name, err, test.want)
		}
		if err != nil && (strings.Contains(err.Error(), "planted") || job.ExitOf(err) != job.ExitUsage) {
			t.Errorf("%s: got %v with the exit %d", test.name, err, job.ExitOf(err))
		}
		if text, _ := json.Marshal(got); err == nil && (strings.Contains(string(text), "planted") || strings.Contains(string(text), "token") || strings.Contains(string(text), secret)) {
			t.Errorf("%s: got %s, want no secret", test.name, text)
		}
		if err == nil && slices.Compare(got.Events, []string{"ended", "missed"}) != 0 {
			t.Errorf("%s: got the events %v", test.name, got.Events)
		}
	}
	text, err := os.ReadFile(filepath.Join(folder, FileName))
	if err != nil || !strings.Contains(string(text), "planted") {
		t.Errorf("got %s, %v, want the password in the file", text, err)
	}
	if list, err := n.Receivers(); err != nil || len(list) != 1 || !list[0].Email.Saved || list[0].Email.Port != 587 || list[0].Email.From != "load@example.com" {
		t.Errorf("got %+v, %v", list, err)
	}
	if err := n.Remove("ops"); err != nil {
		t.Error(err)
	}
	if err := n.Remove("ops"); job.ExitOf(err) != job.ExitMissing {
		t.Errorf("got %v, want that it is missing", err)
	}
	if _, err := n.Test(context.Background(), "ops"); job.ExitOf(err) != job.ExitMissing {
		t.Errorf("got %v, want that it is missing", err)
	}
}
