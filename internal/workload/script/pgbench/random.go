// Package pgbench has the expressions of pgbench's script language, with its functions and its random
// numbers, bit for bit (PostgreSQL's manual, pgbench).
package pgbench

import (
	"math"
	"math/bits"
)

// random is pgbench's generator of random numbers: xoroshiro128** (Blackman and Vigna), seeded by
// splitmix64.
type random struct{ s0, s1 uint64 }

func newRandom(seed uint64) random {
	next := func() uint64 {
		seed += 0x9E3779B97F4A7C15
		z := seed
		z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9
		z = (z ^ (z >> 27)) * 0x94D049BB133111EB
		return z ^ (z >> 31)
	}
	s0 := next()
	return random{s0, next()}
}

// next returns 64 random bits.
func (r *random) next() uint64 {
	s0, sx := r.s0, r.s1^r.s0
	value := bits.RotateLeft64(s0*5, 7) * 9
	r.s0 = bits.RotateLeft64(s0, 24) ^ sx ^ (sx << 16)
	r.s1 = bits.RotateLeft64(sx, 37)
	return value
}

// float returns a number from 0 to 1, without 1.
func (r *random) float() float64 { return float64(r.next()>>12) * (1.0 / (1 << 52)) }

// within returns a number from low to high. It draws none if both are equal.
func (r *random) within(low, high int64) int64 {
	width := uint64(high) - uint64(low)
	if width == 0 {
		return low
	}
	shift := bits.LeadingZeros64(width)
	for {
		if v := r.next() >> shift; v <= width {
			return int64(uint64(low) + v)
		}
	}
}

// gaussian returns a number from low to high, most often near the middle. parameter is the number of
// standard deviations between the middle and the bounds, at least 2.
func (r *random) gaussian(low, high int64, parameter float64) int64 {
	for {
		r1, r2 := 1-r.float(), 1-r.float()
		x := math.Sqrt(-2*math.Log(r1)) * math.Sin(2*math.Pi*r2)
		if -parameter <= x && x < parameter {
			return low + int64(float64(high-low+1)*((x+parameter)/(parameter*2)))
		}
	}
}

// exponential returns a number from low to high, most often near low. parameter is positive.
func (r *random) exponential(low, high int64, parameter float64) int64 {
	cut := math.Exp(-parameter)
	u := 1 - r.float()
	return low + int64(float64(high-low+1)*(-math.Log(cut+(1-cut)*u)/parameter))
}

// zipfian returns a number from low to high, of which the first is the most frequent. s is more than 1.
func (r *random) zipfian(low, high int64, s float64) int64 {
	n, b := high-low+1, math.Pow(2, s-1)
	for {
		u, v := r.float(), r.float()
		x := math.Floor(math.Pow(u, -1/(s-1)))
		t := math.Pow(1+1/x, s-1)
		if v*x*(t-1)/(b-1) <= t/b && x <= float64(n) {
			return low - 1 + int64(x)
		}
	}
}

// hashFNV1a is hash_fnv1a.
func hashFNV1a(value int64, seed uint64) int64 {
	const offset, prime = 0xCBF29CE484222325, 0x100000001B3
	hash := offset ^ seed
	n := uint64(value)
	for range 8 {
		hash = (hash ^ n&0xFF) * prime
		n >>= 8
	}
	return int64(hash)
}

// hashMurmur2 is hash_murmur2, and hash.
func hashMurmur2(value int64, seed uint64) int64 {
	const m, length = 0xC6A4A7935BD1E995, 8
	factor := uint64(m)
	hash := seed ^ length*factor
	k := uint64(value) * m
	k = (k ^ k>>47) * m
	hash = (hash ^ k) * m
	hash = (hash ^ hash>>47) * m
	return int64(hash ^ hash>>47)
}

// permute returns the place of a value in a permutation of the numbers from 0 to size-1, which the
// seed decides.
func permute(value, size int64, seed uint64) int64 {
	if size == 1 {
		return 0
	}
	r := newRandom(seed)
	n, v := uint64(size), uint64(((value%size)+size)%size)
	length := bits.Len64(n) - 1
	mask := uint64(1)<<length - 1
	half := func(v uint64) uint64 {
		m, x := r.next()&mask|1, r.next()&mask
		if v > mask {
			return v
		}
		v = ((v * m) ^ x) & mask
		return (v<<1)&mask | v>>(length-1)
	}
	for range 6 {
		v = half(v)
		v = n - 1 - half(n-1-v)
		v = (v + uint64(r.within(0, size-1))) % n
	}
	return int64(v)
}
