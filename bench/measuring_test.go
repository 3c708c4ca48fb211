//go:build bench && linux

package bench

import (
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"sledge/internal/job"
	reports "sledge/internal/report"
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
// several percent. The client's CPU time for a transaction differs by far less, and says what
// the cost is made of.
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
	run := func(measured bool) (nopm, cpu float64) {
		arguments := runArguments(p, users, time.Second, length)
		if measured {
			i := slices.Index(arguments, "--no-repo")
			arguments = slices.Replace(arguments, i, i+1, "--repo", filepath.Join(t.TempDir(), "jobs.db"), "--set", "time_profile=true")
		}
		var d reports.Document
		if err := json.Unmarshal(execute(t, nil, sledgeProgram, arguments...).output, &d); err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(d.Metrics, func(m job.Metric) bool { return m.Name == "NOPM" })
		if i < 0 || d.All == nil || d.Client == nil {
			t.Fatalf("got %+v, want NOPM, transactions and what the client used", d)
		}
		return d.Metrics[i].Value, 1e6 * d.Client.CPUSeconds / float64(d.All.Done+d.All.RolledBack)
	}
	var nopm, cpu [2][]float64 // off, on
	for i := range pairs {
		order := []int{1, 0}
		if i%2 == 1 {
			order = []int{0, 1}
		}
		for _, on := range order {
			n, c := run(on == 1)
			nopm[on], cpu[on] = append(nopm[on], n), append(cpu[on], c)
		}
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
}

// turns are what runs measured that took turns: those without something, and those with it.
type turns struct {
	what  string
	of    [2][]float64
	unit  string
	limit *target // of the ratio of those with to those without
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
	var sum, squares float64
	for _, r := range ratios(a, b) {
		sum += math.Log(r)
	}
	n := float64(len(a))
	center := sum / n
	for _, r := range ratios(a, b) {
		squares += (math.Log(r) - center) * (math.Log(r) - center)
	}
	const normal = 1.96 // where there are some 30 pairs; fewer only try the harness
	off := normal * math.Sqrt(squares/max(1, n-1)/n)
	return math.Exp(center), math.Exp(center - off), math.Exp(center + off)
}
