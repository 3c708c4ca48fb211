package load

import (
	"fmt"
	"math"
	"time"
)

// sine is a rate that oscillates around a mean and rises first: sine:500/s,300/s,60s.
type sine struct {
	mean, amplitude float64
	period          time.Duration
}

func newSine(text string) (Profile, error) {
	s := &sine{}
	if err := readParts(text, &s.mean, &s.amplitude, &s.period); err != nil {
		return nil, err
	}
	switch {
	case s.amplitude > s.mean:
		return nil, fmt.Errorf("an amplitude of %s is more than the mean of %s, so that the rate would fall below 0", spellRate(s.amplitude), spellRate(s.mean))
	case s.mean+s.amplitude > fastest:
		return nil, fmt.Errorf("at its highest it is %s, which is more than %s", spellRate(s.mean+s.amplitude), spellRate(fastest))
	case s.period == 0:
		return nil, fmt.Errorf("a period takes longer than 0s")
	}
	return s, nil
}

// Rate implements Profile.
func (s *sine) Rate(t time.Duration) float64 {
	_, rate := s.at(math.Mod(max(0, t.Seconds()), s.period.Seconds()))
	return rate
}

// at returns the number of arrivals expected in the first seconds, and the rate at their end.
func (s *sine) at(seconds float64) (expected, rate float64) {
	turn := s.period.Seconds() / (2 * math.Pi)
	sin, cos := math.Sincos(seconds / turn)
	return s.mean*seconds + s.amplitude*turn*(1-cos), max(0, s.mean+s.amplitude*sin)
}

// When implements Profile. The integral has no closed-form inverse, so Newton's method finds it
// within one period. A Newton step may leave the interval that contains the root, for example if
// the rate is close to 0. The interval is then bisected instead.
func (s *sine) When(x float64) time.Duration {
	if s.mean == 0 {
		return Never
	}
	period := s.period.Seconds()
	each := s.mean * period // arrivals in a period
	whole := math.Floor(x / each)
	inside := min(max(x-whole*each, 0), each)

	const most, exact = 100, 1e-10 // maximum number of steps; precision in seconds
	low, high, t := 0.0, period, inside/s.mean
	for range most {
		expected, rate := s.at(t)
		surplus := expected - inside
		switch {
		case surplus > 0:
			high = t
		case surplus < 0:
			low = t
		default:
			return after(whole*period + t)
		}
		next := t - surplus/rate
		if !(next > low && next < high) { // true for NaN, too
			next = (low + high) / 2
		}
		moved := math.Abs(next - t)
		t = next
		if moved < exact {
			break
		}
	}
	return after(whole*period + t)
}

// String implements Profile.
func (s *sine) String() string {
	return "sine:" + spellRate(s.mean) + "," + spellRate(s.amplitude) + "," + spellTime(s.period)
}
