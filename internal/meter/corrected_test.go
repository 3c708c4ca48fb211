package meter_test

import (
	"math"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"sledge/internal/meter"
)

func TestCorrected_EqualsHdrHistogram(t *testing.T) {
	const hour = int64(time.Hour)
	for _, interval := range []time.Duration{0, 100 * time.Microsecond, 5 * time.Millisecond, time.Second} {
		plain, want := hdrhistogram.New(1, hour, 3), hdrhistogram.New(1, hour, 3)
		for _, d := range append(latencies(7, 20_000), 2*time.Second, 30*time.Second) {
			if err := plain.RecordValue(int64(d)); err != nil {
				t.Fatal(err)
			}
			if err := want.RecordCorrectedValue(int64(d), int64(interval)); err != nil {
				t.Fatal(err)
			}
		}
		got := meter.Corrected(plain, interval, nil)
		if off := math.Abs(float64(got.TotalCount()-want.TotalCount())) / float64(want.TotalCount()); off > 0.001 {
			t.Errorf("interval %v: got %d latencies, want %d", interval, got.TotalCount(), want.TotalCount())
		}
		for _, p := range []float64{50, 90, 99, 99.9, 99.99, 100} {
			g, w := float64(got.ValueAtQuantile(p)), float64(want.ValueAtQuantile(p))
			if math.Abs(g-w)/w > 0.003 {
				t.Errorf("interval %v: p%v is %v, want %v", interval, p, time.Duration(g), time.Duration(w))
			}
		}
	}
}

func TestCorrected_CountsUnendedTransactions(t *testing.T) {
	h := hdrhistogram.New(1, int64(time.Hour), 3)
	if err := h.RecordValues(int64(10*time.Millisecond), 1000); err != nil {
		t.Fatal(err)
	}
	// A user that waited for 10 s omitted 999 transactions of 10 ms. The first of these would have
	// waited for nearly 10 s.
	c := meter.Corrected(h, 10*time.Millisecond, []time.Duration{10 * time.Second})
	if c.TotalCount() != 2000 {
		t.Errorf("got %d latencies, want 2000", c.TotalCount())
	}
	if p75 := time.Duration(c.ValueAtQuantile(75)); p75 < 4900*time.Millisecond || p75 > 5100*time.Millisecond {
		t.Errorf("p75 is %v, want about 5s", p75)
	}
	if h.TotalCount() != 1000 {
		t.Error("Corrected changed its input")
	}
}
