package meter

import "time"

// Scheduled passes on to its sums the transactions that were scheduled in a time span and began in
// it, whenever they ended. Times are since users began.
//
// In an open loop these are the transactions of the measured time, because they are scheduled
// whether or not earlier ones have ended. A transaction that was scheduled before the span and
// ended in it belongs to the time before. A transaction that is scheduled exactly at From also
// counts as before it, as in load.Arrivals.Due.
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
	case at+r.Late <= s.Until: // it began, and so was scheduled, before
		for _, sum := range s.Sums {
			sum.record(r)
		}
	}
}
