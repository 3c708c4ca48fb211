package meter

import (
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// Lateness adds up how late transactions began, however they ended: how long after the
// moment they were meant to.
type Lateness struct{ histogram *hdrhistogram.Histogram }

// NewLateness returns one of no transactions.
func NewLateness() *Lateness { return &Lateness{newHistogram()} }

// record adds one transaction.
func (l *Lateness) record(r *Record) { count(&l.histogram, int64(r.Late), 1) }

// Mean returns the mean; 0 of no transactions.
func (l *Lateness) Mean() time.Duration { return time.Duration(l.histogram.Mean()) }

// Percentile returns the lateness that a percentage of transactions did not exceed; 100
// is the greatest of all.
func (l *Lateness) Percentile(p float64) time.Duration {
	return time.Duration(l.histogram.ValueAtQuantile(p))
}
