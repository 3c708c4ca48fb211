package control

import (
	"context"
	"sync"

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

// events is the log of a job: the newest of what has happened, for any number of
// watchers, each of which reads it at its own pace. It is the one queue of them all, so
// that one more watcher takes no room, and one that is slow holds nobody up: when the
// log is full its oldest events go, and who has not read them by then is told how many
// there were.
type events struct {
	mu      sync.Mutex
	kept    []job.Event
	last    int64 // sequence number of the newest
	seconds int   // among those kept
	ended   bool
	news    chan struct{} // closed when there is more, or the end; nil where nobody waits
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
	l.wake()
}

// end says that nothing more will be added.
func (l *events) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ended = true
	l.wake()
}

// wake has those who wait look again. The lock is held.
func (l *events) wake() {
	if l.news != nil {
		close(l.news)
		l.news = nil
	}
}

// read returns the event with a sequence number, or the oldest after it that is still
// kept, with the number of those between that are not. It waits for an event that is
// still to come, and returns false when none will come, or when ctx ends.
func (l *events) read(ctx context.Context, sequence int64) (e job.Event, missed int64, ok bool) {
	for ctx.Err() == nil {
		l.mu.Lock()
		if sequence <= l.last {
			oldest := l.last - int64(len(l.kept)) + 1
			missed = max(oldest-sequence, 0)
			e = l.kept[sequence+missed-oldest]
			l.mu.Unlock()
			return e, missed, true
		}
		if l.ended {
			l.mu.Unlock()
			break
		}
		if l.news == nil {
			l.news = make(chan struct{})
		}
		news := l.news
		l.mu.Unlock()
		select {
		case <-news:
		case <-ctx.Done():
		}
	}
	return job.Event{}, 0, false
}
