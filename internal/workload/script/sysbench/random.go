package sysbench

import (
	"fmt"
	"math"
	"math/bits"
	"sync/atomic"
)

// random is the random numbers of a thread: xoroshiro128+, as Blackman and Vigna published it in 2016.
type random struct{ a, b uint64 }

// seeds returns the first n random numbers of the C library of Linux for a seed, from which threads take the
// states of their random numbers.
func seeds(seed uint32, n int) []uint32 {
	const kept, warmUp = 34, 310
	r := make([]uint32, kept, kept+warmUp+n)
	r[0] = max(seed, 1)
	for i := 1; i < 31; i++ {
		v := int64(int32(r[i-1]))
		w := (16807*(v%127773) - 2836*(v/127773))
		if w < 0 {
			w += math.MaxInt32
		}
		r[i] = uint32(w)
	}
	copy(r[31:], r[:3])
	for i := kept; i < kept+warmUp+n; i++ {
		r = append(r, r[i-31]+r[i-3])
	}
	list := r[kept+warmUp:]
	for i := range list {
		list[i] >>= 1
	}
	return list
}

// newRandom returns the random numbers of a thread. Threads count from 0.
func newRandom(seed uint32, thread int) random {
	const perThread = 4
	s := seeds(seed, perThread*(thread+1))[perThread*thread:]
	return random{uint64(s[0])<<32 | uint64(s[1]), uint64(s[2])<<32 | uint64(s[3])}
}

func (r *random) next() uint64 {
	sum := r.a + r.b
	b := r.b ^ r.a
	r.a = bits.RotateLeft64(r.a, 55) ^ b ^ b<<14
	r.b = bits.RotateLeft64(b, 36)
	return sum
}

// double draws a number from 0 to below 1.
func (r *random) double() float64 { return float64(r.next()>>12) / (1 << 52) }

// distribution is a way to draw whole numbers from a to b. Like sysbench, it computes with 32 bits.
type distribution func(r *random, a, b uint32) uint32

// shape has the options that the distributions depend on.
type shape struct {
	iterations   int     // of gaussian and special
	percent      float64 // the share of the values that are special
	special      float64 // the share of the draws that are special, in percent
	paretoPower  float64
	zipfExponent float64
}

func uniform(r *random, a, b uint32) uint32 {
	return a + uint32(r.double()*float64(b-a+1)) // sysbench computes b-a+1 with 32 bits
}

func (s *shape) gaussian(r *random, a, b uint32) uint32 {
	sum := 0.0
	for range s.iterations {
		sum += r.double() * float64(b-a+1)
	}
	return a + uint32(sum/float64(s.iterations))
}

func (s *shape) pareto(r *random, a, b uint32) uint32 {
	return a + uint32(float64(b-a+1)*math.Pow(r.double(), s.paretoPower))
}

// drawSpecial is the distribution special of sysbench 1.0: most draws are of few values in the middle.
func (s *shape) drawSpecial(r *random, a, b uint32) uint32 {
	u := r.double()
	if a == b {
		return a
	}
	width := float64(b - a)
	if u < 1-s.special/100 {
		sum := 0.0
		for range s.iterations {
			sum += r.double() * width
		}
		return a + uint32(sum/float64(s.iterations))
	}
	few := width * s.percent / 100
	return a + uint32(width/2-few/2+u*(few+1))
}

// zipfian draws by rejection-inversion (Hörmann and Derflinger, "Rejection-inversion to generate variates from
// monotone discrete distributions", 1996).
func (s *shape) zipfian(r *random, a, b uint32) uint32 {
	n := float64(b-a) + 1
	if n <= 1 {
		return a
	}
	e := s.zipfExponent
	integral := func(x float64) float64 {
		if e == 1 {
			return math.Log(x)
		}
		return (math.Pow(x, 1-e) - 1) / (1 - e)
	}
	inverse := func(y float64) float64 {
		if e == 1 {
			return math.Exp(y)
		}
		return math.Pow(max(0, 1+y*(1-e)), 1/(1-e))
	}
	density := func(x float64) float64 { return math.Pow(x, -e) }
	least := 2 - inverse(integral(2.5)-density(2))
	first, last := integral(1.5)-1, integral(n+0.5)
	for {
		u := last + r.double()*(first-last)
		x := inverse(u)
		k := min(max(math.Trunc(x+0.5), 1), n)
		if k-x <= least || u >= integral(k+0.5)-density(k) {
			return a + uint32(k) - 1
		}
	}
}

// distributions returns the distributions by their names.
func (s *shape) distributions() map[string]distribution {
	return map[string]distribution{
		"uniform": uniform, "gaussian": s.gaussian, "pareto": s.pareto, "special": s.drawSpecial, "zipfian": s.zipfian,
	}
}

// sequence is the numbers of unique: each of the 2^32 numbers once, in an order that looks random (Preshing, "How to
// generate a sequence of unique random integers", 2012). It is safe for concurrent use.
type sequence struct {
	next   atomic.Uint32
	offset uint32
}

func permute(x uint32) uint32 {
	const prime = 4294967291
	if x >= prime {
		return x
	}
	residue := uint32(uint64(x) * uint64(x) % prime)
	if x <= prime/2 {
		return residue
	}
	return prime - residue
}

func newSequence(seed uint32) *sequence {
	s := seeds(seed, 2)
	n := &sequence{offset: permute(permute(s[1]) + 0x46790905)}
	n.next.Store(permute(permute(s[0]) + 0x682f0161))
	return n
}

func (s *sequence) draw() uint32 {
	return permute((permute(s.next.Add(1)-1) + s.offset) ^ 0x5bf03635)
}

// appendPattern appends a text in which # is a random digit and @ a random lower-case letter.
func (r *random) appendPattern(buf []byte, pattern string) []byte {
	for i := range len(pattern) {
		switch c := pattern[i]; c {
		case '#':
			buf = append(buf, '0'+byte(uniform(r, 0, 9)))
		case '@':
			buf = append(buf, 'a'+byte(uniform(r, 0, 'z'-'a')))
		default:
			buf = append(buf, c)
		}
	}
	return buf
}

// distributionNamed finds a distribution by its name.
func (s *shape) distributionNamed(name string) (distribution, error) {
	d, is := s.distributions()[name]
	if !is {
		return nil, fmt.Errorf("--rand-type %s: it must be uniform, gaussian, special, pareto or zipfian", name)
	}
	return d, nil
}
