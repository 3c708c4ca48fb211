package jobs

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"sledge/internal/bundle"
	"sledge/internal/cli/jobflags"
	"sledge/internal/cli/program"
	"sledge/internal/cli/results"
	"sledge/internal/experiment"
	"sledge/internal/job"
	"sledge/internal/report"
	"sledge/internal/settings"
)

// RerunCommand returns "sledge rerun", which repeats the runs of a bundle and compares the results.
func RerunCommand(p *program.Program) *cobra.Command {
	var s jobflags.Flags
	var runs int
	var test report.Test
	c := &cobra.Command{
		Use:   "rerun FILE [flags]",
		Short: "Repeat the runs of a bundle, and compare the results with it",
		Long: `Rerun performs the runs of a bundle again, with their settings and seeds, and says whether the
results are better, worse or the same as those of the bundle. Flags win over the settings of the
bundle: at least the server must be named if the bundle hides it.

The schema must exist: build it with the same size and seed first. Below six runs on each side no
difference can be proven.

Exit codes: 0 the results are better, or the same; 1 they are worse; 2 undecided. Errors have the
codes of all commands.`,
		Example: program.Examples(
			"sledge rerun 6B02F1.sledge.zip --host db1",
			"sledge rerun set-a.sledge.zip --host db1 --password-file secret.txt --repeat 8",
			"",
			"# Show the settings, and run nothing.",
			"sledge rerun 6B02F1.sledge.zip --dry-run",
		),
		GroupID: program.GroupResults,
		Args: func(c *cobra.Command, args []string) error {
			switch {
			case len(args) != 1:
				return program.Usage("%s: name one file that sledge bundle wrote", c.CommandPath())
			case s.Config != "":
				return program.Usage("--config has no effect: the settings are those of the bundle. Leave it out")
			case c.Flags().Changed("repeat") && runs < 1:
				return program.Usage("--repeat: %d is not a number of runs: give 1 or more", runs)
			}
			return nil
		},
		RunE: p.Body(func(ctx context.Context, args []string) error {
			b, err := bundle.Read(args[0])
			if err != nil {
				return err
			}
			if err := b.Verify(p.Resolver, p.Version).Err(); err != nil {
				return fmt.Errorf("%s: %w (sledge verify %[1]s lists them)", args[0], err)
			}
			config, err := b.Config()
			if err != nil {
				return job.WithExit(job.ExitUsage, fmt.Errorf("rerun %s: %w", args[0], err))
			}
			folder, err := os.MkdirTemp("", "sledge-rerun-*")
			if err != nil {
				return err
			}
			defer os.RemoveAll(folder)
			s.Config = filepath.Join(folder, "bundle.toml")
			if err := os.WriteFile(s.Config, []byte(config), 0o600); err != nil {
				return err
			}
			if spec := b.Runs[0].Job.Spec; spec.Files != nil && s.Plain["workload"] == "" {
				return program.Usage("%s has a workload of its own, %s, whose SQL would be executed: write it to a folder with sledge workload new ./%[2]s --of %[1]s, read it, and give --workload ./%[2]s", args[0], spec.Workload)
			}
			if runs == 0 {
				runs = len(b.Runs)
			}
			return s.With(ctx, p, job.Run, func(order settings.Order) error { return rerun(ctx, p, b, order, runs, test, &s) })
		}),
	}
	s.AddTo(c, p, job.Run, func(flags *pflag.FlagSet) {
		flags.Var(jobflags.NewPlainFlag("users", "number", s.Plain), "users", "virtual users that work in parallel (default: as in the bundle)")
		flags.IntVar(&runs, "repeat", 0, "`number` of runs (default: as many as the bundle has)")
		results.AddSameMachines(flags, &test)
		flags.Var(&s.Interval, "interval", "time between lines of progress, in seconds or with a unit such as 1m (default 10, less in a short run)")
	})
	return c
}

// rerun performs the runs, which form a performance profile if there are several, and compares them
// with those of the bundle.
func rerun(ctx context.Context, p *program.Program, b *bundle.Bundle, order settings.Order, runs int, test report.Test, s *jobflags.Flags) error {
	if len(order.Counts) > 1 {
		return program.Usage("rerun repeats one set-up, and --users has %d numbers: give one", len(order.Counts))
	}
	s.Brief = !s.Verbose && s.Interval == 0
	orders := []settings.Order{order}
	for len(orders) < runs {
		orders = append(orders, order)
	}
	if err := s.RefuseIneffectiveIn(orders, 0); err != nil {
		return err
	}
	sweep := experiment.Sweep{Orders: orders}
	if runs > 1 {
		var err error
		if sweep, err = sweepOf(ctx, p, s, 0, orders); err != nil {
			return err
		}
	}
	var again []report.Measured
	clock := experiment.NewClock(0)
	done := sweep.Run(ctx, func(i int, order settings.Order) (job.Job, error) {
		s.Title = fmt.Sprintf("run %d of %d", i+1, runs)
		j, err := performOne(ctx, p, order, s)
		if !j.Status.Valid() { // it ends the series
			return j, err
		}
		clock.Step()
		again = append(again, report.Measured{Job: j, Summary: j.Result.Summary})
		sayRun(p, s.Title, j, timeLeft(clock, runs-i-1))
		return j, err
	})
	if len(again) == 0 {
		return done.Err()
	}
	c, err := results.CompareSetups(p, [2]string{filepath.Base(b.Path), "run again"}, [2][]report.Measured{b.Measured(), again}, test)
	if err != nil {
		return errors.Join(err, done.Err())
	}
	return errors.Join(done.Err(), results.ShowSetups(p, c, s.JSON), c.Err())
}
