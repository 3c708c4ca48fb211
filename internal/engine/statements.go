package engine

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
)

// statements lists the running statements of a build. It estimates the remaining time of each from
// the finished statements of the same step.
type statements struct {
	mu    sync.Mutex
	list  []*doing // in order of their start
	paces map[string]pace
}

// doing is a running statement.
type doing struct {
	step, table string
	rows        int64 // approximate number of rows of the table
	since       time.Time
}

// pace sums up the finished statements of a step.
type pace struct {
	rows int64
	took time.Duration
}

// begin adds a statement to the list until done is called.
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

// String describes the running statements, with their remaining times if known.
func (d *statements) String() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	var all []string
	for _, doing := range d.list {
		all = append(all, doing.describe(time.Since(doing.since), d.paces[doing.step]))
	}
	return strings.Join(all, ", ")
}

// describe returns the text for a statement that has run for a given time. It estimates the remaining time
// from the pace of other statements.
func (d *doing) describe(since time.Duration, others pace) string {
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
