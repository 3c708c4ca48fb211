package coordinator

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"sledge/internal/engine/feed"
	"sledge/internal/engine/order"
	"sledge/internal/job"
	"sledge/internal/meter"
)

// sayInFlight says how many users wait for the database, and who waits longest, for
// what and where. The longest comes first.
func (r *run) sayInFlight(why string, list []order.InFlight) {
	if len(list) == 0 {
		return
	}
	longest := list[0]
	p := r.groups[longest.Group].Plan
	users := "1 " + p.Pacing.Clients.Title() + " waits"
	if len(list) > 1 {
		users = fmt.Sprintf("%d %ss wait", len(list), p.Pacing.Clients.Title())
	}
	where := ""
	if c := longest.Connection; c != "" {
		where = ", on " + c
	}
	r.feed.Message(job.Monitor, "%s: %s for the database; %s has waited longest, %.1f s so far for its %s%s",
		why, users, p.NameOf(longest.User), longest.Took.Seconds(), r.groups[longest.Group].kindName(longest.Kind), where)
}

// stallWatch watches whether transactions still end.
type stallWatch struct {
	*run
	since time.Duration // how long none has ended
	told  bool
}

// longestSecond bounds how much of a second counts as silence: in one that took longer, this client
// did not run.
const longestSecond = 1250 * time.Millisecond

// look is given each second as it was measured. Each stall is told once, when it
// can be noticed.
func (s *stallWatch) look(second *order.Interval, elapsed time.Duration) {
	if second.Ended() > 0 {
		s.since, s.told = 0, false
		return
	}
	if s.plan.Pacing.Finite {
		return // a transaction may take an hour
	}
	s.since += min(elapsed, longestSecond)
	list := second.Waiting
	if s.told || len(list) == 0 || min(s.since, list[0].Took) < feed.Noticeable {
		return
	}
	s.told = true
	s.sayInFlight(fmt.Sprintf("No transaction has ended for %.0f s", s.since.Seconds()), list)
}

// waiting lists, longest first, the transactions that count with the latency they had
// when the time was up, or in the end: all that were aborted, and those that by then
// had taken longer than is usual, unless they may take any time.
func (g *runGroup) waiting() []job.Waiting {
	all := g.totals.Summary.All()
	usual := max(time.Second, time.Duration(all.Response.ValueAtQuantile(99.9)))
	var list []job.Waiting
	for _, w := range g.totals.InFlight {
		if (w.Took < usual || g.Plan.AnyLength) && !w.Aborted {
			continue
		}
		if g.arrivals != nil && w.Connected && !w.Aborted {
			continue // it ended, and is in the histograms
		}
		list = append(list, job.Waiting{
			User: g.Plan.Position(w.User), Client: g.Plan.Pacing.Clients.Number(w.User), Connection: w.Connection,
			Kind: g.kindName(w.Kind), Seconds: w.Took.Seconds(), CutOff: w.Aborted,
		})
	}
	slices.SortStableFunc(list, longestFirst)
	return list
}

func longestFirst(a, b job.Waiting) int { return cmp.Compare(b.Seconds, a.Seconds) }

// longestGap returns the longest time in the measurement in which no transaction ended
// though some were in flight, and how many such times were a second or longer. The time in which this
// client did not run does not count.
func (g *runGroup) longestGap(m measurement) (*job.Gap, int) {
	var unended []time.Duration
	for _, w := range g.totals.InFlight {
		if w.Aborted {
			unended = append(unended, w.Scheduled)
		}
	}
	longest := meter.Stall{From: m.from, To: m.from}
	n := 0
	for _, whole := range g.totals.Gaps.Between(m.from, m.from+m.elapsed, unended) {
		for _, g := range whole.Without(pausesOf(m.client, m.from)) {
			if g.Length() >= time.Second {
				n++
			}
			if g.Length() > longest.Length() {
				longest = g
			}
		}
	}
	return &job.Gap{From: (longest.From - m.from).Seconds(), Seconds: longest.Length().Seconds()}, n
}

// pausesOf returns the times in which this client did not run, since users began, given when the
// measurement began.
func pausesOf(c job.ClientLoad, from time.Duration) []meter.Stall {
	list := make([]meter.Stall, len(c.Pauses))
	for i, p := range c.Pauses {
		list[i].From = from + inSeconds(p.From)
		list[i].To = list[i].From + inSeconds(p.Seconds)
	}
	return list
}

// stoodStill returns an error if this client did not run for so long that the rates say little: a second
// at least, and a twentieth of the time.
func stoodStill(c job.ClientLoad, elapsed time.Duration) error {
	const part = 0.05
	paused := c.Paused()
	if paused < 1 || paused < part*elapsed.Seconds() {
		return nil
	}
	return fmt.Errorf("this client did not run for %.1f s of the %.0f s that were measured: it was stopped or suspended, or got no core", paused, elapsed.Seconds())
}

func inSeconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }
