package plan

import (
	"time"

	"sledge/internal/engine/load"
	"sledge/internal/job"
	"sledge/internal/meter"
)

// withSteps returns the plan with as many users as ever work at the same time. All of them
// are there from the beginning, so that no login falls into the measured time.
func (p Plan) withSteps() (Plan, error) {
	p.Steps = nil
	if p.Pacing.Steps == nil || p.Spec.Action != job.Run {
		return p, nil
	}
	p.Steps = p.Pacing.Steps(p.Users)
	most := p.Steps.Most()
	if most > maxUsers {
		return p, &UsersError{most}
	}
	if p.Pacing.Fixed {
		if p.Users > 1 && p.Users != most {
			return p, p.Spec.Names.Wrong("steps", p.Spec.Options["steps"],
				"it sets the number of virtual users itself, %d at most, and %d were asked for: leave them out, or begin with +, as in +2@1m, for users beside them", most, p.Users)
		}
		p.Spec.Users = most
	}
	p.Users = most
	return p, nil
}

// Shifts are when a user works, in order of time.
func (p Plan) Shifts(number int) []load.Shift { return p.Pacing.Shifts(p.Steps, number) }

// stepEnds are when steps begin, but for the first, since users began.
func (p Plan) stepEnds() []time.Duration {
	var ends []time.Duration
	for _, s := range p.Steps[1:] {
		ends = append(ends, p.Pacing.RampUp+s.From)
	}
	return ends
}

// NewParts returns the Parts that add up the steps, or nil if the load has no steps.
func (p Plan) NewParts() *meter.Parts {
	if p.Steps == nil {
		return nil
	}
	return meter.NewParts(len(p.Workload.Kinds), p.stepEnds())
}
