package plan

import "sledge/internal/job"

// withSteps returns the plan with the maximum number of concurrent users. All users connect at the
// beginning, so that no login falls into the measured time.
func (p Plan) withSteps() (Plan, error) {
	p.Steps = nil
	if p.Pacing.Shifts.Steps == nil || p.Spec.Action != job.Run {
		return p, nil
	}
	p.Steps = p.Pacing.Shifts.Steps(p.Users)
	most := p.Steps.Most()
	if most > maxUsers {
		return p, &UsersError{most}
	}
	if p.Pacing.Shifts.Fixed {
		if p.Users > 1 && p.Users != most {
			return p, p.Spec.Names.Wrong("steps", p.Spec.Options["steps"],
				"it sets the number of virtual users itself, %d at most, and %d were asked for: leave them out, or begin with +, as in +2@1m, for users beside them", most, p.Users)
		}
		p.Spec.Users = most
	}
	p.Users = most
	return p, nil
}
