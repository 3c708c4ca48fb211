package api

import (
	"net/http"
	"slices"
	"sync"
	"time"

	"sledge/internal/control"
	"sledge/internal/document"
	"sledge/internal/job"
	"sledge/internal/settings"
)

// mostRunning limits the jobs that were started here.
const mostRunning = 64

// jobs are the jobs that were started here.
type jobs struct {
	*base

	mu       sync.Mutex // held only briefly
	closing  bool       // no more jobs, scripts or counters start
	closed   bool       // Close no longer waits for new background work
	requests int        // requests to end the program
	starting int        // jobs that are being added to the repository
	running  map[job.ID]*control.Handle
	ended    []job.Job // jobs whose end could not be recorded: the repository still lists them as running
}

// inBackground calls do in a goroutine for which Close waits. It returns false if the API is
// closed.
func (js *jobs) inBackground(do func()) bool {
	js.mu.Lock()
	defer js.mu.Unlock()
	if js.closed {
		return false
	}
	js.background.Go(do)
	return true
}

// ending returns the Problem of a request that comes while the server ends.
func ending(what string) *Problem {
	return problem(http.StatusServiceUnavailable, "%s: the server is ending", what)
}

// handles returns the handles of the running jobs. The caller holds the lock.
func (js *jobs) handles() (list []*control.Handle) {
	for _, h := range js.running {
		list = append(list, h)
	}
	return list
}

// handle returns the handle of a running job that was started here, or nil.
func (js *jobs) handle(id job.ID) *control.Handle {
	js.mu.Lock()
	defer js.mu.Unlock()
	return js.running[id]
}

// export adds a run to the metrics until it has ended.
func (js *jobs) export(h *control.Handle, order settings.Order) {
	if js.Metrics == nil || order.Spec.Action != job.Run {
		return
	}
	j := job.Job{ID: h.ID(), Spec: order.Spec, Kinds: order.Plan.Groups().KindNames(), Begun: time.Now()}
	j.Facts = &job.Facts{Target: order.Plan.Database.Options.Target(order.Plan.Connection)}
	js.inBackground(func() { js.Metrics.Follow(j, h.Watch(js.ctx, 1), func() job.Job { return h.Wait().Job }) })
}

// jobEnded records that a job that was started here has ended, and posts its notices.
func (js *jobs) jobEnded(o control.Outcome) {
	defer js.report(o.Job)
	if o.Lost != nil {
		js.Say(o.Lost.Error())
	}
	js.mu.Lock()
	defer js.mu.Unlock()
	delete(js.running, o.Job.ID)
	if o.Lost != nil {
		js.ended = append(js.ended[max(0, len(js.ended)-mostRunning+1):], o.Job)
	}
}

// report posts the notice of a job that has ended.
func (js *jobs) report(j job.Job) {
	if js.Notices == nil {
		return
	}
	database, workload := j.Spec.Database, j.Spec.Workloads()
	if d, err := js.Resolver.Database(database); err == nil {
		database = d.Title
	}
	if w, err := js.Resolver.Workload(workload); err == nil { // several have no common title
		workload = w.Title
	}
	js.Notices.Post(document.NewNotice(j, database, workload))
}

// unrecordedEnd returns a job whose end could not be recorded.
func (js *jobs) unrecordedEnd(id job.ID) (j job.Job, is bool) {
	js.mu.Lock()
	defer js.mu.Unlock()
	i := slices.IndexFunc(js.ended, func(j job.Job) bool { return j.ID == id })
	if i < 0 {
		return j, false
	}
	return js.ended[i], true
}

// active names the jobs that run or begin.
func (js *jobs) active() (names []string) {
	js.mu.Lock()
	defer js.mu.Unlock()
	for id := range js.running {
		names = append(names, "job "+string(id))
	}
	slices.Sort(names)
	if js.starting > 0 {
		names = append(names, "a job that begins")
	}
	return names
}

// shut starts no more jobs, and returns the running ones. Jobs that are being added to the
// repository get requests to end.
func (js *jobs) shut(requests int) []*control.Handle {
	js.mu.Lock()
	defer js.mu.Unlock()
	js.closing = true
	js.requests += requests
	return js.handles()
}

// wait waits until no job runs or begins.
func (js *jobs) wait() {
	for more := true; more; {
		js.mu.Lock()
		handles := js.handles()
		more = js.starting > 0
		js.mu.Unlock()
		for _, h := range handles {
			h.Wait()
		}
		if more {
			time.Sleep(10 * time.Millisecond)
		}
	}
}

// close lets no more background work begin.
func (js *jobs) close() {
	js.mu.Lock()
	defer js.mu.Unlock()
	js.closed = true
}
