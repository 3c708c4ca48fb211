package coordinator

import (
	"fmt"
	"slices"
	"time"

	"sledge/internal/engine/feed"
	"sledge/internal/engine/order"
	"sledge/internal/job"
	"sledge/internal/meter"
	"sledge/internal/statistics"
)

// watch checks each second of a phase.
type watch struct {
	*run
	steps int // number of reported load steps

	settles bool      // the phase ends when the rate has settled
	rates   []float64 // transactions a second, in each second since all users had begun, if settles is set
	settled bool

	still         time.Duration // time since a transaction ended
	stallReported bool

	failing time.Duration // time without success since the first failure
	failed  int64         // failed transactions in that time
}

// look checks an interval of about a second.
func (w *watch) look(second *order.Interval, elapsed time.Duration) {
	w.lookForStall(second, elapsed)
	w.lookForFailures(second, elapsed)
	w.reportLoadStep(second.At)
	w.lookForSettling(second, elapsed)
}

// lookForSettling looks whether the rate of transactions has settled.
func (w *watch) lookForSettling(second *order.Interval, elapsed time.Duration) {
	begun := w.plan.Pacing.Shifts.UserDelay * time.Duration(w.plan.Users-1)
	if !w.settles || elapsed <= 0 || second.At <= begun {
		return
	}
	w.rates = append(w.rates, float64(second.Ended())/elapsed.Seconds())
	w.settled = statistics.Settled(w.rates)
}

// longestSecond limits the part of an interval that counts as a stall. In the rest of a longer
// interval, this client did not run.
const longestSecond = 1250 * time.Millisecond

// lookForStall reports each stall once, when it becomes noticeable.
func (w *watch) lookForStall(second *order.Interval, elapsed time.Duration) {
	if second.Ended() > 0 {
		w.still, w.stallReported = 0, false
		return
	}
	short := func(g *runGroup) bool { return !g.Plan.AnyLength }
	if w.plan.Pacing.Finite || !slices.ContainsFunc(w.groups, short) {
		return
	}
	w.still += min(elapsed, longestSecond)
	list := second.Waiting
	if w.stallReported || len(list) == 0 || min(w.still, list[0].Took) < feed.Noticeable {
		return
	}
	w.stallReported = true
	w.groups.reportInFlight(w.feed, fmt.Sprintf("No transaction has ended for %.0f s", w.still.Seconds()), list)
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
	w.link.die(fmt.Errorf("nothing has succeeded for %.0f s, and %d transactions failed, the last with: %s. Set option %s to continue to keep such a run going",
		w.failing.Seconds(), w.failed, second.LastFailure, w.plan.Spec.Names.Of("on_all_failing")))
	w.link.stop()
}

// reportLoadStep reports the load step at a time since users began, once. It does not report the first
// step.
func (w *watch) reportLoadStep(at time.Duration) {
	now, steps := at-w.plan.Pacing.RampUp, w.plan.Steps
	for w.steps+1 < len(steps) && steps[w.steps+1].From <= now {
		w.steps++
		w.feed.Step(job.Monitor, job.Step{Name: job.StepUsers, Users: steps[w.steps].Users})
	}
}

// reportInFlight reports the number of users that wait for the database, and the user that has waited
// longest with its transaction and connection. The list has the longest wait first.
func (l runGroups) reportInFlight(f *feed.Feed, why string, list []order.InFlight) {
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
