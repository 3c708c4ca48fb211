package meter

import (
	"encoding/binary"
	"errors"
	"math"
)

// Brief is what a chart shows of what was measured over some time, of all kinds of transaction
// together. It takes some dozen bytes where a CodedSummary takes some thousand.
type Brief struct {
	Ended    int64    // transactions that were done or rolled back
	Failed   int64    // those that failed
	Response *Figures // of those done; nil where none was
}

// Figures are what is told of a histogram, in nanoseconds. The percentiles are those that
// HdrHistogram's library returns.
type Figures struct {
	Min, Mean, StdDev                  int64
	P25, P50, P75, P90, P95, P99, P999 int64
	Max                                int64
}

// Histogram is what is read of an hdrhistogram.Histogram, or of a Distribution.
type Histogram interface {
	ValueAtQuantile(percentile float64) int64
	Min() int64
	Max() int64
	Mean() float64
	StdDev() float64
}

// FiguresOf returns the figures of a histogram.
func FiguresOf(h Histogram) Figures {
	return Figures{
		Min: h.Min(), Mean: int64(math.Round(h.Mean())), StdDev: int64(math.Round(h.StdDev())),
		P25: h.ValueAtQuantile(25), P50: h.ValueAtQuantile(50), P75: h.ValueAtQuantile(75), P90: h.ValueAtQuantile(90),
		P95: h.ValueAtQuantile(95), P99: h.ValueAtQuantile(99), P999: h.ValueAtQuantile(99.9),
		Max: h.Max(),
	}
}

// Brief returns c in brief. It reads the response times and no others.
func (c CodedSummary) Brief() (Brief, error) {
	var b Brief
	var done []CodedHistogram
	for i := range c.Kinds {
		t := &c.Kinds[i]
		b.Ended += t.Done + t.RolledBack
		b.Failed += t.failures()
		if t.Done > 0 {
			done = append(done, t.Response)
		}
	}
	if len(done) == 0 {
		return b, nil
	}
	all, err := Together(done...)
	if err != nil {
		return b, err
	}
	f := FiguresOf(all)
	b.Response = &f
	return b, nil
}

// all are the figures in the order in which they stand in binary.
func (f *Figures) all() []*int64 {
	return []*int64{&f.Min, &f.Mean, &f.StdDev, &f.P25, &f.P50, &f.P75, &f.P90, &f.P95, &f.P99, &f.P999, &f.Max}
}

// errFigures says that bytes are no figures.
var errFigures = errors.New("these bytes are no figures of a histogram")

// AppendBinary implements encoding.BinaryAppender: the figures as uvarints, in the order of
// the fields.
func (f Figures) AppendBinary(b []byte) ([]byte, error) {
	for _, v := range f.all() {
		b = binary.AppendUvarint(b, uint64(*v))
	}
	return b, nil
}

// MarshalBinary implements encoding.BinaryMarshaler.
func (f Figures) MarshalBinary() ([]byte, error) { return f.AppendBinary(nil) }

// UnmarshalBinary implements encoding.BinaryUnmarshaler.
func (f *Figures) UnmarshalBinary(b []byte) error {
	for _, v := range f.all() {
		value, n := binary.Uvarint(b)
		if n <= 0 {
			return errFigures
		}
		*v, b = int64(value), b[n:]
	}
	if len(b) > 0 {
		return errFigures
	}
	return nil
}
