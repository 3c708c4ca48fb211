package meter

import (
	"math"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// Latencies are kept in nanoseconds, to three significant digits, so that any
// percentile is within 0.1 % of the exact one even where transactions take
// microseconds. A histogram reaches to an hour, and further where a latency asks for
// it: each doubling of what it reaches to takes 8 KiB more, and after 22 of them it
// holds whatever a time.Duration does. One that reaches to an hour is 264 KiB, which
// is why there are some for the whole of a run, and none for each user: 5 kinds with 2
// latencies are 2.6 MiB, on 1,000 users they would be 2.6 GiB. What is kept of each
// user is a Profile.
const (
	lowest, digits = 1, 3

	usualHighest = int64(time.Hour)
)

func newHistogram() *hdrhistogram.Histogram { return hdrhistogram.New(lowest, usualHighest, digits) }

// like returns an empty histogram as fine as another.
func like(h *hdrhistogram.Histogram) *hdrhistogram.Histogram {
	return hdrhistogram.New(h.LowestTrackableValue(), usualHighest, int(h.SignificantFigures()))
}

// count adds n latencies of one value to a histogram, which is replaced by a larger one
// where it does not reach so far.
func count(h **hdrhistogram.Histogram, value, n int64) {
	value = max(value, lowest)
	if value > usualHighest/2 {
		reach(h, layoutOfHistogram(*h).top(value))
	}
	_ = (*h).RecordValues(value, n) // cannot fail: the value is within what the histogram reaches to
}

// merge adds all of other to a histogram.
func merge(h **hdrhistogram.Histogram, other *hdrhistogram.Histogram) {
	reach(h, other.HighestTrackableValue())
	(*h).Merge(other)
}

// reach has a histogram reach to a value at least, and keep what it holds. How far it
// reaches depends on the bucket of the largest value alone and not on what came before
// it, so that histograms of the same values are the same.
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

// wider returns the next that a histogram reaches to.
func wider(highest int64) int64 {
	if highest > math.MaxInt64/2 {
		return math.MaxInt64
	}
	return 2 * highest
}

// empty takes all out of a histogram. One that had to reach far begins anew, so that
// what comes next does not show what came before.
func empty(h **hdrhistogram.Histogram) {
	if (*h).HighestTrackableValue() == usualHighest {
		(*h).Reset()
		return
	}
	*h = hdrhistogram.New((*h).LowestTrackableValue(), usualHighest, int((*h).SignificantFigures()))
}
