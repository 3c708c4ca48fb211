package coordinator

import (
	"sledge/internal/job"
	"sledge/internal/meter"
)

// addOutages adds outages to the stalls. Users that reconnect have no transaction in flight, so the
// stalls do not include outages.
func addOutages(result *job.Result) {
	for _, o := range result.Outages {
		if longest := result.LongestGap.Seconds; o.Silent > longest {
			if longest < 1 && o.Silent >= 1 {
				result.Standstills++
			}
			result.LongestGap = &job.Gap{From: max(0, o.SilentFrom), Seconds: o.Silent}
		}
	}
}

// outages describes how the rate fell and recovered after connections were lost.
func (g *runGroup) outages(m measurement) (list []job.Outage) {
	for _, o := range g.totals.Flow.Outages(g.totals.Losses, m.from, m.from+m.elapsed) {
		one := job.Outage{
			From: (o.From - m.from).Seconds(), Lost: o.Losses, Silent: o.Silence.Length().Seconds(), RateBefore: o.Before,
		}
		if one.Silent > 0 {
			one.SilentFrom = (o.Silence.From - m.from).Seconds()
		}
		for i, percent := range meter.Recovered {
			r := job.Recovery{Percent: percent}
			if o.Back[i] >= 0 {
				seconds := o.Back[i].Seconds()
				r.After = &seconds
			}
			one.Back = append(one.Back, r)
		}
		list = append(list, one)
	}
	return list
}
