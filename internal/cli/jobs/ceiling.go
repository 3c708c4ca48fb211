package jobs

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"sledge/internal/cli/jobflags"
	"sledge/internal/cli/program"
	"sledge/internal/job"
	"sledge/internal/settings"
)

// ceilingFlags are the flags of ceiling.
type ceilingFlags struct {
	jobflags.Flags // only those of the output and the repository are flags of ceiling

	database string
	users    int
	duration jobflags.Seconds
}

const ceilingHelp = `Ceiling measures how many transactions a second Sledge itself can drive on this machine. Virtual
users call the stored routines of the default workload on a stand-in for the server, which Sledge
starts in a process of its own and which answers at once. It needs no server, and changes nothing.

The measured figure is the CPU time that Sledge needs for a transaction: the median of five repeats,
whose spread is shown. The ceiling is calculated from it: the number of cores that Sledge may use,
divided by this time. On the same machine, the stand-in takes some of the cores; its CPU time is not
part of the figure.

The result is a job. Later runs of the same workload on the same database, from the same machine and
with the same repository, say how much of the ceiling they reached. A run that reaches more than 70 %
may measure the client, and not the server. Connections with TLS, client SQL, keying and thinking
times cost the client more than the ceiling says.

Measure on a quiet machine. If you limit Sledge's cores with taskset, a control group or GOMAXPROCS,
measure the ceiling with the same limit.`

// CeilingCommand makes the command that measures what the client can drive.
func CeilingCommand(p *program.Program) *cobra.Command {
	f := ceilingFlags{duration: jobflags.Seconds(2 * time.Second)}
	var names []string
	for _, d := range p.Resolver.Databases {
		if d.StandIn != nil {
			names = append(names, d.Name)
		}
	}
	c := &cobra.Command{
		Use:   "ceiling [flags]",
		Short: "Measure how many transactions this machine can drive",
		Long:  ceilingHelp,
		Example: program.Examples(
			"sledge ceiling",
			"sledge ceiling --db mysql",
			"",
			"# Measure for longer, and print the result as JSON.",
			"sledge ceiling --users 128 --duration 10s --json",
		),
		GroupID: program.GroupOthers,
		Args:    program.NoArguments,
		RunE: p.Body(func(ctx context.Context, _ []string) error {
			order, err := f.order(p, names)
			if err != nil {
				return err
			}
			return jobflags.Do(ctx, p, order, &f.Flags)
		}),
	}
	flags := c.Flags()
	flags.SortFlags = false
	flags.StringVar(&f.database, "db", "postgresql", "database whose protocol the stand-in speaks: "+strings.Join(names, ", "))
	flags.IntVar(&f.users, "users", 64, "`number` of virtual users that work in parallel")
	flags.Var(&f.duration, "duration", "measured time of each of the five repeats, in seconds or with a unit such as 1m (default 2)")
	flags.BoolVar(&f.JSON, "json", false, "print the result as one JSON document")
	flags.StringVar(&f.Repository, "repo", "", "`file` of the job repository")
	program.PutInSection(flags, program.SectionMain, "db", "users", "duration")
	program.PutInSection(flags, program.SectionOutput, "json")
	program.PutInSection(flags, program.SectionRecord, "repo")
	jobflags.CompleteFlag(p, c, "db", jobflags.Fixed(names...))
	return c
}

// Limits of the times of a ceiling. Users work for as long before a measurement as in it, up to mostRampUp.
const (
	leastDuration = 100 * time.Millisecond
	mostRampUp    = time.Second
)

// order returns the job. It uses no other settings than the flags, because there is no server.
func (f *ceilingFlags) order(p *program.Program, names []string) (settings.Order, error) {
	d, err := p.Resolver.Database(f.database)
	if err != nil {
		return settings.Order{}, program.Usage("--db: %w", err)
	}
	if d.StandIn == nil {
		return settings.Order{}, program.Usage("--db: %s has no stand-in: choose one of %s", d.Title, strings.Join(names, ", "))
	}
	duration := time.Duration(f.duration)
	if duration < leastDuration {
		return settings.Order{}, program.Usage("--duration: %s is less than %s", duration, leastDuration)
	}
	order, err := p.Resolver.Resolve(job.Run, settings.Sources{Flags: map[string]string{
		"db": d.Name, "users": strconv.Itoa(f.users), "rampup": min(duration, mostRampUp).String(), "duration": duration.String(),
	}})
	order.Spec.Action = job.MeasureCeiling
	return order, err
}
