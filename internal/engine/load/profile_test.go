package load

import (
	"math"
	"testing"
	"time"
)

// profileOf parses a profile.
func profileOf(t testing.TB, text string) Profile {
	t.Helper()
	read, err := parseTarget(text)
	if err != nil {
		t.Fatal(err)
	}
	return read.profile
}

func TestProfiles_RateAndWhen(t *testing.T) {
	const s = time.Second
	type at struct {
		t    time.Duration
		rate float64
	}
	type when struct {
		x float64
		t time.Duration
	}
	for _, tt := range []struct {
		text  string
		rates []at
		whens []when
	}{
		{"500/s", []at{{0, 500}, {3600 * s, 500}}, []when{{0, 0}, {1, 2 * time.Millisecond}, {500, s}, {1e9, 2e6 * s}}},
		{"1/h", []at{{s, 1. / 3600}}, []when{{1, time.Hour}}},

		// The average of 550/s over 60 s makes 33,000 arrivals; the first half has (100+550)/2 ×
		// 30.
		{
			"ramp:100/s,1000/s,60s",
			[]at{{0, 100}, {30 * s, 550}, {60 * s, 1000}, {90 * s, 1000}},
			[]when{{0, 0}, {9750, 30 * s}, {33_000, 60 * s}, {34_000, 61 * s}},
		},
		// A triangle of 60 × 1000 / 2 arrivals; three quarters of them come in the first half of
		// the time.
		{
			"ramp:1000,0,60s",
			[]at{{30 * s, 500}, {60 * s, 0}, {61 * s, 0}},
			[]when{{22_500, 30 * s}, {30_000, Never}, {1e9, Never}},
		},
		{"ramp:0,1000,60s", []at{{0, 0}, {60 * s, 1000}}, []when{{0, 0}, {7500, 30 * s}, {30_000, 60 * s}}},

		{
			"steps:0s=100/s,30s=500/s",
			[]at{{0, 100}, {30*s - 1, 100}, {30 * s, 500}, {1000 * s, 500}},
			[]when{{0, 0}, {2999, 29_990 * time.Millisecond}, {3000, 30 * s}, {3500, 31 * s}},
		},
		// 1000 arrivals come before the gap and the next one after it; the total is 2000.
		{
			"steps:0s=0,5s=100/s,15s=0,20s=1000/s,21s=0",
			[]at{{0, 0}, {5 * s, 100}, {15 * s, 0}, {20 * s, 1000}, {21 * s, 0}},
			[]when{{0, 5 * s}, {999, 14_990 * time.Millisecond}, {1000, 20 * s}, {1500, 20_500 * time.Millisecond}, {2000, Never}},
		},

		// The sine adds nothing over a whole period. Over half a period its mean is 2/π: 500 × 30 +
		// 300 × 30 × 2/π = 20,729.578.
		{
			"sine:500/s,300/s,60s",
			[]at{{0, 500}, {15 * s, 800}, {30 * s, 500}, {45 * s, 200}, {75 * s, 800}},
			[]when{{0, 0}, {15_000 + 18_000/math.Pi, 30 * s}, {30_000, 60 * s}, {300_000, 600 * s}},
		},

		{
			"points:0s=100/s,10s=300/s,10s=0,20s=100/s",
			[]at{{0, 100}, {5 * s, 200}, {10 * s, 0}, {15 * s, 50}, {20 * s, 100}, {99 * s, 100}},
			[]when{{2000, 10 * s}, {2500, 20 * s}, {2600, 21 * s}},
		},
		{"points:10s=100/s", []at{{0, 100}, {50 * s, 100}}, []when{{100, s}}}, // before the first point the rate is that of the first point
	} {
		p := profileOf(t, tt.text)
		for _, want := range tt.rates {
			if got := p.Rate(want.t); math.Abs(got-want.rate) > 1e-9 {
				t.Errorf("%s at %s: got a rate of %v, want %v", tt.text, want.t, got, want.rate)
			}
		}
		for _, want := range tt.whens {
			if got := p.When(want.x); got < want.t-1 || got-1 > want.t { // a nanosecond for rounding
				t.Errorf("%s: got %v arrivals by %s, want by %s", tt.text, want.x, got, want.t)
			}
		}
	}
}

// profiles has every form, and profiles that are hard to invert: a rate of 0 for an instant, for a
// while and forever; jumps; long and short periods.
var profiles = []string{
	"500/s", "7/min", "10000000/s",
	"ramp:100/s,1000/s,60s", "ramp:1000/s,0,60s", "ramp:0,1000/s,60s", "ramp:100/s,100/s,1s", "ramp:1000000/s,1000001/s,1h",
	"steps:0s=100/s,30s=500/s,60s=20/s", "steps:0s=0,5s=100/s,15s=0,20s=1000/s,31s=0",
	"sine:500/s,300/s,60s", "sine:500/s,500/s,60s", "sine:500/s,0,1s", "sine:3/s,3/s,5ms", "sine:100/s,99.999/s,24h",
	"points:0s=100/s,10s=300/s,10s=0,20s=100/s", "points:3s=0,4s=0,9s=50/s,9.000001s=5000/s,12s=0",
}

// integral returns the integral of the rate between two times, by the midpoint rule.
func integral(p Profile, from, to time.Duration) float64 {
	const parts = 20_000
	width := float64(to-from) / parts
	sum := 0.0
	for i := range parts {
		sum += p.Rate(from + time.Duration((float64(i)+0.5)*width))
	}
	return sum * width / 1e9
}

func TestWhen_InvertsTheIntegralOfRate(t *testing.T) {
	for _, text := range profiles {
		p := profileOf(t, text)
		// Eighty steps through the arrivals of two minutes, which are all arrivals of profiles that
		// end.
		const steps = 80
		step := integral(p, 0, 2*time.Minute) / steps
		last := time.Duration(0)
		for i := 1; i < steps; i++ {
			at := p.When(float64(i) * step)
			if at < last {
				t.Fatalf("%s: %v arrivals by %s, but %v by %s", text, float64(i)*step, at, float64(i-1)*step, last)
			}
			// The midpoint rule is off by up to half a part at each jump.
			if got := integral(p, last, at); math.Abs(got-step) > 2e-3*step+1e-6 {
				t.Errorf("%s from %s to %s: got %v arrivals, want %v", text, last, at, got, step)
			}
			last = at
		}
	}
}

func TestWhen_IsMonotonic(t *testing.T) {
	for _, text := range profiles {
		p := profileOf(t, text)
		for _, about := range []float64{0, 1, 12, 1000, 2500, 30_000, 1e7, 1e12} {
			last := time.Duration(0)
			for i := range 1000 {
				at := p.When(about + float64(i)/1000)
				if at < last-1 { // rounding to a nanosecond
					t.Fatalf("%s: %v come by %s, which is before %s", text, about+float64(i)/1000, at, last)
				}
				last = at
			}
		}
	}
}

func TestWhen_ReturnsNeverOnOverflow(t *testing.T) {
	if got := profileOf(t, "1/h").When(1e15); got != Never {
		t.Errorf("got %s, want never, because it is more than 292 years", got)
	}
	if got := newLed(profileOf(t, "ramp:1/s,0,10s"), time.Minute).When(1e15); got != Never {
		t.Errorf("after a lead: got %s, want never", got)
	}
}

func TestLed_StartsWithTheFirstRate(t *testing.T) {
	p := newLed(profileOf(t, "ramp:100/s,200/s,10s"), 20*time.Second)
	for at, want := range map[time.Duration]float64{0: 100, 19 * time.Second: 100, 20 * time.Second: 100, 25 * time.Second: 150, 90 * time.Second: 200} {
		if got := p.Rate(at); got != want {
			t.Errorf("at %s: got %v, want %v", at, got, want)
		}
	}
	for x, want := range map[float64]time.Duration{0: 0, 1000: 10 * time.Second, 2000: 20 * time.Second, 3500: 30 * time.Second, 3700: 31 * time.Second} {
		if got := p.When(x); got != want {
			t.Errorf("%v arrivals: got %s, want %s", x, got, want)
		}
	}
	if got := newLed(profileOf(t, "ramp:0,10/s,1s"), time.Minute).When(0); got != time.Minute {
		t.Errorf("a first rate of 0: got %s, want the end of the lead", got)
	}
}
