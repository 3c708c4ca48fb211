package generator

import (
	"fmt"
	"time"

	"sledge/internal/engine/plan"
	"sledge/internal/job"
)

// idleAfter is the minimum time between the scheduled start of an idle user's first transaction and
// the end of the measured time.
const idleAfter = time.Second

// idle counts the users that began no transaction although one was scheduled, because the client
// did not run them. A user is not idle if its first arrival or shift is later, if its first keying
// time ends later, if it waits for a shared connection, or if it has no work.
//
// It must be called after all users have ended.
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

// firstScheduled returns the scheduled start of the first transaction of a user that has begun
// none.
func (u *user) firstScheduled(g *group) time.Time {
	switch {
	case !u.scheduled.IsZero():
		return u.scheduled
	case len(u.shifts) > 0: // the user has not run at all
		return g.began.Add(u.shifts[0].From)
	}
	return g.began.Add(plan.FarOff)
}
