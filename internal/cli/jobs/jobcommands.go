// Package jobs contains the commands that start jobs: build, run, check, delete, and those that do
// several of them or part of one.
package jobs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"sledge/internal/cli/jobflags"
	"sledge/internal/cli/program"
	"sledge/internal/engine"
	"sledge/internal/engine/plan"
	"sledge/internal/job"
	"sledge/internal/settings"
)

// BuildCommand returns "sledge build".
func BuildCommand(p *program.Program) *cobra.Command {
	var s jobflags.Flags
	c := &cobra.Command{
		Use:   "build --db NAME [flags]",
		Short: "Create the schema and load its tables",
		Long: `Build creates the account and the database if they do not exist, then creates the tables, loads
them with --builders connections in parallel, and creates indexes and routines.

The same options and the same seed give the same rows. If a build is interrupted, --resume
continues it.`,
		Example: program.Examples(
			"sledge build --db pg --host db1 --warehouses 100 --builders 8",
			"sledge build --url postgres://tpcc@db1/tpcc --password-file secret.txt",
			"",
			"# Continue an interrupted build.",
			"sledge build --config sledge.toml --resume",
		),
		GroupID: program.GroupJobs,
		Args:    program.NoArguments,
		RunE: p.Body(func(ctx context.Context, _ []string) error {
			return s.With(ctx, p, job.Build, func(order settings.Order) error {
				return jobflags.Do(ctx, p, order, &s)
			})
		}),
	}
	s.AddTo(c, p, job.Build, func(flags *pflag.FlagSet) {
		flags.BoolVar(&s.Resume, "resume", false, "continue a build that was interrupted")
	})
	return c
}

// CheckCommand returns "sledge check".
func CheckCommand(p *program.Program) *cobra.Command {
	var s jobflags.Flags
	c := &cobra.Command{
		Use:   "check --db NAME [flags]",
		Short: "Check that the schema is complete and its data are consistent",
		Long: `Check looks for every table and column, then tests the data against the consistency rules of the
workload. It changes nothing. If rows violate a rule, it prints the first of them and ends with
exit code 4. With --verbose it lists every rule.`,
		Example: program.Examples(
			"sledge check --db pg --host db1",
			"sledge check --db pg --host db1 --json \\",
			"  | jq '.findings[] | select(.holds | not)'",
		),
		GroupID: program.GroupJobs,
		Args:    program.NoArguments,
		RunE: p.Body(func(ctx context.Context, _ []string) error {
			return s.With(ctx, p, job.Check, func(order settings.Order) error {
				return jobflags.Do(ctx, p, order, &s)
			})
		}),
	}
	s.AddTo(c, p, job.Check, func(*pflag.FlagSet) {})
	return c
}

// RunCommand returns "sledge run".
func RunCommand(p *program.Program) *cobra.Command {
	var s jobflags.Flags
	var profile int
	var again repetition
	var x exports
	c := &cobra.Command{
		Use:   "run --db NAME [flags]",
		Short: "Run virtual users and measure throughput and response times",
		Long: `Run connects virtual users, lets them work for the ramp-up, and then measures for the duration. It
prints the verdict, throughput, response times and failures.

While it runs, it shows the current rate, response times, failures and the time left on a terminal.
Elsewhere, or with --interval, it prints a line at each interval. The result goes to standard
output, everything else to standard error. For scripts that parse HammerDB's lines, add --hammerdb.

With several numbers of virtual users, such as --users 1,2,4,8, run performs one run for each. Each
is a job; together they form a performance profile, which run prints at the end as a table and a
chart, and sledge jobs profile prints later. Each run prints one line; --verbose prints its whole
result. If a run fails, the others are skipped.

--repeat performs each run several times, in rounds, because equal runs differ: the profile then says
how precise the median is. --until-confident 2 repeats a run until the median is known to 2 %.

--against compares the run (A) with a second set-up (B) that differs in the options you name. The two
take turns, A B B A, so that slow changes of the machine affect both, and the result says whether B
is better: exit code 0 if it is better or the same, 1 if it is worse, 2 if that is undecided.
--against-program compares two builds of Sledge in the same way, each in its own process.

--beside lets users of another workload work in the same database at the same time. Transactions and
figures then have the name of their group, such as reads.query 1; the first group has the name of its
workload.

Ctrl-C stops the run early: users complete their transactions, and the measurements are kept as a
partial result. A second Ctrl-C aborts. SIGTERM, SIGHUP and a closed output pipe (| head) stop the
run like the first Ctrl-C.`,
		Example: program.Examples(
			"# Measure the maximum throughput of 16 users for five minutes.",
			"sledge run --db pg --host db1 --users 16 --rampup 2 --duration 5",
			"",
			"# Find the number of users with the highest throughput.",
			"sledge run --db pg --host db1 --users 1,2,4,8,16 --rampup 1 --duration 3",
			"",
			"# Repeat a run until its median is known to 2 %.",
			"sledge run --db pg --host db1 --users 16 --duration 3 --until-confident 2",
			"",
			"# Find out whether client-side SQL is faster: eight pairs of runs.",
			"sledge run --db pg --users 16 --duration 3 --against client_sql=true",
			"",
			"# Measure response times at 500 transactions a second.",
			"sledge run --db maria --host db1 --users 32 --rate 500/s --duration 90s",
			"",
			"# Fail in CI if the server has become slower.",
			"sledge run --db pg --fail-if 'p99>50ms,failed>0.1%' --junit run.xml",
			"",
			"# See what reports do to the transactions.",
			"sledge run --db pg --users 16 --beside reports=./reports,users=2",
			"",
			"# How much do reports cost the orders, and the orders the reports?",
			"sledge run --db pg --users 16 --beside reports=./reports,users=2 --alone",
			"",
			"# Watch a failover, and look for lost commits.",
			"sledge run --db pg --host db1,db2:5433 --users 8 --reconnect --ledger",
			"",
			"# Show the run in Prometheus and Grafana while it goes on.",
			"sledge run --db pg --host db1 --users 16 --metrics 127.0.0.1:9464",
			"",
			"# Print the result as JSON.",
			"sledge run --config sledge.toml --users 64 --seed 7 --json > result.json",
			"",
			"# Show each setting with its source, and run nothing.",
			"sledge run --db pg --dry-run",
		),
		GroupID: program.GroupJobs,
		Args: func(c *cobra.Command, args []string) error {
			return cmp.Or(program.NoArguments(c, args), again.check(c))
		},
		RunE: p.Body(func(ctx context.Context, _ []string) error {
			if profile < 0 {
				return program.Usage("--profile: %d is less than 0", profile)
			}
			junit, err := openJUnit(s.JUnitPath())
			if err != nil {
				return err
			}
			err = s.With(ctx, p, job.Run, func(order settings.Order) error {
				end, err := x.begin(p, &s)
				if err != nil {
					return err
				}
				defer end(ctx)
				if again.alone {
					return runAlone(ctx, p, order, again, &s)
				}
				if again.compares() {
					return runAgainst(ctx, p, order, again, &s)
				}
				return runAll(ctx, p, order, profile, again, &s)
			})
			if err == nil && again.compares() && !again.alone && !s.Performs() {
				err = showSecond(ctx, p, s, again)
			}
			return errors.Join(err, junit.close(s.Ended, err))
		}),
	}
	s.AddTo(c, p, job.Run, func(flags *pflag.FlagSet) {
		flags.Var(jobflags.NewPlainFlag("users", "numbers", s.Plain), "users", "virtual users that work in parallel; several numbers, such as 1,2,4, run one after another (default 1)")
		flags.StringArrayVar(&s.Beside, "beside", nil, "users of another workload in the same database, as `NAME=WORKLOAD`,users=2 with options after further commas; repeat as needed")
		again.addTo(flags)
		flags.IntVar(&profile, "profile", 0, "`number` of the performance profile to add the run to (default for several runs: a new profile)")
		flags.StringVar(&s.JUnit, "junit", "", "write the verdict to this `file` as JUnit XML, for CI: one test for the run, and one for each --fail-if")
		flags.StringVar(&x.metrics, "metrics", "", "serve metrics to Prometheus while the run goes on, on this `address` of this machine, such as 127.0.0.1:9464; docs/metrics.md lists them")
		flags.StringVar(&x.otlp, "otlp", "", "send metrics to the OpenTelemetry collector at this `URL` while the run goes on, such as http://127.0.0.1:4318 (default: the variables OTEL_EXPORTER_OTLP_*)")
		flags.Var(&s.Interval, "interval", "time between lines of progress, in seconds or with a unit such as 1m (default 10, less in a short run)")
	})
	return c
}

// DeleteCommand returns "sledge delete".
func DeleteCommand(p *program.Program) *cobra.Command {
	var s jobflags.Flags
	var yes bool
	c := &cobra.Command{
		Use:   "delete --db NAME [flags]",
		Short: "Drop the schema",
		Long: `Delete drops the tables and routines of the workload. Then it drops the database and its owner, or
the file, if a build created them and they contain nothing else. It reports what it dropped. For
everything that it keeps, it prints the reason and the statement that drops it.

It drops tables only if they are a schema of the workload, with all tables and columns, or the
remains of an interrupted build. If other objects have these names or depend on the tables, it
drops nothing and ends with exit code 7. If there is no schema, it ends with exit code 8.

On a terminal it lists what it will drop and asks first, unless you give --yes.`,
		Example: program.Examples(
			"sledge delete --db pg --host db1",
			"sledge delete --config sledge.toml --yes",
		),
		GroupID: program.GroupJobs,
		Args:    program.NoArguments,
		RunE: p.Body(func(ctx context.Context, _ []string) error {
			return s.With(ctx, p, job.Delete, func(order settings.Order) error {
				if !yes && p.StdinIsTerminal {
					if err := confirmDelete(ctx, p, order.Plan); err != nil {
						return err
					}
				}
				return jobflags.Do(ctx, p, order, &s)
			})
		}),
	}
	s.AddTo(c, p, job.Delete, func(flags *pflag.FlagSet) {
		flags.BoolVar(&yes, "yes", false, "do not ask for confirmation")
	})
	return c
}

// confirmDelete lists what a delete would drop, and asks for confirmation.
func confirmDelete(ctx context.Context, p *program.Program, plan plan.Plan) error {
	done := jobflags.WaitForAnswer(p, plan)
	d, err := engine.PlanDeletion(ctx, plan.Job)
	done()
	if err != nil {
		return err
	}
	if d.Builder != "" {
		fmt.Fprintf(p.Stderr, "%s.\n", d.ByBuilder())
	}
	fmt.Fprintln(p.Stderr, "This will be removed permanently:")
	showNames(p, "tables", d.Tables)
	showNames(p, "routines", d.RoutineNames())
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
	return p.Confirm(fmt.Sprintf("Remove the %s schema in %s %s?", plan.Workload.Title, plan.Database.Title, plan.Database.Options.Target(plan.Connection)))
}

// showNames shows names under a heading, a few to a line.
func showNames(p *program.Program, heading string, names []string) {
	if len(names) == 0 {
		return
	}
	fmt.Fprintf(p.Stderr, "  %s\n", heading)
	const few = 4
	for line := range slices.Chunk(names, few) {
		fmt.Fprintf(p.Stderr, "    %s\n", strings.Join(line, "  "))
	}
}
