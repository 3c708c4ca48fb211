package tproch

import "math"

// mean is a geometric mean of the values added so far. It adds logarithms, because a product of
// hundreds of times would overflow a float64.
type mean struct {
	n   int
	sum float64 // of logarithms
}

// add adds a value. A time of 0 counts as a nanosecond, which is below the resolution of the clock.
func (m *mean) add(seconds float64) {
	m.n++
	m.sum += math.Log(max(seconds, 1e-9))
}

func (m mean) geometric() float64 { return math.Exp(m.sum / float64(m.n)) }
