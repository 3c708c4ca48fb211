package engine

import (
	"time"

	"sledge/internal/engine/load"
	"sledge/internal/job"
	"sledge/internal/meter"
	"sledge/internal/workload"
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
				"it says itself how many virtual users there are, %d at most, and %d were asked for: leave them out, or begin with +, as in +2@1m, for users beside them", most, p.Users)
		}
		p.Spec.Users = most
	}
	p.Users = most
	return p, nil
}

// shifts are when a user works, in order of time.
func (p Plan) shifts(number int) []load.Shift { return p.Pacing.Shifts(p.Steps, number) }

// stepEnds are when steps begin, but for the first, since users began.
func (p Plan) stepEnds() []time.Duration {
	var ends []time.Duration
	for _, s := range p.Steps[1:] {
		ends = append(ends, p.Pacing.RampUp+s.From)
	}
	return ends
}

// tellStep tells of the step that is going on at a moment since users began, if it was not told of,
// and returns how many have been told of. The first goes without saying.
func (r *run) tellStep(told int, at time.Duration) int {
	now := at - r.plan.Pacing.RampUp
	for told+1 < len(r.plan.Steps) && r.plan.Steps[told+1].From <= now {
		told++
		r.feed.step(job.Monitor, job.Step{Name: job.StepUsers, Users: r.plan.Steps[told].Users})
	}
	return told
}

// steps are what was measured in each step.
func (g *runGroup) steps() (list []job.LoadStep) {
	at := time.Duration(0)
	for i, measured := range g.totals.Steps {
		step := job.LoadStep{
			Users: g.plan.Steps[i].Users, From: at.Seconds(), Elapsed: measured.Elapsed.Seconds(), Measured: measured,
		}
		if sum, err := measured.Summary(); err == nil { // as always: a histogram that was sent is whole
			step.Metrics = g.plan.Workload.Score(workload.Window{
				Summary: sum, Elapsed: measured.Elapsed, CounterElapsed: measured.Elapsed, Users: step.Users, Options: g.plan.Settings,
			})
		}
		list = append(list, step)
		at += measured.Elapsed
	}
	return list
}

// newParts returns the Parts that add up the steps, or nil if the load has no steps.
func (p Plan) newParts() *meter.Parts {
	if p.Steps == nil {
		return nil
	}
	return meter.NewParts(len(p.Workload.Kinds), p.stepEnds())
}
