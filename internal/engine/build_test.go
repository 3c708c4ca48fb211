package engine

import (
	"context"
	"errors"
	"testing"
	"time"

	"sledge/internal/database"
	"sledge/internal/engine/feed"
	"sledge/internal/engine/load"
	"sledge/internal/engine/plan/plantest"
	"sledge/internal/job"
)

func TestBuild_CreatesADatabaseAgainAfterADeletion(t *testing.T) {
	for name, tt := range map[string]struct {
		gone int // how often it is gone again
		want int // how often it is created
	}{
		"once": {1, 2}, "always": {100, 3},
	} {
		t.Run(name, func(t *testing.T) {
			p := plantest.New(plantest.User{}, load.Pacing{Duration: time.Second})
			var created int
			p.Database.Container.Create = func(context.Context, any, func(job.Event)) error { created++; return nil }
			connect := p.Database.Sessions.Connect
			p.Database.Sessions.Connect = func(ctx context.Context, options any, as database.Role) (database.Session, error) {
				if created <= tt.gone {
					return nil, database.Missing(errors.New("it is gone"))
				}
				return connect(ctx, options, as)
			}
			_, _, _, err := createAndClaim(t.Context(), p.Job, &feed.Feed{})
			if created != tt.want || errors.Is(err, database.ErrMissing) != (tt.gone >= tt.want) {
				t.Errorf("got %v, and it was created %d times, want %d", err, created, tt.want)
			}
		})
	}
}
