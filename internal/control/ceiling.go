package control

import (
	"context"
	"time"

	"sledge/internal/job"
)

// ceilingPatience is the time limit for finding a ceiling.
const ceilingPatience = 2 * time.Second

// reached compares a run with the newest ceiling of its machine in the repository. It returns nil if the
// repository has no such ceiling, and for runs with client SQL, because a ceiling is measured with calls.
func (h *Handle) reached(ctx context.Context, r job.Result) *job.CeilingReached {
	spec, done := h.order.Spec, r.Summary.All()
	n := done.Done + done.RolledBack
	if h.recorder == nil || h.facts == nil || spec.Action != job.Run || len(spec.Beside) > 0 || n == 0 || r.Summary.Elapsed <= 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), ceilingPatience)
	defer cancel()
	j, err := h.with.Store.Ceiling(ctx, spec.Database, spec.Workload, h.facts.Host)
	if err != nil || j == nil || h.order.Plan.Piecemeal() {
		return nil
	}
	ceiling := j.Result.Ceiling.TransactionsPerSecond
	return &job.CeilingReached{Job: j.ID, At: j.Begun.UTC(), TransactionsPerSecond: ceiling, Percent: 100 * float64(n) / r.Summary.Elapsed.Seconds() / ceiling}
}
