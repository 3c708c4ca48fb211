package statistics

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// ChangePoint is a result from which on a history of results has another level.
type ChangePoint struct {
	Index  int     // of the first result of the new level
	Before float64 // mean of the results since the change point before, or since the beginning
	After  float64 // mean of the results until the next change point, or to the end
	P      float64 // probability of such a difference between results of one level
}

// Ratio returns the new level divided by the old one.
func (c ChangePoint) Ratio() float64 { return c.After / c.Before }

// Limits of FindChangePoints, which are those of Hunter and Otava.
const (
	changeWindow = 50    // results that are looked at together
	changeP      = 0.001 // the greatest probability of a change point
	weakChangeP  = 0.01  // and of one that may remain until its neighbours are known
)

// FindChangePoints returns the change points of a series of results, in order. Changes by a factor
// of less than 1+least are left out; 0 keeps all.
//
// It is E-divisive (Matteson and James, 2014) on overlapping windows, with Student's t-test in the
// place of permutations. Then the weakest points are removed one by one, until all are strong, as in
// Hunter (Fleming et al., 2023) and in Apache Otava, whose points it finds.
func FindChangePoints(series []float64, least float64) []ChangePoint {
	var found []int
	for start := 0; start < len(series); {
		window := series[start:min(start+changeWindow, len(series))]
		next := start + changeWindow/2
		for _, at := range splits(window) {
			found = append(found, start+at)
			next = max(next, start+at)
		}
		start = next
	}
	slices.Sort(found)
	return strong(series, slices.Compact(found), least)
}

// splits returns the change points of a window, in order: in each round the best of all parts, until
// the best is not even weak.
func splits(window []float64) []int {
	ends := []int{0, len(window)}
	for {
		best, at, part := math.Inf(-1), 0, 0
		for i := range len(ends) - 1 {
			if from, to := ends[i], ends[i+1]; to-from > 1 {
				if place, distance := bestSplit(window[from:to]); distance > best {
					best, at, part = distance, from+place, i
				}
			}
		}
		if math.IsInf(best, -1) || !(changeBetween(window[ends[part]:at], window[at:ends[part+1]]).P <= weakChangeP) {
			return ends[1 : len(ends)-1]
		}
		ends = slices.Insert(ends, part+1, at)
	}
}

// bestSplit returns the place at which two neighbouring parts of a series, the first of which begins
// with it, have the greatest energy distance, and that distance, weighted by their sizes.
func bestSplit(y []float64) (at int, distance float64) {
	n := len(y)
	// within[i] is the sum of the distances between the first i values; the distances of value i from
	// those before it are the difference to within[i+1].
	within := make([]float64, n+1)
	for i := range n {
		within[i+1] = within[i]
		for j := range i {
			within[i+1] += math.Abs(y[i] - y[j])
		}
	}
	distance = math.Inf(-1)
	for left := 1; left < n; left++ {
		right := 0.0 // sum of the distances between the values from left to end
		for end := left + 1; end <= n; end++ {
			for j := left; j < end-1; j++ {
				right += math.Abs(y[end-1] - y[j])
			}
			l, r := float64(left), float64(end-left)
			q := 2 / (l + r) * (within[end] - within[left] - right)
			if left > 1 {
				q -= 2 * r / (l + r) / (l - 1) * within[left]
			}
			if end-left > 1 {
				q -= 2 * l / (l + r) / (r - 1) * right
			}
			if q > distance {
				at, distance = left, q
			}
		}
	}
	return at, distance
}

// changeBetween compares two neighbouring parts by Student's t-test, with the deviations of the
// values from their means and not of the population that they are from, as Hunter has it.
func changeBetween(left, right []float64) ChangePoint {
	n, m := float64(len(left)), float64(len(right))
	c := ChangePoint{Before: stat.Mean(left, nil), After: stat.Mean(right, nil), P: 1}
	if n+m <= 2 {
		return c
	}
	square := func(values []float64, mean float64) (sum float64) {
		for _, v := range values {
			sum += (v - mean) * (v - mean)
		}
		return sum / float64(len(values))
	}
	pooled := ((n-1)*square(left, c.Before) + (m-1)*square(right, c.After)) / (n + m - 2)
	difference := math.Abs(c.After - c.Before)
	switch {
	case pooled > 0:
		t := difference / math.Sqrt(pooled*(1/n+1/m))
		c.P = 2 * distuv.StudentsT{Mu: 0, Sigma: 1, Nu: n + m - 2}.Survival(t)
	case difference > 0:
		c.P = 0
	}
	return c
}

// strong removes the weakest of the change points at the given places, until all have a small
// probability and change by enough.
func strong(series []float64, at []int, least float64) []ChangePoint {
	points := make([]ChangePoint, len(at))
	measure := func(i int) {
		if i < 0 || i >= len(points) {
			return
		}
		from, to := 0, len(series)
		if i > 0 {
			from = points[i-1].Index
		}
		if i+1 < len(points) {
			to = points[i+1].Index
		}
		place := points[i].Index
		points[i] = changeBetween(series[from:place], series[place:to])
		points[i].Index = place
	}
	for i, place := range at {
		points[i].Index = place
	}
	for i := range points {
		measure(i)
	}
	for len(points) > 0 {
		weakest := 0
		for i, c := range points {
			if c.P > points[weakest].P {
				weakest = i
			}
		}
		if points[weakest].P < changeP {
			for i, c := range points {
				if magnitude(c) < magnitude(points[weakest]) {
					weakest = i
				}
			}
			if magnitude(points[weakest]) > least {
				return points
			}
		}
		points = slices.Delete(points, weakest, weakest+1)
		measure(weakest - 1)
		measure(weakest)
	}
	return nil
}

// magnitude returns by how much a level changes, relative to the smaller of the two.
func magnitude(c ChangePoint) float64 {
	return max(math.Abs(c.After/c.Before-1), math.Abs(c.Before/c.After-1))
}
