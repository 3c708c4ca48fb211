package control

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
func (h *Handle) Stop() { h.wish(job.WishStop) }

// Abort breaks off whatever the job is doing.
func (h *Handle) Abort() { h.wish(job.WishAbort) }

// Interrupt takes a wish to end the job, and never waits: the first one stops a run, so
// that its result is kept; any other breaks off. Whoever has to have an end counts them,
// and goes at Patience.
func (h *Handle) Interrupt() {
	h.wishing.Lock()
	h.interrupts++
	first := h.interrupts == 1
	h.wishing.Unlock()
	if first && h.order.Spec.Action == job.Run {
		h.Stop()
		return
	}
	h.Abort()
}

// wish fulfils a wish, and tells of it, unless it was fulfilled or the job has ended. It
// does not wait until it can tell: somebody may attend who holds up everything.
func (h *Handle) wish(w job.Wish) {
	h.wishing.Lock()
	defer h.wishing.Unlock()
	select {
	case <-h.worked:
		return
	default:
	}
	if h.fulfilled[w] {
		return
	}
	h.fulfilled[w] = true
	h.wishes = append(h.wishes, job.Event{At: time.Now(), Wish: w})
	go h.tellWishes()
	if w == job.WishStop {
		close(h.stop)
		return
	}
	h.abort()
}

// tellWishes tells of the wishes that nobody has been told of yet.
func (h *Handle) tellWishes() {
	h.telling.Lock()
	defer h.telling.Unlock()
	h.handOutWishes()
}

// handOutWishes hands them out. It is called before any other event is, so that a wish
// comes before all that it brings about. The lock of telling is held.
func (h *Handle) handOutWishes() {
	h.wishing.Lock()
	wishes := h.wishes
	h.wishes = nil
	h.wishing.Unlock()
	for _, e := range wishes {
		if !h.told {
			h.handOut(e)
		}
	}
}
