package control

import (
	"time"

	"sledge/internal/job"
)

// Patience is how many stop requests a job gets before the program leaves it as it is: the
// first lets users finish, the second aborts, the third does not wait. Users request by Ctrl-C,
// by a signal, or by a button.
const Patience = 3

// Stop ends a run before its time: its users finish the transaction that they are in, and
// what was measured is kept as a partial result. Other jobs only know Abort.
func (h *Handle) Stop() { h.wish(job.WishStop) }

// Abort aborts whatever the job is doing.
func (h *Handle) Abort() { h.wish(job.WishAbort) }

// Interrupt takes a request to end the job, and never blocks: the first one stops a run, so
// that its result is kept; any other aborts. A caller that must have an end counts them, and
// exits at Patience.
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

// wish carries out a request, and reports it, unless it was carried out already or the job has
// ended. It does not wait for the report, because an attending watcher may be blocking.
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

// tellWishes reports the requests that were not reported yet.
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
