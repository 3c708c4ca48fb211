//go:build bench && linux

package bench

import (
	"fmt"
	"math"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"
)

// TestMeasuringCost measures what it costs a run that all of it is measured: with a time
// profile of each virtual user and a repository that records everything, against
// neither. What goes over the network is counted in both, since there is nothing that would
// turn that off.
//
// Runs of a few seconds take turns, on, off, off, on, so that what changes slowly, as the
// server's tables grow and its host has other work, changes both. What is compared
// is the mean of the logarithms of the ratios of neighbours, with the interval that the true
// mean is in with 95 %: a single ratio says nothing, since two runs of the same differ by
// several percent. The client's CPU time for a transaction is so small a part of all that even
// its own scatter says more: what measuring takes of all cores is what the server cannot have.
func TestMeasuringCost(t *testing.T) {
	pairs, length := 10*rounds(), trial()/2
	if testing.Short() {
		pairs = 4
	}
	p := openPostgreSQL(t, "bench_measuring")
	p.drop(t)
	build(t, p, cpuWarehouses(), builders)
	keepAwake(t)
	const users = 8
	run := func(measured bool) outcome {
		arguments := runArguments(p, users, time.Second, length)
		if measured {
			i := slices.Index(arguments, "--no-repo")
			arguments = slices.Replace(arguments, i, i+1, "--repo", filepath.Join(t.TempDir(), "jobs.db"), "--set", "time_profile=true")
		}
		return outcomeOf(t, arguments, length)
	}
	var nopm, cpu [2][]float64 // off, on
	var taken []float64
	for i := range pairs {
		var of [2]outcome
		for _, on := range inTurns(i) {
			of[on] = run(on == 1)
			nopm[on], cpu[on] = append(nopm[on], of[on].nopm), append(cpu[on], of[on].cpu)
		}
		taken = append(taken, 100*(of[1].cpu-of[0].cpu)*of[0].rate/1e6/float64(runtime.NumCPU()))
		t.Logf("pair %d: NOPM %.0f on, %.0f off; client CPU %.1f and %.1f µs a transaction", i+1, nopm[1][i], nopm[0][i], cpu[1][i], cpu[0][i])
	}
	p.drop(t)
	about := fmt.Sprintf("all of a run measured against nothing but its result, %d users", users)
	for _, f := range []turns{
		{"NOPM", nopm, "NOPM", atLeast(0.99)},
		{"client CPU for a transaction", cpu, "µs", nil},
	} {
		f.note(t, p, about, length)
	}
	center, off := normal(taken)
	note(t, figure{
		What:  p.title() + ": what it takes of all cores, " + about,
		Value: center, Unit: "%", Target: atMost(1),
		Detail: fmt.Sprintf("95 %%: %.2f to %.2f %%; %s", center-off, center+off, spread(taken)),
	})
}

// turns are what runs measured that took turns: those without something, and those with it.
type turns struct {
	what  string
	of    [2][]float64
	unit  string
	limit *target // of the ratio of those with to those without
}

// inTurns is the order of a pair's runs, that with something as 1 and that without it as 0. It
// changes from pair to pair.
func inTurns(pair int) []int {
	if pair%2 == 1 {
		return []int{0, 1}
	}
	return []int{1, 0}
}

// note records how they compare.
func (f turns) note(t *testing.T, s loadable, about string, length time.Duration) {
	t.Helper()
	mean, low, high := meanRatio(f.of[1], f.of[0])
	note(t, figure{
		What:  fmt.Sprintf("%s: %s, %s", s.title(), f.what, about),
		Value: mean, Unit: "x", Target: f.limit,
		Detail: fmt.Sprintf("95 %%: %.3f to %.3f; medians %s and %s %s; runs of %v, %s",
			low, high, spell(median(f.of[1])), spell(median(f.of[0])), f.unit, length, spread(ratios(f.of[1], f.of[0]))),
	})
}

// meanRatio returns the geometric mean of a to b, one by one, and between what it lies with
// 95 % if the ratios come from a normal distribution of their logarithms.
func meanRatio(a, b []float64) (mean, low, high float64) {
	logarithms := ratios(a, b)
	for i, r := range logarithms {
		logarithms[i] = math.Log(r)
	}
	center, off := normal(logarithms)
	return math.Exp(center), math.Exp(center - off), math.Exp(center + off)
}

// normal returns the mean, and how far off the true one is at most with 95 % if the values
// come from a normal distribution.
func normal(values []float64) (center, off float64) {
	var sum, squares float64
	for _, v := range values {
		sum += v
	}
	n := float64(len(values))
	center = sum / n
	for _, v := range values {
		squares += (v - center) * (v - center)
	}
	const quantile = 1.96 // where there are some 30 values; fewer only try the harness
	return center, quantile * math.Sqrt(squares/max(1, n-1)/n)
}
