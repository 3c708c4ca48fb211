package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"sledge/internal/hammerdb/views"
	"sledge/internal/job"
	"sledge/internal/repository"
	"sledge/internal/workbench"
)

// do does a job and prints what came out.
func (p *Program) do(ctx context.Context, order workbench.Order, s *settings) error {
	j, err := p.perform(ctx, order, s)
	if j == nil {
		return err
	}
	return errors.Join(p.show(*j, s.json), err)
}

// perform does a job: it enters it into the repository, shows it as it goes, and
// sees to it that the job is ended there whatever happens. It returns nil only for a
// job that could not be begun.
func (p *Program) perform(ctx context.Context, order workbench.Order, s *settings) (*job.Job, error) {
	record, err := p.begin(ctx, order, s)
	if err != nil {
		return nil, err
	}
	defer record.endAnyway(ctx)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	d := &display{
		out: p.Stdout, err: p.Stderr, bar: bar{to: p.lines, width: p.StderrWidth},
		headline: !s.json && !s.brief, verbose: s.verbose, brief: s.brief, users: order.Spec.Users,
		counted: order.Plan.SQL.Has("counter"), pacing: order.Plan.Pacing, interval: chooseInterval(time.Duration(s.interval), order.Plan.Pacing),
	}
	stop := make(chan struct{})
	var saying sync.WaitGroup // by somebody who may wait for a full pipe
	say := func(line string) { saying.Go(func() { d.say("%s", line) }) }
	restore := p.interrupts.instead(stopper(order.Spec.Action, say, sync.OnceFunc(func() { close(stop) }), cancel))

	control := job.Control{Watchers: append(record.watchers(), d), Stop: stop}
	result, err := p.Runner.Do(ctx, order.Spec, control)
	restore()
	saying.Wait()
	d.end()
	if explained := order.Explain(err); explained != nil {
		if result.Reason == err.Error() {
			result.Reason = explained.Error()
		}
		err = explained
	}
	lost := record.end(ctx, result, err)
	if err == nil {
		err = verdict(result)
	}
	return &record.job, errors.Join(lost, err)
}

// stopper makes what Ctrl-C does to a job. A run is first asked to stop, so that
// its users finish what they are doing and the result can be kept.
func stopper(action job.Action, say func(line string), stop, cancel func()) func(count int) {
	return func(count int) {
		if action == job.Run && count == 1 {
			stop()
			say("stopping: users finish their transaction; press Ctrl-C again to break off")
			return
		}
		cancel()
		say("breaking off; press Ctrl-C again to leave everything as it is")
	}
}

// verdict returns the error of a result whose status alone says what is wrong.
func verdict(r job.Result) error {
	switch r.Status {
	case job.Invalid:
		return job.WithExit(job.ExitInvalid, reason(r))
	case job.Partial:
		return job.WithExit(job.ExitStopped, reason(r))
	case job.Failed, job.Killed:
		return reason(r)
	}
	return nil
}

func reason(r job.Result) error {
	if r.Reason == "" {
		return fmt.Errorf("the job ended as %s", r.Status)
	}
	return errors.New(r.Reason)
}

// record is a job as it is being recorded, or only remembered.
type record struct {
	job      job.Job
	store    *repository.Store    // nil when the job is not recorded
	recorder *repository.Recorder // nil when the job is not recorded
	ended    bool
}

// begin enters a job into the repository, unless it is not to be recorded.
func (p *Program) begin(ctx context.Context, order workbench.Order, s *settings) (*record, error) {
	r := &record{job: job.Job{Spec: order.Public, Status: job.Running, Begun: time.Now(), PID: os.Getpid()}}
	if order.Spec.Action == job.Run {
		r.job.Kinds = order.Plan.Workload.KindNames()
	}
	if s.noRepository {
		return r, nil
	}
	store, err := p.openRepository(s.repository)
	if err != nil {
		return nil, fmt.Errorf("%w, or do without by --no-repo", err)
	}
	recorder, err := store.Begin(ctx, order.Public, r.job.Kinds)
	if err != nil {
		return nil, errors.Join(err, store.Close())
	}
	r.store, r.recorder, r.job.ID = store, recorder, recorder.ID()
	if !s.brief {
		fmt.Fprintf(p.Stderr, "%s jobid=%s\n", views.Titles[order.Spec.Action], r.job.ID)
	}
	return r, nil
}

func (r *record) watchers() []job.Watcher {
	if r.recorder == nil {
		return []job.Watcher{r}
	}
	return []job.Watcher{r, r.recorder}
}

// Watch keeps the facts, which a result is printed with.
func (r *record) Watch(e job.Event) {
	if e.Facts != nil {
		r.job.Facts = e.Facts
	}
}

// end ends the job in the repository, and returns what could not be recorded.
func (r *record) end(ctx context.Context, result job.Result, failure error) error {
	r.ended = true
	var lost error
	if r.recorder != nil {
		lost = errors.Join(r.recorder.End(ctx, result, failure), r.store.Close())
		result = repository.NotRecorded(result, lost)
	}
	r.job.Result, r.job.Status, r.job.Reason, r.job.Ended = result, result.Status, result.Reason, time.Now()
	return lost
}

// endAnyway ends a job that a fault of the program kept from being ended, while
// the program goes down.
func (r *record) endAnyway(ctx context.Context) {
	if r.ended {
		return
	}
	fault := errors.New("a fault of Sledge ended the job")
	_ = r.end(ctx, job.Result{Status: job.Failed, Reason: fault.Error(), Started: r.job.Begun}, fault)
}
