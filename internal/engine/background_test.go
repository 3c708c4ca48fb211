package engine

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"sledge/internal/database"
	"sledge/internal/engine/feed"
	"sledge/internal/engine/load"
	"sledge/internal/engine/plan/plantest"
	"sledge/internal/job"
)

func TestRun_MarksTheServersOwnWork(t *testing.T) {
	earlier := database.BackgroundWork{ID: "checkpoint 1", Began: "a checkpoint ended before the run"}
	checkpoint := database.BackgroundWork{ID: "checkpoint 2", Began: "a checkpoint ended"}
	vacuum := database.BackgroundWork{ID: "vacuum", Began: "a vacuum works", Ended: "the vacuum ended"}
	readings := [][]database.BackgroundWork{{earlier, vacuum}, {earlier, vacuum}, {checkpoint, vacuum}, {checkpoint}}
	for _, tt := range []struct {
		name string
		err  error // of the second reading
		want []string
	}{
		{"a reading each second", nil, []string{vacuum.Began, checkpoint.Began, vacuum.Ended}},
		{"a lost connection", plantest.ErrLost, []string{vacuum.Began, checkpoint.Began, vacuum.Ended}},
		{"a user without the privilege", plantest.ErrDenied, []string{vacuum.Began}},
	} {
		synctest.Test(t, func(t *testing.T) {
			p := plantest.New(plantest.User{Takes: 100 * time.Millisecond}, load.Pacing{Duration: 6 * time.Second, Kept: load.Kept{Samples: true}})
			n := 0
			p.Server.Background = func(context.Context, database.Session) ([]database.BackgroundWork, error) {
				n++
				if n == 2 && tt.err != nil {
					return nil, tt.err
				}
				return readings[min(n, len(readings))-1], nil
			}
			var got []string
			seen := plantest.Watcher(func(e job.Event) {
				if e.Background != "" {
					got = append(got, e.Background)
				}
			})
			_, err := Local{}.perform(t.Context(), job.Run, p, &feed.Feed{Watchers: []job.Watcher{seen}}, nil)
			if err != nil || !slices.Equal(got, tt.want) || (n == 2) != errors.Is(tt.err, plantest.ErrDenied) {
				t.Errorf("%s: got %q after %d readings, %v, want %q", tt.name, got, n, err, tt.want)
			}
		})
	}
}
