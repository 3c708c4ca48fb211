package statistics_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"sledge/internal/statistics"
)

// lawful returns three runs of each number of users, by a law with noise.
func lawful(s statistics.Scaling, noise float64, r *rand.Rand) map[int][]float64 {
	figures := map[int][]float64{}
	for _, n := range []int{1, 2, 4, 8, 16, 32, 48, 64} {
		for range 3 {
			figures[n] = append(figures[n], s.At(float64(n))*math.Exp(noise*r.NormFloat64()))
		}
	}
	return figures
}

func TestFitScaling_FindsTheLaw(t *testing.T) {
	law := statistics.Scaling{Rate: 1000, Contention: 0.05, Coherency: 0.0006}
	peak := math.Sqrt((1 - law.Contention) / law.Coherency)
	r := rand.New(rand.NewPCG(3, 3))
	exact, err := statistics.FitScaling(lawful(law, 0, r))
	if err != nil || math.Abs(exact.Rate/law.Rate-1) > 1e-3 || math.Abs(exact.Contention-law.Contention) > 1e-3 || math.Abs(exact.Coherency/law.Coherency-1) > 1e-2 || exact.Peak == nil || math.Abs(*exact.Peak/peak-1) > 0.01 || !exact.Describes() {
		t.Errorf("got %+v, %v without noise, want %+v", exact, err, law)
	}
	const tries = 20
	covered, far := 0, 0
	for range tries {
		s, err := statistics.FitScaling(lawful(law, 0.02, r))
		if err != nil || !s.Describes() {
			t.Fatalf("got %+v, %v", s, err)
		}
		if s.Peak == nil || math.Abs(*s.Peak/peak-1) > 0.25 {
			far++
		}
		if i := s.PeakInterval; i != nil && i.Low <= peak && peak <= i.High {
			covered++
		}
	}
	// Three runs of each number make the interval of a bootstrap too narrow: it is a hint, and no proof.
	if covered < tries*6/10 || far > tries/20 {
		t.Errorf("%d of %d intervals contain the peak, and %d peaks are far from it", covered, tries, far)
	}
}

func TestFitScaling_SaysWhatItCannot(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	linear, err := statistics.FitScaling(lawful(statistics.Scaling{Rate: 500}, 0.01, r))
	if err != nil || linear.Peak != nil && *linear.Peak < 64 || !linear.Describes() {
		t.Errorf("got %+v, %v of a throughput that grows with the users, want no peak among them", linear, err)
	}
	cliff := map[int][]float64{} // a pool of 16 connections, and a collapse above it
	for _, n := range []int{1, 2, 4, 8, 16, 17, 18, 20} {
		v := 1000 * float64(n)
		if n > 16 {
			v = 3000
		}
		cliff[n] = []float64{v, v, v}
	}
	if s, err := statistics.FitScaling(cliff); err != nil || s.Describes() {
		t.Errorf("got %+v, %v of a cliff, want that the law does not describe it", s, err)
	}
	few := lawful(statistics.Scaling{Rate: 500}, 0.01, r)
	delete(few, 64)
	delete(few, 48)
	delete(few, 32)
	if _, err := statistics.FitScaling(few); err == nil {
		t.Error("five numbers of users have a law")
	}
	if _, err := statistics.FitScaling(map[int][]float64{1: {0}, 2: {1}, 3: {1}, 4: {1}, 5: {1}, 6: {1}}); err == nil {
		t.Error("a throughput of 0 is accepted")
	}
}
