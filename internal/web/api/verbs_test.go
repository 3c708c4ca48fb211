package api

import (
	"database/sql"
	"slices"
	"testing"
	"time"

	"sledge/internal/job"
)

// If another program writes to the repository for a while, the request that starts a job waits. Other
// requests and Ctrl-C do not.
func TestStart_BlocksNoOtherRequest(t *testing.T) {
	w := newWorld(t)
	end := make(slowRunner)
	defer close(end)
	w.api.Runner = end
	run := map[string]any{"action": "run", "settings": map[string]any{"db": "sqlite", "dbname": "none", "users": 1}}
	first := w.start(run)
	db, err := sql.Open("sqlite", w.path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	other, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if _, err := other.ExecContext(t.Context(), "BEGIN IMMEDIATE"); err != nil {
		t.Fatal(err)
	}
	second := make(chan string, 1)
	go func() { second <- w.start(run) }()
	for begins := 0; begins == 0; time.Sleep(time.Millisecond) {
		w.api.jobs.mu.Lock()
		begins = w.api.jobs.starting
		w.api.jobs.mu.Unlock()
	}
	done := make(chan bool)
	go func() {
		defer close(done)
		if got := w.api.Active(); !slices.Equal(got, []string{"job " + first, "a job that begins"}) {
			t.Errorf("got %q active", got)
		}
		w.api.Interrupt()
	}()
	select {
	case <-done:
	case <-time.After(5 * time.Second):
		t.Error("another request waits for the job that begins")
	}
	if _, err := other.ExecContext(t.Context(), "ROLLBACK"); err != nil {
		t.Fatal(err)
	}
	// The job begins after the request to end the program, and must be interrupted, too.
	h := w.api.jobs.handle(job.ID(<-second))
	for e := range h.Watch(t.Context(), 1) {
		if e.Request == job.StopRequest {
			return
		}
	}
	t.Error("the job was not interrupted")
}
