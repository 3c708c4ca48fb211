package cli

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"sledge/internal/agent"
	"sledge/internal/agent/server"
	"sledge/internal/job"
	"sledge/internal/testserver"
)

// Without a terminal, top prints a line for each second. What it recorded is replayed without the server.
func TestTop_PrintsAndRecordsSeconds(t *testing.T) {
	postgresql := testserver.Open(t, "postgresql")
	w, home := withServer(t)
	recording := filepath.Join(home, "top.jsonl")
	list, err := w.Agents()
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range []agent.Saved{{Name: "app", Address: "192.0.2.1:7343"}, serveAgent(t, "db1")} {
		if err := list.Put(one, false); err != nil {
			t.Fatal(err)
		}
	}
	defer w.as("SLEDGE_AGENTS=app,db1")() // db1 is at the server's address
	args := []string{"top", "--db", "pg", "--for", "5.5", "--record", recording}
	for name, value := range postgresql.Values() {
		args = append(args, "--set", name+"="+value)
	}
	if code := w.run(args...); code != job.OK {
		t.Fatalf("got exit code %d: %s", code, w.err.String())
	}
	lines := strings.Split(strings.TrimSpace(w.out.String()), "\n")
	line := regexp.MustCompile(`^\d{4}-\d\d-\d\dT\S+  active \d+\.\d.*  connected \d+  CPU \d+ %`)
	if len(lines) < 2 || len(lines) > 6 || !line.MatchString(lines[len(lines)-1]) {
		t.Errorf("got %q, want a line for each of five seconds", lines)
	}
	if text, err := os.ReadFile(recording); err != nil || !strings.Contains(string(text), `"host":"db1"`) || strings.Contains(string(text), `"host":"app"`) {
		t.Errorf("got %v and the recording %.2000s, want the machine of the agent db1", err, text)
	}
	printed := w.out.String()
	w.out.Reset()
	if code := w.run("top", "--replay", recording); code != job.OK || w.out.String() != printed {
		t.Errorf("got exit code %d and %q from the recording, want %q", code, w.out.String(), printed)
	}
	w.out.Reset()
	if code := w.run("top", "--replay", recording, "--once"); code != job.OK {
		t.Errorf("got exit code %d: %s", code, w.err.String())
	}
	for _, want := range []string{"PostgreSQL ", "\nSessions\n", "\nStatements\n", "\nWaits\n", "\nBlockers\n", "\nHost\n", "no session waits for another one"} {
		if !strings.Contains(w.out.String(), want) {
			t.Errorf("got\n%s\nwant %q", w.out.String(), want)
		}
	}
}

// serveAgent starts an agent on a free port of this machine.
func serveAgent(t *testing.T, name string) agent.Saved {
	t.Helper()
	identity, token, err := server.Init(t.TempDir(), false)
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- server.New(identity, "test").Serve(ctx, listener) }()
	t.Cleanup(func() {
		stop()
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
	return agent.Saved{Name: name, Address: listener.Addr().String(), Fingerprint: identity.Fingerprint(), Token: token}
}

func TestTop_NamesTheReasonIfItCannotBegin(t *testing.T) {
	w, _ := withServer(t)
	if code := w.run("top", "--db", "pg", "--agent", "nosuch"); code != job.ExitMissing {
		t.Errorf("got exit code %d for an agent that is not saved, want %d", code, job.ExitMissing)
	}
	if code := w.run("top", "--db", "pg", "--host", "127.0.0.1", "--port", "1", "--once"); code != job.ExitConnect {
		t.Errorf("got exit code %d, want %d", code, job.ExitConnect)
	}
	if w.out.Len() > 0 || !strings.Contains(lastLine(w.err.String()), "127.0.0.1:1") {
		t.Errorf("got %q and %q, want an error that names the server", w.out.String(), w.err.String())
	}
}
