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

// patience is how long a script may take. The longest takes a fifth of that.
const patience = 5 * time.Minute

// facts are what a script is told: addresses, names, what else it needs to know.
type facts map[string]any

// deeds are what a script may ask its test to do meanwhile, by name, as to kill the server.
type deeds map[string]func()

// play runs a script of Node.js, whose lines are shown as they come, and fails the test if it
// fails. A script ends with 0 only if all that it looked at was as it should be.
func play(t *testing.T, script string, told facts, can deeds) {
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
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	c := exec.CommandContext(ctx, "node", script)
	endWithUs(c)
	c.Env = append(os.Environ(), "SLEDGE_BROWSER="+string(text))
	c.Stdout, c.Stderr = os.Stdout, os.Stderr
	// It ends its browser before it ends.
	c.Cancel = func() error { return c.Process.Signal(os.Interrupt) }
	c.WaitDelay = 10 * time.Second
	if err := c.Run(); err != nil {
		t.Errorf("node %s: %v", script, err)
	}
}
