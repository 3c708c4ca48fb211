package jobs

import (
	"context"
	"fmt"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"sledge/internal/cli/jobflags"
	"sledge/internal/cli/program"
	"sledge/internal/engine"
	"sledge/internal/job"
	"sledge/internal/option"
	"sledge/internal/settings"
)

const calibrateHelp = `Calibrate runs a loop on one thread of the server that computes and reads no table, and prints
how long it took by the server's clock. HammerDB's users know it as the single-threaded CPU test
of SQL Server. It takes a few seconds, changes nothing and needs no schema.

Run it a few times before you test. If the time varies, the processor changes its speed or does
other work, and the results of runs will vary too. Compare only times of the same product: each
product runs its own loop.`

// CalibrateCommand makes the command that times a loop on the server.
func CalibrateCommand(p *program.Program) *cobra.Command {
	f := jobflags.Flags{Plain: map[string]string{}}
	c := &cobra.Command{
		Use:   "calibrate --db NAME [flags]",
		Short: "Measure the speed of one thread of the server",
		Long:  calibrateHelp,
		Example: program.Examples(
			"sledge calibrate --db sqlserver --host db1 --ask-password",
			"sledge calibrate --db pg --host db1",
		),
		GroupID: program.GroupOthers,
		Args:    program.NoArguments,
		RunE: p.Body(func(ctx context.Context, _ []string) error {
			return calibrate(ctx, p, f)
		}),
	}
	flags := c.Flags()
	flags.SortFlags = false
	flags.Var(jobflags.NewPlainFlag("db", "name", f.Plain), "db", "database: "+strings.Join(jobflags.DatabaseNames(p.Resolver), ", "))
	f.AddSources(flags)
	f.AddPlainFlags(flags, p.Resolver, func(flag settings.Flag) bool {
		return (flag.Group == option.Connection || flag.Group == option.Accounts) && flag.MeansSomethingTo(job.Check)
	})
	jobflags.CompleteSettings(p, c, &f)
	return c
}

func calibrate(ctx context.Context, p *program.Program, f jobflags.Flags) error {
	order, err := f.Resolve(p, job.Check) // the settings of a run are not needed
	if err != nil {
		return err
	}
	d := order.Plan.Database
	if order.Plan.Server.Calibrate == nil {
		return program.Usage("--db: sledge has no calibration loop for %s", d.Title)
	}
	if order, err = f.SignIn(ctx, p, order, settings.RefusalOfObserver); err != nil {
		return err
	}
	done, err := engine.Calibrate(ctx, order.Plan.Job)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(p.Stdout, "%s %s took %s ms for %s steps on one thread, by its own clock\n",
		d.Title, done.Version, humanize.Comma(done.Took.Milliseconds()), humanize.Comma(done.Steps))
	return err
}
