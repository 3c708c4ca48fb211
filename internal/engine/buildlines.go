package engine

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"sync"

	"sledge/internal/database"
	"sledge/internal/job"
)

// announcer says which step of a build begins, in HammerDB's words and once for
// each: several builders come to the indexes of their tables.
type announcer struct {
	plan Plan
	feed *feed

	mu   sync.Mutex
	said map[string]bool
}

// begins says that a step begins, which is "tables", "indexes", "routines" or
// "finish".
func (a *announcer) begins(step string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.said[step] {
		return
	}
	a.said[step] = true
	if step == "finish" {
		a.feed.say(monitorPosition, "GATHERING SCHEMA STATISTICS")
		return
	}
	what := strings.ToUpper(step)
	if step == "routines" {
		what = database.StoredProcedures
		if name := a.plan.Database.Said.Routines; name != nil {
			what = name(a.plan.Connection)
		}
	}
	of := cmp.Or(a.plan.Workload.HammerDB.Section, a.plan.Workload.Name)
	a.feed.say(monitorPosition, "CREATING %s %s", strings.ToUpper(of), what)
}

// workers are the virtual users of a build. As in HammerDB they have the positions
// after the monitor, who says how many are still at it; a single one is the monitor
// itself, of whom others speak.
type workers struct {
	feed *feed

	mu           sync.Mutex
	active, done int
}

// work lets a virtual user work and says how it fared.
func (w *workers) work(number int, work func(position int) error) error {
	if w.alone() {
		return work(monitorPosition)
	}
	position := monitorPosition + 1 + number
	w.feed.say(position, job.SaidRunning)
	w.feed.say(position, "Worker Thread")
	err := work(position)
	switch {
	case err == nil:
		w.feed.say(position, job.SaidSucceeded)
		w.ready()
		return nil
	case errors.Is(err, context.Canceled): // because of another builder, or of the user
		w.feed.say(position, job.SaidFailed)
		return err
	}
	w.feed.fail(position, err)
	return &userError{position, err}
}

func (w *workers) alone() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.active+w.done == 1
}

// ready counts a virtual user that has nothing left to do.
func (w *workers) ready() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.active--
	w.done++
	w.feed.say(monitorPosition, "Workers: %d Active %d Done", w.active, w.done)
}

// saysOf returns what is said when the loading of a table begins, and when it is
// done.
func (p Plan) saysOf(table string) (begins, done string) {
	if p.Workload.HammerDB.Loading == nil {
		return "", ""
	}
	return p.Workload.HammerDB.Loading(table)
}
