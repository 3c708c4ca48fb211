package control

import (
	"time"

	"sledge/internal/job"
)

// Patience is the number of stop requests after which the program exits: after the first, users
// complete their transactions; the second aborts the job; after the third, the program exits
// without waiting. A request is Ctrl-C, a signal, or a button.
const Patience = 3

// Stop ends a run early: its users complete their transactions, and the measurements are kept as a
// partial result. Other jobs can only be aborted.
func (h *Handle) Stop() { h.request(job.StopRequest) }

// Abort aborts the job.
func (h *Handle) Abort() { h.request(job.AbortRequest) }

// Interrupt handles a request to end the job and never blocks. The first request stops a run, so
// that its result is kept; later requests abort. A caller that must exit counts the requests, and
// exits at Patience.
func (h *Handle) Interrupt() {
	h.requesting.Lock()
	h.interrupts++
	first := h.interrupts == 1
	h.requesting.Unlock()
	if first && h.order.Spec.Action == job.Run {
		h.Stop()
		return
	}
	h.Abort()
}

// request applies a stop or abort request and emits it, unless the same request was applied before
// or the runner has returned. It does not wait for the emission, because an attending watcher may
// block.
func (h *Handle) request(r job.Request) {
	h.requesting.Lock()
	defer h.requesting.Unlock()
	select {
	case <-h.worked:
		return
	default:
	}
	if h.fulfilled[r] {
		return
	}
	h.fulfilled[r] = true
	h.requests = append(h.requests, job.Event{At: time.Now(), Request: r})
	go h.emitRequests()
	if r == job.StopRequest {
		close(h.stop)
		return
	}
	h.abort()
}

// emitRequests emits the pending requests.
func (h *Handle) emitRequests() {
	h.telling.Lock()
	defer h.telling.Unlock()
	h.emitPending()
}

// emitPending emits the pending requests. It is called before any other event, so that a request
// precedes its effects. The caller holds the lock telling.
func (h *Handle) emitPending() {
	h.requesting.Lock()
	requests := h.requests
	h.requests = nil
	h.requesting.Unlock()
	for _, e := range requests {
		if !h.told {
			h.handOut(e)
		}
	}
}
