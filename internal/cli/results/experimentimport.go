package results

import (
	"context"
	"fmt"
	"slices"

	"github.com/dustin/go-humanize/english"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"sledge/internal/cli/jobflags"
	"sledge/internal/cli/program"
	"sledge/internal/document"
	"sledge/internal/hammerdb/history"
	"sledge/internal/job"
	"sledge/internal/past"
	"sledge/internal/report"
	"sledge/internal/repository"
	"sledge/internal/settings"
)

// importFlags are the flags of sledge experiment import.
type importFlags struct {
	jobflags.Flags
	archive
	name string
}

// ExperimentImport returns "sledge experiment import", which imports the results of hammerpost and of
// pgbench-tools.
func ExperimentImport(p *program.Program) *cobra.Command {
	f := &importFlags{Flags: jobflags.Flags{Plain: map[string]string{}}, archive: archive{program: p}}
	c := &cobra.Command{
		Use:   "import [FILE]",
		Short: "Import the results of hammerpost or pgbench-tools",
		Long: `Import copies results into the job repository, as runs of an experiment: from hammerpost's file
local.db, or, without a file, from the results database of pgbench-tools (pgbent), which runs on
PostgreSQL. Then sledge experiment show, compare, history and the web pages work on them.

Each benchmark of hammerpost is an experiment, in which its parameters vary. With pgbench-tools it is
each server, in which the set, the script, the scale, the clients and the rate vary; what it sampled
during a test is kept as series. Results that were imported before are not imported again. Nothing
is changed in the file and the database.`,
		Example: program.Examples(
			"sledge experiment import hammerpost/local.db",
			"sledge experiment show NAME",
			"",
			"sledge experiment import --url postgres://ann@db1/results --name scaling",
			"sledge experiment show scaling --html scaling.html",
		),
		Args: func(c *cobra.Command, args []string) error {
			if len(args) > 1 {
				return program.Usage("%s: name one file: hammerpost's local.db", c.CommandPath())
			}
			return nil
		},
		RunE: p.Body(func(ctx context.Context, args []string) error {
			return f.run(ctx, args)
		}),
	}
	flags := c.Flags()
	flags.StringVar(&f.name, "name", "", "`name` of the experiment (default: the name of the benchmark, or of the server)")
	flags.BoolVar(&f.json, "json", false, "print one JSON document")
	addResultsDatabase(flags, p, &f.Flags, &f.archive)
	return c
}

// addResultsDatabase adds the flags of the job repository, and of a connection to a PostgreSQL database with results.
func addResultsDatabase(flags *pflag.FlagSet, p *program.Program, f *jobflags.Flags, a *archive) {
	flags.StringVar(&a.repository, "repo", "", "`file` of the job repository")
	f.AddSources(flags)
	f.AddPlainFlags(flags, p.Resolver, func(flag settings.Flag) bool {
		return slices.Contains([]string{"host", "port", "user", "dbname"}, flag.Name)
	})
}

// signedIn returns the connection to a database with results, and asks for its password if the server wants one.
func signedIn(ctx context.Context, p *program.Program, f *jobflags.Flags, a *archive) (settings.Order, error) {
	f.Repository = a.repository // saved connections are beside it
	const postgresql = "pg"
	if f.URL == "" && f.Connection == "" && f.Config == "" {
		if len(f.Set) == 0 && len(f.Plain) == 0 {
			return settings.Order{}, program.Usage("name the results database, such as --url postgres://user@host/results or --connection NAME; or, to import, the file of hammerpost")
		}
		f.Plain["db"] = postgresql
	}
	order, err := f.Resolve(p, job.Check)
	if err != nil {
		return order, err
	}
	if d, err := p.Resolver.Database(postgresql); err != nil || order.Plan.Database != d {
		return order, program.Usage("a results database is one of PostgreSQL, and %s is not: name another one, such as --url postgres://user@host/results", order.Plan.Target())
	}
	return f.SignIn(ctx, p, order, settings.RefusalOf)
}

func (f *importFlags) run(ctx context.Context, args []string) error {
	if len(args) == 1 {
		return f.change(func(store *repository.Store) error {
			ready := f.program.WhenSlow("Importing the runs in %s", args[0])
			done, err := history.ImportHammerpost(ctx, store, args[0], f.name)
			ready()
			return f.sayImported(done, err)
		})
	}
	p := f.program
	order, err := signedIn(ctx, p, &f.Flags, &f.archive)
	if err != nil {
		return err
	}
	return f.change(func(store *repository.Store) error {
		shown := false
		done, err := past.ImportPgbenchTools(ctx, store, order.Plan.Database, order.Plan.Connection, f.name, func(done, all int) {
			if p.StderrLook.Redraws {
				shown = true
				fmt.Fprintf(p.Lines, "\r\x1b[KImporting test %d of %d", done+1, all)
			}
		})
		if shown {
			fmt.Fprint(p.Lines, "\r\x1b[K")
		}
		return f.sayImported(done, err)
	})
}

// sayImported prints what an import added.
func (a *archive) sayImported(done repository.Imported, err error) error {
	for _, warning := range done.Warnings {
		fmt.Fprintf(a.program.Stderr, "sledge: warning: %s\n", report.Printable(warning))
	}
	if err != nil {
		return err
	}
	if a.json {
		added := done.Added
		if added == nil {
			added = []job.ID{}
		}
		return a.program.PrintJSON(document.Import{Schema: document.ImportSchema, Added: added, Present: done.Present})
	}
	_, err = fmt.Fprintf(a.program.Stdout, "Imported %s; %d had been imported before.\n", english.Plural(len(done.Added), "job", ""), done.Present)
	return err
}
