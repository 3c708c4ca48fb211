package control

import (
	"context"

	"sledge/internal/control/tasks"
	"sledge/internal/job"
)

// How much of what happened in a job is kept for those who watch it. The most virtual
// users that a job may have begin and end within the first limit. A second that was
// measured holds histograms, some KB, and is as large as a hundred other events: an hour
// of them is some 30 MB at 10,000 transactions a second.
const (
	keptEvents  = 1 << 18
	keptSeconds = 3600
)

// events is the log of a job: its newest events, for any number of watchers, each of which
// reads at its own pace. All share one queue, so another watcher takes no memory, and a slow
// one delays none: when the log is full its oldest events are dropped, and a watcher that has
// missed some is told how many.
type events struct {
	mu      tasks.Cond
	kept    []job.Event
	last    int64 // sequence number of the newest
	seconds int   // among those kept
	ended   bool
}

// add keeps an event, which is the next one by its sequence number.
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
		l.kept[0] = job.Event{} // what it points to is not kept for the sake of the others
		l.kept = l.kept[1:]
	}
	l.mu.Broadcast()
}

// end says that nothing more will be added.
func (l *events) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ended = true
	l.mu.Broadcast()
}

// read returns the event with a sequence number, or the oldest after it that is still
// kept, with the number of those between that are not. It waits for an event that is
// still to come, and returns false when none will come, or when ctx ends.
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
