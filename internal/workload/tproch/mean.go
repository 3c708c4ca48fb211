package tproch

import "math"

// mean is a geometric mean that grows value by value. A product of hundreds of times would
// leave what a float64 can hold, so logarithms are added.
type mean struct {
	n   int
	sum float64 // of logarithms
}

// add takes in a value greater than 0; a time of 0 counts as a nanosecond, which no clock
// tells from it.
func (m *mean) add(seconds float64) {
	m.n++
	m.sum += math.Log(max(seconds, 1e-9))
}

func (m mean) geometric() float64 { return math.Exp(m.sum / float64(m.n)) }
