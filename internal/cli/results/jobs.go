// Package results contains the commands that read and change the job repository.
package results

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"sledge/internal/cli/display"
	"sledge/internal/cli/jobflags"
	"sledge/internal/cli/program"
	"sledge/internal/document"
	"sledge/internal/hammerdb/views"
	"sledge/internal/job"
	"sledge/internal/meter"
	"sledge/internal/option"
	"sledge/internal/report"
	"sledge/internal/repository"
	"sledge/internal/terminal"
)

// archive holds the flags that all commands about jobs share, and the program.
type archive struct {
	program    *program.Program
	repository string
	json       bool
}

// JobsCommand returns "sledge jobs", which lists, shows, compares, exports and removes recorded
// jobs.
func JobsCommand(p *program.Program) *cobra.Command {
	a := &archive{program: p}
	var list listing
	c := &cobra.Command{
		Use:   "jobs",
		Short: "List jobs and show their results",
		Long: `Jobs shows the jobs in the job repository. Without a subcommand it lists them, newest first. To name
a job, give its ID, the first digits of the ID, or last.`,
		Example: program.Examples(
			"sledge jobs",
			"sledge jobs show last",
			"sledge jobs result 6B02 --hammerdb",
			"sledge jobs export last --format csv --output run.csv",
			"sledge jobs profile",
			"sledge jobs compare 6B02 last",
			"sledge jobs report last",
			"sledge jobs import /opt/hammerdb/TMP/hammer.DB",
		),
		GroupID: program.GroupResults,
		Args:    program.OnlyCommands,
		RunE:    p.Body(func(ctx context.Context, _ []string) error { return a.list(ctx, list) }),
	}
	flags := c.PersistentFlags()
	flags.StringVar(&a.repository, "repo", "", "`file` of the job repository")
	flags.BoolVar(&a.json, "json", false, "print JSON")
	list.addTo(c, p)
	c.AddCommand(a.listCommand(), a.showCommand(), a.resultCommand(), a.timingCommand(), a.tpmCommand(), a.samplesCommand(), a.profileCommand(), a.bestCommand(), a.compareCommand(), a.diffCommand(), a.planCommand(), a.labelCommand(), a.noteCommand(), a.reportCommand(), a.exportCommand(), a.importCommand(), a.deleteCommand())
	return c
}

// with opens the repository for reading, calls do, and closes it.
func (a *archive) with(do func(*repository.Store) error) error {
	store, err := a.program.ReadRepository(a.repository)
	if err != nil {
		return err
	}
	return errors.Join(do(store), store.Close())
}

// withAny is with for a list, which is empty if there is no repository yet. A file that --repo names
// must exist, because its name may be mistyped.
func (a *archive) withAny(do func(*repository.Store) error) error {
	store, err := a.program.ReadRepository(a.repository)
	if job.ExitOf(err) == job.ExitMissing && a.repository == "" {
		store, err = repository.Open(":memory:")
	}
	if err != nil {
		return err
	}
	return errors.Join(do(store), store.Close())
}

// change opens the repository for writing, calls do, and closes it. It creates a missing repository.
func (a *archive) change(do func(*repository.Store) error) error {
	store, err := a.program.OpenRepository(a.repository)
	if err != nil {
		return err
	}
	return errors.Join(do(store), store.Close())
}

// one completes a command that takes one job.
func (a *archive) one(c *cobra.Command, do func(context.Context, *repository.Store, job.Job) error) *cobra.Command {
	c.Args = func(c *cobra.Command, args []string) error {
		if len(args) != 1 {
			return program.Usage("%s: name a job: its ID, its first digits, or last (sledge jobs lists them)", c.CommandPath())
		}
		return nil
	}
	c.ValidArgsFunction = jobflags.CompleteJobs(a.program, &a.repository)
	c.RunE = a.program.Body(func(ctx context.Context, args []string) error {
		return a.with(func(store *repository.Store) error {
			j, err := store.Get(ctx, job.ID(args[0]))
			if err != nil {
				return err
			}
			return do(ctx, store, j)
		})
	})
	return c
}

func (a *archive) showCommand() *cobra.Command {
	var server, use bool
	c := a.one(&cobra.Command{
		Use:     "show ID",
		Short:   "Show everything about a job: settings, result, response and service times",
		Example: program.Examples("sledge jobs show last", "sledge jobs show last --server", "sledge jobs show last --resources", "sledge jobs show 6B02 --json"),
	}, func(ctx context.Context, store *repository.Store, j job.Job) error {
		sum, _, err := store.Summary(ctx, j.ID)
		if err != nil {
			return err
		}
		if a.json {
			return a.program.PrintJSON(jobflags.DocumentOf(a.program, j, sum))
		}
		if j.Result.Plans, err = store.Plans(ctx, j.ID); err != nil {
			return err
		}
		return report.Text(a.program.Stdout, j, sum, report.View{Width: a.program.Width(), Look: a.program.StdoutLook, Whole: true, Server: server, Use: use, Line: a.program.Headline(j)})
	})
	c.Flags().BoolVar(&server, "server", false, "also list the counters and the top statements of the server in the measured time")
	c.Flags().BoolVar(&use, "resources", false, "also list the utilization, the saturation and the errors of each resource of the machines")
	return c
}

// addHammerDB adds the flag that selects HammerDB's JSON.
func addHammerDB(flags *pflag.FlagSet, asked *bool) {
	flags.BoolVar(asked, "hammerdb", false, "print the JSON that HammerDB's jobs command prints")
}

func (a *archive) resultCommand() *cobra.Command {
	var hammerDB bool
	c := a.one(&cobra.Command{
		Use:     "result ID",
		Short:   "Show the headline figures of a run",
		Example: program.Examples("sledge jobs result last", "sledge jobs result 6B02 --hammerdb"),
	}, func(_ context.Context, _ *repository.Store, j job.Job) error {
		switch {
		case hammerDB:
			return a.program.PrintJSON(views.Result(j, a.program.Resolver.Catalog))
		case a.json:
			return a.program.PrintJSON(document.NewHead(j, a.program.Headline))
		}
		return a.printResult(j)
	})
	addHammerDB(c.Flags(), &hammerDB)
	return c
}

func (a *archive) printResult(j job.Job) error {
	out := a.program.Stdout
	fmt.Fprintf(out, "%s  %s  %s\n", j.ID, j.Begun.UTC().Format("2006-01-02 15:04:05 MST"), j.Status)
	if len(j.Result.Metrics) == 0 {
		_, err := fmt.Fprintf(out, "This %s has no figures.\n", j.Spec.Action)
		return err
	}
	fmt.Fprintf(out, "%s\n\n", report.VirtualUsers(report.Users(j)))
	t := terminal.Table{Columns: []terminal.Column{{}, {Left: true}, {Left: true, Wrapped: true}}, Bare: true}
	for _, m := range j.Result.Metrics {
		t.Row(exact(m), m.Name, m.Means)
	}
	return a.program.PrintTable(t)
}

// exact writes a figure with its fraction.
func exact(m job.Metric) string {
	if m.Unit == "" {
		return humanize.CommafWithDigits(m.Value, 2)
	}
	return report.Figure(m)
}

func (a *archive) tpmCommand() *cobra.Command {
	var hammerDB bool
	c := a.one(&cobra.Command{
		Use:     "tpm ID",
		Short:   "Show transactions per minute and response times over time",
		Example: program.Examples("sledge jobs tpm last", "sledge jobs tpm last --json \\", "  | jq '.points[] | select(.response.p99_ms > 100)'", "sledge jobs tpm 6B02 --hammerdb"),
	}, func(ctx context.Context, store *repository.Store, j job.Job) error {
		if hammerDB {
			counts, err := views.TCount(ctx, store, j, a.program.Resolver.Catalog)
			if err != nil {
				return err
			}
			return a.program.PrintJSON(counts)
		}
		d, err := document.NewTPM(ctx, store, a.program.Resolver.Catalog, j, time.Time{}, time.Time{}, 0)
		if err != nil {
			return err
		}
		if a.json {
			return a.program.PrintJSON(d)
		}
		return a.printRates(d)
	})
	addHammerDB(c.Flags(), &hammerDB)
	return c
}

func (a *archive) printRates(d document.TPM) error {
	if len(d.Points) == 0 {
		_, err := fmt.Fprintln(a.program.Stdout, "Nothing was measured in this job.")
		return err
	}
	t := terminal.Table{Columns: terminal.Heads("time (UTC)", "phase", "since", "server TPM", "client TPM", "p95 ms", "p99 ms", "max ms")}
	for _, r := range d.Points {
		p95, p99, longest := "-", "-", "-"
		if l := r.Response; l != nil {
			p95, p99, longest = milliseconds(l.P95), milliseconds(l.P99), milliseconds(l.Max)
		}
		t.Row(r.At.UTC().Format(time.TimeOnly), string(r.Phase),
			display.Clock(r.Passed()), orDash(r.ServerTPM), orDash(r.Client), p95, p99, longest)
	}
	both := slices.ContainsFunc(d.Points, func(r job.Rate) bool { return r.ServerTPM != nil && r.Client != nil })
	if err := a.program.PrintTable(t); err != nil || d.ServerDelay == 0 || !both {
		return err
	}
	_, err := fmt.Fprintf(a.program.Stdout, "\nThe server counts a transaction about %g s after it has ended: compare its TPM with the client's %g s earlier.\n", d.ServerDelay, d.ServerDelay)
	return err
}

func (a *archive) samplesCommand() *cobra.Command {
	return a.one(&cobra.Command{
		Use:   "samples ID",
		Short: "Show what was sampled beside a run, such as the use of the client's machine",
		Long: `Samples shows the mean, the lowest and the highest value of each series in the measured time. With
--json it prints all values.`,
		Example: program.Examples("sledge jobs samples last", "sledge jobs samples last --json \\", "  | jq '.series[] | select(.name == \"CPU\")'"),
	}, func(ctx context.Context, store *repository.Store, j job.Job) error {
		d, err := document.NewSamples(ctx, store, j, time.Time{}, time.Time{}, 0)
		if err != nil {
			return err
		}
		if a.json {
			return a.program.PrintJSON(d)
		}
		from, until, err := measured(ctx, store, j)
		if err != nil {
			return err
		}
		return a.printSamples(d.Series, from, until)
	})
}

// measured returns the beginning and the end of a run's measured time; zero if nothing was measured. Other programs record
// no phases, so it is the whole time of their runs.
func measured(ctx context.Context, store *repository.Store, j job.Job) (from, until time.Time, err error) {
	if j.Origin != "" {
		return j.Begun, j.Ended, nil
	}
	for r, err := range store.Rates(ctx, j.ID, time.Time{}, time.Time{}) {
		if err != nil {
			return from, until, err
		}
		if r.Phase != job.Measure {
			continue
		}
		if from.IsZero() {
			from = r.At.Add(-r.Passed())
		}
		until = r.At
	}
	return from, until, nil
}

// printSamples prints a summary of the values of a part of a run.
func (a *archive) printSamples(series []job.Sampled, from, until time.Time) error {
	t := terminal.Table{Columns: []terminal.Column{{Head: "series", Left: true}, {Head: "of", Left: true, Wrapped: true}, {Head: "mean"}, {Head: "lowest", Rank: 1}, {Head: "highest"}, {Head: "unit", Left: true}}}
	for group, names := range job.ByName(series) {
		name := report.Printable(group[0].Name)
		for _, one := range group {
			var values []float64
			sum := 0.0
			for _, p := range one.Points {
				if !p.At.Before(from) && !p.At.After(until) {
					values, sum = append(values, p.Value), sum+p.Value
				}
			}
			if len(values) == 0 {
				continue
			}
			of := report.Printable(one.Called(names...))
			if len(group) == 1 {
				of = ""
			}
			t.Row(name, of, threeDigits(sum/float64(len(values))), threeDigits(slices.Min(values)), threeDigits(slices.Max(values)), one.Unit)
			name = ""
		}
	}
	if len(t.Rows) == 0 {
		_, err := fmt.Fprintln(a.program.Stdout, "Nothing was sampled in the measured time of this job.")
		return err
	}
	return a.program.PrintTable(t)
}

// threeDigits formats a number with three significant digits, but with at most two decimals.
func threeDigits(v float64) string {
	switch size := math.Abs(v); {
	case size >= 100 || v == 0:
		return humanize.FormatFloat("#,###.", v)
	case size >= 10:
		return humanize.FormatFloat("#,###.#", v)
	}
	return humanize.FormatFloat("#,###.##", v)
}

// milliseconds formats a time with two decimals and separated thousands.
func milliseconds(ms meter.Millis) string {
	return humanize.FormatFloat("#,###.##", float64(ms))
}

// orDash formats a number, or returns "-" if it is missing.
func orDash(v *float64) string {
	if v == nil {
		return "-"
	}
	return humanize.Comma(int64(*v))
}

func (a *archive) exportCommand() *cobra.Command {
	var format, output string
	var force bool
	c := a.one(&cobra.Command{
		Use:   "export ID",
		Short: "Write everything about a job to a file",
		Long: `Export writes a job as JSON, with every second, every line of output and the full distribution of
latencies; or as CSV, with a line for each second and kind of transaction. The format jsonl has one
JSON object a line for each second, and influx is InfluxDB's line protocol. Without --output it
writes to standard output.`,
		Example: program.Examples(
			"sledge jobs export last --output run.json",
			"sledge jobs export 6B02 --format csv --output run.csv",
		),
	}, func(ctx context.Context, store *repository.Store, j job.Job) error {
		if !slices.Contains(report.Formats, format) {
			return program.Usage("--format: %q is not one of %s%s", format, strings.Join(report.Formats, ", "), option.Suggest(format, report.Formats))
		}
		if output == "" {
			return report.Export(ctx, a.program.Whole, store, j.ID, format, jobflags.WordsOf(a.program), a.say)
		}
		return writeNew(output, "output", force, func(file *os.File) error {
			return report.Export(ctx, file, store, j.ID, format, jobflags.WordsOf(a.program), a.say)
		})
	})
	c.Flags().StringVar(&format, "format", "json", "`format`: "+strings.Join(report.Formats, ", "))
	c.Flags().StringVar(&output, "output", "", "`file` to write")
	c.Flags().BoolVar(&force, "force", false, "overwrite an existing file")
	jobflags.CompleteFlag(a.program, c, "format", jobflags.Fixed(report.Formats...))
	return c
}

// say prints a message to standard error.
func (a *archive) say(line string) { fmt.Fprintln(a.program.Stderr, line) }
