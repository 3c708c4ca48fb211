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

// Arrivals is the schedule of a run: when each transaction starts. It is a pure function of a
// profile, a spacing and a seed: it does not depend on the speed of the server, nor on the
// number of users and which of them claims which arrival, and no dispatcher hands arrivals out.
// Times count from when users begin to work.
//
// It is safe for concurrent use without a lock: arrivals are computed a block at a time, by the
// first user that needs one of the block.
type Arrivals struct {
	profiles []Profile // of each source
	poisson  bool
	origin   block // before the first

	claimed atomic.Int64
	newest  atomic.Pointer[chunk] // none of the arrivals before it is still to be claimed

	mu     sync.Mutex
	cursor block // where Due was last
}

// blockSize makes a chunk just fit into 1 KiB. To work out a block takes some 6 µs, or
// 35 µs for a sine, and delays the user that does it and those that share its event loop.
const blockSize = 120

// block is when some arrivals in a row are due. From each, its successor can be worked
// out.
type block struct {
	first   int64    // number of the first of them
	sources []source // after the last of them
	of      []uint8  // the number of the source of each; nil where there is but one
	due     [blockSize]time.Duration
}

// source is where arrivals come from: one for all, or one for each kind of transaction.
// Each is a process of its own, with random numbers of its own, and arrivals are those of
// all sources in order of time.
type source struct {
	random rand.PCG
	x      float64       // arrivals expected when its next one is due
	due    time.Duration // when that is
	n      int64         // arrivals of its own before that
}

// mostSources is how many a block can tell apart.
const mostSources = 256

// step goes on to the next arrival.
func (s *source) step(p Profile, poisson bool) {
	if poisson {
		s.x += rand.New(&s.random).ExpFloat64()
	} else {
		s.x++
	}
	// What is rounded must not make an arrival due before the last.
	s.due = max(s.due, p.When(s.x))
}

// chunk is a block in the list of those that users claim from. Those that are behind all
// users are garbage.
type chunk struct {
	block
	next atomic.Pointer[chunk] // nil until needed
}

// stream is the generator that the first source draws from, among those of a seed: far
// from those of the users, which have the users' numbers. The next ones follow.
const stream = 1 << 63

// NewArrivals returns the arrivals of one profile, or of several sources with a profile
// each.
//
// With constant spacing the n-th is due when n are expected, counted from 0: the first when
// the rate begins to be more than 0, so that a rate of 10/s has ten in each second that
// begins, and the load begins at once.
//
// With Poisson spacing it is due when S are expected, S being the sum of n+1 draws from the
// exponential distribution of mean 1. That is the Poisson process of the profile, by the
// inversion of its integrated rate (Çınlar, Introduction to Stochastic Processes, 1975).
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

// advance makes a block the one after it.
func (a *Arrivals) advance(b *block) {
	b.first += blockSize
	b.sources = slices.Clone(b.sources) // those of the block before stay as they are
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

// Claim takes the next arrival: its number from 0, its scheduled time, and the number of its
// source. Each goes to one caller, in order. Never means that there are no more arrivals.
//
// It is part of the hot path: two atomic operations, and for one call in blockSize the next
// block.
func (a *Arrivals) Claim() (n int64, due time.Duration, source int) {
	// Loaded before the number is taken, it cannot be behind an arrival that is claimed
	// later than those that brought it there.
	c := a.newest.Load()
	n = a.claimed.Add(1) - 1
	if n >= c.first+blockSize {
		c = a.reach(c, n)
	}
	return n, c.due[n-c.first], c.sourceOf(n)
}

// reach returns the chunk of an arrival that was claimed, from one before it.
func (a *Arrivals) reach(c *chunk, n int64) *chunk {
	for n >= c.first+blockSize {
		next := c.next.Load()
		if next == nil {
			next = &chunk{block: c.block}
			a.advance(&next.block)
			if !c.next.CompareAndSwap(nil, next) {
				next = c.next.Load() // another was first, with the same
			}
		}
		a.newest.CompareAndSwap(c, next) // it fails where another was first
		c = next
	}
	return c
}

// Claimed returns how many arrivals have been claimed.
func (a *Arrivals) Claimed() int64 { return a.claimed.Load() }

// At returns when the n-th arrival is due, from 0, claimed or not. It works out all blocks
// from the newest one on that was claimed from, or from the beginning for what is before
// that.
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

// Due returns the number of arrivals scheduled by a time, claimed or not, without those
// scheduled Never. Its cost grows with the arrivals since the last call; it is for counting,
// not for users.
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

// Split returns how many of the first n arrivals are of each source. It works out all of
// them, and is for those who count.
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
