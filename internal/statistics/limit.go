package statistics

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// Trial is a run at a rate, and whether it kept a promise.
type Trial struct {
	Rate float64
	Kept bool
}

// Limit is the rate at which half of the runs keep a promise.
type Limit struct {
	Rate     float64 // the median of what the trials leave possible
	Interval Interval
}

// LimitOf estimates a limit with its 95 % interval from at least one trial that kept the promise and one
// that did not. Runs of one rate differ, so a rate may have both: the logarithms of the limits of single
// runs are taken to have a normal distribution (the probit model; Finney, Probit Analysis, 1971).
//
// So few trials tell little of how much runs differ, so all spreads from 0.5 to 20 % are possible before, and so are all
// rates (Bayes' rule on a grid). ok is false if the trials do not enclose a limit.
func LimitOf(trials []Trial) (l Limit, ok bool) {
	var kept, broken bool
	low, high := math.Inf(1), math.Inf(-1)
	for _, t := range trials {
		kept, broken = kept || t.Kept, broken || !t.Kept
		low, high = min(low, math.Log(t.Rate)), max(high, math.Log(t.Rate))
	}
	if !kept || !broken {
		return l, false
	}
	const beyond, steps, spreads = 0.2, 600, 12
	const leastSpread, mostSpread = 0.005, 0.2
	low, high = low-beyond, high+beyond
	at := func(i int) float64 { return low + (high-low)*float64(i)/steps }
	var weights [steps + 1]float64
	sum := 0.0
	for i := range weights {
		for k := range spreads + 1 {
			spread := leastSpread * math.Pow(mostSpread/leastSpread, float64(k)/spreads)
			likelihood := 1.0
			for _, t := range trials {
				p := distuv.UnitNormal.CDF((math.Log(t.Rate) - at(i)) / spread) // of breaking
				if t.Kept {
					p = 1 - p
				}
				likelihood *= p
			}
			weights[i] += likelihood
		}
		sum += weights[i]
	}
	if sum == 0 { // a rate kept the promise far above one that broke it
		return l, false
	}
	quantile := func(q float64) float64 {
		part := 0.0
		for i, w := range weights {
			if part += w; part >= q*sum {
				return math.Exp(at(i))
			}
		}
		return math.Exp(high)
	}
	return Limit{quantile(0.5), Interval{quantile(0.025), quantile(0.975)}}, true
}
