package generator

import (
	"context"
	"fmt"

	"sledge/internal/job"
	"sledge/internal/workload"
)

// narrator is an executor that reports each transaction and its outcome.
type narrator struct {
	workload.Executor
	kinds []workload.Kind
	tell  func(job.Event)
}

// Do implements workload.Executor.
func (s *narrator) Do(ctx context.Context, t workload.Transaction) error {
	name := s.kinds[t.Kind].Name
	s.tell(job.Event{Message: name})
	err := s.Executor.Do(ctx, t)
	teller, tells := s.Executor.(workload.Teller)
	switch {
	case err != nil:
		s.tell(job.Event{Message: fmt.Sprintf("%s : %v", name, err)})
	case tells:
		s.tell(job.Event{Message: teller.Outcome()})
	}
	return err
}
