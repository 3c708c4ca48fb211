package meter

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// layout maps latencies to bucket numbers, which are indexes in HdrHistogram's array of counts. It
// depends on a histogram's precision, not on its range, so a bucket keeps its number when a
// histogram grows.
type layout struct {
	unit uint // log2 of the smallest distinguishable difference
	half uint // log2 of half the number of buckets in the first row
}

// layoutOf returns the layout for a lowest distinguishable value and a number of significant
// digits.
func layoutOf(lowest, digits int64) (layout, error) {
	if lowest < 1 || lowest > 1<<30 || digits < 1 || digits > 5 {
		return layout{}, fmt.Errorf("a histogram from %d with %d digits is not supported", lowest, digits)
	}
	single := 2 * uint64(math.Pow10(int(digits))) // below this value each unit has its own bucket
	return layout{unit: uint(bits.Len64(uint64(lowest))) - 1, half: uint(bits.Len64(single-1)) - 1}, nil
}

// fine is the layout of newHistogram's histograms.
var fine = layout{unit: 0, half: 10}

// bucket returns the bucket number of a latency, which must not be negative.
func (l layout) bucket(value int64) int {
	first := uint64(1)<<(l.half+1) - 1
	row := uint(bits.Len64(uint64(value)|first<<l.unit)) - l.unit - l.half - 1
	return int(row)<<l.half + int(value>>(row+l.unit))
}

// value returns the least latency of a bucket.
func (l layout) value(bucket int) int64 {
	row := uint(max(0, bucket>>l.half-1))
	return int64(bucket-int(row)<<l.half) << (row + l.unit)
}

// top returns the greatest latency in the bucket of value.
func (l layout) top(value int64) int64 {
	bucket := l.bucket(value)
	if bucket == l.last() {
		return math.MaxInt64
	}
	return l.value(bucket+1) - 1
}

// last returns the greatest possible bucket number.
func (l layout) last() int { return l.bucket(math.MaxInt64) }

func layoutOfHistogram(h *hdrhistogram.Histogram) layout {
	l, _ := layoutOf(h.LowestTrackableValue(), h.SignificantFigures()) // cannot fail: ours and decoded layouts are supported
	return l
}
