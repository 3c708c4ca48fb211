// Package meter measures transactions.
//
// Virtual users record into stripes; a collector takes what the stripes hold,
// once a second, and hands on a Summary. Summaries add up without loss, over
// seconds and over machines, because they carry histograms, not percentiles.
//
// Every transaction is recorded once, by how it ended: all = done + rolled back
// + failed. Only those done enter the histograms.
package meter

import (
	"sync"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// Kind is a kind of transaction: an index into Workload.Kinds.
type Kind int32

// Outcome says how a transaction ended.
type Outcome uint8

// The outcomes. RolledBack is the rollback that the workload asks for (TPC-C
// 2.4.1.4), not one that went wrong.
const (
	Done Outcome = iota
	RolledBack
	Failed
)

// Class says why a transaction failed or had to be retried. Every database sorts
// its own errors into these, but for OverLimit, which none is: the engine knows what it cancelled.
type Class uint8

// The classes of failure.
const (
	Other         Class = iota
	Deadlock            // chosen as the victim of a deadlock
	Serialization       // could not be serialized with others
	LockTimeout         // waited too long for a lock
	Busy                // the database is locked, as SQLite says
	Constraint          // a constraint or the type of a column was violated
	Permission          // not allowed, or a wrong password
	Resource            // out of disk, memory or connections
	Connection          // the connection is gone or could not be made
	OverLimit           // took longer than it may, and was cancelled
	classes
)

var classNames = [classes]string{
	"other", "deadlock", "serialization", "lock timeout", "busy", "constraint", "permission", "resource", "connection", "over the limit",
}

// String returns the class in words.
func (c Class) String() string { return classNames[c] }

// Classes lists every class in order.
func Classes() []Class {
	all := make([]Class, classes)
	for i := range all {
		all[i] = Class(i)
	}
	return all
}

// Retryable reports whether the same transaction may succeed when it is run
// again with the same inputs.
func (c Class) Retryable() bool {
	return c == Deadlock || c == Serialization || c == LockTimeout || c == Busy
}

// Record is one transaction as a virtual user saw it end.
type Record struct {
	Kind Kind
	User int32 // the virtual user's number, from 0

	// Connection is the place of the connection in the pool, where users have one.
	Connection int32
	Retries    int32 // tries beyond the first

	// What went over the network for it, all tries included: see Traffic.
	Sent, Received, RoundTrips uint32

	Outcome Outcome
	Class   Class // why it failed, when it did

	// Service is how long the last try took. Response is the time from the
	// moment the transaction was meant to start until it ended: it includes
	// earlier tries, and any delay on the client's side of starting it.
	Service, Response time.Duration

	// Late is how long after that moment the first try began. Queued is for how much of that
	// it waited for a connection, where users share them.
	Late, Queued time.Duration

	Ended time.Duration // when, since users began
}

// Traffic is what went over the network for transactions, however they ended, with all
// their tries: bytes as they are on the wire, and how often something was sent that an
// answer was waited for. It is 0 where the database works inside this process.
type Traffic struct {
	Sent       int64 `json:"bytes_sent"`
	Received   int64 `json:"bytes_received"`
	RoundTrips int64 `json:"round_trips"`
}

func (t *Traffic) add(other Traffic) {
	t.Sent += other.Sent
	t.Received += other.Received
	t.RoundTrips += other.RoundTrips
}

func (t *Traffic) record(r *Record) {
	t.Sent += int64(r.Sent)
	t.Received += int64(r.Received)
	t.RoundTrips += int64(r.RoundTrips)
}

// Tally is what is known of one kind of transaction over some time.
type Tally struct {
	Done       int64
	RolledBack int64
	Retried    int64 // tries beyond the first, of transactions however they ended
	Failed     [classes]int64
	Traffic    Traffic

	Service, Response *hdrhistogram.Histogram // of those done
}

// Failures returns how many failed, of all classes.
func (t *Tally) Failures() int64 {
	var n int64
	for _, f := range t.Failed {
		n += f
	}
	return n
}

// Ended returns how many ended, in whatever way.
func (t *Tally) Ended() int64 { return t.Done + t.RolledBack + t.Failures() }

func (t *Tally) add(other *Tally) {
	t.Done += other.Done
	t.RolledBack += other.RolledBack
	t.Retried += other.Retried
	for c, n := range other.Failed {
		t.Failed[c] += n
	}
	t.Traffic.add(other.Traffic)
	if other.Done > 0 {
		merge(&t.Service, other.Service)
		merge(&t.Response, other.Response)
	}
}

func (t *Tally) reset() {
	if t.Done > 0 {
		empty(&t.Service)
		empty(&t.Response)
	}
	*t = Tally{Service: t.Service, Response: t.Response}
}

func newTallies(n int) []Tally {
	t := make([]Tally, n)
	for i := range t {
		t[i].Service, t[i].Response = newHistogram(), newHistogram()
	}
	return t
}

// Stripe takes the records of a few virtual users, as they are. Putting them
// into histograms is the collector's work: it costs by the transaction, whereas
// merging histograms costs by their size, several milliseconds a second that would
// be missing from the machine under test.
type Stripe struct {
	mu   sync.Mutex
	page *page    // being filled
	full []*page  // filled since they were last taken
	free []*page  // to be filled
	_    [64]byte // keeps neighbouring stripes off one cache line
}

// page is a piece of a stripe, of 72 KiB. A stripe has two, and as many more as
// were ever filled between two takings: it grows to the load, and no further.
type page struct {
	n       int
	records [1024]Record
}

// NewStripe returns an empty stripe.
func NewStripe() *Stripe { return &Stripe{page: new(page), free: []*page{new(page)}} }

// Record notes one transaction. It allocates nothing, but for a page now and then
// while the rate still grows.
func (s *Stripe) Record(r Record) {
	s.mu.Lock()
	if s.page.n == len(s.page.records) {
		s.turn()
	}
	s.page.records[s.page.n] = r
	s.page.n++
	s.mu.Unlock()
}

// turn puts a free page in the place of one that is full.
func (s *Stripe) turn() {
	s.full = append(s.full, s.page)
	if n := len(s.free); n > 0 {
		s.page, s.free = s.free[n-1], s.free[:n-1]
		return
	}
	s.page = new(page)
}

// Sum adds up records: a Summary, a Profile, Gaps, or Delays.
type Sum interface{ record(r *Record) }

// Take adds what the stripe holds to each of the sums, and empties the stripe.
// Only one goroutine may take from a stripe.
func (s *Stripe) Take(sums ...Sum) { Take([]*Stripe{s}, nil, sums...) }

// Take adds what the stripes hold at this moment to each of the sums, and empties them.
// It calls rest, unless that is nil, after each tenth of a millisecond or so that it
// works and is not done: virtual users may wait for the core meanwhile.
func Take(stripes []*Stripe, rest func(), sums ...Sum) {
	taken := make([][]*page, len(stripes))
	left := 0
	for i, s := range stripes {
		taken[i] = s.empty()
		left += len(taken[i])
	}
	for i, s := range stripes {
		for _, p := range taken[i] {
			for r := range p.records[:p.n] {
				for _, sum := range sums {
					sum.record(&p.records[r])
				}
			}
			p.n = 0
			if left--; left > 0 && rest != nil {
				rest()
			}
		}
		s.refill(taken[i])
	}
}

// empty returns the pages that hold something.
func (s *Stripe) empty() []*page {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.turn()
	taken := s.full
	s.full = nil
	return taken
}

// refill gives pages back to be filled.
func (s *Stripe) refill(pages []*page) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.free = append(s.free, pages...)
}

// Summary is what is known of every kind over some time.
type Summary struct {
	Elapsed time.Duration
	Kinds   []Tally
}

// NewSummary returns an empty summary.
func NewSummary(kinds int) Summary { return Summary{Kinds: newTallies(kinds)} }

// record adds one transaction.
func (s *Summary) record(r *Record) {
	t := &s.Kinds[r.Kind]
	t.Retried += int64(r.Retries)
	t.Traffic.record(r)
	switch r.Outcome {
	case Done:
		t.Done++
		count(&t.Service, int64(r.Service), 1)
		count(&t.Response, int64(r.Response), 1)
	case RolledBack:
		t.RolledBack++
	case Failed:
		t.Failed[r.Class]++
	}
}

// Add adds other to s.
func (s *Summary) Add(other Summary) {
	s.Elapsed += other.Elapsed
	for i := range other.Kinds {
		s.Kinds[i].add(&other.Kinds[i])
	}
}

// Reset empties s.
func (s *Summary) Reset() {
	s.Elapsed = 0
	for i := range s.Kinds {
		s.Kinds[i].reset()
	}
}

// All returns the tally of all kinds together, with histograms as fine as theirs.
func (s *Summary) All() Tally {
	all := newTallies(1)[0]
	if len(s.Kinds) > 0 && s.Kinds[0].Service != nil { // of a single user's they are coarser
		all.Service, all.Response = like(s.Kinds[0].Service), like(s.Kinds[0].Response)
	}
	for i := range s.Kinds {
		all.add(&s.Kinds[i])
	}
	return all
}

// PerMinute returns n as a rate over the time that s covers.
func (s *Summary) PerMinute(n int64) float64 {
	if s.Elapsed <= 0 {
		return 0
	}
	return float64(n) / s.Elapsed.Minutes()
}
