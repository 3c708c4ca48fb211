package statistics_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"sledge/internal/statistics"
)

func summarize(t *testing.T, figures []float64) statistics.Summary {
	t.Helper()
	s, err := statistics.Summarize(figures)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestSummarize(t *testing.T) {
	precision := 0.03
	for _, tt := range []struct {
		figures []float64
		want    statistics.Summary
	}{
		{[]float64{100}, statistics.Summary{Runs: 1, Least: 100, Most: 100, Median: 100, Quartile1: 100, Quartile3: 100}},
		// The ends of the interval are the second figure and the last but one: 2 × P(Bin(9, ½) <= 1) = 0.039.
		{[]float64{101, 99, 103, 96, 100, 97, 104, 98, 102}, statistics.Summary{
			Runs: 9, Least: 96, Most: 104, Median: 100, Quartile1: 97.25, Quartile3: 101.75,
			Interval: &statistics.Interval{Low: 97, High: 103}, Precision: &precision,
		}},
	} {
		if got := summarize(t, tt.figures); !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%v: got %+v, want %+v", tt.figures, got, tt.want)
		}
	}
	for n, want := range map[int]bool{5: false, 6: true} { // 2 / 2^5 = 0.0625
		if got := summarize(t, []float64{101, 99, 102, 98, 100, 103}[:n]); (got.Interval != nil) != want {
			t.Errorf("%d runs: got the interval %v, want one: %t", n, got.Interval, want)
		}
	}
	if _, err := statistics.Summarize(nil); err == nil {
		t.Error("no runs: got no error")
	}
}

func TestSummarize_GivesNoIntervalIfRunsDependOnEachOther(t *testing.T) {
	rising := summarize(t, []float64{100, 101, 103, 102, 104, 105, 107, 106})
	if !rising.Trend || rising.Interval != nil || rising.Precision != nil {
		t.Errorf("got %+v for rising figures, want a trend and no interval", rising)
	}
	for _, n := range []int{8, 20} {
		r := rand.New(rand.NewPCG(1, uint64(n)))
		var trend, dependent, found rate
		for range simulated {
			figures := runs(r, noises[1], n, 100, 0.02)
			s := summarize(t, figures)
			trend.add(s.Trend)
			dependent.add(s.Dependent)
			level := 0.0
			for i := range figures { // each run keeps most of the last one's deviation
				level = 0.8*level + r.NormFloat64()
				figures[i] = 100 + level
			}
			s = summarize(t, figures)
			found.add(s.Trend || s.Dependent)
		}
		trend.between(t, fmt.Sprintf("%d independent runs: a trend", n), 0, 0.01)
		dependent.between(t, fmt.Sprintf("%d independent runs: dependent", n), 0, 0.01)
		if n == 20 {
			found.between(t, "20 dependent runs: found", 0.7, 1)
		}
	}
}

// medianOf returns the median that the runs of a noise have in truth, from many of them.
func medianOf(of noise, spread float64) float64 {
	figures := runs(rand.New(rand.NewPCG(9, 9)), of, 100_001, 100, spread)
	slices.Sort(figures)
	return figures[len(figures)/2]
}

func TestConfident_EndsWithAnHonestInterval(t *testing.T) {
	for _, tt := range []struct {
		of     noise
		spread float64
		runs   float64 // mean number, at most
	}{
		{noises[0], 0.01, 10},
		{noises[0], 0.02, 17},
		{noises[0], 0.03, 29},
		{noises[1], 0.03, 18},
		{noises[2], 0.03, 24},
	} {
		r := rand.New(rand.NewPCG(2, uint64(1000*tt.spread)))
		truth := medianOf(tt.of, tt.spread)
		var coverage rate
		total := 0
		const repetitions = 400
		for range repetitions {
			var figures []float64
			for enough := false; !enough && len(figures) < 60; {
				figures = append(figures, runs(r, tt.of, 1, 100, tt.spread)...)
				var err error
				if enough, err = statistics.Confident(figures, 0.02); err != nil {
					t.Fatal(err)
				}
				if enough && len(figures) < 8 {
					t.Fatalf("%d runs are enough, want at least 8", len(figures))
				}
			}
			total += len(figures)
			if interval := summarize(t, figures).Interval; interval != nil {
				coverage.add(interval.Low <= truth && truth <= interval.High)
			}
		}
		what := fmt.Sprintf("%s, spread %g: ", tt.of.name, tt.spread)
		coverage.between(t, what+"coverage", 0.95, 1)
		if mean := float64(total) / repetitions; mean > tt.runs {
			t.Errorf("%s%.1f runs on average, want at most %g", what, mean, tt.runs)
		}
	}
}

func TestConfident_WantsThePrecisionTwice(t *testing.T) {
	figures := []float64{100, 101, 99, 101, 99, 100, 103, 99, 101, 100}
	for n, want := range map[int]bool{7: false, 8: false, 9: false, 10: true} { // 3 % up to 8 runs, then 1 %
		if got, err := statistics.Confident(figures[:n], 0.02); err != nil || got != want {
			t.Errorf("%d runs: got %t, %v, want %t", n, got, err, want)
		}
	}
}

// Of normally distributed figures, few are outside; a planted one is found.
func TestFences_CallFewRunsOutliers(t *testing.T) {
	const samples = 4000
	random := rand.New(rand.NewPCG(7, 7))
	for n, most := range map[int]float64{6: 0.02, 8: 0.01, 16: 0.002, 40: 0.001} {
		outside, found := 0, 0
		for range samples {
			figures := make([]float64, n)
			for i := range figures {
				figures[i] = 1000 + 20*random.NormFloat64()
			}
			low, high := statistics.Fences(figures)
			for _, f := range figures {
				if f < low || f > high {
					outside++
				}
			}
			figures[random.IntN(n)] = 700
			if low, _ := statistics.Fences(figures); 700 < low {
				found++
			}
		}
		if rate := float64(outside) / float64(samples*n); rate > most {
			t.Errorf("%d runs: %.4f of the figures are outside, want %g at most", n, rate, most)
		}
		if power := float64(found) / samples; power < 0.9 {
			t.Errorf("%d runs: a planted outlier was found in %.2f of the samples", n, power)
		}
	}
	if low, high := statistics.Fences([]float64{1, 2, 3, 4, 1000}); !math.IsInf(low, -1) || !math.IsInf(high, 1) {
		t.Errorf("got %g and %g for five figures, want no limits", low, high)
	}
}
