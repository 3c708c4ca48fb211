package jobflags

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"sledge/internal/cli/display"
	"sledge/internal/cli/program"
	"sledge/internal/control"
	"sledge/internal/hammerdb/views"
	"sledge/internal/job"
	"sledge/internal/report"
	"sledge/internal/repository"
	"sledge/internal/settings"
)

// Do performs a job and prints its result.
func Do(ctx context.Context, p *program.Program, order settings.Order, s *Flags) error {
	j, err := Perform(ctx, p, order, s)
	if j == nil {
		return err
	}
	return errors.Join(ShowResult(p, *j, s), err)
}

// Perform performs a job and shows its progress. It returns nil only if the job could not be
// started.
func Perform(ctx context.Context, p *program.Program, order settings.Order, s *Flags) (j *job.Job, err error) {
	store, err := StoreFor(p, s)
	if err != nil {
		return nil, err
	}
	if store != nil {
		defer func() { err = errors.Join(err, store.Close()) }()
	}
	d := display.New(order, display.Options{
		Out: p.Stdout, Err: p.Stderr, Screen: ScreenOf(p), Look: p.StderrLook,
		HammerDB: s.HammerDB, Headline: !s.JSON && !s.Brief, Verbose: s.Verbose, Brief: s.Brief,
		Interval: time.Duration(s.Interval), Title: s.Title,
	})
	var showing sync.WaitGroup // its goroutine may block on a full pipe
	restore := func() {}
	var interrupted atomic.Bool
	with := control.With{Store: store, Begun: func(r *control.Handle) {
		restore = p.Interrupts.Instead(func(int) { interrupted.Store(true); r.Interrupt() })
		if !s.Brief { // if the output has no reader, this write stops the job
			fmt.Fprint(p.Stderr, opening(order, r.ID(), s.HammerDB))
		}
	}}
	if order.Plan.Pacing.Test {
		with.Attending = []job.Watcher{d} // a test has no other output than the lines of its virtual users
	}
	running, err := control.Start(ctx, cmp.Or(s.Runner, p.Runner), order, with)
	if err != nil {
		return nil, err
	}
	defer p.WatchReaders()()
	exported := s.export(running, order)
	if !order.Plan.Pacing.Test {
		showing.Go(func() { d.Follow(running) })
	}
	outcome := running.Wait()
	restore()
	exported()
	showing.Wait()
	d.End()
	s.Ended = append(s.Ended, outcome.Job)
	s.Interrupted = s.Interrupted || interrupted.Load()
	return &outcome.Job, outcome.Err()
}

// ScreenOf returns the terminal for a progress bar that is redrawn, or an empty Screen if standard
// error cannot show one.
func ScreenOf(p *program.Program) display.Screen {
	if !p.StderrLook.Redraws {
		return display.Screen{}
	}
	return display.Screen{To: p.Lines, Width: p.StderrWidth, Height: p.StderrHeight}
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
	line := fmt.Sprintf("%s %s on %s %s", order.Spec.Action, plan.Groups().Title(), plan.Database.Title, plan.Database.Options.Target(plan.Connection))
	switch order.Spec.Action {
	case job.MeasureCeiling:
		line = fmt.Sprintf("ceiling of this machine with %s over the protocol of %s: %s", plan.Workload.Title, plan.Database.Title, report.VirtualUsers(order.Spec.Users))
	case job.Run:
		line += ": " + report.VirtualUsers(order.Spec.AllUsers())
	}
	if id != "" {
		line += fmt.Sprintf(", job %s", id)
	}
	return report.Printable(line) + "\n"
}

// StoreFor opens the repository that records a job, or returns nil for --no-repo.
func StoreFor(p *program.Program, s *Flags) (*repository.Store, error) {
	if s.noRepository {
		return nil, nil
	}
	store, err := p.OpenRepository(s.Repository)
	if err != nil {
		return nil, fmt.Errorf("%w, or use --no-repo to record nothing", err)
	}
	return store, nil
}
