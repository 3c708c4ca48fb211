package meter

import (
	"testing"
	"time"
)

func TestDelaysAreOfAllTransactions(t *testing.T) {
	s, l, q := NewStripe(), NewLateness(), NewQueueing()
	for i := range 100 {
		s.Record(Record{Outcome: Outcome(i % 3), Late: time.Duration(i+1) * time.Millisecond, Queued: time.Second})
	}
	s.Take(l, q)
	for _, tt := range []struct {
		what      string
		got, want time.Duration
	}{
		{"mean", l.Mean(), 50500 * time.Microsecond},
		{"p50", l.Percentile(50), 50 * time.Millisecond},
		{"max", l.Percentile(100), 100 * time.Millisecond},
		{"queued", q.Percentile(50), time.Second},
	} {
		if off := tt.got - tt.want; off.Abs() > tt.want/500 {
			t.Errorf("%s: got %s, want %s", tt.what, tt.got, tt.want)
		}
	}
	if none := NewLateness(); none.Mean() != 0 || none.Percentile(99) != 0 {
		t.Errorf("got %s and %s of no transactions, want 0", none.Mean(), none.Percentile(99))
	}
}
