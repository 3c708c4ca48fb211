package meter

import (
	"slices"
	"time"
)

// Stall is a time span in which no transaction ended although at least one was in flight. Its ends
// are times since users began.
type Stall struct{ From, To time.Duration }

// Length returns the duration of the stall.
func (g Stall) Length() time.Duration { return g.To - g.From }

// Without returns the parts of the stall outside the given spans, in order. It leaves out parts
// that are too short to be a stall.
func (g Stall) Without(times []Stall) (parts []Stall) {
	add := func(part Stall) {
		if part.Length() >= slotLength {
			parts = append(parts, part)
		}
	}
	for _, t := range times {
		if t.To <= g.From || t.From >= g.To {
			continue
		}
		add(Stall{g.From, t.From})
		g.From = t.To
	}
	add(g)
	return parts
}

// Stalls finds stalls. Percentiles hide stalls in a closed loop: users begin no transaction during
// a stall, so each user has only one slow transaction, even if the stall is long.
type Stalls struct {
	Slots []Slot `json:"slots,omitempty"` // the first begins when users do
}

// slotLength is the resolution. Every stall of at least this length crosses the border of two slots
// and is found, with exact ends. The slots of an hour take 340 KiB.
const slotLength = 250 * time.Millisecond

// Slot summarizes the transactions that ended in a slot of time.
type Slot struct {
	Ended bool          `json:"ended,omitempty"` // false if there are none; the other fields are then 0
	First time.Duration `json:"first_ns,omitempty"`
	Last  time.Duration `json:"last_ns,omitempty"`
	Begun time.Duration `json:"begun_ns,omitempty"` // the earliest scheduled start
}

// record adds one transaction. Order does not matter.
func (g *Stalls) record(r *Record) {
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

// Between lists the stalls between two instants, in order. unended are the scheduled starts of
// transactions that never ended; recorded transactions may end after the second instant.
func (g *Stalls) Between(from, to time.Duration, unended []time.Duration) []Stall {
	// A transaction that ends after a stall was in flight during the stall if it began before the
	// stall ended. So the loop needs the earliest start of all later endings, and goes backwards.
	const never = time.Duration(1<<63 - 1)
	begun := never
	if len(unended) > 0 {
		begun = slices.Min(unended)
	}
	var stalls []Stall
	add := func(after, before time.Duration) {
		stall := Stall{max(after, begun, from), min(before, to)}
		if stall.Length() >= slotLength {
			stalls = append(stalls, stall)
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
	slices.Reverse(stalls)
	return stalls
}
