package sysbench

import (
	"fmt"
	"io"
	"math"
	"strings"
)

// Histogram is sysbench's histogram: buckets at equal distances of the logarithm. Its percentiles are values of buckets,
// which differ by 1.8 % with sysbench's own size and limits.
type Histogram struct {
	counts      []int64
	least, step float64 // logarithms
}

// NewHistogram returns a histogram with a number of buckets for values between two limits.
func NewHistogram(size int, least, most float64) *Histogram {
	return &Histogram{counts: make([]int64, size), least: math.Log(least), step: (math.Log(most) - math.Log(least)) / float64(size-1)}
}

// Add counts a value.
func (h *Histogram) Add(v float64) {
	i := 0
	if v > 0 {
		i = int(math.Floor((math.Log(v)-h.least)/h.step + 0.5))
	}
	h.counts[min(max(i, 0), len(h.counts)-1)]++
}

// value returns the value of a bucket.
func (h *Histogram) value(i int) float64 { return math.Exp(float64(i)*h.step + h.least) }

// Percentile returns a percentile of the values; 0 without values.
func (h *Histogram) Percentile(p float64) float64 {
	all := int64(0)
	for _, n := range h.counts {
		all += n
	}
	wanted, sum := int64(math.Floor(float64(all)*p/100+0.5)), int64(0)
	for i, n := range h.counts {
		if sum += n; sum >= wanted && n > 0 {
			return h.value(i)
		}
	}
	return 0
}

// Print prints the buckets that are not empty.
func (h *Histogram) Print(to io.Writer) {
	const width = 40
	most := int64(0)
	for _, n := range h.counts {
		most = max(most, n)
	}
	if most == 0 {
		return
	}
	fmt.Fprintln(to, "       value  ------------- distribution ------------- count")
	for i, n := range h.counts {
		if n > 0 {
			stars := int(math.Floor(float64(n)/float64(most)*width + 0.5))
			fmt.Fprintf(to, "%12.3f |%-*s %d\n", h.value(i), width, strings.Repeat("*", stars), n)
		}
	}
}
