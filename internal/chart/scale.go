package chart

import (
	"math"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize"
)

// scale maps values to positions from 0 to 1.
type scale struct {
	axis      Axis
	low, high float64
	marks     []float64 // values with marks on the axis
}

// newScale returns a scale for values from low to high with about the given number of marks.
func newScale(a Axis, low, high float64, marks int) scale {
	s := scale{axis: a, low: low, high: high}
	switch {
	case len(a.Places) > 0:
		s.low, s.high = -0.5, float64(len(a.Places))-0.5
		for i := range a.Places {
			s.marks = append(s.marks, float64(i))
		}
	case a.Log:
		s.decades()
	case a.Time:
		s.steps(marks, clockStep)
	default:
		s.steps(marks, roundStep)
		if len(s.marks) > 0 { // a line must not end between two marks
			s.high = max(s.high, s.marks[len(s.marks)-1])
		}
	}
	return s
}

// place returns the position of a value, from 0 to 1.
func (s scale) place(v float64) float64 {
	if s.axis.Log {
		return (math.Log10(max(v, s.low)) - math.Log10(s.low)) / (math.Log10(s.high) - math.Log10(s.low))
	}
	return (v - s.low) / (s.high - s.low)
}

// decades sets limits at 1, 2 or 5 times a power of ten, and marks between them.
func (s *scale) decades() {
	if s.low <= 0 || s.high <= 0 || s.low > s.high {
		s.low, s.high = 1, 10
	}
	nice := func(v float64, up bool) float64 {
		power := math.Pow(10, math.Floor(math.Log10(v)))
		ladder := []float64{1, 2, 5, 10}
		const slack = 1e-9
		if up {
			for _, m := range ladder {
				if m*power >= v*(1-slack) {
					return m * power
				}
			}
		}
		for i := len(ladder) - 1; i > 0; i-- {
			if ladder[i]*power <= v*(1+slack) {
				return ladder[i] * power
			}
		}
		return power
	}
	s.low, s.high = nice(s.low, false), nice(s.high, true)
	if s.low >= s.high {
		s.low, s.high = s.low/2, s.high*2
	}
	factors := []float64{1, 2, 5}
	if math.Log10(s.high/s.low) > 3 {
		factors = []float64{1}
	}
	for power := math.Pow(10, math.Floor(math.Log10(s.low))); power <= s.high*1.000001; power *= 10 {
		for _, f := range factors {
			if v := f * power; v >= s.low*0.999999 && v <= s.high*1.000001 {
				s.marks = append(s.marks, v)
			}
		}
	}
}

// steps sets marks at equal distances. step rounds the minimum distance up.
func (s *scale) steps(marks int, step func(least float64) float64) {
	if !(s.high > s.low) { // also if one is NaN
		s.high = s.low + 1
	}
	by := step((s.high - s.low) / float64(max(marks, 1)))
	const slack = 1e-9
	for n := math.Ceil(s.low/by - slack); n*by <= s.high*(1+slack)+slack; n++ {
		s.marks = append(s.marks, n*by+0) // avoids -0
	}
	if last := math.Ceil(s.high/by-slack) * by; !s.axis.Time && last > s.high*(1+slack) {
		s.marks = append(s.marks, last)
	}
}

// roundStep returns 1, 2 or 5 times a power of ten.
func roundStep(least float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(least)))
	for _, m := range []float64{1, 2, 5} {
		if m*power >= least*0.999999 {
			return m * power
		}
	}
	return 10 * power
}

// clockSteps are the distances of marks on an axis of time, in seconds.
var clockSteps = []float64{0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400}

// clockStep returns a round number of seconds, minutes, hours or days.
func clockStep(least float64) float64 {
	for _, s := range clockSteps {
		if s >= least*0.999999 {
			return s
		}
	}
	const day = 86400
	return roundStep(least/day) * day
}

// label formats a value for the axis.
func (s scale) label(v float64) string {
	if len(s.axis.Places) > 0 {
		return s.axis.Places[int(v)]
	}
	if s.axis.Time {
		if len(s.marks) > 1 && s.marks[1]-s.marks[0] < 1 {
			return Number(v) + " s"
		}
		return Clock(v)
	}
	return Number(v)
}

// Clock formats seconds as "1:30" or "1:00:00". Values below ten seconds keep a fraction: "1.5".
func Clock(seconds float64) string {
	whole := int64(math.Round(seconds))
	if fraction := seconds - math.Trunc(seconds); math.Abs(fraction) > 1e-6 && seconds < 10 {
		return Number(seconds)
	}
	two := func(n int64) string {
		text := strconv.FormatInt(n, 10)
		if n < 10 {
			return "0" + text
		}
		return text
	}
	if whole >= 3600 {
		return strconv.FormatInt(whole/3600, 10) + ":" + two(whole/60%60) + ":" + two(whole%60)
	}
	return strconv.FormatInt(whole/60, 10) + ":" + two(whole%60)
}

// Number formats a number for people, with three digits, or as a whole number from 100 on.
func Number(v float64) string {
	if math.Abs(v) >= 100 {
		return humanize.Comma(int64(math.Round(v)))
	}
	text := strconv.FormatFloat(v, 'g', 3, 64)
	if strings.ContainsAny(text, "e") {
		text = strconv.FormatFloat(v, 'f', 6, 64)
	}
	if strings.Contains(text, ".") {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	return text
}
