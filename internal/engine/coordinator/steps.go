package coordinator

import (
	"time"

	"sledge/internal/engine/plan"
	"sledge/internal/job"
	"sledge/internal/meter"
	"sledge/internal/workload"
)

// stepsOf returns the measurements of each load step.
func stepsOf(p plan.Plan, steps []meter.CodedSummary) (list []job.LoadStep) {
	at := time.Duration(0)
	for i, measured := range steps {
		step := job.LoadStep{
			Users: p.Steps[i].Users, From: at.Seconds(), Elapsed: measured.Elapsed.Seconds(), Measured: measured,
		}
		if sum, err := measured.Summary(); err == nil { // cannot fail: a sent histogram is complete
			step.Metrics = p.Workload.Score.Of(workload.Window{
				Summary: sum, Elapsed: measured.Elapsed, CounterElapsed: measured.Elapsed, Users: step.Users, Options: p.Settings,
			})
		}
		list = append(list, step)
		at += measured.Elapsed
	}
	return list
}
