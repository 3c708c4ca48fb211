package engine

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
)

// statements shows the statements that a build executes now. It estimates the remaining time of
// each from the other statements of the same step.
type statements struct {
	mu    sync.Mutex
	list  []*doing // in order of their start
	paces map[string]pace
}

// doing is a statement.
type doing struct {
	step, table string
	rows        int64 // approximate number of rows of the table
	since       time.Time
}

// pace is the progress of a step's ended statements.
type pace struct {
	rows int64
	took time.Duration
}

// begin shows a statement until done is called.
func (d *statements) begin(what doing) (done func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	what.since = time.Now()
	d.list = append(d.list, &what)
	return func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		i := slices.Index(d.list, &what)
		d.list = slices.Delete(d.list, i, i+1)
		if d.paces == nil {
			d.paces = map[string]pace{}
		}
		p := d.paces[what.step]
		d.paces[what.step] = pace{p.rows + what.rows, p.took + time.Since(what.since)}
	}
}

// String describes the running statements, with the remaining time if it is known.
func (d *statements) String() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	var all []string
	for _, doing := range d.list {
		all = append(all, doing.told(time.Since(doing.since), d.paces[doing.step]))
	}
	return strings.Join(all, ", ")
}

// told describes a statement that has run for a given time, if others ran at the given pace.
func (d *doing) told(since time.Duration, others pace) string {
	text := d.step
	if d.table != "" {
		text += " of " + d.table
	}
	since = since.Truncate(time.Second)
	if since == 0 {
		return text
	}
	text += fmt.Sprintf(" for %s", since)
	if others.rows == 0 || others.took < time.Second { // too little for an estimate
		return text
	}
	all := time.Duration(float64(d.rows) / float64(others.rows) * float64(others.took))
	if left := (all - since).Round(time.Second); left > 0 {
		text += fmt.Sprintf(" (about %s left)", left)
	}
	return text
}
