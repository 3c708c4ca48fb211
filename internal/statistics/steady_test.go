package statistics_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"sledge/internal/statistics"
)

// A formula makes the expected rate of a second, relative to 1, from three random numbers below 1.
type formula struct {
	name string
	want statistics.Pattern
	rate func(second, seconds int, a, b, c float64) float64
}

var formulas = []formula{
	{"level", statistics.Steady, func(int, int, float64, float64, float64) float64 { return 1 }},
	{"ramp-up", statistics.Steady, func(s, n int, a, b, _ float64) float64 {
		return min(1, 0.3*b+(1-0.3*b)*float64(s)/((0.05+0.25*a)*float64(n)))
	}},
	{"warming cache", statistics.Steady, func(s, n int, a, b, _ float64) float64 {
		return 1 - (0.2+0.5*b)*math.Exp(-float64(s)/((0.02+0.05*a)*float64(n)))
	}},
	{"decay", statistics.Drifting, func(s, n int, a, _, _ float64) float64 { return 1 - (0.1+0.3*a)*float64(s)/float64(n) }},
	{"growth", statistics.Drifting, func(s, n int, a, _, _ float64) float64 { return 1 + (0.1+0.3*a)*float64(s)/float64(n) }},
	{"jump", statistics.Jumping, func(s, n int, a, b, c float64) float64 {
		by := 0.08 + 0.3*a
		if c < 0.5 {
			by = -by
		}
		if float64(s) < (0.55+0.3*b)*float64(n) {
			return 1
		}
		return 1 + by
	}},
	{"checkpoints", statistics.Oscillating, func(s, n int, a, b, c float64) float64 { // a fall and a slow recovery
		period := 30 + a*(float64(n)/4-30)
		return 1 - (0.1+0.2*b)*(1-math.Mod(float64(s)/period+c, 1))
	}},
	{"waves", statistics.Oscillating, func(s, n int, a, b, c float64) float64 {
		period := 30 + a*(float64(n)/4-30)
		return 1 + (0.05+0.1*b)*math.Sin(2*math.Pi*(float64(s)/period+c))
	}},
}

// series returns the transactions of each second: the formula with noise, half of which lasts.
func series(r *rand.Rand, f formula, seconds int) []float64 {
	a, b, c, spread := r.Float64(), r.Float64(), r.Float64(), 0.02+0.02*r.Float64()
	list := make([]float64, seconds)
	level := 0.0
	for s := range list {
		level = 0.5*level + r.NormFloat64()
		list[s] = 1000 * f.rate(s, seconds, a, b, c) * (1 + spread*level*math.Sqrt(0.75))
	}
	return list
}

func TestFindCourse_KnowsPatterns(t *testing.T) {
	var right rate
	for i, f := range formulas {
		var own rate
		got := map[statistics.Pattern]int{}
		r := rand.New(rand.NewPCG(uint64(i), 7))
		for range 125 {
			c, err := statistics.FindCourse(series(r, f, 200+r.IntN(400)), 0)
			if err != nil {
				t.Fatal(err)
			}
			got[c.Pattern]++
			own.add(c.Pattern == f.want)
			right.add(c.Pattern == f.want)
		}
		t.Logf("%s: %.1f %% %v", f.name, 100*own.value(), got)
		if own.value() < 0.9 {
			t.Errorf("%s: got %.1f %% right, want at least 90 %%", f.name, 100*own.value())
		}
	}
	if right.value() < 0.95 || right.tries != 1000 {
		t.Errorf("got %.1f %% of %d right, want at least 95 %%", 100*right.value(), right.tries)
	}
}

func find(t *testing.T, series []float64) statistics.Course {
	t.Helper()
	c, err := statistics.FindCourse(series, 0)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// The noise of a second lasts into the next ones, so an interval that took seconds as independent
// would contain the mean in 75 % of the cases.
func TestFindCourse_GivesAnHonestInterval(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 8))
	var coverage rate
	for range 8 * simulated {
		if c := find(t, series(r, formulas[0], 300)); c.Interval != nil {
			coverage.add(c.Interval.Low <= 1000 && 1000 <= c.Interval.High)
		}
	}
	coverage.between(t, "coverage", 0.93, 0.97)
}

func TestFindCourse_SaysWhereItChanged(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 9))
	list := series(r, formulas[0], 300)
	for s := 180; s < 300; s++ {
		list[s] *= 0.8
	}
	list[20], list[21] = math.NaN(), math.NaN()
	c := find(t, list)
	if len(c.Jumps) != 1 || math.Abs(float64(c.Jumps[0].Second-180)) > 5 || math.Abs(c.Jumps[0].Ratio-0.8) > 0.02 || c.Interval != nil {
		t.Errorf("got %+v, want one jump to 0.8 at second 180 and no interval", c)
	}

	list = series(r, formulas[0], 300)
	for s := range 60 {
		list[s] *= float64(s) / 60
	}
	if c = find(t, list); c.Pattern != statistics.Steady || c.From < 40 || c.From > 75 || c.Interval == nil {
		t.Errorf("got %+v, want a steady rate from second 60 on", c)
	}

	for s := range list {
		list[s] = 1000 * (1 + 0.2*math.Sin(2*math.Pi*float64(s)/60) + 0.02*r.NormFloat64())
	}
	if c = find(t, list); c.Pattern != statistics.Oscillating || math.Abs(float64(c.Period-60)) > 5 || !c.Enough {
		t.Errorf("got %+v, want periods of 60 s", c)
	}
	if c = find(t, list[:120]); c.Enough || c.Interval != nil {
		t.Errorf("got %+v, want too few periods and no interval", c)
	}
}

func TestFindCourse_RefusesWhatHasNoCourse(t *testing.T) {
	for _, list := range [][]float64{nil, make([]float64, 59), {-1, 1, 1, 1, 1}, {math.NaN(), math.NaN(), math.NaN(), math.NaN(), math.NaN()}} {
		if c, err := statistics.FindCourse(list, 0); err == nil {
			t.Errorf("%v: got %+v and no error", list, c)
		}
	}
	if c := find(t, make([]float64, 60)); c.Pattern != statistics.Steady {
		t.Errorf("got %+v for a minute without transactions, want a steady rate of 0", c)
	}
}
