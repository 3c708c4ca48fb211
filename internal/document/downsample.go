package document

import (
	"slices"

	"sledge/internal/job"
)

// Downsample returns at most most points, the extreme ones among them. If most is 0, it returns all
// points.
func Downsample(points []job.Rate, most int) []job.Rate {
	const extremes = 5 // points that are kept for each interval
	if most <= 0 || len(points) <= most {
		return points
	}
	stretches := most / extremes
	kept := make([]job.Rate, 0, most)
	for i := range stretches {
		stretch := points[i*len(points)/stretches : (i+1)*len(points)/stretches]
		least, greatest, counted, longest, failing := 0, 0, 0, 0, 0
		for n, p := range stretch {
			if orZero(p.Client) < orZero(stretch[least].Client) {
				least = n
			}
			if orZero(p.Client) > orZero(stretch[greatest].Client) {
				greatest = n
			}
			if orZero(p.ServerTPM) > orZero(stretch[counted].ServerTPM) {
				counted = n
			}
			if longestOf(p) > longestOf(stretch[longest]) {
				longest = n
			}
			if p.Failed > stretch[failing].Failed {
				failing = n
			}
		}
		chosen := []int{least, greatest, counted, longest, failing}
		slices.Sort(chosen)
		for _, n := range slices.Compact(chosen) {
			kept = append(kept, stretch[n])
		}
	}
	return kept
}

// orZero returns a number, or 0 if it is missing.
func orZero(v *float64) float64 {
	if v == nil {
		return 0
	}
	return *v
}

// longestOf returns the longest response time of a point, in milliseconds.
func longestOf(p job.Rate) float64 {
	if p.Response == nil {
		return 0
	}
	return float64(p.Response.Max)
}
