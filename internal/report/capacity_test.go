package report

import (
	"strings"
	"testing"
	"time"

	"sledge/internal/job"
	"sledge/internal/meter"
)

// A run of 30 seconds whose 99th percentile is near 50 ms.
func TestUnclear_IsARunWhosePartsDisagree(t *testing.T) {
	run := func(of func(n int) time.Duration) (seconds []job.Second) {
		for n := range 30 {
			stripe := meter.NewStripe()
			for range 100 {
				stripe.Record(meter.Record{Response: of(n), Service: of(n)})
			}
			sum := meter.NewSummary(1)
			stripe.Take(&sum)
			seconds = append(seconds, job.Second{Measured: sum.Coded()})
		}
		return seconds
	}
	for _, tt := range []struct {
		name    string
		seconds []job.Second
		want    bool
	}{
		{"below", run(func(int) time.Duration { return 40 * time.Millisecond }), false},
		{"above", run(func(int) time.Duration { return 60 * time.Millisecond }), false},
		{"both", run(func(n int) time.Duration { return time.Duration(35+n) * time.Millisecond }), true},
		{"one slow part", run(func(n int) time.Duration { return time.Duration(40+n/27*40) * time.Millisecond }), false},
		{"short", run(func(n int) time.Duration { return time.Duration(35+n) * time.Millisecond })[:9], false},
	} {
		if got, err := Unclear(tt.seconds, 50*time.Millisecond); err != nil || got != tt.want {
			t.Errorf("%s: got %t, %v, want %t", tt.name, got, err, tt.want)
		}
	}
}

func TestCapacity_SaysHowCloselyItIsKnown(t *testing.T) {
	confirmed, lowest := 1000.0, 1030.0
	text := func(kept, broken []float64) string {
		c := Capacity{Promise: "p99>50ms", Capacity: &confirmed, Broken: &lowest}
		for _, rate := range kept {
			c.Probes = append(c.Probes, CapacityProbe{Stage: "search", Rate: rate, Kept: true})
		}
		for _, rate := range broken {
			c.Probes = append(c.Probes, CapacityProbe{Stage: "search", Rate: rate})
		}
		c.SetInterval()
		var b strings.Builder
		if err := c.Text(&b, View{}); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	if got := text([]float64{500, 950, 980, 1000, 1000, 1000}, []float64{1030, 1050, 1100, 1250, 2000}); strings.Contains(got, "wide") ||
		!strings.Contains(got, "Capacity: 1,000 transactions a second.\nThe promise breaks with p99>50ms, as at 1,030 a second.\nHalf of the runs keep it at ") {
		t.Errorf("got %s", got)
	}
	if got := text([]float64{500, 1000}, []float64{700, 1400}); !strings.Contains(got, "! That is wide: runs with the same rate differ") {
		t.Errorf("got %s", got)
	}
	if got := text([]float64{500}, nil); strings.Contains(got, "Half of the runs") {
		t.Errorf("got %s", got)
	}
}
