//go:build browser

package browser

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestCtrlCEndsJobsFirst presses Ctrl-C while jobs are running that the API started.
func TestCtrlCEndsJobsFirst(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ci := s.as("ci", "act")
	s.start()
	file := settings{"db": "sqlite", "dbname": filepath.Join(s.folder, "t.sqlite")}
	if got := ci.finish(ci.begin("build", file)); got != "succeeded" {
		t.Fatalf("the build ended as %s", got)
	}
	run := settings{"db": "sqlite", "dbname": file["dbname"], "users": 1, "rampup": "0s", "duration": "10m"}

	t.Run("and what a run has measured is kept", func(t *testing.T) {
		id := ci.begin("run", run)
		ci.measuring(id)
		s.interrupt()
		if code := s.wait(30 * time.Second); code != 0 {
			t.Errorf("got exit code %d: %s", code, &s.errors)
		}
		if said := s.errors.String(); !strings.Contains(said, "Stopping job "+id) || !strings.Contains(said, "Ctrl-C again") {
			t.Errorf("the program does not report the job that it stops: %s", said)
		}
		s.start()
		var kept struct {
			Status  string
			Metrics []struct {
				Name  string
				Value float64
			}
		}
		ci.wants(http.StatusOK, "GET", "/jobs/"+id, nil, &kept)
		if kept.Status != "partial" || len(kept.Metrics) == 0 || kept.Metrics[0].Value <= 0 {
			t.Errorf("got %+v, want a partial result with its figures", kept)
		}
	})

	t.Run("a browser sees how they end, and nothing more is begun", func(t *testing.T) {
		id := ci.begin("run", run)
		ci.measuring(id)
		over := make(chan string, 1)
		watcher := s.as("watcher", "look")
		go func() {
			_, all := watcher.send("GET", "/jobs/"+id+"/events", nil)
			over <- all
		}()
		s.interrupt()
		for until := time.Now().Add(10 * time.Second); !strings.Contains(s.errors.String(), "Stopping job "+id); time.Sleep(10 * time.Millisecond) {
			if time.Now().After(until) {
				t.Fatalf("the program does not report that it stops %s: %s", id, &s.errors)
			}
		}
		if status, answer := ci.send("POST", "/jobs", facts{"action": "run", "settings": run}); status < 400 || status == http.StatusInternalServerError {
			t.Errorf("a job was begun after Ctrl-C: %d %s", status, answer)
		}
		s.wait(30 * time.Second)
		if all := <-over; !strings.Contains(all, "event: over") || !strings.Contains(all, `"partial"`) {
			t.Errorf("the stream ended with %s", all[max(0, len(all)-500):])
		}
		s.start()
	})

	t.Run("the second aborts", func(t *testing.T) {
		id := ci.begin("build", settings{"db": "sqlite", "dbname": filepath.Join(s.folder, "large.sqlite"), "warehouses": 50})
		time.Sleep(time.Second)
		s.interrupt()
		time.Sleep(100 * time.Millisecond)
		if s.command != nil {
			_ = s.command.Process.Signal(os.Interrupt) // the first one may have ended it
		}
		if code := s.wait(20 * time.Second); code != 0 {
			t.Errorf("got exit code %d: %s", code, &s.errors)
		}
		s.start()
		if got := ci.statusOf(id); got != "killed" && got != "failed" {
			t.Errorf("the build ended as %s", got)
		}
	})
}
