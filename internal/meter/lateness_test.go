package meter

import (
	"testing"
	"time"
)

func TestLatenessIsOfAllTransactions(t *testing.T) {
	s, l := NewStripe(), NewLateness()
	for i := range 100 {
		s.Record(Record{Outcome: Outcome(i % 3), Late: time.Duration(i+1) * time.Millisecond})
	}
	s.Take(l)
	for _, tt := range []struct {
		what      string
		got, want time.Duration
	}{
		{"mean", l.Mean(), 50500 * time.Microsecond},
		{"p50", l.Percentile(50), 50 * time.Millisecond},
		{"max", l.Percentile(100), 100 * time.Millisecond},
	} {
		if off := tt.got - tt.want; off.Abs() > tt.want/500 {
			t.Errorf("%s: got %s, want %s", tt.what, tt.got, tt.want)
		}
	}
	if none := NewLateness(); none.Mean() != 0 || none.Percentile(99) != 0 {
		t.Errorf("got %s and %s of no transactions, want 0", none.Mean(), none.Percentile(99))
	}
}
