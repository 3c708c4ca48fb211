package statistics_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"sledge/internal/statistics"
)

// TestSettled_EndsRampUps looks at made series each second, as a run does, until they have settled.
func TestSettled_EndsRampUps(t *testing.T) {
	const tries, seconds = 100, 600
	tests := []struct {
		name string
		rate func(second int, a float64) float64 // relative to the last level; a is a random number below 1
		by   int                                 // most settle by this second
	}{
		{"level", func(int, float64) float64 { return 1 }, 90},
		{"line", func(s int, a float64) float64 { return min(1, 0.3+0.7*float64(s)/(20+80*a)) }, 300},
		{"warming cache", func(s int, a float64) float64 { return 1 - 0.5*math.Exp(-float64(s)/(5+30*a)) }, 300},
		{"drops", func(s int, a float64) float64 { return 1 + 0.5*math.Exp(-float64(s)/(5+30*a)) }, 300},
	}
	for _, test := range tests {
		r := rand.New(rand.NewPCG(4, 2))
		early, late := 0, 0
		for range tries {
			a, spread, level := r.Float64(), 0.02+0.02*r.Float64(), 0.0
			var series []float64
			for s := 0; s < seconds && !statistics.Settled(series); s++ {
				level = 0.5*level + r.NormFloat64()
				series = append(series, 1000*test.rate(s, a)*(1+spread*level*math.Sqrt(0.75)))
			}
			if off := math.Abs(test.rate(len(series), a) - 1); off > 0.04 {
				early++
			}
			if len(series) > test.by {
				late++
			}
		}
		t.Logf("%s: %d of %d ended early, %d late", test.name, early, tries, late)
		if early > tries/20 || late > tries/10 {
			t.Errorf("%s: %d of %d ended while the rate was still 4 %% off, and %d after %d s", test.name, early, tries, late, test.by)
		}
	}
	if statistics.Settled(make([]float64, 100)) {
		t.Error("a rate of 0 has settled")
	}
}
