package plan

import (
	"sledge/internal/meter"
)

// profileLimit bounds the memory of a time profile: beyond it a client would
// measure its own swapping. It is enough for 3,900 users of five kinds of
// transaction, or 7,900 where there is no ramp-up.
const profileLimit = 1 << 30

// checkProfile refuses a time profile of more users than memory is allowed for.
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
