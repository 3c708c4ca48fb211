package jobs

import (
	"context"
	"errors"
	"fmt"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"sledge/internal/cli/display"
	"sledge/internal/cli/jobflags"
	"sledge/internal/cli/program"
	"sledge/internal/cli/results"
	"sledge/internal/experiment"
	"sledge/internal/job"
	"sledge/internal/report"
	"sledge/internal/settings"
	"sledge/internal/statistics"
	"sledge/internal/terminal"
)

// repetition holds the flags that say how often to repeat a run.
type repetition struct {
	runs    int     // 0 without --repeat
	percent float64 // the precision of the median at which to end; 0 without --until-confident
}

// mostUntilConfident is the number of runs after which --until-confident gives up without --repeat.
const mostUntilConfident = 30

func (r *repetition) addTo(flags *pflag.FlagSet) {
	flags.IntVar(&r.runs, "repeat", 0, "repeat the run until there are this many `runs`, which form a performance profile")
	flags.Float64Var(&r.percent, "until-confident", 0, "repeat the run until the median of its first figure is known to this `percent`: 8 runs or more, and at most those of --repeat (default 30)")
}

// check returns an error for flags without a meaning.
func (r repetition) check(c *cobra.Command) error {
	switch given := c.Flags().Changed; {
	case given("repeat") && r.runs < 1:
		return program.Usage("--repeat: %d is not a number of runs: give 1 or more", r.runs)
	case given("until-confident") && (!(r.percent > 0) || r.percent >= 100):
		return program.Usage("--until-confident: %g is not a precision in percent: give a number above 0 and below 100, such as 2", r.percent)
	case given("until-confident") && given("repeat") && r.runs < statistics.LeastConfident:
		return program.Usage("--until-confident needs %d runs or more, and --repeat allows %d: raise it, or leave one out", statistics.LeastConfident, r.runs)
	}
	return nil
}

// times returns how often to perform the runs at most.
func (r repetition) times() int {
	if r.runs == 0 && r.percent > 0 {
		return mostUntilConfident
	}
	return max(1, r.runs)
}

// enough reports whether the runs so far suffice.
func (r repetition) enough(runs []job.Job) (bool, error) {
	if r.percent == 0 {
		return false, nil
	}
	_, figures := report.FirstFigures(runs)
	return statistics.Confident(figures, r.percent/100)
}

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
	var ended []job.Job
	done := sweep.Run(ctx, func(i int, order settings.Order) (job.Job, error) {
		s.Title = fmt.Sprintf("run %d %s %d", i+1, of, len(orders))
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
		sayRun(p, s.Title, *j)
		if ended = append(ended, *j); err == nil {
			var enough bool
			if enough, err = again.enough(ended); enough {
				err = experiment.ErrEnough
			}
		}
		return *j, err
	})
	return errors.Join(results.ShowProfile(p, sweep.Profile, done.Jobs, s.JSON), done.Err())
}

// sayRun prints one of several runs as a line, and then the warnings of its result.
func sayRun(p *program.Program, title string, j job.Job) {
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
