package workbench

import "sledge/internal/job"

// Patience is how many wishes to end a job gets before the program leaves it as it is:
// the first lets users finish, the second breaks off, the third does not ask. People
// wish by Ctrl-C, by a signal, or by a button.
const Patience = 3

// Answer is what came of a wish to end a job.
type Answer int

// The answers.
const (
	Ended       Answer = iota // it has ended already
	Stopping                  // users finish the transaction that they are in
	BreakingOff               // whatever is under way is broken off
)

// Interrupt takes a wish to end the job, and never waits. The first one stops a run, so
// that its result is kept; any other breaks off. Whoever has to have an end counts them,
// and goes at Patience.
func (r *Running) Interrupt() Answer {
	r.wishes.Lock()
	defer r.wishes.Unlock()
	select {
	case <-r.worked:
		return Ended
	default:
	}
	r.wished++
	if r.order.Spec.Action == job.Run && r.wished == 1 {
		r.stop()
		return Stopping
	}
	r.abort()
	return BreakingOff
}
