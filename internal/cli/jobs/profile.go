package jobs

import (
	"context"
	"errors"
	"fmt"

	"github.com/dustin/go-humanize"

	"sledge/internal/cli/display"
	"sledge/internal/cli/jobflags"
	"sledge/internal/cli/program"
	"sledge/internal/cli/results"
	"sledge/internal/experiment"
	"sledge/internal/job"
	"sledge/internal/report"
	"sledge/internal/settings"
	"sledge/internal/terminal"
)

// runAll performs a run for each number of virtual users. Several runs form a performance profile,
// which ends at the first run that fails or is stopped.
func runAll(ctx context.Context, p *program.Program, order settings.Order, profile int, s *jobflags.Flags) error {
	orders, err := order.Runs()
	if err != nil {
		return err
	}
	s.Brief = len(orders) > 1 && !s.Verbose && s.Interval == 0
	if err := s.RefuseIneffectiveIn(orders, profile); err != nil {
		return err
	}
	if len(orders) == 1 {
		orders[0].Profile = profile
		return jobflags.Do(ctx, p, orders[0], s)
	}
	sweep, err := sweepOf(ctx, p, s, profile, orders)
	if err != nil {
		return err
	}
	done := sweep.Run(ctx, func(i int, order settings.Order) (job.Job, error) {
		s.Title = fmt.Sprintf("run %d of %d", i+1, len(orders))
		if !s.Brief {
			fmt.Fprintf(p.Stderr, "%s: virtual users %d\n", s.Title, order.Spec.Users)
		}
		j, err := jobflags.Perform(ctx, p, order, s)
		if j == nil {
			return job.Job{}, err
		}
		if s.Verbose && !s.JSON {
			err = errors.Join(jobflags.ShowResult(p, *j, s), err)
		}
		sayRun(p, i+1, len(orders), *j)
		return *j, err
	})
	return errors.Join(results.ShowProfile(p, sweep.Profile, done.Jobs, s.JSON), done.Err())
}

// sayRun prints one of several runs as a line, and then the warnings of its result.
func sayRun(p *program.Program, number, of int, j job.Job) {
	line := fmt.Sprintf("run %d of %d   users %s   %s", number, of, humanize.Comma(int64(j.Spec.Users)), j.Status)
	for _, m := range j.Result.Metrics[:min(len(j.Result.Metrics), 2)] { // jobs show has the others
		line += fmt.Sprintf("   %s %s", report.Short(m), report.Printable(m.Name))
	}
	if len(j.Result.Summary.Kinds) > 0 {
		all := j.Result.Summary.All()
		line += fmt.Sprintf("   failed %s   p99 %s ms", humanize.Comma(all.Failures()), display.Millis(all.Response, 99))
	}
	if j.ID != "" {
		line += "   job " + string(j.ID)
	}
	if p.StderrWidth != nil {
		line = terminal.Cut(line, p.StderrWidth())
	}
	fmt.Fprintln(p.Stderr, line)
	for _, warning := range report.Warnings(j.Result) {
		fmt.Fprintln(p.Stderr, program.Drawn(p.StderrLook.Bad, "! "+report.Printable(warning), p.StderrWidth))
	}
}

// sweepOf plans several runs.
func sweepOf(ctx context.Context, p *program.Program, s *jobflags.Flags, profile int, orders []settings.Order) (experiment.Sweep, error) {
	store, err := jobflags.StoreFor(p, s)
	if store == nil {
		return experiment.Sweep{Orders: orders}, err
	}
	sweep, err := experiment.NewSweep(ctx, store, profile, orders)
	return sweep, errors.Join(err, store.Close())
}
