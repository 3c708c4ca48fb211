package load

import (
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"
)

func TestArrivals_ConstantSpacingIsEven(t *testing.T) {
	a := NewArrivals(false, 1, profileOf(t, "500/s"))
	for n, want := range map[int64]time.Duration{0: 0, 1: 2 * time.Millisecond, 999: 1998 * time.Millisecond, 1000: 2 * time.Second, 1_800_000: time.Hour} {
		if got := a.At(n); got != want {
			t.Errorf("arrival %d: got %s, want %s", n, got, want)
		}
	}
	// Each second has as many arrivals as the rate says.
	for s := range 10 {
		from, to := time.Duration(s)*time.Second, time.Duration(s+1)*time.Second
		if got := a.Due(to-1) - a.Due(from-1); got != 500 {
			t.Errorf("second %d: got %d arrivals, want 500", s, got)
		}
	}
}

func TestArrivals_EndWithTheirProfile(t *testing.T) {
	a := NewArrivals(false, 1, profileOf(t, "steps:0s=100/s,30s=0"))
	if got := a.At(2999); got != 29_990*time.Millisecond {
		t.Errorf("the last: got %s, want 29.99s", got)
	}
	if got := a.At(3000); got != Never {
		t.Errorf("after the last: got %s, want never", got)
	}
	if got := a.Due(Never); got != 3000 {
		t.Errorf("got %d arrivals in all, want 3000", got)
	}
}

// claimAll claims arrivals until one is due after by. It returns the earlier ones.
func claimAll(a *Arrivals, by time.Duration) []time.Duration {
	var list []time.Duration
	for {
		if _, due, _ := a.Claim(); due <= by {
			list = append(list, due)
			continue
		}
		return list
	}
}

func TestArrivals_PoissonHasTheMeanOfItsProfile(t *testing.T) {
	for _, tt := range []struct {
		text string
		over time.Duration
		want float64
	}{
		{"500/s", 2000 * time.Second, 1e6},
		{"30000/min", 2000 * time.Second, 1e6},
		{"ramp:100/s,900/s,1000s", 2000 * time.Second, 500*1000 + 900*1000},
		{"steps:0s=100/s,500s=0,1000s=900/s", 2000 * time.Second, 100*500 + 900*1000},
		{"sine:500/s,300/s,60s", 3000 * time.Second, 500 * 3000},
		{"points:0s=0,1000s=1000/s,2000s=500/s", 2000 * time.Second, 500*1000 + 750*1000},
	} {
		got := float64(len(claimAll(NewArrivals(true, 1, profileOf(t, tt.text)), tt.over)))
		if math.Abs(got/tt.want-1) > 0.005 {
			t.Errorf("%s: got %.0f arrivals, want %.0f ± 0.5 %%", tt.text, got, tt.want)
		}
	}
}

func TestArrivals_PoissonFollowsItsProfile(t *testing.T) {
	p := profileOf(t, "sine:1000/s,900/s,100s")
	a := NewArrivals(true, 1, p)
	for from := time.Duration(0); from < 200*time.Second; from += 10 * time.Second {
		want := integral(p, from, from+10*time.Second)
		got := float64(a.Due(from+10*time.Second) - a.Due(from))
		// The standard deviation of a Poisson number is its square root. Four standard deviations
		// occur by chance once in 16,000 times.
		if math.Abs(got-want) > 4*math.Sqrt(want) {
			t.Errorf("from %s: got %.0f arrivals, want %.0f", from, got, want)
		}
	}
}

// distance is the Kolmogorov-Smirnov statistic of numbers against the exponential distribution of
// mean 1, multiplied by the square root of the sample size. By chance it exceeds 1.36 in one of
// twenty samples, and 1.95 in one of a thousand (Smirnov 1948).
func distance(sample []float64) float64 {
	slices.Sort(sample)
	n, most := float64(len(sample)), 0.0
	for i, x := range sample {
		expected := 1 - math.Exp(-x)
		most = max(most, expected-float64(i)/n, float64(i+1)/n-expected)
	}
	return most * math.Sqrt(n)
}

// gaps returns the times between arrivals, in multiples of their mean.
func gaps(due []time.Duration, rate float64) []float64 {
	list := make([]float64, len(due))
	last := time.Duration(0)
	for i, d := range due {
		list[i], last = (d-last).Seconds()*rate, d
	}
	return list
}

func TestArrivals_PoissonGapsAreExponential(t *testing.T) {
	const rate = 500
	for seed := range uint64(20) {
		due := claimAll(NewArrivals(true, seed, profileOf(t, "500/s")), 200*time.Second)
		// With 20 seeds, one may exceed the limit of one in twenty, so the limit is that of one in
		// a thousand.
		if d := distance(gaps(due, rate)); d > 1.95 {
			t.Errorf("seed %d: got a distance of %.2f, want at most 1.95", seed, d)
		}
	}
	// The statistic detects even gaps, and gaps of another rate.
	even := claimAll(NewArrivals(false, 1, profileOf(t, "500/s")), 200*time.Second)
	if d := distance(gaps(even, rate)); d < 10 {
		t.Errorf("even gaps: got a distance of %.2f, want at least 10", d)
	}
	faster := claimAll(NewArrivals(true, 1, profileOf(t, "510/s")), 200*time.Second)
	if d := distance(gaps(faster, rate)); d < 1.95 {
		t.Errorf("gaps of 510/s against a rate of 500/s: got a distance of %.2f, want more than 1.95", d)
	}
}

func TestArrivals_PoissonGapsAreIndependent(t *testing.T) {
	g := gaps(claimAll(NewArrivals(true, 1, profileOf(t, "500/s")), 2000*time.Second), 500)
	for _, lag := range []int{1, 2, blockSize} { // blockSize tests across blocks
		sum := 0.0
		for i := lag; i < len(g); i++ {
			sum += (g[i] - 1) * (g[i-lag] - 1)
		}
		// The variance of the gaps is 1, so r is a correlation. Its standard deviation is 0.001.
		if r := sum / float64(len(g)-lag); math.Abs(r) > 0.004 {
			t.Errorf("gaps %d apart: got a correlation of %.4f, want none", lag, r)
		}
	}
}

func TestArrivals_DependOnTheSeed(t *testing.T) {
	p := profileOf(t, "sine:500/s,300/s,60s")
	first, again, other := NewArrivals(true, 1, p), NewArrivals(true, 1, p), NewArrivals(true, 2, p)
	same := 0
	for n := range int64(5000) {
		_, due, _ := first.Claim()
		if _, got, _ := again.Claim(); got != due {
			t.Fatalf("arrival %d: got %s, want %s", n, got, due)
		}
		if _, got, _ := other.Claim(); got == due {
			same++
		}
	}
	if same > 10 {
		t.Errorf("%d of 5000 arrivals are the same with another seed", same)
	}
	// At returns the same times for arrivals that were claimed long ago.
	fresh := NewArrivals(true, 1, p)
	for _, n := range []int64{0, 7, 1000, 4999, 5000, 12_345} {
		if got, want := first.At(n), fresh.At(n); got != want {
			t.Errorf("arrival %d: got %s, want %s", n, got, want)
		}
	}
}

func TestClaim_ReturnsEachArrivalOnce(t *testing.T) {
	const users, each = 8, 50_000
	a := NewArrivals(true, 1, profileOf(t, "ramp:1000/s,100000/s,10s"))
	claimed := [users]map[int64]time.Duration{}
	var group sync.WaitGroup
	for u := range users {
		group.Go(func() {
			mine := make(map[int64]time.Duration, each)
			for range each {
				n, due, _ := a.Claim()
				mine[n] = due
			}
			claimed[u] = mine
		})
	}
	group.Wait()
	alone := NewArrivals(true, 1, profileOf(t, "ramp:1000/s,100000/s,10s"))
	for range users * each {
		n, want, _ := alone.Claim()
		times := 0
		for _, mine := range claimed {
			if due, ok := mine[n]; ok {
				times++
				if due != want {
					t.Fatalf("arrival %d: got %s, want %s", n, due, want)
				}
			}
		}
		if times != 1 {
			t.Fatalf("arrival %d was claimed %d times", n, times)
		}
	}
}

func TestDue_AgreesWithAt(t *testing.T) {
	for _, poisson := range []bool{false, true} {
		a := NewArrivals(poisson, 1, profileOf(t, "points:0s=0,5s=1000/s,10s=0,11s=0,12s=3000/s"))
		for range 3500 {
			a.Claim() // so that the newest block is not the first
		}
		for _, n := range []int64{0, 999, 1000, 4321, 2000, 5005, 5999, 17, 20_000} { // back and forth
			at := a.At(n)
			if got := a.Due(at); got < n+1 || a.At(got-1) != at {
				t.Errorf("poisson %t: got %d arrivals due when number %d is", poisson, got, n)
			}
			if got := a.Due(at - 1); got > n || got > 0 && a.At(got-1) >= at {
				t.Errorf("poisson %t: got %d arrivals due just before number %d is", poisson, got, n)
			}
		}
		if got := a.Due(-1); got != 0 {
			t.Errorf("poisson %t: got %d arrivals before the beginning", poisson, got)
		}
	}
}

func TestClaim_AllocatesNothing(t *testing.T) {
	a := NewArrivals(true, 1, profileOf(t, "sine:500/s,300/s,60s"))
	if got := testing.AllocsPerRun(blockSize-1, func() { a.Claim() }); got != 0 {
		t.Errorf("got %v allocations within a block", got)
	}
}

func TestArrivals_FreePassedChunks(t *testing.T) {
	a := NewArrivals(true, 1, profileOf(t, "100000/s"))
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for range 2_000_000 { // 16 MB of times
		n, due, _ := a.Claim()
		if n%100_000 == 0 {
			a.Due(due)
		}
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 1<<20 {
		t.Errorf("two million arrivals leave %d bytes behind", grown)
	}
	runtime.KeepAlive(a)
}

func BenchmarkClaim(b *testing.B) {
	for name, text := range map[string]string{"constant": "500/s", "ramp": "ramp:100/s,1000/s,60s", "sine": "sine:500/s,300/s,60s"} {
		b.Run(name, func(b *testing.B) {
			a := NewArrivals(true, 1, profileOf(b, text))
			b.ReportAllocs()
			for b.Loop() {
				a.Claim()
			}
		})
	}
	b.Run("from all cores", func(b *testing.B) {
		a := NewArrivals(true, 1, profileOf(b, "500/s"))
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				a.Claim()
			}
		})
	})
}

// Each of several sources has the same arrivals as it has alone, merged in order of time.
func TestArrivals_SourcesAreIndependent(t *testing.T) {
	texts := []string{"100/s", "ramp:10/s,500/s,20s", "sine:50/s,50/s,3s"}
	const over = 30 * time.Second
	for _, poisson := range []bool{true, false} {
		var profiles []Profile
		for _, text := range texts {
			profiles = append(profiles, profileOf(t, text))
		}
		a := NewArrivals(poisson, 7, profiles...)
		got := make([][]time.Duration, len(texts))
		var last time.Duration
		n := a.Due(over)
		for range n {
			_, due, source := a.Claim()
			if due < last {
				t.Fatalf("an arrival at %s comes after one at %s", due, last)
			}
			last = due
			got[source] = append(got[source], due)
		}
		split := a.Split(n)
		for i, p := range profiles {
			alone := &Arrivals{profiles: []Profile{p}, poisson: poisson}
			alone.origin.first = -blockSize
			s := source{random: *rand.NewPCG(7, stream+uint64(i))}
			if !poisson {
				s.x = -1
			}
			s.step(p, poisson)
			alone.origin.sources = []source{s}
			alone.cursor = alone.origin
			alone.advance(&alone.cursor)
			alone.newest.Store(&chunk{block: alone.cursor})
			if want := claimAll(alone, over); !slices.Equal(got[i], want) || split[i] != int64(len(want)) {
				t.Errorf("poisson %t, %s: got %d arrivals, %d by Split, want the same %d as alone", poisson, texts[i], len(got[i]), split[i], len(want))
			}
		}
	}
	a := NewArrivals(true, 7, profileOf(t, "100/s"), profileOf(t, "300/s"))
	for n := range int64(3 * blockSize) { // the parts add up to n, and the next arrival belongs to its source
		_, _, source := a.Claim()
		before, after := a.Split(n), a.Split(n+1)
		before[source]++
		if !slices.Equal(before, after) || before[0]+before[1] != n+1 {
			t.Fatalf("arrival %d is of source %d: the first %d are %v, with it %v", n, source, n, before, after)
		}
	}
}
