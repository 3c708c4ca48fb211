package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"sledge/internal/datagen"
	"sledge/internal/hammerdb/lines"
	"sledge/internal/job"
	"sledge/internal/report"
)

// datagenFlags are the flags of datagen.
type datagenFlags struct {
	settings  // those of them that concern the rows
	folder    string
	workers   int
	compress  bool
	overwrite bool
}

func (p *Program) datagenCommand() *cobra.Command {
	f := datagenFlags{settings: settings{plain: map[string]string{}}}
	c := &cobra.Command{
		Use:   "datagen --db name --warehouses n --dir folder",
		Short: "Write the initial rows to flat files",
		Long: `Datagen writes the rows that a build would load to flat files: for loaders that are
faster than any client, or for a database that you cannot reach from here. Each
worker writes a file for each table, with | between values; an empty value is NULL.
The same seed gives the same rows as a build. Beside the files it writes scripts for the
database's own client, which create the tables, load the files and finish the schema,
ready for sledge check and sledge run.

Files get their final names when all of them are complete. If the folder has such
files already, nothing is written unless you give --overwrite.`,
		Example: examples(
			"sledge datagen --db pg --warehouses 10 --workers 4 --dir /data/tpcc",
			"sledge datagen --db maria --warehouses 100 --workers 8 --dir /data/tpcc --gzip",
			"cd /data/tpcc && psql -d tpcc -f create-postgresql.sql -f load-postgresql.sql -f finish-postgresql.sql",
		),
		GroupID: groupJobs,
		Args:    noArguments,
		RunE: p.run(func(ctx context.Context, _ []string) error {
			return p.datagen(ctx, f)
		}),
	}
	flags := c.Flags()
	flags.SortFlags = false
	flags.Var(plainFlag{"db", "name", f.plain}, "db", "database: "+strings.Join(databaseNames(p.Bench), ", "))
	flags.Var(plainFlag{"workload", "name", f.plain}, "workload", "workload, if not "+p.Bench.DefaultWorkload().Name+": "+strings.Join(workloadNames(p.Bench), ", "))
	flags.Var(plainFlag{"warehouses", "number", f.plain}, "warehouses", "warehouses to generate")
	flags.IntVar(&f.workers, "workers", 1, "`number` of workers that write in parallel, each a range of warehouses")
	flags.StringVar(&f.folder, "dir", "", "`folder` to write to; it is created if its parent exists")
	flags.BoolVar(&f.compress, "gzip", false, "compress the files with gzip")
	flags.BoolVar(&f.overwrite, "overwrite", false, "replace the files in the folder")
	flags.Var(plainFlag{"seed", "number", f.plain}, "seed", "seed of all random choices: the same seed gives the same rows (default 1)")
	flags.StringVar(&f.config, "config", "", "configuration `file` (.toml, .yaml)")
	flags.StringArrayVar(&f.set, "set", nil, "set an option by its full `name=value`; repeat as needed (sledge options lists them)")
	flags.BoolVar(&f.hammerDB, "hammerdb", false, "print HammerDB's lines, for scripts that look for them")
	flags.BoolVar(&f.verbose, "verbose", false, "show the output of every worker")
	p.completeSettings(c, &f.settings)
	return c
}

func (p *Program) datagen(ctx context.Context, f datagenFlags) error {
	if f.folder == "" {
		return usage("--dir is missing: name the folder to write to")
	}
	if f.workers < 1 || f.workers > datagen.MaxWorkers {
		return usage("--workers: %d is not between 1 and %d", f.workers, datagen.MaxWorkers)
	}
	f.plain["builders"] = "1" // nobody builds here, so no number of builders can be wrong
	order, err := f.resolve(p, job.Build)
	if err != nil {
		return err
	}
	d := &display{out: p.Stdout, err: p.Stderr, bar: p.bar(), hammerDB: f.hammerDB, verbose: f.verbose, speaker: lines.NewSpeaker(lines.About{Workload: order.Plan.Workload.Name})}
	result, err := datagen.Generate(ctx, datagen.Config{
		Plan: order.Plan, Folder: f.folder, Workers: f.workers, Compress: f.compress, Overwrite: f.overwrite, Tell: d.Watch,
	})
	d.end()
	if err != nil {
		return explainDatagen(err)
	}
	p.showDatagen(f, result)
	return nil
}

// explainDatagen adds the way out, in the words of the command line.
func explainDatagen(err error) error {
	if errors.As(err, new(datagen.ExistsError)) {
		return fmt.Errorf("%w: choose another --dir, or replace the files with --overwrite", err)
	}
	return err
}

// showDatagen says what was written and how it is loaded.
func (p *Program) showDatagen(f datagenFlags, r datagen.Result) {
	rows, size, stored := r.Totals()
	headline := fmt.Sprintf("Written in %s: %s rows, %s at %s/s", report.Spell(r.Elapsed),
		humanize.Comma(rows), humanize.Bytes(uint64(size)), humanize.Bytes(uint64(float64(size)/r.Elapsed.Seconds())))
	if f.compress {
		headline += ", compressed to " + humanize.Bytes(uint64(stored))
	}
	fmt.Fprintf(p.Stdout, "%s\n%d files in %s\n", drawn(p.StdoutLook.Figure, headline+".", p.StdoutWidth), len(r.Files), f.folder)
	if r.Scripts != (datagen.Scripts{}) {
		fmt.Fprintf(p.Stdout, "\n%s\n  Run %s, %s and %s there, in this order. Each begins with the command that runs it.\n",
			p.StdoutLook.Strong("Next"), r.Scripts.Create, r.Scripts.Load, r.Scripts.Finish)
	}
}
