package dbgen

import "math/bits"

// dbgen draws every value from Lehmer's generator with these constants (Park and Miller, "Random
// number generators: good ones are hard to find"): s becomes multiplier*s mod modulus.
const (
	modulus    = 1<<31 - 1
	multiplier = 16807
)

// stream is the state of one generator, within 1..modulus-1. Every column has a stream, and every
// row takes the same quota of its numbers, used or not, so the numbers of a row depend only on its
// place.
type stream uint64

// powers[n] is multiplier^n, which advances a stream by n numbers.
var powers = makePowers()

func makePowers() (p [93]uint64) {
	p[0] = 1
	for n := 1; n < len(p); n++ {
		p[n] = reduce(p[n-1] * multiplier)
	}
	return p
}

// reduce returns x mod modulus, for an x below modulus^2. 2^31 is congruent to 1, so it only adds
// the two halves of the number.
func reduce(x uint64) uint64 {
	x = x&modulus + x>>31
	if x >= modulus {
		x -= modulus
	}
	return x
}

// next advances by one number and returns it.
func (s *stream) next() uint64 {
	x := reduce(uint64(*s) * multiplier)
	*s = stream(x)
	return x
}

// leap advances by n numbers, which must be fewer than powers has.
func (s *stream) leap(n int) { *s = stream(reduce(uint64(*s) * powers[n])) }

// at returns the stream after a number of rows have taken their quotas: multiplier^(quota*rows), by
// squaring.
func (s stream) at(quota, rows int64) stream {
	state, power := uint64(s), uint64(multiplier)
	for n := quota * rows; n > 0; n >>= 1 {
		if n&1 == 1 {
			state = reduce(state * power)
		}
		power = reduce(power * power)
	}
	return stream(state)
}

// narrow is the largest range that draw may choose from.
const narrow = 1 << 21

// draw returns a number within 0..n-1, for an n up to narrow.
func (s *stream) draw(n uint64) uint64 { return portion(s.next(), n) }

// portion returns s*n/modulus in whole numbers: the index of s divided by modulus, which dbgen
// computes in floating point, among n equal parts of 0 to 1. Both give the same result for n up to
// narrow. Because s*n is not a multiple of the prime modulus, the fraction stays at least 1/modulus
// away from any whole number, and two roundings change it by less.
func portion(s, n uint64) uint64 {
	x := s * n
	return (x + x>>31 + 1) >> 31 // equals x / modulus, for any x below modulus^2
}

// drawWide is draw for any n below 2^31. It divides as dbgen does, because the rounding matters
// here.
func (s *stream) drawWide(n int64) int64 {
	return int64(float64(int64(s.next())) / modulus * float64(n))
}

// drawBits returns what dbgen draws within 0..2^31-1. The size of that range, as a signed number of
// 32 bits, is -2^31, so dbgen never draws anything above 0.
func (s *stream) drawBits() int64 { return s.drawWide(-1 << 31) }

// divisor divides by a number known only at run time, without the processor's slow division
// (Lemire, Kaser and Kurz, "Faster remainder by direct computation").
type divisor struct{ n, reciprocal uint64 }

// newDivisor returns the divisor n, which is above 1 and below 2^32.
func newDivisor(n int64) divisor {
	return divisor{uint64(n), ^uint64(0)/uint64(n) + 1}
}

// divide returns the quotient and the remainder of an x below 2^32.
func (d divisor) divide(x uint64) (quotient, remainder uint64) {
	quotient, _ = bits.Mul64(x, d.reciprocal)
	return quotient, x - quotient*d.n
}
