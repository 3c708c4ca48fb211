package files

import (
	"math"
	"math/rand/v2"
)

// zipf draws numbers from 1 to n, of which k has a probability proportional to k to the power of
// -exponent, by rejection-inversion: W. Hörmann and G. Derflinger, "Rejection-inversion to generate
// variates from monotone discrete distributions", ACM TOMACS 6 (1996). It needs the same time for
// any n, and works for exponents below 1, which rand.Zipf does not take.
type zipf struct {
	n                          int64
	exponent                   float64
	atFirst, atLast, threshold float64
}

func newZipf(n int64, exponent float64) zipf {
	z := zipf{n: n, exponent: exponent}
	z.atFirst = z.integral(1.5) - 1
	z.atLast = z.integral(float64(n) + 0.5)
	z.threshold = 2 - z.inverse(z.integral(2.5)-z.density(2))
	return z
}

// next draws a number.
func (z zipf) next(r *rand.Rand) int64 {
	for {
		u := z.atLast + r.Float64()*(z.atFirst-z.atLast)
		x := z.inverse(u)
		k := min(max(math.Round(x), 1), float64(z.n))
		if k-x <= z.threshold || u >= z.integral(k+0.5)-z.density(k) {
			return int64(k)
		}
	}
}

func (z zipf) density(x float64) float64 { return math.Exp(-z.exponent * math.Log(x)) }

// integral is the integral of density from 1 to x.
func (z zipf) integral(x float64) float64 {
	log := math.Log(x)
	return expm1Over((1-z.exponent)*log) * log
}

// inverse is the inverse of integral.
func (z zipf) inverse(y float64) float64 {
	t := max(-1, y*(1-z.exponent))
	return math.Exp(log1pOver(t) * y)
}

// expm1Over returns (exp(x)-1)/x, also near 0.
func expm1Over(x float64) float64 {
	if math.Abs(x) > 1e-8 {
		return math.Expm1(x) / x
	}
	return 1 + x/2
}

// log1pOver returns log(1+x)/x, also near 0.
func log1pOver(x float64) float64 {
	if math.Abs(x) > 1e-8 {
		return math.Log1p(x) / x
	}
	return 1 - x/2
}
