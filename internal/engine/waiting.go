package engine

import (
	"context"
	"fmt"

	"sledge/internal/engine/load"
	"sledge/internal/host"
	"sledge/internal/job"
	"sledge/internal/loop"
	"sledge/internal/meter"
)

// chooseLoops decides whether the users share event loops or are goroutines. Users whose driver
// would hold up a loop are goroutines. The users that connect before the run have connected.
func (r *run) chooseLoops(ctx context.Context) error {
	loops := r.plan.Pacing.LoopsOn(host.Cores())
	if loops == 0 {
		return nil
	}
	why, err := r.blocks(ctx)
	switch {
	case err != nil:
		return fmt.Errorf("find out how the driver waits: %w", err)
	case why == "":
		r.cores.Loops = loops
	case r.plan.Pacing.Loops != load.Automatic:
		return job.WithExit(job.ExitUsage, r.plan.Spec.Names.Wrong("loops", r.plan.Spec.Options["loops"],
			"virtual users of %s cannot share event loops: %s. Set it to auto or 0", r.plan.Database.Title, why))
	}
	return nil
}

// blocks returns why a user would hold up an event loop; "" if it would not. It asks the server
// over a user's connection, or over one of its own if users connect later.
func (r *run) blocks(ctx context.Context) (why string, err error) {
	p := r.plan
	if p.pool != nil {
		p = p.over(0)
	}
	var c *connection
	if all := r.connections.all(); len(all) > 0 {
		c = all[0]
	} else {
		c, err = open(ctx, p, 0, 0, func(job.Event) {}, r.stopped)
		if c != nil {
			defer c.close()
		}
		if err != nil {
			return "", err
		}
	}
	return c.sockets.Blocks(func() error {
		_, err := p.Server.Version(ctx, c.session)
		return err
	})
}

// newScheduler returns what runs the users.
func (r *run) newScheduler() (loop.Scheduler, error) {
	if r.cores.Loops > 0 {
		return loop.New(r.cores.Loops)
	}
	return loop.Goroutines(), nil
}

// makeStripes makes one stripe for every user, or for every thread that they work in if users are
// more: two users never need more stripes than that to stay out of each other's way.
func (r *run) makeStripes() {
	r.stripes = make([]*meter.Stripe, min(len(r.users), r.cores.Threads()))
	for i := range r.stripes {
		r.stripes[i] = meter.NewStripe()
	}
	for i, u := range r.users {
		u.stripe = r.stripes[i%len(r.stripes)]
	}
}
