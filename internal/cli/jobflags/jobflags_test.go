package jobflags

import (
	"testing"
	"time"
)

func TestSeconds_ReadsNumbersAndUnits(t *testing.T) {
	for text, want := range map[string]time.Duration{"5": 5 * time.Second, "0.5": 500 * time.Millisecond, "90s": 90 * time.Second, "1m": time.Minute, "0": 0} {
		var s Seconds
		if err := s.Set(text); err != nil || time.Duration(s) != want {
			t.Errorf("%s: got %v and error %v, want %v", text, time.Duration(s), err, want)
		}
	}
	for _, text := range []string{"-1", "-1s", "soon", "", "NaN", "Inf", "1e9"} {
		var s Seconds
		if err := s.Set(text); err == nil {
			t.Errorf("%q: got %v, want an error", text, time.Duration(s))
		}
	}
}
