//go:build browser

package browser

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"testing"
	"time"
)

// patience is the time limit of a script. The longest script takes a fifth of it.
const patience = 10 * time.Minute

// facts are the arguments of a script, such as addresses and names.
type facts map[string]any

// deeds are named actions that a script may request from its test, such as killing the server.
type deeds map[string]func()

// play runs a Node.js script, shows its output, and fails the test if the script's exit code is not
// 0.
func play(t *testing.T, script string, told facts, can deeds) {
	t.Helper()
	within(t, patience, script, told, can)
}

// within is play with a time limit of its own.
func within(t *testing.T, limit time.Duration, script string, told facts, can deeds) {
	t.Helper()
	control := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		do := can[r.URL.Path[1:]]
		if do == nil {
			http.Error(w, "the test cannot do "+r.URL.Path, http.StatusNotFound)
			return
		}
		do()
	}))
	defer control.Close()
	all := facts{
		"control": control.URL, "password": password, "failures": os.Getenv("SLEDGE_BROWSER_FAILURES"),
		"chromium": os.Getenv("SLEDGE_BROWSER_CHROMIUM"), "review": os.Getenv("SLEDGE_BROWSER_REVIEW"), "test": t.Name(),
	}
	for name, value := range told {
		all[name] = value
	}
	text, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	c := exec.CommandContext(ctx, "node", script)
	endWithUs(c)
	c.Env = append(os.Environ(), "SLEDGE_BROWSER="+string(text))
	c.Stdout, c.Stderr = os.Stdout, os.Stderr
	// After an interrupt the script ends its browser first.
	c.Cancel = func() error { return c.Process.Signal(os.Interrupt) }
	c.WaitDelay = 10 * time.Second
	if err := c.Run(); err != nil {
		t.Errorf("node %s: %v", script, err)
	}
}
