package tprocc

import (
	"encoding/binary"
	"math/bits"
	"math/rand/v2"
)

// The constants A of NURand, which decide how non-uniform it is (TPC-C 2.1.6).
const (
	LastNameA   = 255  // for C_LAST, over 0..999
	CustomerIDA = 1023 // for C_ID, over 1..3000
	ItemIDA     = 8191 // for OL_I_ID, over 1..100000
)

// The constants C of NURand, one number from 0..A each, which decide the positions of its peaks
// (TPC-C 2.1.6). The two for C_LAST must differ by 65 to 119, but not by 96 or 112 (TPC-C 2.1.6.1),
// so that a run does not favour the same names as the load. They are fixed, so runs on different
// days and machines are comparable.
const (
	LastNameLoadC = 123 // TPROC-C's
	LastNameRunC  = 223
	CustomerIDC   = 259
	ItemIDC       = 7911
)

// RandomNumber returns a number drawn uniformly from x..y, both included
// (TPC-C 4.3.2.5). A *rand.Rand is a rand.Source.
func RandomNumber(r rand.Source, x, y int) int {
	return within(r.Uint64(), x, y)
}

// NURand returns a number drawn from x..y, both included, with the standard's
// non-uniform distribution (TPC-C 2.1.6).
func NURand(r rand.Source, a, x, y, c int) int {
	return ((RandomNumber(r, 0, a)|RandomNumber(r, x, y))+c)%(y-x+1) + x
}

// LastName returns the customer name of number n, 0..999: a syllable for each of
// its three digits (TPC-C 4.3.2.3).
func LastName(n int) string { return lastNames[n] }

var lastNames = makeLastNames()

func makeLastNames() (names [1000]string) {
	syllables := [10]string{"BAR", "OUGHT", "ABLE", "PRI", "PRES", "ESE", "ANTI", "CALLY", "ATION", "EING"}
	for n := range names {
		names[n] = syllables[n/100] + syllables[n/10%10] + syllables[n%10]
	}
	return names
}

// within maps a random word evenly onto x..y. It treats the word as a fraction of 2^64 and
// multiplies it by the size of the range (Lemire, "Fast random integer generation in an interval").
// It leaves out Lemire's correction: the ranges are at most a million, so the probabilities of two
// numbers differ by at most 1e-13.
func within(word uint64, x, y int) int {
	n, _ := bits.Mul64(word, uint64(y-x+1))
	return x + int(n)
}

// A stream is one sequence of random numbers of a population. The rows of a
// table depend on its number: add at the end, never reorder.
type stream uint64

const (
	itemStream stream = iota + 1
	warehouseStream
	stockStream
	districtStream
	customerStream
	historyStream
	ordersStream
	orderLineStream
	lineCountStream // O_OL_CNT, which must be the same in orders and order_line
)

// generator draws the random values of rows. It is the standard library's PCG, held by value and
// called without an interface. Its sequence is fixed, so rows do not change with the version of Go.
type generator struct{ rand.PCG }

// newGenerator returns the generator of one chunk. Seeds, streams and chunks are small numbers that
// differ little, so newGenerator mixes them into distant starting points.
func newGenerator(seed uint64, s stream, chunk int) generator {
	return generator{*rand.NewPCG(mix(seed), mix(uint64(s)<<32|uint64(chunk)))}
}

// mix is SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators"): a
// step of its counter, so that zero does not stay zero, and its output function.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// within is RandomNumber without the cost of an interface.
func (g *generator) within(x, y int) int { return within(g.Uint64(), x, y) }

// appendLetters appends an a-string of x to y characters (TPC-C 4.3.2.2).
func (g *generator) appendLetters(buf []byte, x, y int) []byte {
	return g.appendDrawn(buf, g.within(x, y), letterPairs)
}

// appendDigits appends an n-string of n characters (TPC-C 4.3.2.2).
func (g *generator) appendDigits(buf []byte, n int) []byte {
	return g.appendDrawn(buf, n, digitPairs)
}

// appendDrawn appends n characters, drawn in pairs, eight for each random word. It writes whole
// words and then removes the excess.
func (g *generator) appendDrawn(buf []byte, n int, pairs []uint16) []byte {
	end := len(buf) + n
	for len(buf) < end {
		buf = binary.LittleEndian.AppendUint64(buf, drawEight(g.Uint64(), pairs))
	}
	return buf[:end]
}

// drawEight makes eight characters from a random word. As in within, the word is a fraction that is
// multiplied by the number of pairs. The integer part chooses a pair, and the rest is a fraction
// again, with 12 bits less. The fourth pair is chosen with 28 bits, so no pair is favoured by more
// than 2e-5.
func drawEight(word uint64, pairs []uint16) uint64 {
	n := uint64(len(pairs))
	i, word := bits.Mul64(word, n)
	j, word := bits.Mul64(word, n)
	k, word := bits.Mul64(word, n)
	l, _ := bits.Mul64(word, n)
	return uint64(pairs[i]) | uint64(pairs[j])<<16 | uint64(pairs[k])<<32 | uint64(pairs[l])<<48
}

// All pairs of characters, the first character in the low byte, so that four shifted pairs are
// eight characters in order.
var (
	letterPairs = makePairs("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
	digitPairs  = makePairs("0123456789")
)

func makePairs(alphabet string) []uint16 {
	pairs := make([]uint16, 0, len(alphabet)*len(alphabet))
	for _, first := range []byte(alphabet) {
		for _, second := range []byte(alphabet) {
			pairs = append(pairs, uint16(first)|uint16(second)<<8)
		}
	}
	return pairs
}

// sample picks an exact number of rows at random. The chance of each row is the number of picks
// left divided by the number of rows left (Knuth, The Art of Computer Programming 3.4.2, algorithm
// S).
type sample struct{ wanted, left int }

// oneInTen returns a sample that picks a tenth of rows.
func oneInTen(rows int) sample { return sample{wanted: rows / 10, left: rows} }

// pick reports whether the next row is in the sample.
func (s *sample) pick(g *generator) bool {
	picked := g.within(1, s.left) <= s.wanted
	s.left--
	if picked {
		s.wanted--
	}
	return picked
}
