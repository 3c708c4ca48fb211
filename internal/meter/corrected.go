package meter

import (
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// Corrected returns h corrected for coordinated omission. The result has the latencies that users
// would have had if each had begun a transaction every interval. For each latency v it adds v -
// interval, v - 2 interval and so on, as HdrHistogram's recordValueWithExpectedInterval does. A
// closed loop omits these, because a user that waits for the database begins nothing in the
// meantime (Gil Tene, "How NOT to Measure Latency", 2013).
//
// unended are the latencies so far of transactions that never ended. They count as if they had
// ended now. An interval of 0 corrects nothing.
func Corrected(h *hdrhistogram.Histogram, interval time.Duration, unended []time.Duration) *hdrhistogram.Histogram {
	c := newHistogram()
	merge(&c, h)
	for _, bar := range h.Distribution() {
		if bar.Count > 0 {
			omitted(c, bar.To, int64(interval), bar.Count)
		}
	}
	for _, u := range unended {
		count(&c, int64(u), 1)
		omitted(c, int64(u), int64(interval), 1)
	}
	return c
}

// omitted adds the omitted samples for count latencies of one value. It adds samples that share a
// bucket in one step.
func omitted(c *hdrhistogram.Histogram, value, interval, count int64) {
	if interval <= 0 {
		return
	}
	const apart = 2000 // at three digits, the bucket of v is about v/2000 wide, or wider
	for v := value - interval; v >= interval; {
		n := max(1, min(v/apart, v-interval)/interval)
		_ = c.RecordValues(v, n*count) // cannot fail: the value is below one in h
		v -= n * interval
	}
}
