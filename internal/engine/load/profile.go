package load

import (
	"math"
	"time"
)

// Profile is a rate of arrivals over time. It is a pure function, so that it can be computed, drawn
// and tested without a run.
type Profile interface {
	// Rate returns the rate at a time, in arrivals per second.
	Rate(t time.Duration) float64

	// When returns the time by which x arrivals are expected, where x ≥ 0. It is the inverse of the
	// integral of Rate. If the rate is 0 from that time on, When returns the end of the rate of 0.
	// It returns Never if at most x arrivals are expected in total.
	When(x float64) time.Duration

	// String returns the profile in the form that the option accepts.
	String() string
}

// Never is the time of an event that never happens. It is after all other times. Adding to it would
// overflow.
const Never time.Duration = math.MaxInt64

// after returns a number of seconds as a duration, or Never if it is too long.
func after(seconds float64) time.Duration {
	nanos := math.Round(seconds * 1e9)
	if !(nanos < float64(Never)) { // true for NaN, too
		return Never
	}
	return time.Duration(nanos)
}
