package meter

import (
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// Corrected returns the latencies of h as they would be had every user begun a
// transaction each interval, whether or not the one before had ended: for each latency
// v it adds v - interval, v - 2 interval and so on, as HdrHistogram's
// recordValueWithExpectedInterval does. That is what a closed loop omits: who waits
// for the database begins nothing in the meantime (Gil Tene, "How NOT to Measure
// Latency", 2013).
//
// Unended are the latencies so far of transactions that never ended. They count as if
// they had ended just then. An interval of 0 corrects nothing.
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

// omitted adds what count latencies of a value left out. Where the histogram does not
// tell neighbouring values apart, it adds several of them at once.
func omitted(c *hdrhistogram.Histogram, value, interval, count int64) {
	if interval <= 0 {
		return
	}
	const apart = 2000 // of its values, to three digits
	for v := value - interval; v >= interval; {
		n := max(1, min(v/apart, v-interval)/interval)
		_ = c.RecordValues(v, n*count) // cannot fail: the value is below one that h holds
		v -= n * interval
	}
}
