package statistics

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Searches by halving, in which single runs differ by a known spread, have intervals that contain the
// limit.
func TestLimitOf_ContainsTheLimit(t *testing.T) {
	const limit, searches = 1000.0, 200
	for _, spread := range []float64{0.001, 0.02, 0.05, 0.1} {
		random := rand.New(rand.NewPCG(1, uint64(1e4*spread)))
		within, width := 0, 0.0
		for range searches {
			var trials []Trial
			try := func(rate float64) bool {
				kept := rate < limit*math.Exp(spread*random.NormFloat64())
				trials = append(trials, Trial{rate, kept})
				return kept
			}
			low, high := 400+400*random.Float64(), 1200+600*random.Float64()
			trials = append(trials, Trial{low, true}, Trial{high, false})
			for high/low > 1.03 {
				if mid := math.Sqrt(low * high); try(mid) {
					low = mid
				} else {
					high = mid
				}
			}
			for range 3 {
				try(low)
			}
			l, ok := LimitOf(trials)
			if !ok {
				t.Fatal("got no limit")
			}
			width += l.Interval.High/l.Interval.Low - 1
			if l.Interval.Low <= limit && limit <= l.Interval.High {
				within++
			}
		}
		t.Logf("spread %g %%: %d of %d intervals contain the limit; their mean width is %.1f %%", 100*spread, within, searches, 100*width/searches)
		if within < searches*93/100 {
			t.Errorf("spread %g %%: %d of %d intervals contain the limit, want 93 %%", 100*spread, within, searches)
		}
	}
}

// The three searches on one server, whose single runs near the limit differ, agree.
func TestLimitOf_SearchesOfOneServerAgree(t *testing.T) {
	kept := func(rates ...float64) (list []Trial) {
		for _, r := range rates {
			list = append(list, Trial{r, true})
		}
		return list
	}
	broken := func(list []Trial, rates ...float64) []Trial {
		for _, r := range rates {
			list = append(list, Trial{r, false})
		}
		return list
	}
	least, most := 0.0, math.Inf(1)
	for _, trials := range [][]Trial{
		broken(kept(2127, 2529, 2529, 2529), 4254, 3008, 2758, 2641, 2584, 2529, 3101),
		broken(kept(1683, 2380, 2595, 2595, 2519, 2519), 3366, 2830, 2710, 2652, 2595, 2595, 3182),
		broken(kept(1738, 2067, 2254, 2354, 2405, 2335, 2335), 3476, 2458, 2405, 2405, 2950),
	} {
		l, ok := LimitOf(trials)
		if !ok || l.Rate <= l.Interval.Low || l.Rate >= l.Interval.High {
			t.Fatalf("got %+v", l)
		}
		t.Logf("%.0f (%.0f to %.0f)", l.Rate, l.Interval.Low, l.Interval.High)
		least, most = max(least, l.Interval.Low), min(most, l.Interval.High)
	}
	if least > most {
		t.Errorf("the intervals have nothing in common: %g to %g", least, most)
	}
	for _, trials := range [][]Trial{nil, kept(1, 2), broken(nil, 3)} {
		if _, ok := LimitOf(trials); ok {
			t.Errorf("%v: got a limit", trials)
		}
	}
}
