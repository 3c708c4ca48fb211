package meter

import (
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// Delays collects the delays of transactions before their first try, for all outcomes.
type Delays struct {
	histogram *hdrhistogram.Histogram
	of        func(*Record) time.Duration
	kind      Kind
	ofKind    bool // only transactions of that kind count

	total time.Duration // sum of all delays
	n     int64
}

// NewStartLag returns empty Delays that measure start lag: from the scheduled start to the
// first try.
func NewStartLag() *Delays {
	return &Delays{histogram: newHistogram(), of: func(r *Record) time.Duration { return r.Late }}
}

// NewQueueing returns empty Delays that measure the waits of transactions for a connection.
func NewQueueing() *Delays {
	return &Delays{histogram: newHistogram(), of: func(r *Record) time.Duration { return r.Queued }}
}

// NewStartLagOf is NewStartLag for one kind of transaction.
func NewStartLagOf(kind Kind) *Delays {
	d := NewStartLag()
	d.kind, d.ofKind = kind, true
	return d
}

// record adds one transaction.
func (d *Delays) record(r *Record) {
	if d.ofKind && r.Kind != d.kind {
		return
	}
	delay := d.of(r)
	count(&d.histogram, int64(delay), 1)
	d.total, d.n = d.total+delay, d.n+1
}

// Total returns the sum of the delays and their number.
func (d *Delays) Total() (time.Duration, int64) { return d.total, d.n }

// Coded returns the delays as plain data.
func (d *Delays) Coded() CodedHistogram { return codeHistogram(d.histogram) }
