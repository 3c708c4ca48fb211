package load

import (
	"math"
	"time"
)

// Profile is a rate of arrivals over time. It is a pure function, so that it can be known,
// drawn and tested without a run.
type Profile interface {
	// Rate returns the rate at a time, in arrivals a second.
	Rate(t time.Duration) float64

	// When returns the time by which x arrivals are expected, x being 0 or more: the
	// inverse of the integral of Rate. Where the rate is 0 for a while it is the end of
	// that, since nothing comes meanwhile; it is Never where no more than x are expected
	// in all.
	When(x float64) time.Duration

	// String spells the profile as the option takes it.
	String() string
}

// Never is when something comes that never does: after everything else. Nothing may be
// added to it.
const Never time.Duration = math.MaxInt64

// after returns a number of seconds as a duration, Never if it is too long for one.
func after(seconds float64) time.Duration {
	nanos := math.Round(seconds * 1e9)
	if !(nanos < float64(Never)) { // which takes NaN for never, too
		return Never
	}
	return time.Duration(nanos)
}
