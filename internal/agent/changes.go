package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"sledge/internal/job"
)

// Time limits.
const (
	filePatience = time.Minute      // for reading or writing a file of settings
	away         = 30 * time.Second // for an agent that is being restarted

	// RestartPatience is for a restart, in which a server may write gigabytes to its disk.
	RestartPatience = 10 * time.Minute
)

// Name returns the name under which the agent is saved.
func (c *Client) Name() string { return c.agent.Name }

// Restart lets the agent restart its server, and waits until the agent's command has ended. A command of an
// earlier request ends first. If the agent goes away, it has 30 s to come back, and restarts the server
// again. Its command goes on if ctx ends.
func (c *Client) Restart(ctx context.Context) error {
	return c.change(ctx, http.MethodPost, RestartPath, nil, nil)
}

// MayRestart returns an error unless Restart is allowed.
func (c *Client) MayRestart(ctx context.Context) error {
	poll, err := c.Poll(ctx)
	if err == nil && !slices.Contains(poll.Allows, AllowRestart) {
		err = errors.New("it does not allow restarts: start it with --allow restart=COMMAND")
	}
	if err != nil {
		return job.WithExit(job.ExitConnect, fmt.Errorf("agent %s: %w", c.agent.Name, err))
	}
	return nil
}

// ReadSettings returns the configuration file of the agent's server.
func (c *Client) ReadSettings(ctx context.Context) (file SettingsFile, err error) {
	ctx, cancel := context.WithTimeout(ctx, filePatience)
	defer cancel()
	err = c.change(ctx, http.MethodGet, SettingsPath, nil, &file)
	return file, err
}

// WriteSettings makes the configuration file of the agent's server what file says. An agent that does not
// answer has 30 s to come back.
func (c *Client) WriteSettings(ctx context.Context, file SettingsFile) error {
	ctx, cancel := context.WithTimeout(ctx, filePatience)
	defer cancel()
	text, err := json.Marshal(file)
	if err != nil {
		return err
	}
	return c.change(ctx, http.MethodPut, SettingsPath, text, nil)
}

// change sends a request for which the token must be the one for changes. It reads the answer into answer
// unless that is nil.
func (c *Client) change(ctx context.Context, method, path string, body []byte, answer any) error {
	begun := time.Now()
	response, err := c.send(ctx, method, path, bytes.NewReader(body))
	_, another := errors.AsType[*WrongFingerprintError](err)
	for method != http.MethodGet && err != nil && !another && ctx.Err() == nil && time.Since(begun) < away {
		time.Sleep(500 * time.Millisecond)
		response, err = c.send(ctx, method, path, bytes.NewReader(body))
	}
	if err != nil {
		return job.WithExit(job.ExitConnect, fmt.Errorf("agent %s on %s: %w", c.agent.Name, c.agent.Address, err))
	}
	defer response.Body.Close()
	if response.StatusCode == http.StatusUnauthorized {
		return job.WithExit(job.ExitConnect, fmt.Errorf("agent %s: %w", c.agent.Name, errToken))
	}
	const most = 7 * MostFileBytes // a character may take six bytes in JSON
	text, err := io.ReadAll(io.LimitReader(response.Body, most))
	switch {
	case err != nil:
	case response.StatusCode != http.StatusOK && utf8.Valid(text):
		err = errors.New(job.Cut(printable(strings.TrimSpace(string(text))), job.LongestText))
	case !utf8.Valid(text):
		err = errors.New("its answer is not valid UTF-8")
	case answer != nil:
		err = json.Unmarshal(text, answer)
	}
	if err != nil {
		err = fmt.Errorf("agent %s: %w", c.agent.Name, err)
	}
	if response.StatusCode == http.StatusForbidden {
		err = job.WithExit(job.ExitConnect, err)
	}
	return err
}
