package coordinator

import (
	"time"

	"sledge/internal/job"
	"sledge/internal/workload"
)

// tellStep tells of the step that is going on at a moment since users began, if it was not told of,
// and returns how many have been told of. The first goes without saying.
func (r *run) tellStep(told int, at time.Duration) int {
	now := at - r.plan.Pacing.RampUp
	for told+1 < len(r.plan.Steps) && r.plan.Steps[told+1].From <= now {
		told++
		r.feed.Step(job.Monitor, job.Step{Name: job.StepUsers, Users: r.plan.Steps[told].Users})
	}
	return told
}

// steps are what was measured in each step.
func (g *runGroup) steps() (list []job.LoadStep) {
	at := time.Duration(0)
	for i, measured := range g.totals.Steps {
		step := job.LoadStep{
			Users: g.Plan.Steps[i].Users, From: at.Seconds(), Elapsed: measured.Elapsed.Seconds(), Measured: measured,
		}
		if sum, err := measured.Summary(); err == nil { // as always: a histogram that was sent is whole
			step.Metrics = g.Plan.Workload.Score.Of(workload.Window{
				Summary: sum, Elapsed: measured.Elapsed, CounterElapsed: measured.Elapsed, Users: step.Users, Options: g.Plan.Settings,
			})
		}
		list = append(list, step)
		at += measured.Elapsed
	}
	return list
}
