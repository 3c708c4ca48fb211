package meter

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// layout says which latencies share a bucket, and gives each bucket a number from 0: that
// of its count in HdrHistogram's array. It depends on how fine a histogram is, and not on
// how far it reaches, so that a bucket keeps its number when a histogram grows.
type layout struct {
	unit uint // two to the power of it is the least difference that is told apart
	half uint // two to the power of it is half the number of buckets of the first row
}

// layoutOf returns the layout of histograms with a lowest value that is told apart from 0,
// and so many significant digits.
func layoutOf(lowest, digits int64) (layout, error) {
	if lowest < 1 || lowest > 1<<30 || digits < 1 || digits > 5 {
		return layout{}, fmt.Errorf("a histogram from %d with %d digits is beyond what is known", lowest, digits)
	}
	single := 2 * uint64(math.Pow10(int(digits))) // up to here each unit has a bucket of its own
	return layout{unit: uint(bits.Len64(uint64(lowest))) - 1, half: uint(bits.Len64(single-1)) - 1}, nil
}

// fine is the layout of the histograms that newHistogram returns.
var fine = layout{unit: 0, half: 10}

// bucket returns the number of the bucket of a latency, which is not negative.
func (l layout) bucket(value int64) int {
	first := uint64(1)<<(l.half+1) - 1
	row := uint(bits.Len64(uint64(value)|first<<l.unit)) - l.unit - l.half - 1
	return int(row)<<l.half + int(value>>(row+l.unit))
}

// value returns the least latency that is in a bucket.
func (l layout) value(bucket int) int64 {
	row := uint(max(0, bucket>>l.half-1))
	return int64(bucket-int(row)<<l.half) << (row + l.unit)
}

// top returns the greatest latency that shares a bucket with this one.
func (l layout) top(value int64) int64 {
	bucket := l.bucket(value)
	if bucket == l.last() {
		return math.MaxInt64
	}
	return l.value(bucket+1) - 1
}

// last returns the number of the last bucket that there can be.
func (l layout) last() int { return l.bucket(math.MaxInt64) }

func layoutOfHistogram(h *hdrhistogram.Histogram) layout {
	l, _ := layoutOf(h.LowestTrackableValue(), h.SignificantFigures()) // our own, and those that are decoded, are known
	return l
}
