package plan

import "sledge/internal/job"

// withSteps returns the plan with its steps and the maximum number of concurrent users. All users
// connect at the beginning, so that no log-in falls into the measured time.
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
				"it sets the number of virtual users itself, at most %d, and %d were requested: leave out that number, or begin with +, as in +2@1m, to add users to it", most, p.Users)
		}
		p.Spec.Users = most
	}
	p.Users = most
	return p, nil
}
