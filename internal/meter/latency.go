package meter

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"math"
)

// Latency summarizes a histogram of times, in milliseconds. Each figure is within 0.1 % of the
// exact one. The percentiles are those of HdrHistogram's library. Short summaries and jobs of older
// versions of Sledge have only some figures; an unknown figure is missing in JSON.
type Latency struct {
	Min    Millis `json:"min_ms,omitzero"`
	Mean   Millis `json:"mean_ms,omitzero"`
	StdDev Millis `json:"stddev_ms,omitzero"`
	P25    Millis `json:"p25_ms,omitzero"`
	P50    Millis `json:"p50_ms,omitzero"`
	P75    Millis `json:"p75_ms,omitzero"`
	P90    Millis `json:"p90_ms,omitzero"`
	P95    Millis `json:"p95_ms,omitzero"`
	P99    Millis `json:"p99_ms,omitzero"`
	P999   Millis `json:"p99_9_ms,omitzero"`
	Max    Millis `json:"max_ms,omitzero"`
}

// Millis is a time in milliseconds, or Unknown.
type Millis float64

// Unknown is a time that was not recorded.
var Unknown = Millis(math.NaN())

// IsZero reports whether the time is unknown, so that "omitzero" leaves it out. A time of 0 is
// known.
func (m Millis) IsZero() bool { return math.IsNaN(float64(m)) }

// Histogram is the part of hdrhistogram.Histogram and of Distribution that NewLatency reads.
type Histogram interface {
	ValueAtQuantile(percentile float64) int64
	Min() int64
	Max() int64
	Mean() float64
	StdDev() float64
}

// NewLatency summarizes a histogram of nanoseconds.
func NewLatency(h Histogram) Latency {
	ms := func(ns int64) Millis { return Millis(float64(ns) / 1e6) }
	mean := func(ns float64) Millis { return ms(int64(math.Round(ns))) }
	p := func(percentile float64) Millis { return ms(h.ValueAtQuantile(percentile)) }
	return Latency{
		Min: ms(h.Min()), Mean: mean(h.Mean()), StdDev: mean(h.StdDev()),
		P25: p(25), P50: p(50), P75: p(75), P90: p(90), P95: p(95), P99: p(99), P999: p(99.9),
		Max: ms(h.Max()),
	}
}

// NewShortLatency summarizes a histogram of nanoseconds with the median, p95, p99 and the maximum,
// to the microsecond. It serves frequent messages.
func NewShortLatency(h Histogram) Latency {
	ms := func(ns int64) Millis { return Millis(math.Round(float64(ns)/1e3) / 1e3) }
	l := unknownLatency()
	l.P50, l.P95, l.P99, l.Max = ms(h.ValueAtQuantile(50)), ms(h.ValueAtQuantile(95)), ms(h.ValueAtQuantile(99)), ms(h.Max())
	return l
}

// unknownLatency returns a latency without any known figure.
func unknownLatency() (l Latency) {
	for _, ms := range l.fields() {
		*ms = Unknown
	}
	return l
}

// UnmarshalJSON implements json.Unmarshaler: figures that are missing are Unknown.
func (l *Latency) UnmarshalJSON(text []byte) error {
	type figures Latency // without this method
	read := figures(unknownLatency())
	if err := json.Unmarshal(text, &read); err != nil {
		return err
	}
	*l = Latency(read)
	return nil
}

// fields returns the figures in the order of the binary form.
func (l *Latency) fields() []*Millis {
	return []*Millis{&l.Min, &l.Mean, &l.StdDev, &l.P25, &l.P50, &l.P75, &l.P90, &l.P95, &l.P99, &l.P999, &l.Max}
}

// errUnknown is the error for encoding a latency with unknown figures.
var errUnknown = errors.New("a latency with unknown figures has no binary form")

// errLatency is the error for bytes that do not encode a latency.
var errLatency = errors.New("these bytes do not encode a latency")

// AppendBinary implements encoding.BinaryAppender. It writes the figures as uvarints of
// nanoseconds, in the order of the fields. All figures must be known.
func (l Latency) AppendBinary(b []byte) ([]byte, error) {
	for _, ms := range l.fields() {
		if ms.IsZero() {
			return nil, errUnknown
		}
		b = binary.AppendUvarint(b, uint64(math.Round(float64(*ms)*1e6)))
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
		*ms, b = Millis(float64(ns)/1e6), b[n:]
	}
	if len(b) > 0 {
		return errLatency
	}
	return nil
}
