package experiment

import (
	"fmt"
	"slices"
	"testing"

	"sledge/internal/settings"
)

// In a fraction, each three settings have each of their eight combinations equally often, so no effect is mixed up with
// another one or with an interaction of two.
func TestFraction_TellsEffectsFromInteractions(t *testing.T) {
	for k, want := range map[int]int{4: 8, 5: 16, 7: 16, 8: 16, 9: 32, 12: 32, 16: 32} {
		var factors []settings.Factor
		for i := range k {
			factors = append(factors, settings.Factor{Name: fmt.Sprint(i), Values: []string{"a", "b"}})
		}
		factors = append(factors, settings.Factor{Name: "fixed", Values: []string{"c"}})
		cells := fraction(factors)
		if len(cells) != want {
			t.Errorf("%d settings: got %d combinations, want %d", k, len(cells), want)
		}
		if first := slices.Concat(slices.Repeat([]string{"a"}, k), []string{"c"}); !slices.Equal(cells[0], first) {
			t.Errorf("%d settings: got %q first, want the first value of each", k, cells[0])
		}
		for a := range k {
			for b := range a {
				for c := range b {
					seen := map[string]int{}
					for _, cell := range cells {
						seen[cell[a]+cell[b]+cell[c]]++
					}
					if len(seen) != 8 || seen["aaa"] != want/8 || seen["bbb"] != want/8 || seen["aab"] != want/8 {
						t.Fatalf("%d settings: got %v for three of them, want each combination %d times", k, seen, want/8)
					}
				}
			}
		}
	}
}
