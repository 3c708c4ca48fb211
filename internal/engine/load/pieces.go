package load

import (
	"math"
	"slices"
	"sort"
	"time"
)

// pieces is a piecewise linear rate that may jump between two pieces. All profiles except the sine
// use it.
type pieces []piece

// piece is one part of a piecewise linear rate. It begins where the previous one ends. The first
// begins at 0. The last has slope 0 and has no end.
type piece struct {
	start  float64 // in seconds
	rate   float64 // at its start, in arrivals a second
	slope  float64 // growth of the rate per second
	before float64 // arrivals expected before its start
}

// moment is a rate at a time.
type moment struct {
	at   time.Duration
	rate float64
}

// joined returns the rate that interpolates linearly between moments. Two moments at the same time
// make a jump. The rate is constant before the first and after the last moment.
func joined(moments ...moment) pieces {
	if first := moments[0]; first.at > 0 {
		moments = slices.Insert(slices.Clone(moments), 0, moment{0, first.rate})
	}
	var list pieces
	before := 0.0
	for i, m := range moments {
		p := piece{start: m.at.Seconds(), rate: m.rate, before: before}
		if i+1 < len(moments) {
			next := moments[i+1]
			long := (next.at - m.at).Seconds()
			if long == 0 {
				continue
			}
			p.slope = (next.rate - m.rate) / long
			before += (m.rate + next.rate) / 2 * long
		}
		list = append(list, p)
	}
	return list
}

// Rate implements Profile.
func (p pieces) Rate(t time.Duration) float64 {
	seconds := max(0, t.Seconds())
	at := p[sort.Search(len(p), func(i int) bool { return p[i].start > seconds })-1]
	return max(0, at.rate+at.slope*(seconds-at.start))
}

// When implements Profile.
func (p pieces) When(x float64) time.Duration {
	// Find the last piece before which at most x arrivals are expected. It lies after pieces
	// without arrivals.
	i := sort.Search(len(p), func(i int) bool { return p[i].before > x }) - 1
	at, last := p[i], i == len(p)-1
	inside := x - at.before
	switch {
	case last && at.rate == 0:
		return Never
	case inside == 0:
		return after(at.start)
	}
	// The root of rate·t + slope·t²/2 = inside, in the form that does not subtract nearly equal
	// numbers. It is also correct for a slope of 0.
	root := math.Sqrt(max(0, at.rate*at.rate+2*at.slope*inside))
	t := at.start + 2*inside/(at.rate+root)
	if !last {
		t = min(t, p[i+1].start)
	}
	return after(t)
}
