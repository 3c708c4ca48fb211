package meter

import (
	"math/rand/v2"
	"slices"
	"testing"
)

func TestGamma_RoundTrip(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	numbers := []uint64{1, 1, 2, 3, 4, 7, 8, 1<<longestGamma - 1, 1 << (longestGamma - 1)}
	for n := range 2000 {
		var w gammaWriter
		for _, number := range numbers[:min(n, len(numbers))] {
			w.put(number)
		}
		written := w.end()
		r := gammaReader{bytes: written}
		var read []uint64
		for r.more() {
			read = append(read, r.number())
		}
		if r.wrong || !slices.Equal(read, numbers[:min(n, len(numbers))]) {
			t.Fatalf("got %v, wrong: %t; want %v", read, r.wrong, numbers[:min(n, len(numbers))])
		}
		numbers = append(numbers, 1+random.Uint64N(1<<random.IntN(longestGamma)))
	}
}

func TestGammaReader_RefusesInvalidBits(t *testing.T) {
	for _, bad := range [][]byte{{0}, {0x80, 0}, {0x01}, {0, 0, 0, 0, 0, 0, 0xff}, make([]byte, 20)} {
		r := gammaReader{bytes: bad}
		for r.more() {
			r.number()
		}
		if !r.wrong {
			t.Errorf("%x: got no error", bad)
		}
	}
	r := gammaReader{}
	if r.number() != 0 || !r.wrong {
		t.Error("no bytes: got a number")
	}
}
