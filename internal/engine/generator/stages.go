package generator

import (
	"sync"

	"sledge/internal/engine/plan"
	"sledge/internal/job"
)

// stages are the parts of a finite run. Each begins when all users have finished the previous one.
type stages struct {
	names []string // at least one
	users int

	mu      sync.Mutex
	now     int           // number of the current stage
	waiting int           // users that have finished the current stage
	next    chan struct{} // closed when the next stage begins
}

func newStages(names []string, users int) *stages {
	return &stages{names: names, users: users, next: make(chan struct{})}
}

// name returns the name of a stage, or "" if the run has no stages.
func (s *stages) name(stage int) string {
	if s == nil {
		return ""
	}
	return s.names[stage]
}

// tell reports the start of the stage.
func (s *stages) tell(g *group) {
	phase := job.PhaseSpan{Name: job.Measure, Stage: s.names[s.now]}
	if limited := g.plan.Pacing.Duration; limited < plan.FarOff {
		phase.Length = limited
	}
	g.feed.Send(job.Event{Phase: &phase})
}

// wait returns true when all users have finished the stage, or false if the run ends first.
func (s *stages) wait(g *group) bool {
	s.mu.Lock()
	s.waiting++
	next := s.next
	if s.waiting == s.users {
		s.now, s.waiting, s.next = s.now+1, 0, make(chan struct{})
		s.tell(g)
		close(next)
	}
	s.mu.Unlock()
	select {
	case <-next:
		return !g.stopping.Load()
	case <-g.stopped:
		return false
	}
}

// workThrough runs all stages of the user. A run without stages has one.
func (u *user) workThrough(g *group) error {
	if g.stages == nil {
		return u.work(g)
	}
	for i, name := range g.stages.names {
		if i > 0 {
			if !g.stages.wait(g) {
				return nil
			}
			u.assign(g, name)
		}
		u.stage = name
		if err := u.work(g); err != nil {
			return err
		}
	}
	u.allDone = !g.stopping.Load()
	return nil
}
