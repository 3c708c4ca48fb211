//go:build bench && linux

package bench

import (
	"fmt"
	"math"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"testing"
	"time"
)

// TestMeasuringCost measures the cost of measuring: it compares runs with a time profile of each
// virtual user and a repository that records everything, with runs without both. Both count network
// traffic, because that cannot be turned off.
//
// Runs of a few seconds alternate (on, off, off, on), so that slow changes, such as growing tables
// or other work on the host, affect both. The test reports the geometric mean of the ratios of
// neighbouring runs with its 95 % confidence interval, because two equal runs differ by several
// percent. The client's CPU time per transaction scatters much less in relation to the total, so
// the test also reports the share of all cores that measuring takes from the server.
func TestMeasuringCost(t *testing.T) {
	p := openPostgreSQL(t, "bench_measuring")
	p.drop(t)
	defer p.drop(t)
	build(t, p, cpuWarehouses(), builders)
	keepAwake(t)
	compareRuns(t, p, 8, "all of a run measured against nothing but its result", func(arguments []string, on bool) []string {
		if !on {
			return arguments
		}
		i := slices.Index(arguments, "--no-repo")
		return slices.Replace(arguments, i, i+1, "--repo", filepath.Join(t.TempDir(), "jobs.db"), "--set", "time_profile=true")
	})
}

// TestObservingCost measures the cost of observing: it compares runs beside which the server's
// sessions, counters and statements and the client's machine are sampled with runs without, as
// TestMeasuringCost does. 64 users wait for locks, so that the server has many active sessions.
func TestObservingCost(t *testing.T) {
	keepAwake(t)
	for _, s := range []loadable{openPostgreSQL(t, "bench_observing"), openMariaDB(t, "bench_observing")} {
		t.Run(s.title(), func(t *testing.T) {
			s.drop(t)
			defer s.drop(t)
			build(t, s, cpuWarehouses(), builders)
			for _, users := range []int{8, 64} {
				compareRuns(t, s, users, "observed against not observed", func(arguments []string, on bool) []string {
					return append(arguments, "--observe="+strconv.FormatBool(on))
				})
			}
		})
	}
}

// compareRuns compares pairs of runs with and without a feature, and notes the ratios of NOPM and
// of the client's CPU time, and the share of all cores that the feature takes. with adds the
// feature to a run's arguments, or turns it off.
func compareRuns(t *testing.T, s loadable, users int, what string, with func(arguments []string, on bool) []string) {
	t.Helper()
	pairs, length := 10*rounds(), trial()/2
	if testing.Short() {
		pairs = 4
	}
	var nopm, cpu [2][]float64 // off, on
	var taken []float64
	for i := range pairs {
		var of [2]outcome
		for _, on := range inTurns(i) {
			of[on] = outcomeOf(t, with(runArguments(s, users, time.Second, length), on == 1), length)
			nopm[on], cpu[on] = append(nopm[on], of[on].nopm), append(cpu[on], of[on].cpu)
		}
		taken = append(taken, 100*(of[1].cpu-of[0].cpu)*of[0].rate/1e6/float64(runtime.NumCPU()))
		t.Logf("pair %d: NOPM %.0f on, %.0f off; client CPU %.1f and %.1f µs a transaction", i+1, nopm[1][i], nopm[0][i], cpu[1][i], cpu[0][i])
	}
	about := fmt.Sprintf("%s, %d users", what, users)
	for _, f := range []turns{
		{"NOPM", nopm, "NOPM", atLeast(0.99)},
		{"client CPU for a transaction", cpu, "µs", nil},
	} {
		f.note(t, s, about, length)
	}
	center, off := normal(taken)
	note(t, figure{
		What:  s.title() + ": what it takes of all cores, " + about,
		Value: center, Unit: "%", Target: atMost(1),
		Detail: fmt.Sprintf("95 %%: %.2f to %.2f %%; %s", center-off, center+off, spread(taken)),
	})
}

// turns holds the measurements of alternating runs: those without a feature, and those with it.
type turns struct {
	what  string
	of    [2][]float64
	unit  string
	limit *target // of the ratio of runs with the feature to runs without it
}

// inTurns returns the order of a pair's runs, 1 for the run with the feature and 0 for the run
// without it. The order alternates from pair to pair.
func inTurns(pair int) []int {
	if pair%2 == 1 {
		return []int{0, 1}
	}
	return []int{1, 0}
}

// note records the comparison as a figure.
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

// meanRatio returns the geometric mean of the ratios of a to b, element by element, and its 95 %
// confidence interval, assuming that the logarithms of the ratios are normally distributed.
func meanRatio(a, b []float64) (mean, low, high float64) {
	logarithms := ratios(a, b)
	for i, r := range logarithms {
		logarithms[i] = math.Log(r)
	}
	center, off := normal(logarithms)
	return math.Exp(center), math.Exp(center - off), math.Exp(center + off)
}

// normal returns the mean, and half the width of its 95 % confidence interval, assuming a normal
// distribution.
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
	const quantile = 1.96 // for about 30 values; runs with fewer only test the harness
	return center, quantile * math.Sqrt(squares/max(1, n-1)/n)
}
