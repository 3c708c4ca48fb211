package tprocc_test

import (
	"fmt"
	"math"
	"slices"
)

// uniform returns an error unless numbers look drawn uniformly from x..y. Seeds are fixed, so a
// test that passes once always passes.
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
	// With four draws per number, an end is missed by chance in one of thirty tests, which then
	// need another seed. A range that is too short by one is always found.
	if len(numbers) >= 4*size && (slices.Min(numbers) > x || slices.Max(numbers) < y) {
		return fmt.Errorf("got numbers from %d to %d, want %d to %d", slices.Min(numbers), slices.Max(numbers), x, y)
	}
	return nil
}

// nuRandDistributed returns an error unless numbers look drawn by NURand(a, x, y) with the constant
// c. It computes the exact distribution.
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

// distributed returns an error if chi squared of the counts is more than six standard deviations
// above its mean. Bins with small expected counts are merged, because chi squared needs at least
// five in each.
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
