package engine

import (
	"context"

	"sledge/internal/database"
	"sledge/internal/job"
)

// beginServerCount reads the server's own count for a run that has no monitor, where there is
// one, and returns what reads it again at the end. Work goes on without it: a count that
// cannot be read is told of, and nil.
func (r *run) beginServerCount(ctx context.Context) (end func() *job.ServerCount) {
	none := func() *job.ServerCount { return nil }
	if r.plan.Server.Counter == nil {
		return none
	}
	var session database.Session
	var start count
	err := within(ctx, func(ctx context.Context) (err error) {
		if session, err = connectSteady(ctx, r.plan); err == nil {
			start, err = r.plan.counter(ctx, session)
		}
		return err
	})
	if err != nil {
		closeQuietly(&session)
		r.feed.message(0, "The server's own count is not in the result: %v", err)
		return none
	}
	return func() (counted *job.ServerCount) {
		defer closeQuietly(&session)
		err := within(ctx, func(ctx context.Context) error {
			if r.plan.Server.Flush != nil {
				for _, c := range r.connections.all() {
					c.tellServer(ctx, r, 0)
				}
			}
			now, err := r.plan.counter(ctx, session)
			moved := start.until(now)
			unit := r.plan.Workload.Throughput()
			moved.N = max(0, moved.N-r.told.Load())
			counted = &job.ServerCount{Count: moved.N, Rate: moved.Per(unit.Per), Unit: unit.Name, Is: unit.Means}
			return err
		})
		if err != nil {
			r.feed.message(0, "The server's own count is not in the result: %v", err)
			return nil
		}
		return counted
	}
}

// within asks the server something, and waits no longer for it than one that counts may take.
func within(ctx context.Context, ask func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	return ask(ctx)
}
