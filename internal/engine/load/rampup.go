package load

import "time"

// led is a profile that starts after a lead. During the lead the rate is the profile's initial
// rate. A run's ramp-up is such a lead, so the measured time has the whole profile.
type led struct {
	Profile
	lead   time.Duration
	rate   float64 // during the lead
	before float64 // arrivals expected during the lead
}

func newLed(p Profile, lead time.Duration) *led {
	rate := p.Rate(0)
	return &led{p, lead, rate, rate * lead.Seconds()}
}

// Rate implements Profile.
func (l *led) Rate(t time.Duration) float64 { return l.Profile.Rate(max(0, t-l.lead)) }

// When implements Profile.
func (l *led) When(x float64) time.Duration {
	if x < l.before {
		return after(x / l.rate)
	}
	t := l.Profile.When(x - l.before)
	if t > Never-l.lead {
		return Never
	}
	return l.lead + t
}
