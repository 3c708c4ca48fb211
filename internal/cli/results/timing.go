package results

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

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

// timing holds the flags of the command timing.
type timing struct {
	hammerDB, users, seconds bool
	phase                    string
}

// timedPhases are the phases that --phase accepts.
var timedPhases = []job.Phase{job.Measure, job.RampUp}

func (a *archive) timingCommand() *cobra.Command {
	var asked timing
	c := a.one(&cobra.Command{
		Use:   "timing ID",
		Short: "Show the response times of a run by kind of transaction",
		Long: `Timing shows the response times of a run by kind of transaction, in the measured time or, with
--phase ramp-up, in the ramp-up. "time %" is the share of the virtual users' time that successful
attempts of a kind took. It counts service times, which begin with the attempt.

With --users it shows each virtual user, if the run had a time profile (option time_profile). With
--seconds it shows each second. --hammerdb prints the JSON of HammerDB's "jobs timing". The console
writes the log of HammerDB's time profile.

For a run of queries it shows the minimum, mean and maximum time of each query in seconds, and the
timeline of each stream; with --users those of each virtual user, for which it needs no time
profile. sledge jobs show --json lists each execution of a query.`,
		Example: program.Examples(
			"sledge jobs timing last",
			"sledge jobs timing last --phase ramp-up",
			"sledge jobs timing last --users --json \\",
			"  | jq '.users[] | {user, p99: .all.response.p99_ms}'",
			"sledge jobs timing last --seconds",
			"sledge jobs timing last --hammerdb | jq .NEWORD.p99_ms",
		),
	}, func(ctx context.Context, store *repository.Store, j job.Job) error {
		return a.timing(ctx, store, j, asked)
	})
	flags := c.Flags()
	addHammerDB(flags, &asked.hammerDB)
	flags.BoolVar(&asked.users, "users", false, "show each virtual user (needs a run with a time profile)")
	flags.BoolVar(&asked.seconds, "seconds", false, "show each second")
	flags.StringVar(&asked.phase, "phase", string(job.Measure), "`phase` of the run: measure or ramp-up")
	jobflags.CompleteFlag(a.program, c, "phase", jobflags.Fixed(words(timedPhases)...))
	return c
}

func (a *archive) timing(ctx context.Context, store *repository.Store, j job.Job, asked timing) error {
	phase := job.Phase(asked.phase)
	if !slices.Contains(timedPhases, phase) {
		return program.Usage("--phase: %q is not one of measure, ramp-up%s", asked.phase, option.Suggest(asked.phase, words(timedPhases)))
	}
	ofQueries := len(j.Result.Spans) > 0
	inParts := asked.users || asked.seconds || phase != job.Measure
	switch {
	case asked.hammerDB && inParts:
		return program.Usage("--hammerdb: HammerDB's JSON has only the measured time of all virtual users together: leave out --users, --seconds and --phase")
	case inParts && j.Origin != "":
		return program.Usage("job %s was recorded by %s, which records neither users, seconds nor the ramp-up: leave out --users, --seconds and --phase", j.ID, j.Origin)
	case asked.hammerDB || j.Origin != "":
		return a.showTimings(ctx, store, j, asked.hammerDB)
	case ofQueries && asked.users && a.json:
		return program.Usage("--users: job %s is a run of queries: read the list of spans in sledge jobs show %s --json instead", j.ID, report.ShortID(string(j.ID)))
	case ofQueries && !a.json && !asked.seconds && phase == job.Measure:
		return report.Times(a.program.Stdout, j.Result, asked.users, report.View{Width: a.program.Width(), Look: a.program.StdoutLook})
	}
	d, err := document.NewTiming(ctx, store, j, phase)
	if err != nil {
		return err
	}
	if asked.users {
		if d.Users, err = document.TimingOfUsers(ctx, store, j, phase); err != nil {
			return err
		}
		if len(d.Users) == 0 {
			return program.Usage("--users: job %s did not record each virtual user in this phase: run it again with --set time_profile=true", j.ID)
		}
	}
	if asked.seconds {
		if d.Seconds, err = document.Seconds(ctx, store, j, phase); err != nil {
			return err
		}
	}
	if a.json {
		return a.program.PrintJSON(d)
	}
	return a.printTiming(j, d)
}

// showTimings prints timings as HammerDB does. A job that HammerDB recorded has no others.
func (a *archive) showTimings(ctx context.Context, store *repository.Store, j job.Job, hammerDB bool) error {
	timings, err := views.AllTimings(ctx, store, j, a.program.Resolver.Catalog)
	if err != nil {
		return err
	}
	view := views.Timing(j, timings)
	switch {
	case hammerDB:
		return a.program.PrintJSON(view)
	case a.json:
		return a.program.PrintJSON(document.Timing{
			Schema: document.TimingSchema, ID: j.ID, Elapsed: j.Result.Elapsed,
			Transactions: []report.Transaction{}, Recorded: timings,
		})
	}
	_, err = fmt.Fprintln(a.program.Stdout, view.Text())
	return err
}

func (a *archive) printTiming(j job.Job, d document.Timing) error {
	if d.All == nil || d.Phase != job.Measure && d.All.Done+d.All.RolledBack+d.All.Failed == 0 {
		what := fmt.Sprintf("This %s has no transactions", j.Spec.Action)
		if d.Phase != job.Measure {
			what += fmt.Sprintf(" in its %s", d.Phase)
		}
		_, err := fmt.Fprintln(a.program.Stdout, what+".")
		return err
	}
	switch {
	case d.Seconds != nil && d.Users == nil:
		return a.printSeconds(d)
	case d.Users == nil:
		fmt.Fprintln(a.program.Stdout, "Response time (ms): from scheduled start to completion, retries included")
		return a.printTimes(append(d.Transactions, *d.All))
	}
	for i, u := range d.Users {
		if i > 0 {
			fmt.Fprintln(a.program.Stdout)
		}
		fmt.Fprintf(a.program.Stdout, "Virtual user %d, response times in ms, over %s\n", u.User, report.Spell(time.Duration(u.Elapsed*float64(time.Second))))
		if err := a.printTimes(append(u.Transactions, *u.All)); err != nil {
			return err
		}
	}
	fmt.Fprintf(a.program.Stdout, "\nAll virtual users, response times in ms, over %s\n", report.Spell(time.Duration(d.Elapsed*float64(time.Second))))
	if err := a.printTimes(append(d.Transactions, *d.All)); err != nil || d.Seconds == nil {
		return err
	}
	fmt.Fprintln(a.program.Stdout)
	return a.printSeconds(d)
}

func (a *archive) printTimes(list []report.Transaction) error {
	t := terminal.Table{Columns: []terminal.Column{
		{Head: "transaction"},
		{Head: "calls"},
		{Head: "min", Rank: 3},
		{Head: "avg", Rank: 2},
		{Head: "p25", Rank: 7},
		{Head: "p50"},
		{Head: "p75", Rank: 6},
		{Head: "p95", Rank: 1},
		{Head: "p99"},
		{Head: "max"},
		{Head: "sd", Rank: 4},
		{Head: "time %", Rank: 5},
	}}
	for _, one := range list {
		cells := []string{one.Kind, humanize.Comma(one.Done)}
		if l := one.Response; l != nil {
			for _, ms := range []meter.Millis{l.Min, l.Mean, l.P25, l.P50, l.P75, l.P95, l.P99, l.Max, l.StdDev} {
				cells = append(cells, fmt.Sprintf("%.3f", ms))
			}
			cells = append(cells, fmt.Sprintf("%.3f", one.TimePercent))
		}
		t.Row(cells...)
	}
	return a.program.PrintTable(t)
}

// printSeconds prints a line for each second and kind of transaction.
func (a *archive) printSeconds(d document.Timing) error {
	fmt.Fprintln(a.program.Stdout, "Response time (ms) by the second: from scheduled start to completion, retries included")
	t := terminal.Table{Columns: []terminal.Column{
		{Head: "since", Left: true}, // the time from the start of the phase to the end of the second
		{Head: "transaction", Left: true},
		{Head: "done"},
		{Head: "failed", Rank: 4},
		{Head: "avg", Rank: 2},
		{Head: "p50"},
		{Head: "p95", Rank: 1},
		{Head: "p99"},
		{Head: "max"},
		{Head: "sd", Rank: 3},
	}}
	for _, s := range d.Seconds {
		since := display.Clock(s.Passed())
		for _, one := range s.Transactions {
			cells := []string{since, one.Kind, humanize.Comma(one.Done), strconv.FormatInt(one.Failed, 10)}
			if l := one.Response; l != nil {
				for _, ms := range []meter.Millis{l.Mean, l.P50, l.P95, l.P99, l.Max, l.StdDev} {
					cells = append(cells, fmt.Sprintf("%.3f", ms))
				}
			}
			t.Row(cells...)
		}
	}
	return a.program.PrintTable(t)
}
