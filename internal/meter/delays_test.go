package meter

import (
	"testing"
	"time"
)

func TestDelays_IncludeAllOutcomes(t *testing.T) {
	s, l, q := NewStripe(), NewStartLag(), NewQueueing()
	for i := range 100 {
		s.Record(Record{Outcome: Outcome(i % 3), Late: time.Duration(i+1) * time.Millisecond, Queued: time.Second})
	}
	s.Take(l, q)
	late, queued := distributionOf(t, l), distributionOf(t, q)
	for _, tt := range []struct {
		what      string
		got, want time.Duration
	}{
		{"mean", time.Duration(late.Mean()), 50500 * time.Microsecond},
		{"p50", time.Duration(late.ValueAtQuantile(50)), 50 * time.Millisecond},
		{"max", time.Duration(late.ValueAtQuantile(100)), 100 * time.Millisecond},
		{"queued", time.Duration(queued.ValueAtQuantile(50)), time.Second},
	} {
		if off := tt.got - tt.want; off.Abs() > tt.want/500 {
			t.Errorf("%s: got %s, want %s", tt.what, tt.got, tt.want)
		}
	}
	if total, n := l.Total(); total != 5050*time.Millisecond || n != 100 {
		t.Errorf("got %s of %d delays, want 5.05 s of 100", total, n)
	}
	if none := distributionOf(t, NewStartLag()); none.Mean() != 0 || none.ValueAtQuantile(99) != 0 {
		t.Errorf("no transactions: got %v and %d, want 0", none.Mean(), none.ValueAtQuantile(99))
	}
}

func distributionOf(t *testing.T, delays *Delays) Distribution {
	t.Helper()
	d, err := delays.Coded().Distribution()
	if err != nil {
		t.Fatal(err)
	}
	return d
}
