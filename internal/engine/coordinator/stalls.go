package coordinator

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"sledge/internal/job"
	"sledge/internal/meter"
)

// waiting lists the transactions in flight at the end of the measured time that the result reports,
// longest first: those that were aborted, and those that had already taken unusually long. If
// transactions may take any time, it lists the aborted ones only.
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

// longestGap returns the longest stall of the measured time, in which transactions were in flight
// and none ended, and the number of stalls of a second or longer. It excludes times in which this
// client did not run.
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

// pausesOf returns the times in which this client did not run, since users began. from is the start
// of the measured time.
func pausesOf(c job.ClientLoad, from time.Duration) []meter.Stall {
	list := make([]meter.Stall, len(c.Pauses))
	for i, p := range c.Pauses {
		list[i].From = from + inSeconds(p.From)
		list[i].To = list[i].From + inSeconds(p.Seconds)
	}
	return list
}

// clientPaused returns an error if this client did not run for at least a second and at least 5 % of
// the measured time, because the rates then mean little.
func clientPaused(c job.ClientLoad, elapsed time.Duration) error {
	const part = 0.05
	paused := c.Paused()
	if paused < 1 || paused < part*elapsed.Seconds() {
		return nil
	}
	return fmt.Errorf("this client did not run for %.1f s of the measured %.0f s: it was stopped or suspended, or got no core", paused, elapsed.Seconds())
}

func inSeconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }
