package repository

import (
	"slices"
	"testing"
	"time"

	"sledge/internal/job"
)

// What sessions did is written once for all seconds.
func TestRecorder_KeepsTheActivityOfEachSecond(t *testing.T) {
	s := openStore(t, ":memory:")
	r := begin(t, s, runSpec())
	at := time.UnixMilli(1_700_000_000_000)
	second := func(n int, shares ...job.ActivityShare) {
		r.Watch(job.Event{At: at.Add(time.Duration(n) * time.Second), Activity: &job.ActivitySecond{Samples: 5, Missed: n, Shares: shares}})
	}
	computes := job.ActivityShare{Sessions: 9, Class: "cpu", Transaction: "payment", Statement: "SELECT payment(?)"}
	waits := job.ActivityShare{Sessions: 4, Class: "lock", Wait: "Lock/tuple", Program: "psql"}
	fewer := computes
	fewer.Sessions = 2
	second(0, computes, waits)
	second(1, fewer)
	second(3) // a second before it has no samples
	r.flush(t.Context())
	read := func(from, until time.Time) (list []ActivityAt) {
		t.Helper()
		for one, err := range s.Activity(t.Context(), r.ID(), from, until) {
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, one)
		}
		return list
	}
	all := read(time.Time{}, time.Time{})
	if len(all) != 3 || !slices.Equal(all[0].Shares, []job.ActivityShare{computes, waits}) || !slices.Equal(all[1].Shares, []job.ActivityShare{fewer}) || len(all[2].Shares) != 0 ||
		all[1].Samples != 5 || all[1].Missed != 1 || !all[2].At.Equal(at.Add(3*time.Second)) {
		t.Errorf("got %+v, want the three seconds as they were recorded", all)
	}
	if part := read(at, at.Add(time.Second)); len(part) != 1 || !slices.Equal(part[0].Shares, []job.ActivityShare{fewer}) {
		t.Errorf("after the first second and not after the second: got %+v, want the second", part)
	}
	first, last, err := s.ActivityTimes(t.Context(), r.ID(), time.Time{}, time.Time{})
	if err != nil || !first.Equal(at) || !last.Equal(at.Add(3*time.Second)) {
		t.Errorf("got the times %s and %s, %v, want those of the first and the last second", first, last, err)
	}
	if first, _, err := s.ActivityTimes(t.Context(), r.ID(), last, time.Time{}); err != nil || !first.IsZero() {
		t.Errorf("got the first time %s after the last, %v, want none", first, err)
	}
	if n := count(t, s, `SELECT count(*) FROM did`); n != 2 {
		t.Errorf("got %d rows of what sessions did, want 2", n)
	}
	if err := r.End(t.Context(), job.Result{}, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := s.db.Exec(`DELETE FROM job`); err != nil {
		t.Fatal(err)
	}
	if left := count(t, s, `SELECT (SELECT count(*) FROM did) + (SELECT count(*) FROM activity)`); left != 0 {
		t.Errorf("a deleted job leaves %d rows of activity", left)
	}
}
