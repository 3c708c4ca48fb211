package jobflags

import (
	"context"
	"time"

	"sledge/internal/control"
	"sledge/internal/job"
	"sledge/internal/settings"
)

// export adds a run to the metrics, if they are exported. The caller calls wait when the run has ended,
// so that its last figures are among them.
func (s *Flags) export(running *control.Handle, order settings.Order) (wait func()) {
	if s.Metrics == nil || order.Spec.Action != job.Run {
		return func() {}
	}
	j := job.Job{ID: running.ID(), Spec: order.Spec, Kinds: order.Plan.Groups().KindNames(), Begun: time.Now()}
	j.Facts = &job.Facts{Target: order.Plan.Database.Options.Target(order.Plan.Connection)}
	followed := make(chan struct{})
	go func() {
		defer close(followed)
		s.Metrics.Follow(j, running.Watch(context.Background(), 1), func() job.Job { return running.Wait().Job })
	}()
	return func() { <-followed }
}
