package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"sledge/internal/engine"
	"sledge/internal/job"
	"sledge/internal/workbench"
)

func (p *Program) buildCommand() *cobra.Command {
	var s settings
	c := &cobra.Command{
		Use:   "build --db NAME [flags]",
		Short: "Make the schema and fill it",
		Long: `Build makes the account and the database where they are missing, then the tables,
loads them with several virtual users side by side, and adds indexes and routines.

The same options and the same seed give the same rows. A build that was
interrupted, whatever by, goes on with --resume.`,
		Example: examples(
			"sledge build --db pg --host db1 --warehouses 100 --builders 8",
			"sledge build --url postgres://tpcc@db1/tpcc --warehouses 100 --password-file secret.txt",
			"sledge build --config sledge.toml --resume",
		),
		GroupID: groupJobs,
		Args:    noArguments,
		RunE: p.run(func(ctx context.Context, _ []string) error {
			return s.with(ctx, p, job.Build, func(order workbench.Order) error {
				return p.do(ctx, order, &s)
			})
		}),
	}
	s.addTo(c, p, job.Build, func(flags *pflag.FlagSet) {
		flags.BoolVar(&s.resume, "resume", false, "go on with a build that was interrupted")
	})
	return c
}

func (p *Program) checkCommand() *cobra.Command {
	var s settings
	c := &cobra.Command{
		Use:   "check --db NAME [flags]",
		Short: "Ask whether the schema is whole and its data are consistent",
		Long: `Check looks for every table and column, and then whether the data obey the rules
of the workload's standard, rule by rule. It changes nothing. When a rule is
broken it shows the first rows that break it, and ends with exit code 4.`,
		Example: examples(
			"sledge check --db pg --host db1",
			"sledge check --db pg --host db1 --json | jq '.findings[] | select(.holds | not)'",
		),
		GroupID: groupJobs,
		Args:    noArguments,
		RunE: p.run(func(ctx context.Context, _ []string) error {
			return s.with(ctx, p, job.Check, func(order workbench.Order) error {
				return p.do(ctx, order, &s)
			})
		}),
	}
	s.addTo(c, p, job.Check, func(*pflag.FlagSet) {})
	return c
}

func (p *Program) runCommand() *cobra.Command {
	var s settings
	var profile int
	c := &cobra.Command{
		Use:   "run --db NAME [flags]",
		Short: "Let virtual users work, and measure them",
		Long: `Run connects the virtual users, lets them work through the ramp-up, then measures
them for the duration. Both are in minutes, as in HammerDB, or have a unit: 90s.

While it goes, a line every few seconds says how many transactions a minute the
server and the virtual users count, how long they take, and how many failed. The
result is printed to the standard output, all else to the standard error.

Several numbers of virtual users, as --users 1,2,4,8, are run one after another,
each as a job of its own. Together they are a performance profile, which is shown at
the end as a table and a chart, and later by sledge jobs profile. Each run is one line
while they go, with --interval also its progress, with --verbose all of its result;
sledge jobs show ID shows that later. When one fails, the rest are not run.

Ctrl-C ends the run early: users finish the transaction they are in, and what was
measured is kept as a partial result. A second Ctrl-C breaks off. SIGTERM, SIGHUP and
the end of who reads the output, as head, end the run like the first Ctrl-C.`,
		Example: examples(
			"sledge run --db pg --host db1 --users 16 --rampup 2 --duration 5",
			"sledge run --db maria --users 8 --rampup 30s --duration 90s --interval 5",
			"sledge run --db pg --host db1 --users 1,2,4,8,16 --rampup 1 --duration 3",
			"sledge run --config sledge.toml --users 64 --seed 7 --json > result.json",
			"sledge run --db pg --dry-run    # where each setting comes from",
		),
		GroupID: groupJobs,
		Args:    noArguments,
		RunE: p.run(func(ctx context.Context, _ []string) error {
			if profile < 0 {
				return usage("--profile: %d is less than 0", profile)
			}
			return s.with(ctx, p, job.Run, func(order workbench.Order) error {
				return p.runAll(ctx, order, profile, &s)
			})
		}),
	}
	s.addTo(c, p, job.Run, func(flags *pflag.FlagSet) {
		flags.Var(plainFlag{"users", "numbers", s.plain}, "users", "virtual users that work side by side (1 if not given), or several numbers of them, with commas between, to run one after another")
		flags.IntVar(&profile, "profile", 0, "`number` of the performance profile that the run is part of (a new one for several numbers of users)")
		flags.BoolVar(&s.service, "service", false, "show service times as well, even if they hardly differ from response times")
		flags.Var(&s.interval, "interval", "time between two lines of progress in seconds, or with a unit such as 1m (10 if not given, less in a short run)")
	})
	return c
}

func (p *Program) deleteCommand() *cobra.Command {
	var s settings
	var yes bool
	c := &cobra.Command{
		Use:   "delete --db NAME [flags]",
		Short: "Remove the schema",
		Long: `Delete drops the tables and routines of the workload, and then the database with
its owner, or the file, unless that holds or is something else: it says what went,
and why the rest stays.

It drops only what is proven to be a schema of the workload: all tables with all
their columns, or what an interrupted build left. If anything else has their names,
or is built upon them, it drops nothing and ends with exit code 7. Where there is
no schema, it ends with exit code 8.

On a terminal it shows what will go and asks first, unless --yes is given.`,
		Example: examples(
			"sledge delete --db pg --host db1",
			"sledge delete --config sledge.toml --yes",
		),
		GroupID: groupJobs,
		Args:    noArguments,
		RunE: p.run(func(ctx context.Context, _ []string) error {
			return s.with(ctx, p, job.Delete, func(order workbench.Order) error {
				if !yes && p.StdinIsTerminal {
					if err := p.confirmDelete(ctx, order.Plan); err != nil {
						return err
					}
				}
				return p.do(ctx, order, &s)
			})
		}),
	}
	s.addTo(c, p, job.Delete, func(flags *pflag.FlagSet) {
		flags.BoolVar(&yes, "yes", false, "do not ask")
	})
	return c
}

// confirmDelete shows what a delete would remove, and asks.
func (p *Program) confirmDelete(ctx context.Context, plan engine.Plan) error {
	d, err := plan.PlanDeletion(ctx)
	if err != nil {
		return err
	}
	fmt.Fprintln(p.Stderr, "This will be removed for good:")
	p.showNames("tables", d.Tables)
	var routines []string
	for _, signature := range d.Routines {
		name, _, _ := strings.Cut(signature, "(")
		routines = append(routines, strings.Trim(name, "`"))
	}
	p.showNames("routines", routines)
	for _, fate := range d.Around {
		if fate.Stays == "" {
			fmt.Fprintf(p.Stderr, "  %s %s\n", fate.Kind, fate.Name)
		}
	}
	for _, fate := range d.Around {
		if fate.Stays != "" {
			fmt.Fprintf(p.Stderr, "The %s %s stays: %s\n", fate.Kind, fate.Name, fate.Stays)
		}
	}
	return p.confirm(fmt.Sprintf("Remove the %s schema in %s %s?", plan.Workload.Title, plan.Database.Title, plan.Database.Target(plan.Connection)))
}

// showNames shows names under a heading, a few to a line.
func (p *Program) showNames(heading string, names []string) {
	if len(names) == 0 {
		return
	}
	fmt.Fprintf(p.Stderr, "  %s\n", heading)
	const few = 4
	for line := range slices.Chunk(names, few) {
		fmt.Fprintf(p.Stderr, "    %s\n", strings.Join(line, "  "))
	}
}
