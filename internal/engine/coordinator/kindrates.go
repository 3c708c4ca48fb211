package coordinator

import (
	"time"

	"sledge/internal/engine/order"
	"sledge/internal/job"
	"sledge/internal/meter"
)

// kindPaces returns how well the run kept the rate of each kind.
func (g *runGroup) kindPaces(m measurement) []job.KindPace {
	if g.Plan.Kinds == nil {
		return nil
	}
	until := func(t time.Duration) []int64 { return g.arrivals.Split(g.arrivals.Due(t)) }
	before, due, taken := until(m.from), until(m.from+m.elapsed), g.arrivals.Split(g.claimed)
	var list []job.KindPace
	for i, kind := range g.Plan.Kinds {
		list = append(list, job.KindPace{
			Kind:     g.Plan.Workload.Kinds[kind].Name,
			Asked:    float64(due[i]-before[i]) / m.elapsed.Seconds(),
			Ended:    float64(g.totals.Summary.Kinds[kind].Ended()) / m.elapsed.Seconds(),
			Behind:   max(0, due[i]-taken[i]) + queued(g.totals.InFlight, func(k meter.Kind) bool { return k == kind }),
			StartLag: *latencyOf(g.totals.KindStartLag[i]),
		})
	}
	return list
}

// queued returns the number of transactions that waited for a connection at the end of the measured
// time. counts selects the kinds.
func queued(inFlight []order.InFlight, counts func(meter.Kind) bool) (n int64) {
	for _, w := range inFlight {
		if !w.Connected && counts(w.Kind) {
			n++
		}
	}
	return n
}
