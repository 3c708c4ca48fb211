package repository

import (
	"path/filepath"
	"testing"

	"sledge/internal/job"
)

func TestEvents_HaveTheRequestsOfAnEarlierSledge(t *testing.T) {
	s := openStore(t, filepath.Join(t.TempDir(), "jobs.db"))
	r := begin(t, s, job.Spec{Action: job.Run})
	if _, err := s.db.Exec(`INSERT INTO event (job, event) SELECT number, '{"at":"2026-01-02T03:04:05Z","wish":"stop"}' FROM job`); err != nil {
		t.Fatal(err)
	}
	if events := collect(t, s.Events(t.Context(), r.ID())); len(events) != 1 || events[0].Request != job.StopRequest {
		t.Errorf("got %+v, want a request to stop", events)
	}
	if err := r.End(t.Context(), job.Result{}, nil); err != nil {
		t.Error(err)
	}
}
