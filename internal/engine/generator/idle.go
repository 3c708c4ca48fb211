package generator

import (
	"fmt"
	"time"

	"sledge/internal/engine/plan"
	"sledge/internal/job"
)

// idleAfter is how long before the end of the measured time a user must have been scheduled to
// begin its first transaction to count as idle if it did not.
const idleAfter = time.Second

// idle counts the users that never began a transaction although they were scheduled to: the
// client did not run them. A user is not idle if its first keying time, its first arrival or its
// shift begins later, if it waits for a shared connection, or if it has no work.
//
// It is called when all users have ended.
func (g *group) idle(timeUp time.Time) job.IdleUsers {
	idle := job.IdleUsers{Of: len(g.users)}
	for _, u := range g.users {
		if !u.begun && !u.firstScheduled(g).After(timeUp.Add(-idleAfter)) {
			idle.Idle++
		}
	}
	if idle.Idle > 0 {
		idle.Why = "the client had no time for them: run it on a faster machine, or with fewer users"
		if g.cores.Loops > 0 {
			idle.Why = fmt.Sprintf("other users of their event loop did not let them run: set option %s to 0", g.plan.Spec.Names.Of("loops"))
		}
	}
	return idle
}

// firstScheduled returns when a user that has begun no transaction was to begin its first.
func (u *user) firstScheduled(g *group) time.Time {
	switch {
	case !u.scheduled.IsZero():
		return u.scheduled
	case len(u.shifts) > 0: // it has not even run
		return g.began.Add(u.shifts[0].From)
	}
	return g.began.Add(plan.FarOff)
}
