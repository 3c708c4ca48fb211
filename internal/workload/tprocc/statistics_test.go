package tprocc_test

import (
	"fmt"
	"math"
	"slices"
)

// uniform returns an error unless numbers look drawn uniformly from x..y. As
// seeds are fixed, a test that holds once always holds.
func uniform(numbers []int, x, y int) error {
	if low, high := slices.Min(numbers), slices.Max(numbers); low < x || high > y {
		return fmt.Errorf("got numbers from %d to %d, want %d to %d", low, high, x, y)
	}
	size := y - x + 1
	bins := min(size, 100, len(numbers)/5)
	if bins < 2 {
		return nil
	}
	observed, expected := make([]float64, bins), make([]float64, bins)
	for _, n := range numbers {
		observed[(n-x)*bins/size]++
	}
	for n := range size {
		expected[n*bins/size] += float64(len(numbers)) / float64(size)
	}
	if err := distributed(observed, expected); err != nil {
		return err
	}
	// Four draws for each number miss an end in one of thirty tries: often enough to
	// want another seed now and then, seldom enough to catch a range that is short
	// by one.
	if len(numbers) >= 4*size && (slices.Min(numbers) > x || slices.Max(numbers) < y) {
		return fmt.Errorf("got numbers from %d to %d, want %d to %d", slices.Min(numbers), slices.Max(numbers), x, y)
	}
	return nil
}

// nuRandDistributed returns an error unless numbers look drawn by
// NURand(a, x, y) with the constant c, whose distribution it counts out.
func nuRandDistributed(numbers []int, a, x, y, c int) error {
	size := y - x + 1
	observed, expected := make([]float64, size), make([]float64, size)
	for _, n := range numbers {
		if n < x || n > y {
			return fmt.Errorf("got %d, want %d..%d", n, x, y)
		}
		observed[n-x]++
	}
	each := float64(len(numbers)) / float64((a+1)*size)
	for i := range a + 1 {
		for j := x; j <= y; j++ {
			expected[((i|j)+c)%size] += each
		}
	}
	return distributed(observed, expected)
}

// distributed returns an error if chi squared of the counts is more than six
// standard deviations above its mean. Counts expected to be small are taken
// together, as chi squared wants five in each at least.
func distributed(observed, expected []float64) error {
	var chi, rest, restExpected float64
	freedom := -1.0
	for i := range observed {
		if expected[i] < 5 {
			rest += observed[i]
			restExpected += expected[i]
			continue
		}
		freedom++
		chi += (observed[i] - expected[i]) * (observed[i] - expected[i]) / expected[i]
	}
	if restExpected >= 5 {
		freedom++
		chi += (rest - restExpected) * (rest - restExpected) / restExpected
	}
	if limit := freedom + 6*math.Sqrt(2*freedom) + 6; !(chi <= limit) { // NaN is not acceptable either
		return fmt.Errorf("got chi squared %.0f for %.0f degrees of freedom, want at most %.0f", chi, freedom, limit)
	}
	return nil
}
