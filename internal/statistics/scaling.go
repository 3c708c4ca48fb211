package statistics

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/optimize"
	"gonum.org/v1/gonum/stat"
)

// Scaling describes how a throughput grows with the number of users, by the Universal Scalability Law
// (Gunther, Guerrilla Capacity Planning, 2007): X(N) = λN / (1 + σ(N-1) + κN(N-1)).
type Scaling struct {
	Rate       float64 `json:"rate_of_one_user"` // λ
	Contention float64 `json:"contention"`       // σ: share of the work that only one user can do at a time
	Coherency  float64 `json:"coherency"`        // κ: cost of each pair of users

	// Peak is the number of users with the highest throughput, and its 95 % interval over the runs; nil if the law
	// has none up to twice the greatest number that was tried.
	Peak         *float64  `json:"peak_users,omitempty"`
	PeakInterval *Interval `json:"peak_interval,omitempty"`
	PeakRate     float64   `json:"peak_rate,omitempty"` // the throughput there

	// Misfit is the largest distance of a median from the law, as a share of the median. Above 0.1 the law
	// does not describe these runs, and nothing follows from its numbers.
	Misfit float64 `json:"misfit"`
}

// Describes reports whether the law describes the runs.
func (s Scaling) Describes() bool { return s.Misfit <= 0.1 }

// At returns the throughput of n users by the law.
func (s Scaling) At(n float64) float64 {
	return s.Rate * n / (1 + s.Contention*(n-1) + s.Coherency*n*(n-1))
}

// LeastScaling is the smallest number of different numbers of users that have a law.
const LeastScaling = 6

// FitScaling fits the law to the figures of runs, which are above 0, by number of users. The law has the
// least squared distances from the medians, as ratios.
func FitScaling(figures map[int][]float64) (Scaling, error) {
	var users []int
	for n, list := range figures {
		if n < 1 || len(list) == 0 {
			return Scaling{}, fmt.Errorf("%d users have %d runs", n, len(list))
		}
		if slices.ContainsFunc(list, func(v float64) bool { return !(v > 0) || math.IsInf(v, 0) }) {
			return Scaling{}, errors.New("a throughput is not above 0")
		}
		users = append(users, n)
	}
	if len(users) < LeastScaling {
		return Scaling{}, fmt.Errorf("%d numbers of users have no law of scaling: %d are the least", len(users), LeastScaling)
	}
	slices.Sort(users)
	medians := make([]float64, len(users))
	for i, n := range users {
		medians[i] = median(slices.Sorted(slices.Values(figures[n])))
	}
	s, err := fitLaw(users, medians, [2]float64{0.05, 0.001}, [2]float64{0.3, 0.03})
	if err != nil {
		return Scaling{}, err
	}
	for i, n := range users {
		s.Misfit = max(s.Misfit, math.Abs(s.At(float64(n))/medians[i]-1))
	}
	if s.Peak != nil {
		s.PeakRate = s.At(*s.Peak)
		s.PeakInterval = s.peakInterval(users, figures)
	}
	return s, nil
}

// fitLaw fits the law to one throughput for each number of users. starts has first guesses of the contention and the
// coherency.
func fitLaw(users []int, throughput []float64, starts ...[2]float64) (Scaling, error) {
	law := func(x []float64) Scaling {
		return Scaling{Rate: math.Exp(x[0]), Contention: x[1] * x[1], Coherency: x[2] * x[2]}
	}
	problem := optimize.Problem{Func: func(x []float64) float64 {
		s, sum := law(x), 0.0
		for i, n := range users {
			d := math.Log(s.At(float64(n)) / throughput[i])
			sum += d * d
		}
		return sum
	}}
	best := optimize.Result{Location: optimize.Location{F: math.Inf(1)}}
	for _, start := range starts {
		x := []float64{math.Log(throughput[0] / float64(users[0])), math.Sqrt(start[0]), math.Sqrt(start[1])}
		found, err := optimize.Minimize(problem, x, nil, &optimize.NelderMead{})
		if err != nil {
			return Scaling{}, fmt.Errorf("fit the law of scaling: %w", err)
		}
		if found.F < best.F {
			best = *found
		}
	}
	s := law(best.X)
	if peak := math.Sqrt((1 - s.Contention) / s.Coherency); s.Contention < 1 && peak <= 2*float64(users[len(users)-1]) {
		s.Peak = &peak
	}
	return s, nil
}

// peakInterval returns the interval of the peak over samples of the runs, drawn with replacement; nil if
// some of the samples have no peak.
func (s Scaling) peakInterval(users []int, figures map[int][]float64) *Interval {
	const samples = 100
	r := rand.New(rand.NewPCG(1, uint64(len(users))))
	var peaks []float64
	throughput := make([]float64, len(users))
	for range samples {
		for i, n := range users {
			drawn := make([]float64, len(figures[n]))
			for k := range drawn {
				drawn[k] = figures[n][r.IntN(len(drawn))]
			}
			slices.Sort(drawn)
			throughput[i] = median(drawn)
		}
		one, err := fitLaw(users, throughput, [2]float64{s.Contention, s.Coherency})
		if err != nil || one.Peak == nil {
			return nil
		}
		peaks = append(peaks, *one.Peak)
	}
	slices.Sort(peaks)
	return &Interval{stat.Quantile(0.025, stat.Empirical, peaks, nil), stat.Quantile(0.975, stat.Empirical, peaks, nil)}
}
