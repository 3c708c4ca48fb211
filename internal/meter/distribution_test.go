package meter_test

import (
	"bytes"
	"math"
	"testing"
	"time"

	"sledge/internal/meter"
)

func TestDistribution_EqualsHdrHistogram(t *testing.T) {
	for name, values := range map[string][]time.Duration{
		"one":              {time.Millisecond},
		"the least":        {0, 1, 2, 3},
		"neighbours":       {2046, 2047, 2048, 2049, 2050, 2052, 4095, 4096, 4100},
		"many":             latencies(1, 20_000),
		"a few far apart":  {1, time.Microsecond, time.Second, 59 * time.Minute},
		"more than a hour": {time.Millisecond, time.Hour, 90 * time.Minute, 300 * time.Hour},
		"the greatest":     {time.Second, math.MaxInt64},
	} {
		var sum meter.Summary
		second := meter.NewInterval(1)
		sum = meter.NewSummary(1)
		stripe := meter.NewStripe()
		for _, v := range values {
			stripe.Record(done(0, v))
		}
		stripe.Take(&sum, second)
		h := sum.Kinds[0].Response
		for form, coded := range map[string]meter.CodedHistogram{
			"sparse": second.Cut(time.Second).Kinds[0].Response,
			"V2":     encoded(t, sum),
		} {
			d, err := coded.Distribution()
			if err != nil {
				t.Fatal(err)
			}
			if d.Min() != h.Min() || d.Max() != h.Max() || d.Mean() != h.Mean() || d.StdDev() != h.StdDev() {
				t.Errorf("%s, %s: got %d to %d, %g ± %g, want %d to %d, %g ± %g", name, form, d.Min(), d.Max(), d.Mean(), d.StdDev(), h.Min(), h.Max(), h.Mean(), h.StdDev())
			}
			for percent := 0.1; percent <= 100; percent += 0.1 {
				if got, want := d.ValueAtQuantile(percent), h.ValueAtQuantile(percent); got != want {
					t.Fatalf("%s, %s: got %d at %g %%, want %d", name, form, got, percent, want)
				}
			}
			if got, err := d.V2(); err != nil || !bytes.Equal(got, encoded(t, sum)) {
				t.Errorf("%s, %s: got %x, %v, want the library's encoding", name, form, got, err)
			}
		}
	}
	var none meter.CodedHistogram
	d, err := none.Distribution()
	if err != nil || d.Min() != 0 || d.Max() != 0 || d.Mean() != 0 || d.StdDev() != 0 || d.ValueAtQuantile(50) != 0 {
		t.Errorf("no latencies: got %+v, %v, want zeros", d, err)
	}
	if _, err := meter.CodedHistogram("no histogram").Distribution(); err == nil {
		t.Error("invalid bytes: got no error")
	}
}

// encoded returns the response times as the library encodes them.
func encoded(t *testing.T, sum meter.Summary) []byte {
	t.Helper()
	b, err := meter.EncodeV2(sum.Kinds[0].Response)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
