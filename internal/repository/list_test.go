package repository

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"sledge/internal/job"
)

func TestList_CutsLongReasons(t *testing.T) {
	s := openStore(t, filepath.Join(t.TempDir(), "jobs.db"))
	reason := "the server said: " + strings.Repeat("x", 2000)
	r := begin(t, s, job.Spec{Action: job.Run, Database: "sqlite", Workload: "tprocc"})
	if err := r.End(t.Context(), job.Result{Status: job.Failed, Reason: reason}, errors.New(reason)); err != nil {
		t.Fatal(err)
	}
	jobs, err := s.List(t.Context(), Query{})
	if err != nil || len(jobs) != 1 {
		t.Fatalf("got %d jobs, %v; want one", len(jobs), err)
	}
	if got := jobs[0].Reason; len(got) > job.LongestInList || !strings.HasPrefix(reason, got[:270]) || !strings.HasSuffix(got, " bytes more") {
		t.Errorf("in a list: got a reason of %d bytes, %q; want its first %d", len(got), got, job.LongestInList)
	}
	whole, err := s.Get(t.Context(), jobs[0].ID)
	if err != nil || whole.Reason != reason {
		t.Errorf("from Get: got a reason of %d bytes, %v; want all %d", len(whole.Reason), err, len(reason))
	}
}
