package meter

import (
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// Delays add up how long transactions were held up before their first try, however they
// ended.
type Delays struct {
	histogram *hdrhistogram.Histogram
	of        func(*Record) time.Duration
	kind      Kind
	ofKind    bool // only transactions of that kind count
}

// NewLateness returns the delays of no transactions, which are how long after the moment
// they were meant to they began.
func NewLateness() *Delays {
	return &Delays{histogram: newHistogram(), of: func(r *Record) time.Duration { return r.Late }}
}

// NewQueueing returns the delays of no transactions, which are how long they waited for a
// connection.
func NewQueueing() *Delays {
	return &Delays{histogram: newHistogram(), of: func(r *Record) time.Duration { return r.Queued }}
}

// NewLatenessOf returns the lateness of no transactions, of a kind.
func NewLatenessOf(kind Kind) *Delays {
	d := NewLateness()
	d.kind, d.ofKind = kind, true
	return d
}

// record adds one transaction.
func (d *Delays) record(r *Record) {
	if d.ofKind && r.Kind != d.kind {
		return
	}
	count(&d.histogram, int64(d.of(r)), 1)
}

// Coded returns the delays as plain data.
func (d *Delays) Coded() CodedHistogram { return codeHistogram(d.histogram) }
