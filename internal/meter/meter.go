// Package meter records transactions and turns them into histograms. It does not know databases or
// workloads.
//
// Virtual users record their transactions in stripes. Once per second a collector empties the
// stripes and returns a summary. Summaries can be added without loss, over seconds and over
// machines, because they contain histograms, not percentiles.
//
// Every transaction is recorded once, by its outcome: all = done + rolled back + failed. Only
// transactions that were done are in the histograms.
package meter

import (
	"sync"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// Kind is a kind of transaction: an index into Workload.Kinds.
type Kind int32

// Outcome is how a transaction ended.
type Outcome uint8

// The outcomes. RolledBack is the rollback that the workload asks for (TPC-C
// 2.4.1.4), not one that went wrong.
const (
	Done Outcome = iota
	RolledBack
	Failed
)

// Class is why a transaction failed or had to be retried. Every database maps its own errors to
// these classes, except OverLimit, which the engine sets for queries that it cancelled, and Skipped.
type Class uint8

// The classes of failure.
const (
	Other         Class = iota
	Deadlock            // chosen as the victim of a deadlock
	Serialization       // could not be serialized with other transactions
	LockTimeout         // waited too long for a lock
	Busy                // SQLite reports that the database is locked
	Constraint          // a constraint or the type of a column was violated
	Permission          // not allowed, or a wrong password
	Resource            // out of disk, memory or connections
	Connection          // the connection is gone or could not be made
	OverLimit           // exceeded its time limit and was cancelled
	Skipped             // not started, because it was too late for its scheduled start
	classes
)

var classNames = [classes]string{
	"other", "deadlock", "serialization", "lock timeout", "busy", "constraint", "permission", "resource", "connection", "over the limit", "skipped",
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

// Retryable reports whether the same transaction may succeed if it is run again with the same
// inputs.
func (c Class) Retryable() bool {
	return c == Deadlock || c == Serialization || c == LockTimeout || c == Busy
}

// Record describes one transaction that has ended.
type Record struct {
	Kind Kind
	User int32 // the virtual user's number, from 0

	// Connection is the index of the connection in the pool, if there is one.
	Connection int32
	Retries    int32 // tries beyond the first

	// Network traffic of the transaction, all tries included: see Traffic.
	Sent, Received, RoundTrips uint32

	Outcome Outcome
	Class   Class // why it failed, if it failed

	// Service is the duration of the last try. Response is the time from the scheduled start to the
	// end. It includes earlier tries, and the client's delay before the start.
	Service, Response time.Duration

	// Late is the start lag, from the scheduled start to the first try. Queued is the part of the
	// start lag that the user waited for a connection.
	Late, Queued time.Duration

	Ended time.Duration // the end, since users began
}

// Traffic is the network traffic of all tries of transactions with any outcome. It is 0 for
// embedded databases.
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

// Tally summarizes one kind of transaction over a time span.
type Tally struct {
	Done       int64
	RolledBack int64
	Retried    int64 // tries beyond the first, of all outcomes
	Failed     [classes]int64
	Traffic    Traffic

	Service, Response *hdrhistogram.Histogram // of transactions that were done
}

// Failures returns the number of failures of all classes.
func (t *Tally) Failures() int64 {
	var n int64
	for _, f := range t.Failed {
		n += f
	}
	return n
}

// Ended returns the number of transactions that ended, with any outcome.
func (t *Tally) Ended() int64 { return t.Done + t.RolledBack + t.Failures() }

func (t *Tally) add(other *Tally) {
	t.addNumbers(other)
	if other.Done > 0 {
		merge(&t.Service, other.Service)
		merge(&t.Response, other.Response)
	}
}

// addNumbers adds all but the histograms.
func (t *Tally) addNumbers(other *Tally) {
	t.Done += other.Done
	t.RolledBack += other.RolledBack
	t.Retried += other.Retried
	for c, n := range other.Failed {
		t.Failed[c] += n
	}
	t.Traffic.add(other.Traffic)
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

// Stripe holds the raw records of a few virtual users. The collector turns them into histograms.
// Its cost is proportional to the number of transactions. Merging one histogram per stripe would
// take several milliseconds per second, whatever their content.
type Stripe struct {
	mu   sync.Mutex
	page *page    // being filled
	full []*page  // filled since the last Take
	free []*page  // to be filled
	_    [64]byte // keeps adjacent stripes on separate cache lines
}

// page is a part of a stripe, of 72 KiB. A stripe has two pages, and as many more as were ever
// filled between two calls of Take.
type page struct {
	n       int
	records [1024]Record
}

// NewStripe returns an empty stripe.
func NewStripe() *Stripe { return &Stripe{page: new(page), free: []*page{new(page)}} }

// Record adds one transaction. It does not allocate, except a page when more records than ever
// arrive between two calls of Take.
func (s *Stripe) Record(r Record) {
	s.mu.Lock()
	if s.page.n == len(s.page.records) {
		s.turn()
	}
	s.page.records[s.page.n] = r
	s.page.n++
	s.mu.Unlock()
}

// turn replaces a full page by a free one.
func (s *Stripe) turn() {
	s.full = append(s.full, s.page)
	if n := len(s.free); n > 0 {
		s.page, s.free = s.free[n-1], s.free[:n-1]
		return
	}
	s.page = new(page)
}

// Sum accumulates records. Summary, Interval, Profile, Stalls, Flow, Delays and others implement it.
type Sum interface{ record(r *Record) }

// Each is a Sum that calls a function for every record. The function must not retain the record.
type Each func(r *Record)

func (f Each) record(r *Record) { f(r) }

// Take adds the stripe's records to each of the sums and empties the stripe. Only one goroutine
// may call it for a stripe.
func (s *Stripe) Take(sums ...Sum) { Take([]*Stripe{s}, nil, sums...) }

// Take adds the records of all stripes to each of the sums and empties the stripes. About every
// tenth of a millisecond it calls rest, if that is not nil, because virtual users may be waiting
// for the core.
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

// empty returns the pages that have records.
func (s *Stripe) empty() []*page {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.turn()
	taken := s.full
	s.full = nil
	return taken
}

// refill returns pages for reuse.
func (s *Stripe) refill(pages []*page) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.free = append(s.free, pages...)
}

// Summary summarizes every kind of transaction over a time span.
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

// All returns one tally of all kinds together, with the same precision.
func (s *Summary) All() Tally {
	var all Tally
	var service, response []*hdrhistogram.Histogram
	for i := range s.Kinds {
		t := &s.Kinds[i]
		if all.addNumbers(t); t.Done > 0 {
			service, response = append(service, t.Service), append(response, t.Response)
		}
	}
	if len(service) == 0 {
		empty := newTallies(1)[0]
		if len(s.Kinds) > 0 && s.Kinds[0].Service != nil { // histograms of a single user are coarser
			empty.Service, empty.Response = like(s.Kinds[0].Service), like(s.Kinds[0].Response)
		}
		service, response = append(service, empty.Service), append(response, empty.Response)
	}
	all.Service, all.Response = sumOf(service), sumOf(response)
	return all
}

// PerMinute returns n as a rate over the time span of s.
func (s *Summary) PerMinute(n int64) float64 {
	if s.Elapsed <= 0 {
		return 0
	}
	return float64(n) / s.Elapsed.Minutes()
}
