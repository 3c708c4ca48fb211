package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"sledge/internal/job"
)

// An agent is initialized, started, saved and watched as docs/agents.md says.
func TestAgent_IsWatchedByARun(t *testing.T) {
	w := newWorld(t)
	folder := filepath.Join(t.TempDir(), "agent")
	if code := w.run("agent", "--folder", folder); code != job.ExitMissing || !strings.Contains(w.err.String(), "sledge agent init") {
		t.Fatalf("without a certificate: got exit code %d: %s", code, &w.err)
	}
	if code := w.run("agent", "init", "--folder", folder); code != job.OK {
		t.Fatalf("init: got exit code %d: %s", code, &w.err)
	}
	token := strings.TrimSpace(w.out.String())
	fingerprint := regexp.MustCompile(`[0-9a-f]{64}`).FindString(w.err.String())
	if len(token) != 32 || strings.Contains(w.err.String(), token) {
		t.Errorf("got the token %q on standard output, and %q", token, &w.err)
	}
	for line := range strings.Lines(w.err.String()) {
		if len(line) > 81 && !strings.Contains(line, folder) {
			t.Errorf("a line is wider than 80 columns: %q", line)
		}
	}
	if text, err := os.ReadFile(filepath.Join(folder, "agent-token.sha256")); err != nil || strings.Contains(string(text), token) {
		t.Errorf("got %q and %v, want only the hash", text, err)
	}

	serving, said := newWorld(t), make(chan string, 1)
	r, out := io.Pipe()
	serving.Args, serving.Stdout, serving.Stderr = []string{"agent", "--folder", folder, "--listen", "127.0.0.1:0"}, io.Discard, out
	ctx, end := context.WithCancel(t.Context())
	ended := make(chan job.Exit, 1)
	go func() { ended <- Run(ctx, serving.Program) }()
	go func() {
		lines := bufio.NewReader(r)
		line, _ := lines.ReadString('\n')
		said <- line
		_, _ = io.Copy(io.Discard, lines)
	}()
	address := regexp.MustCompile(`127\.0\.0\.1:\d+`).FindString(<-said)

	tokenFile := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(tokenFile, []byte(token+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	add := func(name, fingerprint string) job.Exit {
		return w.run("agent", "add", name, address, "--fingerprint", fingerprint, "--token-file", tokenFile)
	}
	if code := add("db1", strings.Repeat("0", 64)); code != job.ExitConnect || !strings.Contains(w.err.String(), fingerprint) {
		t.Errorf("another fingerprint: got exit code %d: %s", code, &w.err)
	}
	if code := add("db1", fingerprint); code != job.OK || !strings.Contains(w.out.String(), "Saved db1: ") {
		t.Fatalf("add: got exit code %d: %s%s", code, &w.out, &w.err)
	}
	if code := w.run("agent", "list"); code != job.OK || !strings.Contains(w.out.String(), address) || strings.Contains(w.out.String(), token) {
		t.Errorf("list: got exit code %d: %s", code, &w.out)
	}
	end()
	<-ended
	if code := w.run("agent", "remove", "db1"); code != job.OK {
		t.Errorf("remove: got exit code %d: %s", code, &w.err)
	}
	var saved []json.RawMessage
	if text, err := os.ReadFile(filepath.Join(filepath.Dir(w.repository), "agents.json")); err != nil || json.Unmarshal(text, &saved) != nil || len(saved) != 0 {
		t.Errorf("got %s and %v, want no agents", text, err)
	}
}
