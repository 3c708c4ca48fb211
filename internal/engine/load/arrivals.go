package load

import (
	"math/rand/v2"
	"slices"
	"sort"
	"sync"
	"sync/atomic"
	"time"
)

// The spacings of arrivals.
const (
	spacingPoisson  = "poisson"
	spacingConstant = "constant"
)

// Arrivals is the schedule of a run: the start time of each transaction. It is a pure function of a
// profile, a spacing and a seed. It depends neither on the speed of the server, nor on the number
// of users, nor on which user claims which arrival, and it needs no dispatcher. Times count from
// when users begin to work.
//
// It is safe for concurrent use. Readers take no lock: the first user that needs an arrival of a
// block computes the whole block.
type Arrivals struct {
	profiles []Profile // one for each source
	poisson  bool
	origin   block // state before the first arrival

	claimed atomic.Int64
	newest  atomic.Pointer[chunk] // all arrivals before it were claimed

	mu     sync.Mutex
	cursor block // position of the last call of Due
}

// blockSize makes a chunk just fit into 1 KiB. Computing a block takes about 6 µs, or 35 µs for a
// sine. It delays the user that computes it and the users that share its event loop.
const blockSize = 120

// block holds the due times of consecutive arrivals. Its successor can be computed from it.
type block struct {
	first   int64    // number of its first arrival
	sources []source // state after its last arrival
	of      []uint8  // number of the source of each arrival; nil if there is only one source
	due     [blockSize]time.Duration
}

// source is a source of arrivals: one for all transactions, or one for each kind. Each source is an
// independent process with its own random numbers. The schedule merges the arrivals of all sources
// in order of time.
type source struct {
	random rand.PCG
	x      float64       // expected number of arrivals at its next one
	due    time.Duration // due time of its next arrival
	n      int64         // number of its arrivals before that
}

// mostSources is the number of sources that a block can distinguish.
const mostSources = 256

// step moves to the next arrival.
func (s *source) step(p Profile, poisson bool) {
	if poisson {
		s.x += rand.New(&s.random).ExpFloat64()
	} else {
		s.x++
	}
	// Rounding must not put an arrival before the previous one.
	s.due = max(s.due, p.When(s.x))
}

// chunk is a block in the linked list from which users claim. The garbage collector frees chunks
// that all users have passed.
type chunk struct {
	block
	next atomic.Pointer[chunk] // nil until needed
}

// stream is the random stream of the first source for a seed. It is far from the streams of users,
// which are the users' numbers. The streams of other sources follow it.
const stream = 1 << 63

// NewArrivals returns the arrivals of one profile, or of several sources with one profile each.
//
// With constant spacing, arrival n (from 0) is due when the expected number of arrivals is n. The
// first is due as soon as the rate exceeds 0, so the load begins at once, and a rate of 10/s has
// ten arrivals in each second.
//
// With Poisson spacing, arrival n is due when the expected number of arrivals is the sum of n+1
// draws from the exponential distribution of mean 1. This is the Poisson process of the profile, by
// the inversion of its integrated rate (Çınlar, Introduction to Stochastic Processes, 1975).
func NewArrivals(poisson bool, seed uint64, profiles ...Profile) *Arrivals {
	a := &Arrivals{profiles: profiles, poisson: poisson}
	a.origin.first = -blockSize
	for i, p := range profiles {
		s := source{random: *rand.NewPCG(seed, stream+uint64(i))}
		if !poisson {
			s.x = -1
		}
		s.step(p, poisson)
		a.origin.sources = append(a.origin.sources, s)
	}
	a.cursor = a.origin
	a.advance(&a.cursor)
	a.newest.Store(&chunk{block: a.cursor})
	return a
}

// advance replaces a block with its successor.
func (a *Arrivals) advance(b *block) {
	b.first += blockSize
	b.sources = slices.Clone(b.sources) // do not modify the previous block
	if len(b.sources) > 1 {
		b.of = make([]uint8, blockSize)
	}
	for i := range b.due {
		next := 0
		for k := range b.sources {
			if b.sources[k].due < b.sources[next].due {
				next = k
			}
		}
		s := &b.sources[next]
		b.due[i] = s.due
		if b.of != nil {
			b.of[i] = uint8(next)
		}
		s.n++
		s.step(a.profiles[next], a.poisson)
	}
}

// sourceOf returns the source of the n-th arrival, which is in the block.
func (b *block) sourceOf(n int64) int {
	if b.of == nil {
		return 0
	}
	return int(b.of[n-b.first])
}

// Claim takes the next arrival. It returns its number from 0, its scheduled time, and the number of
// its source. Each arrival goes to one caller, in order. The time Never means that there are no
// more arrivals.
//
// It is part of the hot path: it takes two atomic operations, and one call in blockSize computes
// the next block.
func (a *Arrivals) Claim() (n int64, due time.Duration, source int) {
	// The chunk is loaded before the number is taken, so it cannot be past this arrival.
	c := a.newest.Load()
	n = a.claimed.Add(1) - 1
	if n >= c.first+blockSize {
		c = a.reach(c, n)
	}
	return n, c.due[n-c.first], c.sourceOf(n)
}

// reach returns the chunk of a claimed arrival. It starts from an earlier chunk.
func (a *Arrivals) reach(c *chunk, n int64) *chunk {
	for n >= c.first+blockSize {
		next := c.next.Load()
		if next == nil {
			next = &chunk{block: c.block}
			a.advance(&next.block)
			if !c.next.CompareAndSwap(nil, next) {
				next = c.next.Load() // another user was first, with the same chunk
			}
		}
		a.newest.CompareAndSwap(c, next) // fails if another user was first
		c = next
	}
	return c
}

// Claimed returns the number of claimed arrivals.
func (a *Arrivals) Claimed() int64 { return a.claimed.Load() }

// At returns the due time of arrival n, from 0, whether it is claimed or not. It computes all
// blocks from the newest claimed one, or from the beginning for earlier arrivals.
func (a *Arrivals) At(n int64) time.Duration {
	c := a.newest.Load()
	if n >= c.first && n < c.first+blockSize {
		return c.due[n-c.first]
	}
	b := a.origin
	if n >= c.first {
		b = c.block
	}
	for n >= b.first+blockSize {
		a.advance(&b)
	}
	return b.due[n-b.first]
}

// Due returns the number of arrivals that are scheduled at or before t, except those at Never. Its
// cost grows with the arrivals since the last call. Users must not call it.
func (a *Arrivals) Due(t time.Duration) int64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	b := &a.cursor
	if newest := a.newest.Load(); newest.first > b.first && newest.due[0] <= t {
		*b = newest.block
	}
	if b.first > 0 && b.due[0] > t {
		*b = a.origin
		a.advance(b)
	}
	t = min(t, Never-1)
	for b.due[blockSize-1] <= t {
		a.advance(b)
	}
	return b.first + int64(sort.Search(blockSize, func(i int) bool { return b.due[i] > t }))
}

// Split returns the number of the first n arrivals that each source has. It computes all of them.
// Users must not call it.
func (a *Arrivals) Split(n int64) []int64 {
	b := a.origin
	for n > b.first+blockSize {
		a.advance(&b)
	}
	counts := make([]int64, len(b.sources))
	for k := range b.sources {
		counts[k] = b.sources[k].n
	}
	for i := n; i < b.first+blockSize && n > 0; i++ {
		counts[b.sourceOf(i)]--
	}
	return counts
}
