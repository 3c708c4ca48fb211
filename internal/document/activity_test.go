package document

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"sledge/internal/job"
	"sledge/internal/repository"
	"sledge/internal/repository/repositorytest"
)

// Each second has five samples of an invented run. However wide the intervals are, no session is lost, and the sums over time
// are those of the shares.
func TestActivity_CountsAllSessions(t *testing.T) {
	store, err := repository.Open(filepath.Join(t.TempDir(), "jobs.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	const seconds, sessions, statements = 100, 3, 150
	g, err := repositorytest.Begin(t.Context(), store, job.Spec{Database: "postgresql", Workload: "tprocc"}, time.Now().Add(-seconds*time.Second))
	if err != nil {
		t.Fatal(err)
	}
	g.Seconds(seconds)
	g.Active(func(second int) []job.ActivityShare {
		if second == 50 {
			return nil // no samples
		}
		share := func(n int64, transaction string, statement int) job.ActivityShare {
			return job.ActivityShare{Sessions: n, Class: "cpu", Transaction: transaction, Statement: fmt.Sprintf("SELECT %d", statement)}
		}
		return []job.ActivityShare{share(sessions, "payment", second%statements), share(1, "new order", -1)}
	})
	if err := g.End(t.Context(), job.Result{Status: job.Succeeded}); err != nil {
		t.Fatal(err)
	}
	j, err := store.Get(t.Context(), g.ID())
	if err != nil {
		t.Fatal(err)
	}
	for most, width := range map[int]int{480: 1, 100: 1, 16: 7} {
		d, err := NewActivity(t.Context(), store, j, time.Time{}, time.Time{}, most)
		if err != nil || d.Width != width || d.Samples != 5*(seconds-1) || len(d.Intervals) > most {
			t.Fatalf("at most %d: got %d intervals of %d s with %d samples, %v, want intervals of %d s with all samples", most, len(d.Intervals), d.Width, d.Samples, err, width)
		}
		sums, samples := map[string]int64{}, 0
		for i, one := range d.Intervals {
			samples += one.Samples
			if i > 0 && one.End <= d.Intervals[i-1].End {
				t.Errorf("interval %d ends at %g, not after the one before", i, one.End)
			}
		}
		for _, s := range d.Shares {
			var over int64
			for _, n := range s.OverTime {
				over += n
			}
			if over != s.Sessions || len(s.OverTime) != len(d.Intervals) {
				t.Errorf("%+v: got %d sessions over time in %d intervals, want %d in %d", s.ActivityShare, over, len(s.OverTime), s.Sessions, len(d.Intervals))
			}
			sums[s.Transaction] += s.Sessions
		}
		if sums["payment"] != sessions*(seconds-1) || sums["new order"] != seconds-1 || samples != d.Samples {
			t.Errorf("at most %d: got the sums %v and %d samples", most, sums, samples)
		}
		if most == 480 && (len(d.Intervals) != seconds-1 || d.Intervals[0].End != 1 || d.Intervals[50].End != 52) {
			t.Errorf("got %d intervals, of which the first ends at %g and the one after the gap at %g, want 99, 1 and 52", len(d.Intervals), d.Intervals[0].End, d.Intervals[50].End)
		}
	}
	d, err := NewActivity(t.Context(), store, j, g.Begun().Add(20*time.Second), g.Begun().Add(30*time.Second), 480)
	if err != nil || d.Samples != 50 || d.Intervals[0].End != 21 || d.Intervals[len(d.Intervals)-1].End != 30 {
		t.Errorf("got %+v, %v, want the seconds 21 to 30", d.Intervals, err)
	}
}
