package meter_test

import (
	"math"
	"testing"
	"time"

	"sledge/internal/meter"
)

// take returns the summary of transactions of one kind with the given durations.
func take(took ...time.Duration) meter.Summary {
	stripe, sum := meter.NewStripe(), meter.NewSummary(1)
	for _, d := range took {
		stripe.Record(meter.Record{Service: d, Response: d})
	}
	stripe.Take(&sum)
	return sum
}

func TestHistogram_KeepsLatenciesOverAnHour(t *testing.T) {
	const hour = time.Hour
	for _, longest := range []time.Duration{hour, hour + time.Nanosecond, 5 * hour, 30 * 24 * hour, math.MaxInt64} {
		sum := take(time.Millisecond, 2*time.Millisecond, longest, time.Second)
		merged := take(time.Millisecond)
		merged.Add(take(longest))
		merged.Add(take(time.Second, 2*time.Millisecond))
		stripe, profile := meter.NewStripe(), meter.NewProfile(1, 1)
		stripe.Record(meter.Record{Service: longest, Response: longest})
		stripe.Take(profile)
		decoded, err := sum.Coded().Summary()
		if err != nil {
			t.Fatal(err)
		}
		user, err := profile.Users(hour)[0].Summary()
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct {
			what  string
			tally meter.Tally
			n     int64
			share float64
		}{
			{"recorded", sum.Kinds[0], 4, 0.001},
			{"merged", merged.Kinds[0], 4, 0.001},
			{"decoded", decoded.Kinds[0], 4, 0.001},
			{"per user", user.Kinds[0], 1, 0.01},
		} {
			h := c.tally.Response
			if off := math.Abs(float64(h.Max())/float64(longest) - 1); off > c.share || h.TotalCount() != c.n {
				t.Errorf("%s: got %d latencies up to %v, want %d up to %v", c.what, h.TotalCount(), time.Duration(h.Max()), c.n, longest)
			}
		}
		if !sum.Kinds[0].Service.Equals(merged.Kinds[0].Service) || !sum.Kinds[0].Service.Equals(decoded.Kinds[0].Service) {
			t.Errorf("%v: the histograms of the same latencies differ", longest)
		}
		if got := sum.Kinds[0].Response.ValueAtQuantile(75); got < int64(999*time.Millisecond) || got > int64(1001*time.Millisecond) {
			t.Errorf("%v: got a p75 of %v, want 1s", longest, time.Duration(got))
		}
	}
}

func TestReset_ShrinksAHistogram(t *testing.T) {
	sum := take(5 * time.Hour)
	sum.Reset()
	sum.Add(take(time.Millisecond))
	if !sum.Kinds[0].Response.Equals(take(time.Millisecond).Kinds[0].Response) {
		t.Error("the histogram depends on its content before Reset")
	}
}

func TestHistogram_StaysSmallOverAnHour(t *testing.T) {
	h := take(math.MaxInt64).Kinds[0].Response
	if got := h.ByteSize(); got > 460<<10 {
		t.Errorf("got %d KiB, want no more than 460", got>>10)
	}
}

func TestCorrected_CountsWaitsOverAnHour(t *testing.T) {
	c := meter.Corrected(take(time.Millisecond).Kinds[0].Response, time.Hour, []time.Duration{10 * time.Hour})
	if got, want := float64(c.Max()), float64(10*time.Hour); math.Abs(got/want-1) > 0.001 || c.TotalCount() != 11 {
		t.Errorf("got %d latencies up to %v, want 11 up to 10h", c.TotalCount(), time.Duration(c.Max()))
	}
}
