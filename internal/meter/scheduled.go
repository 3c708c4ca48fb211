package meter

import "time"

// Scheduled passes the transactions that were scheduled in a time span and began in it on to its
// sums. They may end later. Times are since users began.
//
// In an open loop these are the transactions of the measured time, because their schedule does not
// depend on earlier transactions. A transaction that was scheduled before the span and ended in it
// belongs to the time before. A transaction that is scheduled exactly at From also counts as before
// the span, as in load.Arrivals.Due.
type Scheduled struct {
	From, Until time.Duration
	Sums        []Sum

	Earlier int64 // transactions that ended in the time span but were scheduled before it
}

// record adds one transaction.
func (s *Scheduled) record(r *Record) {
	switch at := r.Ended - r.Response; {
	case at <= s.From:
		if r.Ended > s.From && r.Ended <= s.Until {
			s.Earlier++
		}
	case at+r.Late <= s.Until: // it began before Until, so it was scheduled before Until
		for _, sum := range s.Sums {
			sum.record(r)
		}
	}
}
