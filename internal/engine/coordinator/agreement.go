package coordinator

import (
	"math"

	"sledge/internal/job"
	"sledge/internal/meter"
	"sledge/internal/workload"
)

// agreement compares the two counts of what the probe counts. Where a pool leads elsewhere,
// too, the server may have all of it, as by replication, or what was done over the
// connections to itself; of anything between these nothing can be said, and it returns nil.
func (g *runGroup) agreement(start, end probed) *job.Agreement {
	return g.likelier(g.agreementOn(g.totals.Counts(), start, end), func() *job.Agreement {
		here := meter.NewSummary(len(g.Plan.Workload.Kinds))
		for i, sum := range g.totals.Places {
			if g.Plan.LeadsHome(i) {
				here.Add(sum)
			}
		}
		return g.agreementOn(here, start, end)
	})
}

// likelier returns the comparison of all transactions, or of those that were done where the
// monitor is connected to.
func (g *runGroup) likelier(all *job.Agreement, atHome func() *job.Agreement) *job.Agreement {
	if g.Plan.Pool == nil || !g.Plan.LeadsElsewhere() {
		return all
	}
	own := atHome()
	own.Over = g.Plan.Target()
	switch {
	case own.Holds || own.Server < own.Low || own.Server > all.High:
		return own
	case all.Holds:
		return all
	}
	return nil
}

// agreementOn compares the count of the transactions in a summary.
func (g *runGroup) agreementOn(counted meter.Summary, start, end probed) *job.Agreement {
	probe := g.Plan.Workload.Evidence.Probe
	count := probe.Expected
	a := job.Agreement{What: probe.Name, Client: count(&counted), Server: end.N - start.N, Limit: g.Plan.Pacing.Failures.Limit}
	a.Low = a.Client - count(&start.inFlight)
	a.High = a.Client + count(&start.edge) + count(&end.edge) + count(&end.inFlight)
	if g.Plan.Pacing.Reconnect.Wanted { // a transaction in flight may have been committed when its connection was lost
		for _, s := range []meter.Summary{g.totals.Counts(), start.edge, end.edge} {
			a.High += g.failedProbed(s, meter.Connection)
		}
	}
	if g.silence.Share > 0 {
		a.Low -= mostSilent(g.silence, a.Client)
		a.Allowance = g.silence.Why
	}
	a.None = a.High == 0 && a.Server == 0 && g.failedProbed(counted, meter.Classes()...) == 0
	return judged(a)
}

// failedProbed returns how many of the transactions failed in some ways that the probe
// counts.
func (g *runGroup) failedProbed(s meter.Summary, classes ...meter.Class) int64 {
	failed := meter.NewSummary(len(s.Kinds))
	for i := range s.Kinds {
		for _, c := range classes {
			failed.Kinds[i].Done += s.Kinds[i].Failed[c]
		}
	}
	return g.Plan.Workload.Evidence.Probe.Expected(&failed)
}

// counterAgreement compares the two counts of all transactions. A try that failed
// may or may not be in the server's count.
func (g *runGroup) counterAgreement(m measurement, server int64) *job.Agreement {
	// The monitor's own questions count as transactions on some servers: one a second for
	// the count, and a few when a run begins and ends. So does what a server does by
	// itself, such as PostgreSQL's autovacuum.
	own := 2*int64(m.elapsed.Seconds()) + 20
	own += (m.start.telling - m.start.told) + (m.end.telling - m.end.told)
	between := func(start, end tally) *job.Agreement {
		return judged(job.Agreement{
			What: "transaction", Client: end.ended - start.ended, Server: server,
			Low: end.sure.low - start.sure.high, High: end.tries.high - start.tries.low + own,
		})
	}
	return g.likelier(between(m.start.all, m.end.all), func() *job.Agreement { return between(m.start.home, m.end.home) })
}

// judged says what a comparison is worth.
func judged(a job.Agreement) *job.Agreement {
	within := a.Low <= a.Server && a.Server <= a.High
	// With bounds a tenth of the count apart, numbers that clearly differ would agree.
	const apart = 10
	a.Vague = within && (a.High-a.Low)*apart > a.Client
	a.Holds = within && !a.Vague
	return &a
}

// mostSilent returns how many of n the server may well have rolled back without
// an error: the expected number, and four standard deviations more.
func mostSilent(s workload.Silence, n int64) int64 {
	expected := s.Share * float64(n)
	return int64(math.Ceil(expected + 4*math.Sqrt(expected)))
}
