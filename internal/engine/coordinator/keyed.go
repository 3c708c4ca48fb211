package coordinator

import (
	"fmt"
	"math"
	"time"

	"sledge/internal/engine/plan"
	"sledge/internal/job"
	"sledge/internal/meter"
)

// keyedOf compares the measured rate of a run whose terminals pause with the rate that their pauses
// allow. began is the start of the measured time, since users began.
func keyedOf(p plan.Plan, sum meter.Summary, began, elapsed time.Duration) *job.Keyed {
	pauses, mix := p.Workload.Users.Pauses, p.Workload.Users.Mix
	if pauses == nil || mix == nil || elapsed <= 0 {
		return nil
	}
	weights := mix.Weights(p.Settings, p.Kinds)
	round, all := time.Duration(0), 0.0 // of a terminal that does each kind as often as its weight
	counted := meter.NewSummary(len(weights))
	for kind, pause := range pauses.Mean(p.Settings) {
		round += time.Duration(weights[kind] * float64(pause))
		all += weights[kind]
		counted.Kinds[kind].Done = int64(math.Round(weights[kind]))
	}
	if round <= 0 {
		return nil // pauses of length 0 limit nothing
	}
	sessions := workingUsers(p, began, elapsed)
	measured := sum.All()
	k := &job.Keyed{
		Sessions: sessions, Cycle: round.Seconds() / all,
		Expected: sessions * all / round.Minutes(),
		Measured: float64(measured.Done+measured.RolledBack) / elapsed.Minutes(),
		Limit:    pauses.Limit,
	}
	k.Reached = percentOf(measured.Done+measured.RolledBack, k.Expected*elapsed.Minutes())
	probe := p.Workload.Evidence.Probe
	if probe == nil {
		return k
	}
	if n := probe.Expected(&counted); n > 0 {
		k.What = probe.Name
		k.Each = fmt.Sprintf("%d %ss in %.0f s", n, probe.Name, round.Seconds())
		k.Figure = sessions * float64(n) / round.Minutes()
	}
	return k
}

// workingUsers returns the average number of working terminals in the time span of length elapsed
// that starts at began, since users began.
func workingUsers(p plan.Plan, began, elapsed time.Duration) float64 {
	var all time.Duration
	for terminal := range p.Terminals() {
		for _, shift := range p.Pacing.ShiftsOf(p.Steps, terminal/p.Pacing.Clients.Each()) {
			all += max(0, min(shift.To, began+elapsed)-max(shift.From, began))
		}
	}
	return float64(all) / float64(elapsed)
}

// percentOf returns n in percent of the expected number, or 100 if nothing was expected.
func percentOf(n int64, expected float64) float64 {
	if expected <= 0 {
		return 100
	}
	return 100 * float64(n) / expected
}
