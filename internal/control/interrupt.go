package control

import (
	"time"

	"sledge/internal/job"
)

// Patience is the number of stop requests after which the program exits: the first lets users
// complete their transactions, the second aborts, the third does not wait. A request is Ctrl-C, a
// signal, or a button.
const Patience = 3

// Stop ends a run early: its users complete their transactions, and the measurements are kept as a
// partial result. Other jobs can only be aborted.
func (h *Handle) Stop() { h.wish(job.WishStop) }

// Abort aborts the job.
func (h *Handle) Abort() { h.wish(job.WishAbort) }

// Interrupt handles a request to end the job and never blocks. The first request stops a run, so
// that its result is kept; later ones abort. A caller that must exit counts the requests, and exits
// at Patience.
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

// wish applies a stop or abort request and emits it, unless the same request was applied before or
// the job has ended. It does not wait until it is emitted, because an attending watcher may block.
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

// tellWishes emits the pending requests.
func (h *Handle) tellWishes() {
	h.telling.Lock()
	defer h.telling.Unlock()
	h.handOutWishes()
}

// handOutWishes emits the pending requests. It is called before any other event, so that a request
// precedes its effects. The caller holds the lock telling.
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
