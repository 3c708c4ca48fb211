package web

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// audit is the audit log: a line of JSON for each login, for each request that changes something,
// and for each refused request. It contains no tokens, passwords or query strings.
//
// It opens the file for each line, so that the file can be moved while the server runs.
type audit struct {
	path string
	mu   sync.Mutex
}

// auditEntry is a line of the audit log.
type auditEntry struct {
	Time    time.Time `json:"time"`
	Who     string    `json:"who"` // "" if the client has not logged in
	Address string    `json:"address"`
	Method  string    `json:"method"`
	Path    string    `json:"path"`
	Status  int       `json:"status"`
	What    string    `json:"what,omitempty"` // details that method, path and status do not show
}

func openAudit(path string) (*audit, error) {
	a := &audit{path: path}
	if err := a.write(nil); err != nil {
		return nil, err
	}
	return a, nil
}

// add adds a line.
func (a *audit) add(e auditEntry) error {
	line, err := json.Marshal(e)
	if err != nil {
		return err
	}
	return a.write(append(line, '\n'))
}

func (a *audit) write(line []byte) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	err := os.MkdirAll(filepath.Dir(a.path), 0o700)
	if err != nil {
		return fmt.Errorf("write the audit log: %w", err)
	}
	file, err := os.OpenFile(a.path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err == nil {
		_, err = file.Write(line)
		err = errors.Join(err, file.Close())
	}
	if err != nil {
		return fmt.Errorf("write the audit log: %w", err)
	}
	return nil
}
