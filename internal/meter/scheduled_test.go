package meter_test

import (
	"testing"
	"time"

	"sledge/internal/meter"
)

func TestScheduled(t *testing.T) {
	const s = time.Second
	for _, tt := range []struct {
		name                   string
		scheduled, late, ended time.Duration
		counts, earlier        int64
	}{
		{"in time", 11 * s, 0, 12 * s, 1, 0},
		{"scheduled at the start of the span", 10 * s, 0, 12 * s, 0, 1},
		{"ends after the span", 19 * s, 0, 25 * s, 1, 0},
		{"begins after the span", 19 * s, 2 * s, 22 * s, 0, 0},
		{"scheduled at the end of the span", 20 * s, 0, 22 * s, 1, 0},
		{"scheduled before the span and begun in it", 9 * s, 4 * s, 14 * s, 0, 1},
		{"before the span", 8 * s, 0, 9 * s, 0, 0},
		{"through the whole span", 9 * s, 0, 21 * s, 0, 0},
	} {
		sum := meter.NewSummary(1)
		scheduled := &meter.Scheduled{From: 10 * s, Until: 20 * s, Sums: []meter.Sum{&sum}}
		stripe := meter.NewStripe()
		stripe.Record(meter.Record{Ended: tt.ended, Response: tt.ended - tt.scheduled, Late: tt.late})
		stripe.Take(scheduled)
		if all := sum.All(); all.Done != tt.counts || scheduled.Earlier != tt.earlier {
			t.Errorf("%s: got %d counted and %d earlier, want %d and %d", tt.name, all.Done, scheduled.Earlier, tt.counts, tt.earlier)
		}
	}
}
