package tprocc_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"sledge/internal/workload/tprocc"
)

// always is a source that always returns the same word.
type always uint64

func (a always) Uint64() uint64 { return uint64(a) }

func TestRandomNumberReachesBothEnds(t *testing.T) {
	for _, tt := range []struct{ x, y int }{{0, 0}, {0, 1}, {1, 10}, {5, 15}, {-3, 3}, {1, 100_000}, {1, 999_999}} {
		if got := tprocc.RandomNumber(always(0), tt.x, tt.y); got != tt.x {
			t.Errorf("%d..%d of the lowest word: got %d, want %d", tt.x, tt.y, got, tt.x)
		}
		if got := tprocc.RandomNumber(always(math.MaxUint64), tt.x, tt.y); got != tt.y {
			t.Errorf("%d..%d of the highest word: got %d, want %d", tt.x, tt.y, got, tt.y)
		}
	}
}

func TestRandomNumberIsUniform(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, tt := range []struct{ x, y int }{{0, 1}, {1, 10}, {5, 15}, {1, 3000}} {
		numbers := make([]int, 100_000)
		for i := range numbers {
			numbers[i] = tprocc.RandomNumber(r, tt.x, tt.y)
		}
		if err := uniform(numbers, tt.x, tt.y); err != nil {
			t.Errorf("%d..%d: %v", tt.x, tt.y, err)
		}
	}
}

func TestNURandHasTheStandardsDistribution(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, tt := range []struct {
		name       string
		a, x, y, c int
	}{
		{"last name of the load", tprocc.LastNameA, 0, 999, tprocc.LastNameLoadC},
		{"last name of a run", tprocc.LastNameA, 0, 999, tprocc.LastNameRunC},
		{"customer", tprocc.CustomerIDA, 1, 3000, tprocc.CustomerIDC},
	} {
		t.Run(tt.name, func(t *testing.T) {
			numbers := make([]int, 200_000)
			for i := range numbers {
				numbers[i] = tprocc.NURand(r, tt.a, tt.x, tt.y, tt.c)
			}
			if err := nuRandDistributed(numbers, tt.a, tt.x, tt.y, tt.c); err != nil {
				t.Error(err)
			}
		})
	}
}

// Computing the distribution of items takes 8192 x 100,000 steps, so the test checks only the
// range.
func TestNURandStaysInRangeForItems(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 1_000_000 {
		if n := tprocc.NURand(r, tprocc.ItemIDA, 1, tprocc.Items, tprocc.ItemIDC); n < 1 || n > tprocc.Items {
			t.Fatalf("got item %d, want 1..%d", n, tprocc.Items)
		}
	}
}

func TestConstantsOfNURandObeyTheStandard(t *testing.T) {
	for _, tt := range []struct {
		name string
		c, a int
	}{
		{"LastNameLoadC", tprocc.LastNameLoadC, tprocc.LastNameA},
		{"LastNameRunC", tprocc.LastNameRunC, tprocc.LastNameA},
		{"CustomerIDC", tprocc.CustomerIDC, tprocc.CustomerIDA},
		{"ItemIDC", tprocc.ItemIDC, tprocc.ItemIDA},
	} {
		if tt.c < 0 || tt.c > tt.a {
			t.Errorf("%s: got %d, want 0..%d", tt.name, tt.c, tt.a)
		}
	}
	delta := tprocc.LastNameRunC - tprocc.LastNameLoadC
	if delta < 0 {
		delta = -delta
	}
	if delta < 65 || delta > 119 || delta == 96 || delta == 112 {
		t.Errorf("C of load and run differ by %d, want 65..119 without 96 and 112", delta)
	}
}

func TestLastName(t *testing.T) {
	for n, want := range map[int]string{
		0: "BARBARBAR", 1: "BARBAROUGHT", 371: "PRICALLYOUGHT", 245: "ABLEPRESESE", 689: "ANTIATIONEING", 999: "EINGEINGEING",
	} {
		if got := tprocc.LastName(n); got != want {
			t.Errorf("name %d: got %s, want %s", n, got, want)
		}
	}
	seen := map[string]int{}
	for n := range 1000 {
		name := tprocc.LastName(n)
		if other, found := seen[name]; found {
			t.Errorf("%d and %d are both %s", other, n, name)
		}
		seen[name] = n
	}
}
