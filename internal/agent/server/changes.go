package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"sledge/internal/agent"
	"sledge/internal/host"
	"sledge/internal/job"
	"sledge/internal/privatefile"
	"sledge/internal/shell"
)

// Allowed is what clients with the token for changes may do. The zero value allows nothing.
type Allowed struct {
	Restart  string // a command of the shell that restarts the server; "": not allowed
	Settings string // the absolute path of the server's file of settings, which clients may read and write; "": not allowed
}

// names returns what is allowed, sorted.
func (a Allowed) names() (list []string) {
	if a.Restart != "" {
		list = append(list, agent.AllowRestart)
	}
	if a.Settings != "" {
		list = append(list, agent.AllowSettings)
	}
	return list
}

// Check returns an error if something cannot be allowed.
func (a Allowed) Check() error {
	if a.Settings == "" {
		return nil
	}
	if !filepath.IsAbs(a.Settings) {
		return fmt.Errorf("%s is not an absolute path", a.Settings)
	}
	switch file, err := os.Stat(a.Settings); {
	case err == nil && !file.Mode().IsRegular():
		return fmt.Errorf("%s is not a file", a.Settings)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	case err != nil:
		if _, err := os.Stat(filepath.Dir(a.Settings)); err != nil {
			return err
		}
	}
	return nil
}

// changes makes what is allowed, one change at a time.
type changes struct {
	Allowed
	folder string // of the agent, for the process of the running command
	mu     sync.Mutex
}

// commandFile is the file of the agent's folder that names the process of the running command. It outlives the
// agent, as the command does.
const commandFile = "agent-command.json"

// restart restarts the server, when the command of an earlier restart has ended.
func (c *changes) restart(ctx context.Context) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), agent.RestartPatience) // a client that leaves must not end a restart in the middle
	defer cancel()
	path := filepath.Join(c.folder, commandFile)
	var earlier host.Process
	if text, err := os.ReadFile(path); err == nil && json.Unmarshal(text, &earlier) == nil {
		if err := shell.Await(ctx, earlier); err != nil {
			return err
		}
	}
	err := shell.Run(ctx, c.Restart, "", func(p host.Process) error { return privatefile.ReplaceJSON(path, p) })
	if err != nil {
		return fmt.Errorf("the command of --allow restart: %w", err)
	}
	return nil
}

// read returns the file of settings.
func (c *changes) read() (agent.SettingsFile, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return agent.ReadSettingsFile(c.Settings)
}

// write makes the file of settings what file says. A client cannot choose its path.
func (c *changes) write(file agent.SettingsFile) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if file.Path != c.Settings {
		return fmt.Errorf("the agent keeps the settings in %s, and not in %s", c.Settings, file.Path)
	}
	return file.Write()
}

// Allow lets clients with the token for changes do what is allowed. It must be called before Serve.
func (s *Server) Allow(allowed Allowed) { s.changes.Allowed = allowed }

// change answers a request of a client with the token for changes. It reports whether there is such a request.
func (s *Server) change(w http.ResponseWriter, r *http.Request, may bool) bool {
	what := map[string]string{agent.RestartPath: agent.AllowRestart, agent.SettingsPath: agent.AllowSettings}[r.URL.Path]
	if what == "" {
		return false
	}
	refuse := func(status int, reason string) bool {
		http.Error(w, reason, status)
		return true
	}
	if !may {
		return refuse(http.StatusForbidden, "this token only watches: save the agent again with sledge agent add --replace and the token that sledge agent init --changes printed")
	}
	if !slices.Contains(s.changes.names(), what) {
		return refuse(http.StatusForbidden, "it does not allow this: start it with --allow "+what+"=...")
	}
	var answer any
	var err error
	switch r.Method + " " + r.URL.Path {
	case http.MethodPost + " " + agent.RestartPath:
		_ = http.NewResponseController(w).SetWriteDeadline(time.Time{}) // a restart takes longer
		err = s.changes.restart(r.Context())
	case http.MethodGet + " " + agent.SettingsPath:
		answer, err = s.changes.read()
	case http.MethodPut + " " + agent.SettingsPath:
		var file agent.SettingsFile
		const most = 7 * agent.MostFileBytes // a character may take six bytes in JSON
		text, wrong := io.ReadAll(http.MaxBytesReader(w, r.Body, most))
		if wrong == nil {
			wrong = json.Unmarshal(text, &file)
		}
		if wrong != nil || len(file.Text) > agent.MostFileBytes {
			return refuse(http.StatusBadRequest, fmt.Sprintf("the file of settings is not a document of at most %d MiB", agent.MostFileBytes>>20))
		}
		err = s.changes.write(file)
	default:
		return refuse(http.StatusMethodNotAllowed, "the agent does not answer "+r.Method+" there")
	}
	if err != nil {
		return refuse(http.StatusInternalServerError, job.Cut(err.Error(), job.LongestText))
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(answer) // the client has gone
	return true
}
