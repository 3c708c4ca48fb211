package statistics

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// signedRanks returns, for each number w, the probability that the ranks of the positive ones among n
// values add up to at most w, if each sign is positive or negative by chance. It counts all
// 2^n sign patterns.
func signedRanks(n int) []float64 {
	sums := make([]float64, n*(n+1)/2+1)
	sums[0] = 1
	for rank := 1; rank <= n; rank++ {
		for w := rank * (rank + 1) / 2; w >= 0; w-- {
			if w >= rank {
				sums[w] += sums[w-rank]
			}
			sums[w] /= 2
		}
	}
	return cumulate(sums)
}

// cumulate replaces probabilities by their sums from the first on.
func cumulate(p []float64) []float64 {
	for i := 1; i < len(p); i++ {
		p[i] = min(1, p[i]+p[i-1])
	}
	return p
}

// quantile returns the p-quantile of the standard normal distribution.
func quantile(p float64) float64 { return distuv.UnitNormal.Quantile(p) }

// median returns the median of sorted values.
func median(sorted []float64) float64 {
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// search returns how many of the sorted values are below value, or at most value if equal is true.
func search(sorted []float64, value float64, equal bool) int {
	n, _ := slices.BinarySearchFunc(sorted, value, func(v, value float64) int {
		if v < value || equal && v == value {
			return -1
		}
		return 1
	})
	return n
}

// trend returns the two-sided p of Mann's test for a trend in a series: how improbable the number of
// pairs in increasing order is if every order of the values is equally probable.
func trend(series []float64) float64 {
	rising, falling := 0, 0 // pairs of equal values count as both
	for i, later := range series {
		for _, earlier := range series[:i] {
			if later >= earlier {
				rising++
			}
			if later <= earlier {
				falling++
			}
		}
	}
	return min(1, 2*inversions(len(series))[min(rising, falling)])
}

// inversions returns, for each number k, the probability that a random order of n values has at most
// k pairs in decreasing order.
func inversions(n int) []float64 {
	p := make([]float64, n*(n-1)/2+1)
	p[0] = 1
	before := make([]float64, len(p))
	for size := 2; size <= n; size++ { // the last of size values forms 0 to size-1 such pairs
		copy(before, p)
		window := 0.0
		for k := range size*(size-1)/2 + 1 {
			window += before[k]
			if k >= size {
				window -= before[k-size]
			}
			p[k] = window / float64(size)
		}
	}
	return cumulate(p)
}

// serial returns the one-sided p of Bartels' test of a series, by its approximation for the ratio of von
// Neumann of ranks: small if neighbours are alike. It is 1 for fewer than 8 values.
func serial(series []float64) float64 {
	n := float64(len(series))
	if n < 8 {
		return 1
	}
	r := ranks(series)
	between, total := 0.0, 0.0
	for i := range r {
		total += (r[i] - (n+1)/2) * (r[i] - (n+1)/2)
		if i > 0 {
			between += (r[i] - r[i-1]) * (r[i] - r[i-1])
		}
	}
	if total == 0 { // all values are equal
		return 1
	}
	variance := 4 * (n - 2) * (5*n*n - 2*n - 9) / (5 * n * (n + 1) * (n - 1) * (n - 1))
	return distuv.UnitNormal.CDF((between/total - 2) / math.Sqrt(variance))
}

// ranks returns the rank of each value from 1 on; equal values share their mean rank.
func ranks(values []float64) []float64 {
	sorted := slices.Sorted(slices.Values(values))
	r := make([]float64, len(values))
	for i, v := range values {
		r[i] = float64(search(sorted, v, false)+search(sorted, v, true)+1) / 2
	}
	return r
}
