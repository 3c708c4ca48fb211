//go:build browser

package browser

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

// caller is a client of a site's API.
type caller struct {
	t     *testing.T
	site  *site
	token string
	said  strings.Builder // every answer, with its headers
}

// as returns a caller with a role.
func (s *site) as(name, role string) *caller {
	return &caller{t: s.t, site: s, token: s.addToken(name, role)}
}

// send sends a request and returns its status and answer. A stream is read to its end.
func (c *caller) send(method, path string, body any) (status int, answer string) {
	c.t.Helper()
	var text []byte
	if body != nil {
		var err error
		if text, err = json.Marshal(body); err != nil {
			c.t.Fatal(err)
		}
	}
	r, err := http.NewRequestWithContext(c.t.Context(), method, c.site.address+"api/v1"+path, strings.NewReader(string(text)))
	if err != nil {
		c.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+c.token)
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		c.t.Fatal(err)
	}
	defer response.Body.Close()
	all, err := io.ReadAll(response.Body)
	if err != nil {
		c.t.Fatalf("%s %s: %v", method, path, err)
	}
	_ = response.Header.Write(&c.said) // a strings.Builder never fails
	c.said.Write(all)
	return response.StatusCode, string(all)
}

// wants sends a request, fails the test unless the answer has the status, and decodes the answer
// into into.
func (c *caller) wants(status int, method, path string, body, into any) {
	c.t.Helper()
	got, answer := c.send(method, path, body)
	if got != status {
		c.t.Fatalf("%s %s: got %d, want %d: %s", method, path, got, status, answer)
	}
	if into != nil {
		if err := json.Unmarshal([]byte(answer), into); err != nil {
			c.t.Fatalf("%s %s: %v: %s", method, path, err, answer)
		}
	}
}

// settings are the settings of a job.
type settings map[string]any

// begin begins a job, and returns its ID.
func (c *caller) begin(action string, of settings, more ...facts) string {
	c.t.Helper()
	body := facts{"action": action, "settings": of}
	for _, one := range more {
		for name, value := range one {
			body[name] = value
		}
	}
	var begun struct{ ID string }
	c.wants(http.StatusCreated, "POST", "/jobs", body, &begun)
	return begun.ID
}

// statusOf returns the status of a job.
func (c *caller) statusOf(id string) string {
	c.t.Helper()
	var j struct{ Status string }
	c.wants(http.StatusOK, "GET", "/jobs/"+id, nil, &j)
	return j.Status
}

// finish waits until a job has ended, and returns its status.
func (c *caller) finish(id string) string {
	c.t.Helper()
	for begun := time.Now(); time.Since(begun) < time.Minute; time.Sleep(100 * time.Millisecond) {
		if status := c.statusOf(id); status != "running" {
			return status
		}
	}
	c.t.Fatalf("job %s has not ended after a minute", id)
	return ""
}

// measuring waits until a run has measured a few seconds.
func (c *caller) measuring(id string) {
	c.t.Helper()
	for begun := time.Now(); time.Since(begun) < time.Minute; time.Sleep(100 * time.Millisecond) {
		var series struct{ Points []json.RawMessage }
		if c.wants(http.StatusOK, "GET", "/jobs/"+id+"/series", nil, &series); len(series.Points) >= 2 {
			return
		}
	}
	c.t.Fatalf("job %s has measured nothing after a minute", id)
}
