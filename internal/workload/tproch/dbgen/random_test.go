package dbgen

import (
	"bytes"
	"fmt"
	"math/big"
	"math/rand/v2"
	"strconv"
	"testing"
)

func TestWholeNumbersDrawAsDbgensFloatingPointDoes(t *testing.T) {
	floating := func(s, n uint64) uint64 { return uint64(int64(float64(int64(s)) / modulus * float64(int64(n)))) }
	for _, n := range []uint64{1, 2, 3, 4, 5, 7, 8, 11, 25, 40, 50, 61, 92, 101, 121, 150, 900, 2406, 9000, 9999, 10_000, 99_901, 1_099_999, narrow - 1, narrow} {
		// The drawn number grows with s, so the two agree for every s if they step at the same
		// values.
		for part := range n {
			step := (part*modulus + n - 1) / n
			for s := max(step, 3) - 2; s <= min(step+2, modulus-1); s++ {
				if got, want := portion(s, n), floating(s, n); got != want {
					t.Fatalf("%d of %d: got %d, want %d", s, n, got, want)
				}
			}
		}
		if got, want := portion(modulus-1, n), floating(modulus-1, n); got != want {
			t.Fatalf("the largest of %d: got %d, want %d", n, got, want)
		}
	}
}

func TestStreamsBeginAnywhere(t *testing.T) {
	const seed = 933588178
	walked := stream(seed)
	for n := range int64(1000) {
		if n < int64(len(powers)) {
			leapt := stream(seed)
			leapt.leap(int(n))
			if leapt != walked {
				t.Errorf("%d numbers at once: got %d, want %d", n, leapt, walked)
			}
		}
		if got := stream(seed).at(1, n); got != walked {
			t.Errorf("after %d rows of one number: got %d, want %d", n, got, walked)
		}
		walked.next()
	}
	// Places far beyond the length of a stream, as in refresh sets of large scales, compared with
	// math/big.
	for _, rows := range []int64{15e9, 60e9, 32e15} {
		power := new(big.Int).Exp(big.NewInt(multiplier), big.NewInt(14*rows), big.NewInt(modulus))
		want := power.Mul(power, big.NewInt(seed)).Mod(power, big.NewInt(modulus)).Uint64()
		if got := stream(seed).at(14, rows); uint64(got) != want {
			t.Errorf("after %d rows of 14 numbers: got %d, want %d", rows, got, want)
		}
	}
}

func TestDivisorsDivide(t *testing.T) {
	for _, n := range []int64{2, 3, 10, 16, 19, 10_000, 1 << 20, 999_983, 1e8} {
		d := newDivisor(n)
		check := func(x uint64) {
			if quotient, remainder := d.divide(x); quotient != x/uint64(n) || remainder != x%uint64(n) {
				t.Fatalf("%d by %d: got %d and %d, want %d and %d", x, n, quotient, remainder, x/uint64(n), x%uint64(n))
			}
		}
		for multiple := uint64(0); multiple < 1<<32; multiple += max(uint64(n), 1<<32/10_000/uint64(n)*uint64(n)) {
			check(multiple)
			check(max(multiple, 1) - 1)
			check(min(multiple+1, 1<<32-1))
		}
		check(1<<32 - 1)
	}
}

func TestNumbers_AreWritten(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var b line
	for range 20_000 {
		v := random.Int64N(1<<62) >> random.IntN(62)
		want := strconv.FormatInt(v, 10) + "|"
		if got := string(b[:putInt(&b, 0, v, '|')]); got != want {
			t.Fatalf("number: got %q, want %q", got, want)
		}
		cents := v%200_000_000 - 100_000_000
		sign, positive := "", cents
		if cents < 0 {
			sign, positive = "-", -cents
		}
		if positive < 1e8 {
			want = fmt.Sprintf("%s%d.%02d|", sign, positive/100, positive%100)
			if got := string(b[:putMoney(&b, 0, cents, '|')]); got != want {
				t.Fatalf("money: got %q, want %q", got, want)
			}
		}
		v %= 20_000_000_000
		want = fmt.Sprintf("Clerk#%09d|", v)
		if got := string(b[:putNumbered(&b, 0, "Clerk#", v, '|')]); got != want {
			t.Fatalf("numbered: got %q, want %q", got, want)
		}
	}
	for _, cents := range []int64{0, 5, 10, 99, 100, 9999, 99_999_999} {
		want := fmt.Sprintf("%d.%02d|", cents/100, cents%100)
		if got := string(b[:putMoney(&b, 0, cents, '|')]); got != want {
			t.Errorf("money: got %q, want %q", got, want)
		}
	}
}

func TestTextPool_IsTheSameFromEveryByte(t *testing.T) {
	p := sharedPool()
	const size = 200
	read := func(offset uint32) []byte {
		texts := []text{{offset: offset, size: size}}
		p.locate(texts)
		b := make([]byte, size+slotSize)
		p.write(b, texts[0])
		return b[:size]
	}
	for _, from := range []uint32{1, 1 << 20, poolSize / 2, poolSize + 1 - 2*size} {
		whole := read(from)
		for shift := uint32(1); shift < size; shift++ {
			if part := read(from + shift)[:size-shift]; !bytes.Equal(part, whole[shift:]) {
				t.Fatalf("from %d: got %q, want %q", from+shift, part, whole[shift:])
			}
		}
	}
}

// TestLinesAreAsManyAsTheStandardSays compares the number of lines at several scales with the row
// counts of TPC-H 4.2.5.1.
func TestLinesAreAsManyAsTheStandardSays(t *testing.T) {
	counts := stream(1434868289)
	var orders, lines int64
	for _, scale := range []struct{ factor, want int64 }{{1, 6_001_215}, {10, 59_986_052}, {30, 179_998_372}} {
		for ; orders < scale.factor*1_500_000; orders++ {
			lines += 1 + int64(counts.draw(mostLines))
		}
		if lines != scale.want {
			t.Errorf("at %d: got %d lines, want %d", scale.factor, lines, scale.want)
		}
	}
}
