package coordinator

import (
	"context"
	"fmt"
	"time"

	"sledge/internal/engine/target"
	"sledge/internal/job"
)

// restore puts the copy of the schema back, if the run begins with it, or keeps one. No other job may
// use the schema meanwhile.
func (c Run) restore(ctx context.Context) error {
	p := c.Plan
	if !p.Pacing.Restores {
		return nil
	}
	_, release, err := target.Claim(ctx, p.Job, c.Feed)
	if err != nil {
		return target.Interrupted(ctx, job.Run, err)
	}
	if p.Database.Container.Claim == nil {
		// The claim is held by a session in the database, and a database with sessions is neither
		// copied nor replaced. The server refuses both if another job has begun meanwhile.
		if err := release(); err != nil {
			return err
		}
		release = func() error { return nil }
	}
	began := time.Now()
	c.Feed.Message(job.Monitor, "Restoring the schema")
	kept, err := p.Database.Container.Restore(ctx, p.Connection)
	if left := release(); err == nil {
		err = left
	}
	if err != nil {
		return target.Interrupted(ctx, job.Run, fmt.Errorf("restore the schema: %w", err))
	}
	did := "The schema is as in its copy again"
	if kept {
		did = "A copy of the schema is kept, and later runs with this option begin with it"
	}
	c.Feed.Message(job.Monitor, "%s (%.1f s)", did, time.Since(began).Seconds())
	return nil
}
