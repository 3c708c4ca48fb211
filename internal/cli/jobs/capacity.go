package jobs

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"sledge/internal/cli/jobflags"
	"sledge/internal/cli/program"
	"sledge/internal/experiment"
	"sledge/internal/job"
	"sledge/internal/report"
	"sledge/internal/settings"
)

// capacity holds the flags of sledge capacity.
type capacity struct {
	program *program.Program
	flags   jobflags.Flags
	search  experiment.Capacity
	p99     time.Duration
	failed  float64 // percent
	rampUp  time.Duration
}

// usualUsers is the number of virtual users of a search for a capacity without --users.
const usualUsers = 16

// CapacityCommand returns "sledge capacity".
func CapacityCommand(p *program.Program) *cobra.Command {
	x := &capacity{program: p}
	c := &cobra.Command{
		Use:   "capacity --db NAME --p99 TIME [flags]",
		Short: "Find the highest rate of transactions that keeps a promise",
		Long: `Capacity finds the highest rate of transactions a second at which a promise holds: the 99th
percentile of response times is at most --p99, at most --failed percent of the transactions fail,
and no condition of --fail-if is met. The database must contain a schema.

Transactions begin at a given rate, whether or not earlier ones have ended, so response times
include the wait for a free virtual user. That is the load of an application whose users do not
wait for each other, and it shows overload, which a fixed number of users in a loop hides.

First the users work without a rate. Then each run tries a rate, and halves the distance between
the highest one that keeps the promise and the lowest one that breaks it, down to 3 %. The highest
must keep it again in two of three longer runs. At last an overload shows whether the server
recovers by itself. All runs are jobs with the label capacity. They take about 12 minutes.

Exit codes: 0 a rate was found; 10 no rate keeps the promise.`,
		Example: program.Examples(
			"sledge capacity --db pg --host db1 --users 64 --p99 50ms",
			"sledge capacity --connection prod --users 200 --p99 20ms --failed 0.01",
			"sledge capacity --db maria --p99 1s --fail-if 'new_order.p95>200ms' --json",
		),
		GroupID: program.GroupJobs,
		Args: func(c *cobra.Command, args []string) error {
			if err := program.NoArguments(c, args); err != nil {
				return err
			}
			return x.check(c)
		},
		RunE: p.Body(func(ctx context.Context, _ []string) error { return x.run(ctx) }),
	}
	x.flags.AddTo(c, p, job.Run, func(flags *pflag.FlagSet) {
		flags.Var(jobflags.NewPlainFlag("users", "number", x.flags.Plain), "users", fmt.Sprintf("most virtual users that work in parallel (default %d)", usualUsers))
		flags.DurationVar(&x.p99, "p99", 0, "longest 99th percentile of response times, such as 50ms")
		flags.Float64Var(&x.failed, "failed", 0.1, "largest share of transactions that may fail, in `percent`")
		flags.DurationVar(&x.search.Probe, "probe", 30*time.Second, "measured `time` of a run that tries a rate")
		flags.DurationVar(&x.search.Confirm, "confirm", time.Minute, "measured `time` of a run that confirms the capacity")
		flags.DurationVar(&x.rampUp, "settle", 5*time.Second, "`time` of each run before it measures")
	})
	program.PutInSection(c.Flags(), program.SectionMain, "p99", "failed", "probe", "confirm", "settle")
	return c
}

// found are the settings that the search chooses.
var found = []string{"rate", "rampup", "duration", "iterations", "steps"}

func (x *capacity) check(c *cobra.Command) error {
	for _, name := range found {
		if c.Flags().Changed(name) {
			return program.Usage("--%s has no effect: the search chooses rates and times. --probe, --confirm and --settle set the times; leave --%s out", name, name)
		}
	}
	switch {
	case x.p99 <= 0 && x.flags.Plain["fail-if"] == "":
		return program.Usage("%s: give the promise: --p99 50ms, or conditions with --fail-if", c.CommandPath())
	case x.failed < 0 || x.failed >= 100:
		return program.Usage("--failed: %g is not a percentage", x.failed)
	case x.search.Probe < time.Second || x.search.Confirm < time.Second || x.rampUp < 0:
		return program.Usage("--probe and --confirm must be 1s or longer, and --settle 0s or longer")
	}
	return nil
}

// promise returns the conditions that break the promise, as thresholds.
func (x *capacity) promise() string {
	conditions := []string{fmt.Sprintf("failed>%g%%", x.failed)}
	if x.p99 > 0 {
		conditions = append([]string{"p99>" + x.p99.String()}, conditions...)
	}
	if own := x.flags.Plain["fail-if"]; own != "" {
		conditions = append(conditions, own)
	}
	return strings.Join(conditions, ",")
}

// order resolves the settings of a probe.
func (x *capacity) order(probe experiment.Probe, label string, defaultUsers bool) (settings.Order, error) {
	sources := x.flags.Sources(x.program)
	set := func(name, value string) {
		sources.Overrides = append(sources.Overrides, settings.Override{Name: name, Value: value, Origin: "sledge capacity"})
	}
	set("rampup", x.rampUp.String())
	set("duration", probe.Length.String())
	if defaultUsers {
		set("users", fmt.Sprint(usualUsers))
	}
	if probe.Rate > 0 {
		set("rate", fmt.Sprintf("%g/s", probe.Rate))
		set("fail_if", x.promise())
	}
	sources.Labels = append(sources.Labels, "capacity="+label)
	return x.program.Resolver.Resolve(job.Run, sources)
}

func (x *capacity) run(ctx context.Context) error {
	p, s := x.program, &x.flags
	var first settings.Order
	if err := s.With(ctx, p, job.Run, func(order settings.Order) error { first = order; return nil }); err != nil || !s.Performs() {
		return err
	}
	if len(first.Counts) > 1 {
		return program.Usage("--users: a capacity is that of one number of virtual users: give the largest")
	}
	_, said := first.Origins["users"]
	label := time.Now().UTC().Format("20060102T150405Z")
	if _, err := x.order(experiment.Probe{Rate: 1, Length: time.Second}, label, !said); err != nil { // a wrong condition
		return err
	}
	s.Brief = !s.Verbose && s.Interval == 0
	if err := s.RefuseIneffectiveIn([]settings.Order{first, first}, 0); err != nil {
		return err
	}
	result := report.Capacity{Schema: report.CapacitySchema, Promise: x.promise(), Probes: []report.CapacityProbe{}}
	var done []experiment.Probe
	const most = 100 // the search ends itself
	err := experiment.Repeat(ctx, most, 0, func(i int) error {
		probe, more := x.search.Next(done)
		if !more {
			return experiment.ErrEnough
		}
		order, err := x.order(probe, label, !said)
		if err != nil {
			return err
		}
		s.Title = fmt.Sprintf("run %d, %s", i+1, probe.Stage)
		if probe.Rate > 0 {
			s.Title += fmt.Sprintf(" %g/s", probe.Rate)
		}
		j, err := performOne(ctx, p, order, s)
		if j.Status != job.Succeeded && j.Status != job.Missed && j.Status != job.Invalid || s.Interrupted {
			return err
		}
		if probe.Rate == 0 && j.Status != job.Succeeded {
			return err
		}
		probe.ProbeOutcome = outcomeOf(j, probe.Rate)
		if probe.Unclear, err = x.unclear(ctx, j); err != nil {
			return err
		}
		done = append(done, probe)
		one := report.CapacityProbe{Job: j.ID, Stage: string(probe.Stage), Rate: probe.Rate, Ended: probe.Ended, Kept: probe.Kept}
		if probe.P99 > 0 {
			ms := 1000 * probe.P99
			one.P99 = &ms
		}
		if !probe.Kept && probe.Rate > 0 {
			one.Why = j.Reason
			if j.Status == job.Succeeded {
				one.Why = fmt.Sprintf("%.1f %% of the rate was reached", j.Result.PaceReached())
			}
		}
		result.Probes = append(result.Probes, one)
		sayProbe(p, s.Title, one)
		return nil
	})
	if len(done) == 0 {
		return err
	}
	x.summarize(&result, done)
	if s.JSON {
		return errors.Join(err, p.PrintJSON(result), orErr(err, result))
	}
	return errors.Join(err, result.Text(p.Stdout, report.View{Width: p.Width(), Look: p.StdoutLook}), orErr(err, result))
}

// orErr returns the error of a result if its search was not ended by another.
func orErr(err error, result report.Capacity) error {
	if err != nil {
		return nil
	}
	return result.Err()
}

// outcomeOf returns what a run has found.
func outcomeOf(j job.Job, rate float64) experiment.ProbeOutcome {
	o := experiment.ProbeOutcome{P99: j.Result.P99, Kept: j.Status == job.Succeeded && j.Result.PaceReached() >= enoughPace}
	switch pace := j.Result.Pace; {
	case pace != nil:
		o.Ended = pace.Ended
	case j.Result.Elapsed > 0:
		all := j.Result.Summary.All()
		o.Ended = float64(all.Done+all.RolledBack) / j.Result.Elapsed
	}
	o.Kept = o.Kept && rate > 0
	return o
}

// unclear reports whether chance may have decided whether a run kept the limit of its 99th percentile.
func (x *capacity) unclear(ctx context.Context, j job.Job) (bool, error) {
	if x.p99 == 0 || j.ID == "" || j.Status == job.Invalid || j.Result.PaceReached() < enoughPace {
		return false, nil
	}
	store, err := x.program.ReadRepository(x.flags.Repository)
	if err != nil {
		return false, err
	}
	defer store.Close()
	var seconds []job.Second
	for e, err := range store.Seconds(ctx, j.ID) {
		if err != nil {
			return false, err
		}
		if e.Second != nil && e.Second.Phase == job.Measure {
			seconds = append(seconds, *e.Second)
		}
	}
	return report.Unclear(seconds, x.p99)
}

// enoughPace is the share of its rate, in percent, that a run must reach.
const enoughPace = 99

// summarize adds to a result what its probes have found.
func (x *capacity) summarize(result *report.Capacity, done []experiment.Probe) {
	f := experiment.FoundBy(done)
	result.Maximum, result.Recovers = f.Maximum, f.Recovers
	if f.Confirmed > 0 {
		result.Capacity = &f.Confirmed
	}
	if f.Broken > 0 {
		result.Broken = &f.Broken
	}
	result.SetInterval()
	result.SetCurve()
}

// sayProbe prints a probe as a line.
func sayProbe(p *program.Program, title string, one report.CapacityProbe) {
	line := fmt.Sprintf("%s   ended %.0f/s", title, one.Ended)
	if one.P99 != nil {
		line += fmt.Sprintf("   p99 %.4g ms", *one.P99)
	}
	switch {
	case one.Rate == 0:
	case one.Kept:
		line += "   kept"
	default:
		line += "   broken: " + report.Printable(one.Why)
	}
	tell(p, line)
}
