package jobs

import (
	"cmp"
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

// runAll performs a run for each number of virtual users, as often as asked, in rounds. Several runs form a performance profile,
// which ends at the first run that fails or is stopped.
func runAll(ctx context.Context, p *program.Program, order settings.Order, profile int, again repetition, s *jobflags.Flags) error {
	if len(order.Counts) > 1 && again.percent > 0 {
		return program.Usage("--until-confident repeats one number of virtual users, and --users has %d: leave one out, or use --repeat", len(order.Counts))
	}
	var orders []settings.Order
	for range again.times() {
		round, err := order.Runs()
		if err != nil {
			return err
		}
		orders = append(orders, round...)
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
	of := "of"
	if again.percent > 0 {
		of = "of at most"
	}
	clock := experiment.NewClock(again.within)
	var ended []job.Job
	enough := false
	done := sweep.Run(ctx, func(i int, order settings.Order) (job.Job, error) {
		s.Title = fmt.Sprintf("run %d %s %d", i+1, of, len(orders))
		j, err := performOne(ctx, p, order, s)
		if j.Status == "" {
			return j, err
		}
		clock.Step()
		sayRun(p, s.Title, j, timeLeft(clock, len(orders)-i-1))
		if ended = append(ended, j); err != nil {
			return j, err
		}
		if enough, err = again.enough(ended); err == nil && (enough || clock.Over()) {
			err = experiment.ErrEnough
		}
		return j, err
	})
	err = results.ShowProfile(p, sweep.Profile, done.Jobs, s.JSON)
	if done.Failure == nil {
		sayShort(p, again, len(ended), len(orders), enough)
	}
	return errors.Join(err, done.Err())
}

// performOne performs one of several runs. Its job has no status if it did not begin.
func performOne(ctx context.Context, p *program.Program, order settings.Order, s *jobflags.Flags) (job.Job, error) {
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
	return *j, cmp.Or(err, interrupted(s))
}

// interrupted returns an error if the user pressed Ctrl-C during a job, which may have succeeded nevertheless: after its
// measurement, for example. No other job of a series may begin then.
func interrupted(s *jobflags.Flags) error {
	if s.Interrupted {
		return job.WithExit(job.ExitStopped, errors.New("stopped by Ctrl-C"))
	}
	return nil
}

// sayShort warns if the runs ended before they reached what was asked.
func sayShort(p *program.Program, again repetition, runs, asked int, enough bool) {
	switch late := runs < asked; {
	case enough:
	case late:
		warn(p, fmt.Sprintf("Ended after %d of %d runs: another would probably end after the time of --within.", runs, asked))
	case again.percent > 0:
		warn(p, fmt.Sprintf("The median is not known to %g %% after %d runs: allow more with --repeat.", again.percent, runs))
	}
}

// sayRun prints one of several runs as a line that ends with rest, and then the warnings of its result.
func sayRun(p *program.Program, title string, j job.Job, rest string) {
	line := fmt.Sprintf("%s   users %s   %s", title, humanize.Comma(int64(j.Spec.Users)), j.Status)
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
	line += rest
	if p.StderrWidth != nil {
		line = terminal.Cut(line, p.StderrWidth())
	}
	fmt.Fprintln(p.Stderr, line)
	for _, warning := range report.Warnings(j.Result) {
		warn(p, warning)
	}
}

// tell prints a line about several runs.
func tell(p *program.Program, text string) {
	fmt.Fprintln(p.Stderr, program.Drawn(func(line string) string { return line }, report.Printable(text), p.StderrWidth))
}

// warn prints a warning about a run, or about several.
func warn(p *program.Program, text string) {
	fmt.Fprintln(p.Stderr, program.Drawn(p.StderrLook.Bad, "! "+report.Printable(text), p.StderrWidth))
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
