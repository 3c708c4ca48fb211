package results

import (
	"context"
	"fmt"

	"github.com/dustin/go-humanize/english"
	"github.com/spf13/cobra"

	"sledge/internal/cli/jobflags"
	"sledge/internal/cli/program"
	"sledge/internal/document"
	"sledge/internal/job"
	"sledge/internal/meter"
	"sledge/internal/repository"
	"sledge/internal/resultdb"
)

// ExperimentExport returns "sledge experiment export", which writes the runs of an experiment into a database.
func ExperimentExport(p *program.Program) *cobra.Command {
	f := jobflags.Flags{Plain: map[string]string{}}
	a := archive{program: p}
	c := &cobra.Command{
		Use:   "export NAME",
		Short: "Write the runs of an experiment into tables of a PostgreSQL database",
		Long: `Export writes the runs of an experiment into the schema sledge of a PostgreSQL database: tables of
runs, labels, options, settings, figures and seconds, and views with the names of pgbench-tools' reports, such
as sledge.summary, sledge.fastest and sledge.variation. The first export creates them. Runs that were
exported before are replaced. It needs the right to create a schema in the database.

For other programs, sledge experiment show has --csv and --parquet.`,
		Example: program.Examples(
			"sledge experiment export scaling --url postgres://ann@db1/results",
			"psql results -c 'SELECT * FROM sledge.fastest'",
		),
		Args: func(c *cobra.Command, args []string) error {
			if len(args) != 1 {
				return program.Usage("%s: name an experiment: sledge experiment list lists them", c.CommandPath())
			}
			return nil
		},
		RunE: p.Body(func(ctx context.Context, args []string) error {
			return a.with(func(store *repository.Store) error {
				jobs, err := document.RunsOfExperiment(ctx, store, args[0])
				if err != nil {
					return err
				}
				if len(jobs) == 0 {
					return job.WithExit(job.ExitMissing, fmt.Errorf("there is no run of an experiment %s: sledge experiment list lists the experiments", args[0]))
				}
				order, err := signedIn(ctx, p, &f, &a)
				if err != nil {
					return err
				}
				done := p.WhenSlow("Writing %s", english.Plural(len(jobs), "run", ""))
				runs, err := figuresOf(ctx, store, p, jobs)
				if err == nil {
					err = resultdb.Write(ctx, order.Plan.Database, order.Plan.Connection, runs)
				}
				done()
				if err != nil {
					return err
				}
				_, err = fmt.Fprintf(p.Stdout, "Wrote %s into the schema sledge of %s. Begin with: SELECT * FROM sledge.summary;\n", english.Plural(len(runs), "run", ""), order.Plan.Target())
				return err
			})
		}),
	}
	addResultsDatabase(c.Flags(), p, &f, &a)
	return c
}

// figuresOf returns runs with their figures: those of the headline, and for each kind of transaction.
func figuresOf(ctx context.Context, store *repository.Store, p *program.Program, jobs []job.Job) (runs []resultdb.Run, err error) {
	for _, j := range jobs {
		r := resultdb.Run{Job: j}
		if j.Result.Summary, _, err = store.Summary(ctx, j.ID); err != nil {
			return nil, fmt.Errorf("read the measurements of job %s: %w", j.ID, err)
		}
		for _, figure := range document.CompareRuns(p.Resolver, []job.Job{j}).Figures {
			if value := figure.Values[0]; value != nil {
				r.Figures = append(r.Figures, resultdb.Figure{Kind: figure.Kind, Name: figure.Name, Unit: figure.Unit, Value: *value})
			}
		}
		r.Seconds = func() ([]resultdb.Second, error) { return secondsOf(ctx, store, j) }
		runs = append(runs, r)
	}
	return runs, nil
}

// secondsOf returns the seconds of a run's measured time.
func secondsOf(ctx context.Context, store *repository.Store, j job.Job) (list []resultdb.Second, err error) {
	seconds, err := document.Seconds(ctx, store, j, job.Measure)
	for _, s := range seconds {
		for _, t := range s.Transactions {
			one := resultdb.Second{
				Run: j.ID, Second: s.Offset, Kind: t.Kind, Seconds: s.Elapsed,
				Done: t.Done, RolledBack: t.RolledBack, Failed: t.Failed, Retries: t.Retries,
			}
			if r := t.Response; r != nil {
				one.P50, one.P95, one.P99, one.Max = known(r.P50), known(r.P95), known(r.P99), known(r.Max)
			}
			list = append(list, one)
		}
	}
	return list, err
}

// known returns a time, or nil if it is unknown.
func known(ms meter.Millis) *float64 {
	if ms.IsZero() {
		return nil
	}
	return new(float64(ms))
}
