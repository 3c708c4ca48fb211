package plan

import (
	"sledge/internal/meter"
)

// profileLimit limits the memory of a time profile in bytes, so that a client does not swap. It
// suffices for 3,900 users of five kinds of transaction, or 7,900 without a ramp-up.
const profileLimit = 1 << 30

// checkProfile returns an error if the time profile would exceed profileLimit.
func (p Plan) checkProfile() error {
	if !p.Pacing.Kept.TimeProfile {
		return nil
	}
	each := meter.ProfileBytes(len(p.Workload.Kinds))
	if p.Pacing.RampUp > 0 {
		each *= 2
	}
	if most := profileLimit / each; p.Users > most {
		return p.Spec.Names.Wrong("time_profile", "true", "the time profile of %d virtual users would take %d MiB of memory: use at most %d of them, or set it to false",
			p.Users, p.Users*each>>20, most)
	}
	return nil
}
