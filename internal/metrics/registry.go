package metrics

import (
	"cmp"
	"iter"
	"slices"
	"sync"
	"time"

	"sledge/internal/job"
)

const (
	// mostRuns is the number of values of the label "run". They are used in turn, so that a value
	// returns as late as possible.
	mostRuns = 100

	// endedLasts is the time for which the totals of a run can be read after its end.
	endedLasts = 5 * time.Minute
)

// Registry holds the metrics of the runs of this process. It is safe for concurrent use.
type Registry struct {
	OTLP *OTLP // also gets the metrics; nil sends none

	version string // of Sledge

	mu   sync.Mutex
	runs map[int]*Run // by number
	last int
}

// NewRegistry returns an empty registry of a version of Sledge.
func NewRegistry(version string) *Registry {
	return &Registry{version: version, runs: map[int]*Run{}}
}

// Follow adds a run, follows its events as control.Handle.Watch yields them, and then adds how it ended.
// The facts of the job may name its target, without the product: "tpcc on db1:5432". Follow leaves the run
// out if there are too many.
func (r *Registry) Follow(j job.Job, events iter.Seq2[job.Event, int64], ended func() job.Job) {
	run := r.begin(j)
	if run == nil {
		return
	}
	last := func() {}
	if r.OTLP != nil {
		last = r.OTLP.begin(run)
	}
	for e := range events {
		run.add(e)
	}
	run.end(ended())
	last()
}

// begin adds a run. It returns nil if there are too many.
func (r *Registry) begin(j job.Job) *Run {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sweep()
	for range mostRuns {
		if r.last = r.last%mostRuns + 1; r.runs[r.last] == nil {
			r.runs[r.last] = newRun(r.last, j, r.version, time.Now)
			return r.runs[r.last]
		}
	}
	return nil
}

// sweep removes runs that ended long ago, and the one that ended first if there is no room. The caller
// holds the lock.
func (r *Registry) sweep() {
	first := 0
	var firstEnd time.Time
	for number, run := range r.runs {
		run.mu.Lock()
		ended := run.ended
		run.mu.Unlock()
		switch {
		case ended.IsZero():
		case time.Since(ended) > endedLasts:
			delete(r.runs, number)
		case first == 0 || ended.Before(firstEnd):
			first, firstEnd = number, ended
		}
	}
	if first > 0 && len(r.runs) == mostRuns {
		delete(r.runs, first)
	}
}

// list returns the runs in the order of their numbers.
func (r *Registry) list() (all []*Run) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sweep()
	for _, run := range r.runs {
		all = append(all, run)
	}
	slices.SortFunc(all, func(a, b *Run) int { return cmp.Compare(a.number, b.number) })
	return all
}
