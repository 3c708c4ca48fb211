package metrics

import (
	"math"
	"slices"

	"sledge/internal/meter"
)

// schema is the resolution of histograms: each doubling has 2^schema buckets, so a bucket is 2.2 %
// wide. Prometheus calls it the schema of a native histogram, and OpenTelemetry the scale of an
// exponential one.
const schema = 5

// bounds are the upper bounds, in seconds, of the buckets of a classic histogram.
var bounds = [...]float64{
	0.0001, 0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 60,
}

// histogram counts times in the buckets of monitoring systems. Each time counts in the bucket that
// contains the middle of its HdrHistogram's bucket, which is 0.1 % wide.
type histogram struct {
	count   int64
	sum     float64            // in seconds, of the middles
	classic [len(bounds)]int64 // not cumulative; times above the last bound are only in count
	native  map[int]int64      // by the exponent of the upper bound 2^(exponent/2^schema), in seconds
}

// add adds a second's times.
func (h *histogram) add(c meter.CodedHistogram) error {
	d, err := c.Distribution()
	if err != nil {
		return err
	}
	if h.native == nil {
		h.native = map[int]int64{}
	}
	d.Each(func(ns float64, n int64) {
		seconds := max(ns, 1) / 1e9
		h.count += n
		h.sum += seconds * float64(n)
		h.native[int(math.Ceil(math.Log2(seconds)*(1<<schema)))] += n
		if i, _ := slices.BinarySearch(bounds[:], seconds); i < len(bounds) {
			h.classic[i] += n
		}
	})
	return nil
}
