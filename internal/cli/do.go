package cli

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"sledge/internal/control"
	"sledge/internal/hammerdb/lines"
	"sledge/internal/hammerdb/views"
	"sledge/internal/job"
	"sledge/internal/live"
	"sledge/internal/report"
	"sledge/internal/repository"
	"sledge/internal/settings"
)

// do performs a job and prints its result.
func (p *Program) do(ctx context.Context, order settings.Order, s *jobFlags) error {
	j, err := p.perform(ctx, order, s)
	if j == nil {
		return err
	}
	return errors.Join(p.show(*j, s), err)
}

// perform performs a job and shows its progress. It returns nil only if the job could not be
// started.
func (p *Program) perform(ctx context.Context, order settings.Order, s *jobFlags) (j *job.Job, err error) {
	store, err := p.storeFor(s)
	if err != nil {
		return nil, err
	}
	if store != nil {
		defer func() { err = errors.Join(err, store.Close()) }()
	}
	d := p.display(order, s)
	var showing sync.WaitGroup // its goroutine may block on a full pipe
	restore := func() {}
	with := control.With{Store: store, Begun: func(r *control.Handle) {
		restore = p.interrupts.instead(func(int) { r.Interrupt() })
		if !s.brief { // this write may find that the output has no reader
			fmt.Fprint(p.Stderr, opening(order, r.ID(), s.hammerDB))
		}
	}}
	if order.Plan.Pacing.Test {
		with.Attending = []job.Watcher{d} // a test has no other output than the lines of its virtual users
	}
	running, err := control.Start(ctx, p.Runner, order, with)
	if err != nil {
		return nil, err
	}
	defer p.watchReaders()()
	if !order.Plan.Pacing.Test {
		showing.Go(func() { d.follow(running) })
	}
	outcome := running.Wait()
	restore()
	showing.Wait()
	d.end()
	s.ended = append(s.ended, outcome.Job)
	return &outcome.Job, outcome.Err()
}

// bar returns a bar, which draws nothing unless standard error is a terminal that can redraw lines.
func (p *Program) bar() bar {
	if !p.StderrLook.Redraws {
		return bar{}
	}
	return bar{to: p.lines, width: p.StderrWidth, height: p.StderrHeight}
}

// display returns a display for a job.
func (p *Program) display(order settings.Order, s *jobFlags) *display {
	pacing := order.Plan.Pacing
	d := &display{
		out: p.Stdout, err: p.Stderr, look: p.StderrLook, bar: p.bar(),
		hammerDB: s.hammerDB, headline: !s.json && !s.brief, verbose: s.verbose, brief: s.brief,
		counted: order.Plan.Server.Counter != nil, pacing: pacing, interval: chooseInterval(time.Duration(s.interval), pacing),
		spans: spanning{unit: order.Plan.Workload.Throughput()},
		speaker: lines.NewSpeaker(lines.About{
			Action: order.Spec.Action, Database: order.Plan.Database.Name, Product: order.Plan.Database.Title,
			Workload: order.Plan.Workload.Name, Title: order.Plan.Workload.Title,
		}),
	}
	if d.bar.width != nil && order.Spec.Action == job.Run && !pacing.Test && !pacing.Finite && !s.hammerDB && s.interval == 0 {
		users := order.Plan.Users
		if steps := order.Plan.Steps; steps != nil {
			users = steps[0].Users
		}
		d.block = &block{
			title: s.title, users: users, length: func(phase job.Phase) time.Duration { return lengthOf(pacing, phase) },
			view: live.New(live.Job{Job: job.Job{Spec: order.Spec}}),
		}
	}
	return d
}

// opening returns the line that announces a job.
func opening(order settings.Order, id job.ID, hammerDB bool) string {
	if hammerDB {
		if id == "" {
			return ""
		}
		return fmt.Sprintf("%s jobid=%s\n", views.Titles[order.Spec.Action], id)
	}
	plan := order.Plan
	line := fmt.Sprintf("%s %s on %s %s", order.Spec.Action, plan.Workload.Title, plan.Database.Title, plan.Database.Target(plan.Connection))
	if order.Spec.Action == job.Run {
		line += ": " + report.VirtualUsers(order.Spec.Users)
	}
	if id != "" {
		line += fmt.Sprintf(", job %s", id)
	}
	return report.Printable(line) + "\n"
}

// wished are the messages for requests to stop or abort a job.
var wished = map[job.Wish]string{
	job.WishStop:  "stopping: users finish their transactions; press Ctrl-C again to abort",
	job.WishAbort: "aborting; press Ctrl-C again to quit at once",
}

// wished returns the message for a request to stop or abort this job.
func (d *display) wished(w job.Wish) string {
	if w == job.WishStop && d.measured {
		return "stopping the server's maintenance after the run; press Ctrl-C again to abort"
	}
	return wished[w]
}

// follow shows a job until it is over.
func (d *display) follow(r *control.Handle) {
	for e, missed := range r.Watch(context.Background(), 1) {
		if missed > 0 {
			d.say("%d events are not shown here, because the output was read too slowly", missed)
		}
		d.Watch(e)
	}
}

// storeFor opens the repository that records a job, or returns nil for --no-repo.
func (p *Program) storeFor(s *jobFlags) (*repository.Store, error) {
	if s.noRepository {
		return nil, nil
	}
	store, err := p.openRepository(s.repository)
	if err != nil {
		return nil, fmt.Errorf("%w, or use --no-repo to record nothing", err)
	}
	return store, nil
}
