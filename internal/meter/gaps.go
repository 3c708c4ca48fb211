package meter

import (
	"slices"
	"time"
)

// Gap is a time in which no transaction ended although at least one was under way.
// Its ends are times since users began.
type Gap struct{ From, To time.Duration }

// Length returns how long the gap lasted.
func (g Gap) Length() time.Duration { return g.To - g.From }

// Without returns the parts of the gap that are outside some times, in order; of each, those that
// are long enough to be a gap.
func (g Gap) Without(times []Gap) (parts []Gap) {
	add := func(part Gap) {
		if part.Length() >= slotLength {
			parts = append(parts, part)
		}
	}
	for _, t := range times {
		if t.To <= g.From || t.From >= g.To {
			continue
		}
		add(Gap{g.From, t.From})
		g.From = t.To
	}
	add(g)
	return parts
}

// Gaps finds gaps. Percentiles hide them in a closed loop: while the database stands
// still nothing is begun, so that however long it takes, each user has but one slow
// transaction to show for it.
type Gaps struct {
	Slots []Slot `json:"slots,omitempty"` // the first begins when users do
}

// slotLength divides time. Every gap at least so long lies across the border of two
// slots and is found, with both its ends exact. An hour takes 340 KiB.
const slotLength = 250 * time.Millisecond

// Slot says when transactions ended in a slot of time.
type Slot struct {
	Ended bool          `json:"ended,omitempty"` // whether any did; else the rest is 0
	First time.Duration `json:"first_ns,omitempty"`
	Last  time.Duration `json:"last_ns,omitempty"`
	Begun time.Duration `json:"begun_ns,omitempty"` // when the first of them was scheduled to start
}

// record adds one transaction. They may come in any order.
func (g *Gaps) record(r *Record) {
	i := max(0, int(r.Ended/slotLength))
	for len(g.Slots) <= i {
		g.Slots = append(g.Slots, Slot{})
	}
	s := &g.Slots[i]
	begun := r.Ended - r.Response
	if !s.Ended {
		*s = Slot{true, r.Ended, r.Ended, begun}
		return
	}
	s.First, s.Last, s.Begun = min(s.First, r.Ended), max(s.Last, r.Ended), min(s.Begun, begun)
}

// Between lists the gaps from one moment to another, in order of time. Besides the
// transactions that were added, which may have ended later, it is told when those
// were meant to start that never ended.
func (g *Gaps) Between(from, to time.Duration, unended []time.Duration) []Gap {
	// A transaction that ends after a gap was under way in it, if it began in time. So
	// what counts is the earliest start of all that ended later, which is known for
	// the last slot first.
	const never = time.Duration(1<<63 - 1)
	begun := never
	if len(unended) > 0 {
		begun = slices.Min(unended)
	}
	var gaps []Gap
	add := func(after, before time.Duration) {
		gap := Gap{max(after, begun, from), min(before, to)}
		if gap.Length() >= slotLength {
			gaps = append(gaps, gap)
		}
	}
	next := never
	for _, s := range slices.Backward(g.Slots) {
		if !s.Ended {
			continue
		}
		add(s.Last, next)
		begun, next = min(begun, s.Begun), s.First
	}
	add(0, next)
	slices.Reverse(gaps)
	return gaps
}
