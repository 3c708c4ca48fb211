//go:build duckdb

package duckdb

import "testing"

func TestUnscaled(t *testing.T) {
	for text, want := range map[string]int64{
		"0": 0, "5": 500, "-5": -500, "0.5": 50, "-0.01": -1, "12.34": 1234, "12.3": 1230, "9999999999999999.99": 999999999999999999, ".5": 50, "7.": 700,
	} {
		if got, err := unscaled([]byte(text), 2); err != nil || got != want {
			t.Errorf("%s: got %d, %v, want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"", "-", ".", "1.234", "1,5", "1e5", "--1", "1.2.3", "10000000000000000.00", "NULL"} {
		if got, err := unscaled([]byte(text), 2); err == nil {
			t.Errorf("%q: got %d, want an error", text, got)
		}
	}
}
