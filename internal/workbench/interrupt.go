package workbench

import (
	"time"

	"sledge/internal/job"
)

// Patience is how many wishes to end a job gets before the program leaves it as it is:
// the first lets users finish, the second breaks off, the third does not ask. People
// wish by Ctrl-C, by a signal, or by a button.
const Patience = 3

// Stop ends a run before its time: its users finish the transaction that they are in, and
// what was measured is kept as a partial result. Other jobs only know Abort.
func (r *Running) Stop() { r.wish(job.WishStop) }

// Abort breaks off whatever the job is doing.
func (r *Running) Abort() { r.wish(job.WishAbort) }

// Interrupt takes a wish to end the job, and never waits: the first one stops a run, so
// that its result is kept; any other breaks off. Whoever has to have an end counts them,
// and goes at Patience.
func (r *Running) Interrupt() {
	r.wishing.Lock()
	r.interrupts++
	first := r.interrupts == 1
	r.wishing.Unlock()
	if first && r.order.Spec.Action == job.Run {
		r.Stop()
		return
	}
	r.Abort()
}

// wish fulfils a wish, and tells of it, unless it was fulfilled or the job has ended. It
// does not wait until it can tell: somebody may attend who holds up everything.
func (r *Running) wish(w job.Wish) {
	r.wishing.Lock()
	defer r.wishing.Unlock()
	select {
	case <-r.worked:
		return
	default:
	}
	if r.fulfilled[w] {
		return
	}
	r.fulfilled[w] = true
	r.wishes = append(r.wishes, job.Event{At: time.Now(), Wish: w})
	go r.tellWishes()
	if w == job.WishStop {
		close(r.stop)
		return
	}
	r.abort()
}

// tellWishes tells of the wishes that nobody has been told of yet.
func (r *Running) tellWishes() {
	r.telling.Lock()
	defer r.telling.Unlock()
	r.handOutWishes()
}

// handOutWishes hands them out. It is called before any other event is, so that a wish
// comes before all that it brings about. The lock of telling is held.
func (r *Running) handOutWishes() {
	r.wishing.Lock()
	wishes := r.wishes
	r.wishes = nil
	r.wishing.Unlock()
	for _, e := range wishes {
		if !r.told {
			r.handOut(e)
		}
	}
}
