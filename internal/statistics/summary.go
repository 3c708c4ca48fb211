package statistics

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Summary describes the figures of runs of one set-up.
type Summary struct {
	Runs      int       `json:"runs"`
	Least     float64   `json:"least"`
	Most      float64   `json:"most"`
	Median    float64   `json:"median"`
	Quartile1 float64   `json:"quartile_1"`
	Quartile3 float64   `json:"quartile_3"`
	Interval  *Interval `json:"interval,omitempty"`  // of the median, with confidence 0.95 or more; nil below 6 runs, and if the runs depend on each other
	Precision *float64  `json:"precision,omitempty"` // largest distance of the interval's ends from the median, relative to the median; nil without an interval
	Trend     bool      `json:"trend,omitempty"`     // figures rise or fall from run to run
	Dependent bool      `json:"dependent,omitempty"` // each figure is like the one before
}

// leastForOutliers is the number of runs from which on their hinges show what is far from them.
const leastForOutliers = 6

// Fences returns the limits outside which a figure is an outlier: three times the distance of the hinges, which are the medians of
// the lower and the upper half, outside these. Tukey calls such figures far out (Exploratory Data Analysis, 1977). Of 6 to 16 normally
// distributed figures, less than 1 % are outside; of his inner fences, 2 to 4 %. For fewer than six figures, the limits are infinite.
func Fences(figures []float64) (low, high float64) {
	n := len(figures)
	if n < leastForOutliers {
		return math.Inf(-1), math.Inf(1)
	}
	sorted := slices.Sorted(slices.Values(figures))
	lower, upper := median(sorted[:(n+1)/2]), median(sorted[n/2:])
	return lower - 3*(upper-lower), upper + 3*(upper-lower)
}

// dependence is the level of the tests for a trend and for dependent runs.
const dependence = 0.01

// Summarize describes the figures of runs of one set-up, in the order of the runs. The interval's
// ends are two of the figures, so it holds for any distribution (order statistics of the median).
//
// Runs that begin where the last one left the database depend on each other. Then an interval would
// be too narrow, so there is none: the tests are Mann's for a trend (1945) and von Neumann's ratio
// of ranks (Bartels 1982).
func Summarize(figures []float64) (Summary, error) {
	if len(figures) == 0 {
		return Summary{}, errors.New("a summary needs a run")
	}
	for _, figure := range figures {
		if math.IsNaN(figure) || math.IsInf(figure, 0) {
			return Summary{}, fmt.Errorf("the figure %g is not a number", figure)
		}
	}
	sorted := slices.Sorted(slices.Values(figures))
	s := Summary{
		Runs: len(sorted), Least: sorted[0], Most: sorted[len(sorted)-1], Median: median(sorted),
		Quartile1: stat.Quantile(0.25, stat.LinInterp, sorted, nil),
		Quartile3: stat.Quantile(0.75, stat.LinInterp, sorted, nil),
		Trend:     trend(figures) < dependence,
		Dependent: serial(figures) < dependence,
	}
	if k := medianRank(len(sorted)); k >= 0 && !s.Trend && !s.Dependent {
		s.Interval = &Interval{sorted[k], sorted[len(sorted)-1-k]}
		if s.Median > 0 {
			precision := max(s.Interval.High-s.Median, s.Median-s.Interval.Low) / s.Median
			s.Precision = &precision
		}
	}
	return s, nil
}

// medianRank returns the greatest k for which the interval from the figure k to the figure n-1-k of n
// sorted ones, counted from 0, contains the median with a probability of at least 0.95; or -1.
func medianRank(n int) int {
	below := distuv.Binomial{N: float64(n), P: 0.5}
	k := -1
	for 2*below.CDF(float64(k+1)) <= 0.05 {
		k++
	}
	return k
}

// LeastConfident is the smallest number of runs after which Confident may end a repetition.
const LeastConfident = 8

// Confident says whether runs of one set-up, in their order, suffice for a median that is precise to
// the relative target, such as 0.02: after at least 8 runs, if the precision was reached after the
// last run and after the one before. Ending at the first success would make the interval too narrow,
// because it would favour series that are narrow by chance.
func Confident(figures []float64, target float64) (bool, error) {
	for n := len(figures) - 1; n <= len(figures); n++ {
		if n < LeastConfident-1 {
			return false, nil
		}
		s, err := Summarize(figures[:n])
		if err != nil || s.Precision == nil || *s.Precision > target {
			return false, err
		}
	}
	return true, nil
}
