package engine

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"sledge/internal/database"
	"sledge/internal/engine/feed"
	"sledge/internal/engine/load"
	"sledge/internal/engine/plan/plantest"
	"sledge/internal/job"
)

// One session computes all the time, and another begins to wait in the middle. The seconds of the run add up to its sums.
func TestRun_EmitsTheActivityOfEachSecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := plantest.New(plantest.User{Takes: 100 * time.Millisecond}, load.Pacing{Duration: 10 * time.Second, Kept: load.Kept{Samples: true}})
		p.Database.Runs.Waits = database.MustParseWaits("lock Lock/*")
		began := time.Now()
		p.Server.Activity = listed(func(context.Context, database.Session) ([]database.ActiveSession, error) {
			list := []database.ActiveSession{{ID: "1", Statement: "SELECT a"}}
			if time.Since(began) > 5*time.Second {
				list = append(list, database.ActiveSession{ID: "2", Wait: "Lock/tuple", Statement: "SELECT b"})
			}
			return list, nil
		})
		sessions, samples, seconds := map[string]int64{}, 0, 0
		seen := plantest.Watcher(func(e job.Event) {
			if e.Activity == nil {
				return
			}
			seconds++
			samples += e.Activity.Samples
			for _, s := range e.Activity.Shares {
				sessions[s.Statement] += s.Sessions
				if s.Class == "lock" && seconds < 5 {
					t.Errorf("second %d: got a session that waits, want none yet", seconds)
				}
			}
		})
		result, err := Local{}.perform(t.Context(), job.Run, p, &feed.Feed{Watchers: []job.Watcher{seen}}, nil)
		if err != nil || result.Activity == nil {
			t.Fatalf("got %+v, %v", result.Activity, err)
		}
		// The last sample or two may be after the last second of one or the other.
		if seconds < 9 || samples < result.Activity.Samples-5 || samples > result.Activity.Samples+5 {
			t.Errorf("got %d samples in %d seconds, want about %d in 10", samples, seconds, result.Activity.Samples)
		}
		for _, s := range result.Activity.Shares {
			if n := sessions[s.Statement]; n < s.Sessions-5 || n > s.Sessions+5 || n == 0 {
				t.Errorf("%s: got %d sessions in all seconds, want about %d", s.Statement, n, s.Sessions)
			}
		}
	})
}
