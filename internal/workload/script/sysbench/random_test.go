package sysbench

import (
	_ "embed"
	"slices"
	"strconv"
	"strings"
	"testing"
)

//go:embed testdata/random.lua
var randomScript string

//go:embed testdata/random.txt
var randomNumbers string

// random.lua says how random.txt was made.
func TestRandom_DrawsAsSysbench(t *testing.T) {
	var options []string
	var want strings.Builder
	compare := func() {
		if options == nil {
			return
		}
		given := map[string]string{}
		for _, o := range options {
			name, text, _ := strings.Cut(strings.TrimPrefix(o, "--"), "=")
			given[Canonical(name)] = text
		}
		seed, _ := strconv.Atoi(given["rand_seed"])
		threads, _ := strconv.Atoi(given["threads"])
		var out strings.Builder
		s := open(t, randomScript, Setup{Options: given, Seed: uint32(seed), Thread: max(threads, 1) - 1, Out: &out})
		if ended, err := s.Event(t.Context(), false); err != nil || !ended {
			t.Fatalf("%s: got %t, %v", options, ended, err)
		}
		got, wanted := strings.Split(out.String(), "\n"), strings.Split(want.String(), "\n")
		if len(got) != len(wanted) {
			t.Fatalf("%s: got %d lines, want %d", options, len(got), len(wanted))
		}
		for i := range got {
			if got[i] != wanted[i] {
				t.Errorf("%s: got  %q\nwant %q", options, got[i], wanted[i])
			}
		}
	}
	for line := range strings.Lines(randomNumbers) {
		if strings.HasPrefix(line, "--") {
			compare()
			options = strings.Fields(line)
			want.Reset()
			continue
		}
		want.WriteString(line)
	}
	compare()
}

func TestSequence_HasEachNumberOnce(t *testing.T) {
	n := NewNumbers(42)
	var list []uint32
	for range 100_000 {
		list = append(list, n.sequence.draw())
	}
	slices.Sort(list)
	if len(slices.Compact(list)) != 100_000 {
		t.Error("numbers of unique are repeated")
	}
}

func TestZipfian_StaysInItsRange(t *testing.T) {
	for _, exponent := range []float64{0, 0.8, 1, 2, 50} {
		s, r := shape{zipfExponent: exponent}, newRandom(42, 0)
		count := map[uint32]int{}
		for range 2000 {
			n := s.zipfian(&r, 5, 14)
			if n < 5 || n > 14 {
				t.Fatalf("exponent %g: got %d, want 5 to 14", exponent, n)
			}
			count[n]++
		}
		if exponent > 0 && count[5] < count[14] {
			t.Errorf("exponent %g: got %v, want the first number most often", exponent, count)
		}
		if got := s.zipfian(&r, 7, 7); got != 7 {
			t.Errorf("exponent %g: got %d, want 7", exponent, got)
		}
	}
}
