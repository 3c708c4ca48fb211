package engine

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"sledge/internal/engine/feed"
	"sledge/internal/engine/load"
	"sledge/internal/engine/plan/plantest"
	"sledge/internal/job"
	"sledge/internal/workload"
)

// runFake runs three users with the given transactions. It returns the result and the monitor's
// lines.

func runFake(t *testing.T, u plantest.User, pacing load.Pacing) (result job.Result, lines []string, err error) {
	t.Helper()
	seen := &events{}
	p := plantest.New(u, pacing)
	result, err = Local{}.perform(t.Context(), job.Run, p, &feed.Feed{Watchers: []job.Watcher{seen}}, nil)
	return result, seen.lines, err
}

// about reports whether a time in seconds is within 10 ms of another.
func about(got, want float64) bool { return got > want-0.01 && got < want+0.01 }

func TestRun_ReportsItsLongestStall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		// The eleventh transaction lasts from 0.9 s to 4.95 s.
		result, lines, err := runFake(t, plantest.User{Takes: 90 * time.Millisecond, Stalls: map[int]time.Duration{10: 4050 * time.Millisecond}},
			load.Pacing{Duration: 10 * time.Second})
		if err != nil {
			t.Fatal(err)
		}
		g := result.LongestGap
		if g == nil || !about(g.From, 0.9) || !about(g.Seconds, 4.05) || result.Standstills != 1 {
			t.Errorf("got %+v and %d stalls, want one stall of 4.05 s from 0.9 s", g, result.Standstills)
		}
		if len(result.Waiting) != 0 {
			t.Errorf("got %v still waiting at the end, want none", result.Waiting)
		}
		var said []string
		for _, line := range lines {
			if strings.Contains(line, "No transaction has ended") {
				said = append(said, line)
			}
		}
		want := "No transaction has ended for 2 s: 3 virtual users wait for the database; virtual user 2 has waited longest, 2.1 s so far for its only"
		if !slices.Equal(said, []string{want}) {
			t.Errorf("got %q, want %q once", said, want)
		}
	})
}

func TestStalls_NoneInASteadyRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		result, lines, err := runFake(t, plantest.User{Takes: 100 * time.Millisecond, Keying: 5 * time.Second}, load.Pacing{RampUp: 3 * time.Second, Duration: time.Minute})
		if err != nil {
			t.Fatal(err)
		}
		if *result.LongestGap != (job.Gap{}) || len(result.Waiting) > 0 || strings.Contains(strings.Join(lines, "\n"), "wait for the database") {
			t.Errorf("got the gap %+v, %v waiting and %q, want none: no transaction waits while users key", result.LongestGap, result.Waiting, lines)
		}
	})
}

func TestStalls_IncludeTransactionsInFlightAtTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		// The eleventh transaction lasts from 1 s until 1.5 s after the measured time.
		result, lines, err := runFake(t, plantest.User{Takes: 100 * time.Millisecond, Stalls: map[int]time.Duration{10: 20500 * time.Millisecond}},
			load.Pacing{Duration: 20 * time.Second})
		if err != nil {
			t.Fatal(err)
		}
		if len(result.Waiting) != 3 {
			t.Fatalf("got %v, want all three users", result.Waiting)
		}
		if w := result.Waiting[0]; w.User != 2 || w.Kind != "only" || !about(w.Seconds, 19) || w.CutOff {
			t.Errorf("got %+v, want virtual user 2 with at least 19 s, not aborted", w)
		}
		if g := result.LongestGap; g == nil || !about(g.From, 1) || !about(g.Seconds, 19) {
			t.Errorf("got the gap %+v, want 19 s from 1 s", g)
		}
		if text := strings.Join(lines, "\n"); strings.Contains(text, "The time is up:") {
			t.Errorf("got a line about a wait of 1.5 s: %s", text)
		}
	})
}

func TestRun_IsInvalidIfUsersAreAborted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		// The default grace period of 2 s is too short for the line about waiting users.
		u := plantest.User{Takes: 100 * time.Millisecond, Stalls: map[int]time.Duration{10: time.Hour}}
		p := plantest.New(u, load.Pacing{Duration: 20 * time.Second})
		p.Grace = 5 * time.Second
		seen := &events{}
		result, err := Local{}.perform(t.Context(), job.Run, p, &feed.Feed{Watchers: []job.Watcher{seen}}, nil)
		if job.ExitOf(err) != job.ExitInvalid || result.Status != job.Invalid {
			t.Errorf("got %v, status %s", err, result.Status)
		}
		want := "3 transactions had not ended 5s after the time was up and were aborted; virtual user 2 waited at least 24.0 s"
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
		want = "The time is up: 3 virtual users wait for the database; virtual user 2 has waited longest, 21.0 s so far for its only"
		if !slices.Contains(seen.lines, want) {
			t.Errorf("got %q, want them to include %q", seen.lines, want)
		}
	})
}

func TestRun_IsInvalidIfNothingSucceeded(t *testing.T) {
	for _, tt := range []struct {
		script []error
		want   string
	}{
		{[]error{plantest.ErrBroken}, "all 150 transactions failed"},
		// The probe does not count expected rollbacks.
		{[]error{plantest.ErrBroken, workload.ErrRolledBack}, "no only succeeded: every one failed"},
	} {
		synctest.Test(t, func(t *testing.T) {
			_, _, err := runFake(t, plantest.User{Takes: 10 * time.Millisecond, Script: tt.script}, load.Pacing{Duration: time.Second, Failures: load.Failures{Limit: 100}})
			if job.ExitOf(err) != job.ExitInvalid || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v with exit code %d, want %q and %d", err, job.ExitOf(err), tt.want, job.ExitInvalid)
			}
		})
	}
}
