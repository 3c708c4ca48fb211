package meter

import (
	"sort"
	"time"
)

// Parts sums up transactions by the part of the run in which they ended, for example by load step.
//
// Histograms of all parts at once would take megabytes each. Transactions arrive nearly in
// order of time, so only two parts are open, and the others are stored as plain data.
type Parts struct {
	kinds int
	ends  []time.Duration
	coded []CodedSummary
	open  [2]struct {
		*Interval
		part int
	}
}

// NewParts returns empty parts. ends are the ends of all parts except the last, which has no end,
// in order. They are times since users began.
func NewParts(kinds int, ends []time.Duration) *Parts {
	p := &Parts{kinds: kinds, ends: ends, coded: make([]CodedSummary, len(ends)+1)}
	for i := range p.open {
		p.open[i].Interval, p.open[i].part = NewInterval(kinds), i
	}
	return p
}

// record adds one transaction.
func (p *Parts) record(r *Record) {
	part := sort.Search(len(p.ends), func(i int) bool { return r.Ended < p.ends[i] })
	at := &p.open[part%2]
	if at.part != part {
		p.close(part % 2)
		at.part = part
	}
	at.record(r)
}

// close encodes an open part and adds it to the stored one.
func (p *Parts) close(i int) {
	part := p.open[i].part
	if part >= len(p.coded) {
		return
	}
	if kept := p.coded[part]; kept.Kinds != nil {
		_ = p.open[i].Add(kept) // cannot fail: close has encoded it
	}
	p.coded[part] = p.open[i].Cut(0)
}

// Summaries returns a summary of each part that began before over, the end of the measured time.
// The first part began at began. Both are times since users began.
func (p *Parts) Summaries(began, over time.Duration) []CodedSummary {
	for i := range p.open {
		p.close(i)
	}
	var list []CodedSummary
	for i, c := range p.coded {
		if i > 0 && p.ends[i-1] >= over {
			break
		}
		ends := over
		if i < len(p.ends) {
			ends = min(ends, p.ends[i])
		}
		if c.Kinds == nil { // no transaction ended in this part
			c = NewInterval(p.kinds).Cut(0)
		}
		c.Elapsed = max(0, ends-began) // a part that ended before began has no length
		list, began = append(list, c), max(began, ends)
	}
	return list
}
