package meter

import (
	"slices"
	"time"
)

// Flow notes how many transactions ended as they should over time, finely enough to tell
// how the rate fell and came back where connections were lost.
type Flow struct {
	Quarters []Quarter `json:"quarters,omitempty"` // the first begins when users do
}

// Quarter says how many transactions ended in a quarter of a second, and when.
type Quarter struct {
	N     int64         `json:"n"`
	First time.Duration `json:"first_ns,omitempty"`
	Last  time.Duration `json:"last_ns,omitempty"`
}

const (
	quarterLength = time.Second / 4
	quartersEach  = 4 // in a second
)

// record adds one transaction. They may come in any order.
func (f *Flow) record(r *Record) {
	if r.Outcome == Failed {
		return
	}
	i := max(0, int(r.Ended/quarterLength))
	for len(f.Quarters) <= i {
		f.Quarters = append(f.Quarters, Quarter{})
	}
	q := &f.Quarters[i]
	if q.N == 0 {
		q.First, q.Last = r.Ended, r.Ended
	}
	q.N, q.First, q.Last = q.N+1, min(q.First, r.Ended), max(q.Last, r.Ended)
}

// Outage is what became of the rate when connections were lost. Its times are since users
// began.
type Outage struct {
	From   time.Duration // when the first connection was lost
	Losses int           // connections lost until the rate was back at 90 %

	// Silence is the longest time meanwhile in which no transaction ended as it should. It
	// may begin before the first loss is noticed; it has no length if it was shorter than a
	// quarter of a second.
	Silence Gap

	// Before is the rate a second before: of as many whole quarters of a second as there
	// are, up to 30 seconds, between From and the beginning of the time that is looked at
	// or the end of the outage before. If they are not 3 seconds together, it is the rate
	// before that outage; 0 if there was none.
	Before float64

	// Back says when the rate was back at each of Recovered, in time since From; less than 0 if
	// it was not, or if it is not known what it was before. That is at the first quarter of a
	// second from which on something ended, and that share of the rate before was
	// reached both by the next second and by the next three together.
	Back [len(Recovered)]time.Duration
}

// Recovered are the shares of the rate before, in percent, for which an outage says when
// they were reached again. At the second of them it is over.
var Recovered = [...]int{50, 90, 99}

const overAt = 1 // of Recovered

// The lengths of time by which an outage is judged, in quarters of a second.
const (
	mostBefore   = 30 * quartersEach
	leastBefore  = 3 * quartersEach
	recoversNow  = 1 * quartersEach
	recoversLast = 3 * quartersEach
)

// Outages tells what became of the rate between two moments when connections were lost,
// given when they were lost. Losses before the rate is back at 90 % belong to the same
// outage.
func (f *Flow) Outages(losses []time.Duration, from, until time.Duration) []Outage {
	losses = slices.Sorted(slices.Values(losses))
	var list []Outage
	clear, before := from, 0.0
	for i := 0; i < len(losses); {
		if losses[i] < from || losses[i] > until {
			i++
			continue
		}
		o := Outage{From: losses[i]}
		if rate, known := f.rateBefore(clear, o.From); known {
			before = rate
		}
		o.Before = before
		for b, percent := range Recovered {
			o.Back[b] = f.back(o.From, until, float64(percent)/100*before)
		}
		over := until
		if o.Back[overAt] >= 0 {
			over = o.From + o.Back[overAt]
		}
		for ; i < len(losses) && losses[i] <= over; i++ {
			o.Losses++
		}
		o.Silence = f.silence(o.From, over)
		clear = over
		list = append(list, o)
	}
	return list
}

// sum returns how many transactions ended in some quarters of a second.
func (f *Flow) sum(first, n int) (sum int64) {
	for i := max(0, first); i < min(first+n, len(f.Quarters)); i++ {
		sum += f.Quarters[i].N
	}
	return sum
}

// rateBefore returns the rate a second up to a moment.
func (f *Flow) rateBefore(from, to time.Duration) (rate float64, known bool) {
	last := int(to / quarterLength) // begun, and not counted
	first := max(int((from+quarterLength-1)/quarterLength), last-mostBefore)
	n := last - first
	if n < leastBefore {
		return 0, false
	}
	return float64(f.sum(first, n)) * quartersEach / float64(n), true
}

// back returns how long after a loss a rate was reached again, or less than 0.
func (f *Flow) back(lost, until time.Duration, rate float64) time.Duration {
	if rate <= 0 {
		return -1
	}
	first := int((lost + quarterLength - 1) / quarterLength)
	for i := first; i+recoversLast <= int(until/quarterLength); i++ {
		if f.sum(i, 1) > 0 && float64(f.sum(i, recoversNow)) >= rate && float64(f.sum(i, recoversLast)) >= rate*recoversLast/quartersEach {
			return time.Duration(i)*quarterLength - lost
		}
	}
	return -1
}

// silence returns the longest time without a transaction that ended as it should, of all
// that reach into the time from a moment to another.
func (f *Flow) silence(from, to time.Duration) (longest Gap) {
	look := func(after, before time.Duration) {
		if g := (Gap{after, before}); before > from && after < to && g.Length() >= max(quarterLength, longest.Length()+1) {
			longest = g
		}
	}
	last := time.Duration(0)
	for _, q := range f.Quarters {
		if q.N > 0 {
			look(last, min(q.First, to))
			last = q.Last
		}
	}
	look(last, to)
	return longest
}
