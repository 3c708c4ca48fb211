package meter

import (
	"slices"
	"time"
)

// Flow counts completed transactions over time, precisely enough to show how the rate fell and
// recovered when connections were lost. Transactions that were done or rolled back are completed;
// failed ones are not.
type Flow struct {
	Quarters []Quarter `json:"quarters,omitempty"` // the first begins when users do
}

// Quarter counts the transactions of a quarter of a second.
type Quarter struct {
	N     int64         `json:"n"`
	First time.Duration `json:"first_ns,omitempty"`
	Last  time.Duration `json:"last_ns,omitempty"`
}

const (
	quarterLength = time.Second / 4
	quartersEach  = 4 // in a second
)

// record adds one transaction. Order does not matter.
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

// Outage describes the rate around lost connections. Its times are since users began.
type Outage struct {
	From   time.Duration // when the first connection was lost
	Losses int           // connections lost until the rate was back at 90 %

	// Silence is the longest interval during the outage in which no transaction completed. It may
	// begin before the first loss is noticed. Intervals below a quarter of a second count as 0.
	Silence Stall

	// Before is the rate per second before the outage: averaged over whole quarters of a second, up
	// to 30 seconds, between From and the end of the previous outage or, without one, the start of
	// the measurement. If they add up to less than 3 seconds, it is the rate before the previous
	// outage, or 0 without one.
	Before float64

	// Back is the time from From until the rate reached each share of Recovered again; negative if
	// it never did, or if the rate before is unknown. It is the first quarter of a second with a
	// completed transaction from which both the next second and the next three seconds reach that
	// share.
	Back [len(Recovered)]time.Duration
}

// Recovered lists the shares of the rate before an outage, in percent, for which the outage reports
// the recovery time. The outage ends at the second share.
var Recovered = [...]int{50, 90, 99}

const overAt = 1 // index in Recovered of the share that ends an outage

// Window lengths for judging an outage, in quarters of a second.
const (
	mostBefore   = 30 * quartersEach
	leastBefore  = 3 * quartersEach
	recoversNow  = 1 * quartersEach
	recoversLast = 3 * quartersEach
)

// Outages returns the outages between two instants, given the instants at which connections
// were lost. Losses before the rate is back at 90 % belong to the same outage.
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

// sum returns the number of transactions that completed in a range of quarters.
func (f *Flow) sum(first, n int) (sum int64) {
	for i := max(0, first); i < min(first+n, len(f.Quarters)); i++ {
		sum += f.Quarters[i].N
	}
	return sum
}

// rateBefore returns the rate per second before an instant.
func (f *Flow) rateBefore(from, to time.Duration) (rate float64, known bool) {
	last := int(to / quarterLength) // not complete, so not counted
	first := max(int((from+quarterLength-1)/quarterLength), last-mostBefore)
	n := last - first
	if n < leastBefore {
		return 0, false
	}
	return float64(f.sum(first, n)) * quartersEach / float64(n), true
}

// back returns the time from a loss until the rate reached a value again, or -1 if it did not.
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

// silence returns the longest interval without a completed transaction among those that overlap
// the time between two instants.
func (f *Flow) silence(from, to time.Duration) (longest Stall) {
	look := func(after, before time.Duration) {
		if g := (Stall{after, before}); before > from && after < to && g.Length() >= max(quarterLength, longest.Length()+1) {
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
