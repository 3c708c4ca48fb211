package meter

import (
	"math"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// Latencies are in nanoseconds with three significant digits, so any percentile is within 0.1 % of
// the exact one even for transactions of microseconds. A histogram covers an hour and grows on
// demand: each doubling of its range takes 8 KiB more, and after 22 doublings it covers every
// time.Duration. At one hour it takes 264 KiB, so a run keeps a few histograms for all users
// together, and none per user: 5 kinds with 2 latencies take 2.6 MiB, which would be 2.6 GiB for
// 1,000 users. A Profile keeps coarser histograms of each user.
const (
	lowest, digits = 1, 3

	usualHighest = int64(time.Hour)
)

func newHistogram() *hdrhistogram.Histogram { return hdrhistogram.New(lowest, usualHighest, digits) }

// like returns an empty histogram with the precision of h.
func like(h *hdrhistogram.Histogram) *hdrhistogram.Histogram {
	return hdrhistogram.New(h.LowestTrackableValue(), usualHighest, int(h.SignificantFigures()))
}

// count adds n latencies of one value. It replaces h by a larger histogram if the value exceeds
// the range.
func count(h **hdrhistogram.Histogram, value, n int64) {
	value = max(value, lowest)
	if value > usualHighest/2 {
		reach(h, layoutOfHistogram(*h).top(value))
	}
	_ = (*h).RecordValues(value, n) // cannot fail: the value is in range
}

// merge adds all counts of other to h.
func merge(h **hdrhistogram.Histogram, other *hdrhistogram.Histogram) {
	reach(h, other.HighestTrackableValue())
	(*h).Merge(other)
}

// sumOf returns the sum of histograms, which are one or more. It adds their buckets, which takes a tenth
// of the time of merge for each.
func sumOf(list []*hdrhistogram.Histogram) *hdrhistogram.Histogram {
	sum := list[0].Export()
	for i, h := range list[1:] {
		other := h.Export()
		if other.LowestTrackableValue != sum.LowestTrackableValue || other.SignificantFigures != sum.SignificantFigures {
			all := hdrhistogram.Import(sum)
			for _, h := range list[i+1:] {
				merge(&all, h)
			}
			return all
		}
		if len(other.Counts) > len(sum.Counts) {
			sum, other = other, sum
		}
		for bucket, n := range other.Counts {
			sum.Counts[bucket] += n
		}
	}
	return hdrhistogram.Import(sum)
}

// reach replaces h by a histogram with the same content whose range includes a value. The range
// depends only on the bucket of the largest value, not on the order of values, so histograms of
// equal values are equal.
func reach(h **hdrhistogram.Histogram, value int64) {
	highest := (*h).HighestTrackableValue()
	if value <= highest {
		return
	}
	for highest < value {
		highest = wider(highest)
	}
	larger := hdrhistogram.New((*h).LowestTrackableValue(), highest, int((*h).SignificantFigures()))
	larger.Merge(*h)
	*h = larger
}

// wider returns the next larger range.
func wider(highest int64) int64 {
	if highest > math.MaxInt64/2 {
		return math.MaxInt64
	}
	return 2 * highest
}

// empty removes all counts. It replaces a histogram that has grown, so that its range does not
// depend on its previous content.
func empty(h **hdrhistogram.Histogram) {
	if (*h).HighestTrackableValue() == usualHighest {
		(*h).Reset()
		return
	}
	*h = hdrhistogram.New((*h).LowestTrackableValue(), usualHighest, int((*h).SignificantFigures()))
}
