package experiment_test

import (
	"container/heap"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"sledge/internal/experiment"
)

// floats is a heap.
type floats []float64

func (h floats) Len() int           { return len(h) }
func (h floats) Less(i, j int) bool { return h[i] < h[j] }
func (h floats) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *floats) Push(x any)        { *h = append(*h, x.(float64)) }
func (h *floats) Pop() any {
	old := *h
	x := old[len(old)-1]
	*h = old[:len(old)-1]
	return x
}

// queue is an M/M/c server: transactions arrive at random, and c workers take an exponential time with a
// mean of mean seconds for each.
type queue struct {
	workers int
	mean    float64
	random  *rand.Rand
}

// serve returns the response times of transactions that arrive at a rate for some seconds, without those of the first
// tenth.
func (q queue) serve(rate, seconds float64) []float64 {
	free := make(floats, q.workers)
	var times []float64
	for at := 0.0; at < seconds; at += q.random.ExpFloat64() / rate {
		start := max(at, free[0])
		end := start + q.random.ExpFloat64()*q.mean
		free[0] = end
		heap.Fix(&free, 0)
		if at > seconds/10 {
			times = append(times, end-at)
		}
	}
	return times
}

// p99 returns the 99th percentile of the response time at a rate, by the formula of Erlang.
func (q queue) p99(rate float64) float64 {
	c, load := float64(q.workers), rate*q.mean
	term, sum := 1.0, 0.0
	for k := range q.workers {
		if k > 0 {
			term *= load / float64(k)
		}
		sum += term
	}
	term *= load / c
	wait := term / (1 - load/c)
	waits := wait / (sum + wait) // the probability that a transaction waits
	mu, drain := 1/q.mean, c/q.mean-rate
	slower := func(t float64) float64 { // P(response time > t)
		if math.Abs(drain-mu) < 1e-9 {
			return math.Exp(-mu*t) * (1 + waits*mu*t)
		}
		return (1-waits)*math.Exp(-mu*t) + waits*(drain*math.Exp(-mu*t)-mu*math.Exp(-drain*t))/(drain-mu)
	}
	low, high := 0.0, 1000.0
	for range 100 {
		if mid := (low + high) / 2; slower(mid) > 0.01 {
			low = mid
		} else {
			high = mid
		}
	}
	return low
}

// p99 returns the 99th percentile of some times.
func p99(times []float64) float64 {
	sorted := slices.Sorted(slices.Values(times))
	return sorted[len(sorted)*99/100]
}

// search performs the probes on the server.
func (q queue) search(c experiment.Capacity, promise float64, overloaded func(done []experiment.Probe) float64) (done []experiment.Probe) {
	for {
		p, more := c.Next(done)
		if !more {
			return done
		}
		rate := p.Rate
		if p.Stage == experiment.StageMaximum {
			p.Ended = float64(q.workers) / q.mean
		} else {
			slowed := q
			if overloaded != nil {
				slowed.mean *= overloaded(done)
			}
			times := slowed.serve(rate, p.Length.Seconds())
			var batches []float64
			for batch := range slices.Chunk(times, len(times)/10) {
				batches = append(batches, p99(batch))
			}
			slices.Sort(batches)
			p.P99, p.Ended = p99(times), rate
			p.Unclear = batches[1] <= promise && promise < batches[8]
			p.Kept = p.P99 <= promise && rate <= float64(q.workers)/q.mean
		}
		done = append(done, p)
	}
}

func TestCapacity_IsThatOfAQueue(t *testing.T) {
	const promise, tries = 0.05, 10
	// The fewer transactions a probe has, the less it tells: 3,000 of one worker, whose waits are long and alike.
	for workers, tolerance := range map[int]float64{1: 0.12, 4: 0.07, 16: 0.04} {
		near, within := 0, 0
		for seed := range uint64(tries) {
			q := queue{workers: workers, mean: 0.005, random: rand.New(rand.NewPCG(seed, 7))}
			low, high := 1.0, float64(workers)/q.mean
			for range 100 {
				if mid := (low + high) / 2; q.p99(mid) > promise {
					high = mid
				} else {
					low = mid
				}
			}
			done := q.search(experiment.Capacity{}, promise, nil)
			f := experiment.FoundBy(done)
			searched := 0
			for _, p := range done {
				if p.Stage == experiment.StageMaximum || p.Stage == experiment.StageSearch {
					searched++
				}
			}
			off := f.Confirmed/low - 1
			if math.Abs(off) <= 0.03 {
				near++
			}
			if math.Abs(off) > tolerance || searched > 12 || f.Recovers == nil || !*f.Recovers {
				t.Errorf("%d workers, seed %d: got %.4g, %+.1f %% off the true %.4g, after %d probes: %+v", workers, seed, f.Confirmed, 100*off, low, searched, f)
			}
			if f.Confirmed <= low*1.03 && f.Broken >= low*0.97 {
				within++
			}
			if f.Broken < f.Confirmed || f.Broken/f.Confirmed > 1.05+2*tolerance {
				t.Errorf("%d workers, seed %d: got the interval %.4g to %.4g", workers, seed, f.Confirmed, f.Broken)
			}
		}
		t.Logf("%d workers: %d of %d capacities are within 3 %% of the truth, and %d intervals contain it within 3 %%", workers, near, tries, within)
		if within < tries*8/10 {
			t.Errorf("%d workers: %d of %d intervals contain the truth within 3 %%, want 8", workers, within, tries)
		}
		if workers > 1 && near < tries*8/10 {
			t.Errorf("%d workers: %d of %d searches are within 3 %% of the truth, want 8", workers, near, tries)
		}
	}
}

// Runs with the same rate may differ. The capacity is then known only between the confirmed rate and one above all that
// kept the promise.
func TestCapacity_IsNotBelowARateThatKeptThePromise(t *testing.T) {
	probe := func(stage experiment.Stage, rate float64, kept bool) experiment.Probe {
		return experiment.Probe{Stage: stage, Rate: rate, ProbeOutcome: experiment.ProbeOutcome{Kept: kept, Ended: rate}}
	}
	done := []experiment.Probe{
		probe(experiment.StageMaximum, 0, true), probe(experiment.StageSearch, 100, true), probe(experiment.StageSearch, 200, false), probe(experiment.StageSearch, 140, false),
		probe(experiment.StageConfirm, 100, false), probe(experiment.StageConfirm, 100, false), probe(experiment.StageConfirm, 90, true), probe(experiment.StageConfirm, 90, true),
	}
	if f := experiment.FoundBy(done); f.Confirmed != 90 || f.Broken != 140 {
		t.Errorf("got %+v, want 90 to 140: 100 kept the promise once", f)
	}
	if f := experiment.FoundBy(append(done, probe(experiment.StageOverload, 168, true))); f.Broken != 200 {
		t.Errorf("got %+v, want 90 to 200: 168 kept the promise", f)
	}
}

func TestCapacity_TellsWhatItCannotFind(t *testing.T) {
	q := queue{workers: 4, mean: 0.005, random: rand.New(rand.NewPCG(1, 1))}
	done := q.search(experiment.Capacity{}, 0.001, nil) // a single transaction takes longer
	if f := experiment.FoundBy(done); f.Confirmed != 0 || f.Kept != 0 || len(done) > 12 || done[len(done)-1].Rate > 5 {
		t.Errorf("got %+v after %d probes, want no rate", f, len(done))
	}
	done = q.search(experiment.Capacity{Probe: 10 * time.Second}, 100, nil) // even an overload of 10 s does not break it
	if f := experiment.FoundBy(done); f.Confirmed < 800 || done[1].Length != 10*time.Second {
		t.Errorf("got %+v of a promise that is hard to break", f)
	}
	// The server stays slow after the overload, as one with a full retry queue does.
	stuck := func(done []experiment.Probe) float64 {
		if len(done) > 0 && done[len(done)-1].Stage == experiment.StageOverload {
			return 3
		}
		return 1
	}
	if f := experiment.FoundBy(q.search(experiment.Capacity{}, 0.05, stuck)); f.Recovers == nil || *f.Recovers || f.Confirmed == 0 {
		t.Errorf("got %+v of a server that does not recover", f)
	}
	// The server gets slower before the rates are confirmed.
	slower := func(done []experiment.Probe) float64 {
		if len(done) > 0 && slices.ContainsFunc(done, func(p experiment.Probe) bool { return p.Stage == experiment.StageConfirm }) {
			return 1.1
		}
		return 1
	}
	f := experiment.FoundBy(q.search(experiment.Capacity{}, 0.05, slower))
	if f.Confirmed != 0 && f.Confirmed >= f.Kept {
		t.Errorf("got %+v of a server that got slower, want a lower rate than the search found, or none", f)
	}
}
