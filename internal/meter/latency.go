package meter

import (
	"encoding/binary"
	"errors"
	"math"
)

// Latency sums up a histogram of times, in milliseconds. Each figure is within 0.1 % of the exact one.
// The percentiles are those that HdrHistogram's library returns.
type Latency struct {
	Min    float64 `json:"min_ms"`
	Mean   float64 `json:"mean_ms"`
	StdDev float64 `json:"stddev_ms"`
	P25    float64 `json:"p25_ms"`
	P50    float64 `json:"p50_ms"`
	P75    float64 `json:"p75_ms"`
	P90    float64 `json:"p90_ms"`
	P95    float64 `json:"p95_ms"`
	P99    float64 `json:"p99_ms"`
	P999   float64 `json:"p99_9_ms"`
	Max    float64 `json:"max_ms"`
}

// Histogram is the part of an hdrhistogram.Histogram, or of a Distribution, that a Latency is made of.
type Histogram interface {
	ValueAtQuantile(percentile float64) int64
	Min() int64
	Max() int64
	Mean() float64
	StdDev() float64
}

// NewLatency sums up a histogram of nanoseconds.
func NewLatency(h Histogram) Latency {
	ms := func(ns int64) float64 { return float64(ns) / 1e6 }
	mean := func(ns float64) float64 { return ms(int64(math.Round(ns))) }
	p := func(percentile float64) float64 { return ms(h.ValueAtQuantile(percentile)) }
	return Latency{
		Min: ms(h.Min()), Mean: mean(h.Mean()), StdDev: mean(h.StdDev()),
		P25: p(25), P50: p(50), P75: p(75), P90: p(90), P95: p(95), P99: p(99), P999: p(99.9),
		Max: ms(h.Max()),
	}
}

// fields are the figures in the order in which they stand in binary.
func (l *Latency) fields() []*float64 {
	return []*float64{&l.Min, &l.Mean, &l.StdDev, &l.P25, &l.P50, &l.P75, &l.P90, &l.P95, &l.P99, &l.P999, &l.Max}
}

// errLatency reports bytes that do not encode a latency.
var errLatency = errors.New("these bytes do not encode a latency")

// AppendBinary implements encoding.BinaryAppender: the figures as uvarints of nanoseconds, in the
// order of the fields.
func (l Latency) AppendBinary(b []byte) ([]byte, error) {
	for _, ms := range l.fields() {
		b = binary.AppendUvarint(b, uint64(math.Round(*ms*1e6)))
	}
	return b, nil
}

// MarshalBinary implements encoding.BinaryMarshaler.
func (l Latency) MarshalBinary() ([]byte, error) { return l.AppendBinary(nil) }

// UnmarshalBinary implements encoding.BinaryUnmarshaler.
func (l *Latency) UnmarshalBinary(b []byte) error {
	for _, ms := range l.fields() {
		ns, n := binary.Uvarint(b)
		if n <= 0 {
			return errLatency
		}
		*ms, b = float64(ns)/1e6, b[n:]
	}
	if len(b) > 0 {
		return errLatency
	}
	return nil
}
