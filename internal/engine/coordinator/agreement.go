package coordinator

import (
	"math"

	"sledge/internal/job"
	"sledge/internal/meter"
	"sledge/internal/workload"
)

// agreement compares the client's and the server's count of the transactions that the probe counts.
// If connections of a pool lead to other servers, the monitor's server may have counted all
// transactions, for example through replication, or only those over its own connections. agreement
// returns nil if the server's count matches neither.
func (g *runGroup) agreement(start, end probed) *job.Agreement {
	return g.chooseAgreement(g.agreementOn(g.totals.Counts(), start, end), func() *job.Agreement {
		here := meter.NewSummary(len(g.Plan.Workload.Kinds))
		for i, sum := range g.totals.PerConnection {
			if g.Plan.LeadsHome(i) {
				here.Add(sum)
			}
		}
		return g.agreementOn(here, start, end)
	})
}

// chooseAgreement returns the comparison with all transactions, or the comparison with those over
// connections to the monitor's server. It returns the one that agrees better, or nil if the
// server's count lies between the two.
func (g *runGroup) chooseAgreement(all *job.Agreement, atHome func() *job.Agreement) *job.Agreement {
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
	case own.Vague:
		return own
	case all.Vague:
		return all
	}
	return nil
}

// agreementOn compares the count of the transactions in a summary with the server's.
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
	return withVerdict(a)
}

// failedProbed returns the number of failed transactions of the given classes that the probe
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

// counterAgreement compares the two counts of all transactions. The server may or may not count a
// failed try.
func (g *runGroup) counterAgreement(m measurement, server int64) *job.Agreement {
	// On some servers the monitor's own queries count as transactions: one per second for the
	// count, and a few at the beginning and the end of a run. Background work of the server, such
	// as PostgreSQL's autovacuum, may count too.
	own := 2*int64(m.elapsed.Seconds()) + 20
	own += (m.start.flushing - m.start.flushed) + (m.end.flushing - m.end.flushed)
	between := func(start, end tally) *job.Agreement {
		return withVerdict(job.Agreement{
			What: "transaction", Client: end.ended - start.ended, Server: server,
			Low: end.sure.low - start.sure.high, High: end.tries.high - start.tries.low + own,
		})
	}
	return g.chooseAgreement(between(m.start.all, m.end.all), func() *job.Agreement { return between(m.start.home, m.end.home) })
}

// withVerdict sets the verdict of a comparison.
func withVerdict(a job.Agreement) *job.Agreement {
	within := a.Low <= a.Server && a.Server <= a.High
	// If the bounds were more than a tenth of the count apart, clearly different counts would
	// agree.
	const apart = 10
	a.Vague = within && (a.High-a.Low)*apart > a.Client
	a.Holds = within && !a.Vague
	return &a
}

// mostSilent returns an upper limit for the transactions of n that the server may have rolled back
// without an error: the expected number plus four standard deviations.
func mostSilent(s workload.Silence, n int64) int64 {
	expected := s.Share * float64(n)
	return int64(math.Ceil(expected + 4*math.Sqrt(expected)))
}
