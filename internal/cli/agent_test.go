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
	// A plan can name only a saved agent.
	plan := writePlan(t, "memory.toml", "db = \"pg\"\n[experiment]\nagent = \"db2\"\n[server]\nwork_mem = [\"4MB\", \"8MB\"]\n")
	if code := w.run("experiment", "run", plan); code != job.ExitMissing || !strings.Contains(w.err.String(), "memory.toml: there is no agent \"db2\", did you mean db1?") && !strings.Contains(w.err.String(), "the names are db1") {
		t.Errorf("a plan with another agent: got exit code %d: %s", code, &w.err)
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

// What an agent allows is named when it starts, and needs a token of its own.
func TestAgent_AllowsWhatItIsStartedFor(t *testing.T) {
	w := newWorld(t)
	folder := filepath.Join(t.TempDir(), "agent")
	if code := w.run("agent", "init", "--changes", "--folder", folder); code != job.ExitMissing || !strings.Contains(w.err.String(), "sledge agent init") {
		t.Errorf("without a certificate: got exit code %d: %s", code, &w.err)
	}
	if code := w.run("agent", "init", "--folder", folder); code != job.OK {
		t.Fatalf("init: got exit code %d: %s", code, &w.err)
	}
	watching := w.out.String()
	allowing := func(values ...string) job.Exit {
		args := []string{"agent", "--folder", folder, "--listen", "nowhere"} // it does not begin to listen
		for _, value := range values {
			args = append(args, "--allow", value)
		}
		return w.run(args...)
	}
	if code := allowing("restart=true"); code != job.ExitMissing || !strings.Contains(w.err.String(), "sledge agent init --changes") {
		t.Errorf("without a token for changes: got exit code %d: %s", code, &w.err)
	}
	if code := w.run("agent", "init", "--changes", "--folder", folder); code != job.OK || w.out.String() == watching || !strings.Contains(w.err.String(), "--allow restart=COMMAND") {
		t.Errorf("init --changes: got exit code %d, %s%s", code, &w.out, &w.err)
	}
	for want, values := range map[string][]string{
		"restart=COMMAND or settings=FILE":             {"everything"},
		"give the command that restarts the server":    {"restart"},
		"give the file that the server reads last":     {"settings="},
		"--allow restart is there twice":               {"restart=a", "restart=b"},
		"is not an absolute path":                      {"settings=own.cnf"},
		"is not a file":                                {"settings=" + folder},
		"no such file or directory":                    {"settings=" + filepath.Join(folder, "none", "own.cnf")},
		"--listen nowhere: give an address and a port": {"restart=true", "settings=" + filepath.Join(folder, "own.cnf")},
	} {
		if code := allowing(values...); code != job.ExitUsage || !strings.Contains(w.err.String(), want) {
			t.Errorf("%q: got exit code %d: %s", values, code, &w.err)
		}
	}
}
