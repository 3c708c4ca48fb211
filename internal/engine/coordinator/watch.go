package coordinator

import (
	"fmt"
	"time"

	"sledge/internal/engine/feed"
	"sledge/internal/engine/order"
	"sledge/internal/job"
	"sledge/internal/meter"
)

// watch checks each second of a phase.
type watch struct {
	*run
	steps int // number of reported load steps

	still     time.Duration // how long no transaction has ended
	toldStill bool

	failing time.Duration // time without success since the first failure
	failed  int64         // failed transactions in that time
}

// look handles each measured second.
func (w *watch) look(second *order.Interval, elapsed time.Duration) {
	w.lookForStall(second, elapsed)
	w.lookForFailures(second, elapsed)
	w.tellStep(second.At)
}

// longestSecond is the longest interval that counts as silence. In a longer one, this client did
// not run.
const longestSecond = 1250 * time.Millisecond

// lookForStall reports each stall once, when it becomes noticeable.
func (w *watch) lookForStall(second *order.Interval, elapsed time.Duration) {
	if second.Ended() > 0 {
		w.still, w.toldStill = 0, false
		return
	}
	if w.plan.Pacing.Finite {
		return // transactions may take any time
	}
	w.still += min(elapsed, longestSecond)
	list := second.Waiting
	if w.toldStill || len(list) == 0 || min(w.still, list[0].Took) < feed.Noticeable {
		return
	}
	w.toldStill = true
	w.groups.sayInFlight(w.feed, fmt.Sprintf("No transaction has ended for %.0f s", w.still.Seconds()), list)
}

// failingFor is how long all transactions may fail before the run ends.
const failingFor = 30 * time.Second

// lookForFailures ends a run in which all transactions fail. It ignores failures while connections
// are being reopened.
func (w *watch) lookForFailures(second *order.Interval, elapsed time.Duration) {
	pacing := &w.plan.Pacing
	if !pacing.Failures.EndIfAll || pacing.Finite {
		return
	}
	done, failed := int64(0), int64(0)
	for _, g := range second.Groups {
		for _, k := range g.Kinds {
			done += k.Done + k.RolledBack
			for class, n := range k.Failed {
				if !pacing.Reconnect.Wanted || class != meter.Connection.String() {
					failed += n
				}
			}
		}
	}
	if done > 0 || w.failed+failed == 0 {
		w.failing, w.failed = 0, 0
		return
	}
	w.failed += failed
	if w.failing += elapsed; w.failing < failingFor || failed == 0 {
		return
	}
	w.link.die(fmt.Errorf("nothing has succeeded for %.0f s, and %d transactions failed, the last with: %s. Option %s set to continue would let such a run go on",
		w.failing.Seconds(), w.failed, second.LastFailure, w.plan.Spec.Names.Of("on_all_failing")))
	w.link.stop()
}

// tellStep reports the load step at a time since users began, unless it was reported before. It
// returns the number of reported steps. It does not report the first.
func (w *watch) tellStep(at time.Duration) {
	now, steps := at-w.plan.Pacing.RampUp, w.plan.Steps
	for w.steps+1 < len(steps) && steps[w.steps+1].From <= now {
		w.steps++
		w.feed.Step(job.Monitor, job.Step{Name: job.StepUsers, Users: steps[w.steps].Users})
	}
}

// sayInFlight reports how many users wait for the database, and which user waits longest, for what
// and where. The list has the longest wait first.
func (l runGroups) sayInFlight(f *feed.Feed, why string, list []order.InFlight) {
	if len(list) == 0 {
		return
	}
	longest := list[0]
	p := l[longest.Group].Plan
	users := "1 " + p.Pacing.Clients.Title() + " waits"
	if len(list) > 1 {
		users = fmt.Sprintf("%d %ss wait", len(list), p.Pacing.Clients.Title())
	}
	where := ""
	if c := longest.Connection; c != "" {
		where = ", on " + c
	}
	f.Message(job.Monitor, "%s: %s for the database; %s has waited longest, %.1f s so far for its %s%s",
		why, users, p.NameOf(longest.User), longest.Took.Seconds(), l[longest.Group].kindName(longest.Kind), where)
}
