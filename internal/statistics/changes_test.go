package statistics_test

import (
	"encoding/json"
	"os"
	"slices"
	"testing"

	"sledge/internal/statistics"
)

// TestFindChangePoints_FindsOtavas compares the change points with those that Apache Otava 0.8.0 finds in its own
// example and in made series.
func TestFindChangePoints_FindsOtavas(t *testing.T) {
	text, err := os.ReadFile("testdata/changes.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		Name   string
		Least  float64
		Series []float64
		Points []int
	}
	if err := json.Unmarshal(text, &cases); err != nil {
		t.Fatal(err)
	}
	points := 0
	for _, c := range cases {
		var got []int
		for _, p := range statistics.FindChangePoints(c.Series, c.Least) {
			got = append(got, p.Index)
			if p.P > 0.001 || p.Before == p.After {
				t.Errorf("%s: got %+v", c.Name, p)
			}
		}
		if !slices.Equal(got, c.Points) {
			t.Errorf("%s: got changes at %v, want %v", c.Name, got, c.Points)
		}
		points += len(got)
	}
	if len(cases) < 22 || points < 20 {
		t.Errorf("got %d series with %d change points, want 22 and 20 or more", len(cases), points)
	}
}
