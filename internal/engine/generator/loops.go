package generator

import (
	"context"
	"fmt"

	"sledge/internal/engine/load"
	"sledge/internal/host"
	"sledge/internal/job"
	"sledge/internal/loop"
	"sledge/internal/meter"
)

// chooseLoops decides whether the users of all groups share event loops or run in goroutines. Users
// whose driver would block a loop run in goroutines. Users that connect before the run are
// connected by now.
func (g *generator) chooseLoops(ctx context.Context) error {
	for _, group := range g.groups {
		loops := group.plan.Pacing.Connections.LoopsOn(host.Cores())
		if loops == 0 {
			g.cores.Loops = 0
			return nil
		}
		why, err := group.blocks(ctx)
		if group.plan.Workload.Users.Blocking {
			why = "transactions of " + group.plan.Workload.Title + " pause, or wait for programs"
		}
		switch {
		case err != nil:
			return fmt.Errorf("test whether the driver blocks an event loop: %w", err)
		case why == "":
			g.cores.Loops = loops
		case group.plan.Pacing.Connections.Loops != load.Automatic:
			return job.WithExit(job.ExitUsage, group.plan.Spec.Names.Wrong("loops", group.plan.Spec.Options["loops"],
				"virtual users of %s cannot share event loops: %s. Set it to auto or 0", group.plan.Database.Title, why))
		default:
			g.cores.Loops = 0
			return nil
		}
	}
	return nil
}

// blocks returns why a user would block an event loop, or "" if it would not. It sends a query over
// a user's connection, or over a new connection if users connect later.
func (l *connector) blocks(ctx context.Context) (why string, err error) {
	over := l.plan.Job
	if l.plan.Pool != nil {
		over = l.plan.Over(0)
	}
	var c *connection
	if all := l.connections.all(); len(all) > 0 {
		c = all[0]
	} else {
		c, err = l.open(ctx, over, 0, 0, func(job.Event) {})
		if c != nil {
			defer c.close()
		}
		if err != nil {
			return "", err
		}
	}
	return c.sockets.Blocks(func() error {
		_, err := over.Server.Version(ctx, c.session)
		return err
	})
}

// newScheduler returns the scheduler that runs the users.
func newScheduler(cores host.CoreUse) (loop.Scheduler, error) {
	if cores.Loops > 0 {
		return loop.New(cores.Loops)
	}
	return loop.Goroutines(), nil
}

// makeStripes makes one stripe per user, but not more than threads, because more would not reduce
// contention.
func (g *group) makeStripes() {
	g.stripes = make([]*meter.Stripe, min(len(g.users), g.cores.Threads()))
	for i := range g.stripes {
		g.stripes[i] = meter.NewStripe()
	}
	for i, u := range g.users {
		u.stripe = g.stripes[i%len(g.stripes)]
	}
}
