package control

import (
	"context"

	"sledge/internal/control/tasks"
	"sledge/internal/job"
)

// These limits bound the log of a job. keptEvents is enough for the first and last events of the
// greatest number of virtual users. A measured second contains histograms of some KB, as much as a
// hundred other events. An hour of seconds takes about 30 MB at 10,000 transactions a second.
const (
	keptEvents  = 1 << 18
	keptSeconds = 3600
)

// events is the log of a job. It keeps the newest events for any number of watchers, and each
// watcher reads at its own pace. All watchers share one queue, so another watcher takes no memory
// and a slow one does not delay the others. When the log is full, it drops its oldest events, and a
// watcher that has missed some learns how many.
type events struct {
	mu      tasks.Cond
	kept    []job.Event
	last    int64 // sequence number of the newest event
	seconds int   // number of seconds in kept
	ended   bool
}

// add appends an event, whose sequence number is last+1.
func (l *events) add(e job.Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.last = e.Sequence
	l.kept = append(l.kept, e)
	if e.Second != nil {
		l.seconds++
	}
	for len(l.kept) > keptEvents || l.seconds > keptSeconds {
		if l.kept[0].Second != nil {
			l.seconds--
		}
		l.kept[0] = job.Event{} // releases what it points to
		l.kept = l.kept[1:]
	}
	l.mu.Broadcast()
}

// end marks the log as complete.
func (l *events) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ended = true
	l.mu.Broadcast()
}

// read returns the event with a sequence number. If the log has dropped it, read returns the oldest
// event in the log and the number of missed events. It waits for a future event, and returns false
// if the log is complete or ctx ends.
func (l *events) read(ctx context.Context, sequence int64) (e job.Event, missed int64, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for sequence > l.last {
		if l.ended || l.mu.Wait(ctx) != nil {
			return job.Event{}, 0, false
		}
	}
	if ctx.Err() != nil {
		return job.Event{}, 0, false
	}
	oldest := l.last - int64(len(l.kept)) + 1
	missed = max(oldest-sequence, 0)
	return l.kept[sequence+missed-oldest], missed, true
}
