package jobs

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/dustin/go-humanize/english"
	"github.com/spf13/cobra"

	"sledge/internal/cli/display"
	"sledge/internal/cli/jobflags"
	"sledge/internal/cli/program"
	"sledge/internal/datagen"
	"sledge/internal/hammerdb/lines"
	"sledge/internal/report"
)

// datagenFlags are the flags of datagen.
type datagenFlags struct {
	jobflags.Flags // only those that affect rows are flags of datagen
	folder         string
	workers        int
	parts          int
	format         string
	header         bool
	compression    string
	gzip           bool
	overwrite      bool
}

// DatagenCommand returns "sledge datagen", which writes a workload's rows to files.
func DatagenCommand(p *program.Program) *cobra.Command {
	f := datagenFlags{Flags: jobflags.Flags{Plain: map[string]string{}}}
	c := &cobra.Command{
		Use:   "datagen --dir folder",
		Short: "Write the initial rows to flat files",
		Long: `Datagen writes the rows that a build would load to files, for a bulk loader or for a database
that this machine cannot reach. The same seed gives the same rows as a build. With --db it also
writes scripts for that database's own client, if the client can read the files: they create the
tables, load the files and finish the schema, ready for sledge check and sledge run.

The formats are:

  tbl      values with | between them; an empty value is NULL
  dbgen    the same with | after each value, and dbgen's file names;
           files of TPROC-H equal those of the TPC's dbgen byte for byte
  csv      RFC 4180, with newlines as line ends
  parquet  typed columns

Each table has one file for each worker, or --parts files. Files get their final names when all are
complete. The manifest is written last, with the rows and checksum of each file; sledge datagen
verify compares them. If the folder already contains such files, datagen writes nothing unless you
give --overwrite.`,
		Example: program.Examples(
			"sledge datagen --db pg --warehouses 10 --workers 4 --dir /data/tpcc",
			"cd /data/tpcc && psql -d tpcc -f create-postgresql.sql \\",
			"  -f load-postgresql.sql -f finish-postgresql.sql",
			"",
			"sledge datagen --workload tproch --scale 1 --format dbgen --dir /data/tpch",
			"sledge datagen verify /data/tpch",
			"",
			"sledge datagen --workload tproch --scale 10 --format parquet \\",
			"  --compress zstd --workers 4 --dir /data/parquet",
		),
		GroupID: program.GroupJobs,
		Args:    program.NoArguments,
		RunE: p.Body(func(ctx context.Context, _ []string) error {
			return generate(ctx, p, f)
		}),
	}
	flags := c.Flags()
	flags.SortFlags = false
	flags.Var(jobflags.NewPlainFlag("db", "name", f.Plain), "db", "database to write scripts for: "+strings.Join(jobflags.DatabaseNames(p.Resolver), ", "))
	flags.Var(jobflags.NewPlainFlag("workload", "name", f.Plain), "workload", "workload: "+strings.Join(jobflags.WorkloadNames(p.Resolver), ", ")+" (default "+p.Resolver.DefaultWorkload().Name+")")
	flags.Var(jobflags.NewPlainFlag("warehouses", "number", f.Plain), "warehouses", "warehouses to generate")
	flags.Var(jobflags.NewPlainFlag("scale", "number", f.Plain), "scale", "scale factor to generate (TPROC-H): about this many GB of rows, at least 0.001")
	flags.StringVar(&f.format, "format", string(datagen.Formats[0]), "`name` of the format: "+strings.Join(datagen.FormatNames(), ", "))
	flags.BoolVar(&f.header, "header", false, "begin each CSV file with the column names")
	flags.StringVar(&f.compression, "compress", "", "`name` of the compression: gzip, zstd or none (default none); for Parquet also snappy (default)")
	flags.BoolVar(&f.gzip, "gzip", false, "the same as --compress gzip")
	flags.IntVar(&f.workers, "workers", 1, "`number` of workers that write in parallel")
	flags.IntVar(&f.parts, "parts", 0, "`number` of files for each table; small tables have one (default: the number of workers)")
	flags.StringVar(&f.folder, "dir", "", "`folder` to write to; it is created if its parent exists")
	flags.BoolVar(&f.overwrite, "overwrite", false, "replace the files in the folder")
	flags.Var(jobflags.NewPlainFlag("seed", "number", f.Plain), "seed", "seed of the random numbers: the same seed gives the same rows (default 1)")
	flags.StringVar(&f.Config, "config", "", "configuration `file` (.toml, .yaml)")
	flags.StringArrayVar(&f.Set, "set", nil, "set an option by its full `name=value`; repeat as needed (sledge options lists them)")
	flags.BoolVar(&f.HammerDB, "hammerdb", false, "print HammerDB's lines, for scripts that parse them")
	flags.BoolVar(&f.Verbose, "verbose", false, "show the output of every worker")
	jobflags.CompleteSettings(p, c, &f.Flags)
	for name, choices := range map[string][]string{"format": datagen.FormatNames(), "compress": datagen.CompressionNames()} {
		jobflags.CompleteFlag(p, c, name, jobflags.Fixed(choices...))
	}
	c.AddCommand(verifyCommand(p))
	return c
}

func generate(ctx context.Context, p *program.Program, f datagenFlags) error {
	if f.folder == "" {
		return program.Usage("--dir is missing: name the folder to write to")
	}
	compression, err := f.compressionAsked()
	if err != nil {
		return err
	}
	config, order, err := datagen.Prepare(p.Resolver, datagen.Wanted{
		Sources: f.Sources(p), Folder: f.folder, Format: datagen.Format(f.format), Header: f.header, Compression: compression,
		Workers: f.workers, Parts: f.parts, Overwrite: f.overwrite,
	})
	if err != nil {
		return explainDatagen(err)
	}
	for _, warning := range order.Warnings {
		fmt.Fprintf(p.Stderr, "sledge: warning: %s\n", warning)
	}
	d := display.Plain(display.Options{Out: p.Stdout, Err: p.Stderr, Screen: jobflags.ScreenOf(p), HammerDB: f.HammerDB, Verbose: f.Verbose}, lines.About{Workload: order.Plan.Workload.Name})
	config.Version, config.Tell = p.Version, d.Watch
	result, err := datagen.Generate(ctx, config)
	d.End()
	if err != nil {
		return explainDatagen(err)
	}
	showDatagen(p, config, result)
	return nil
}

// compressionAsked returns the compression that the flags select, or "" for the format's default.
func (f *datagenFlags) compressionAsked() (datagen.Compression, error) {
	if f.gzip && f.compression != "" && f.compression != string(datagen.Gzip) {
		return "", program.Usage("--gzip and --compress %s contradict each other: leave one out", f.compression)
	}
	if f.gzip {
		return datagen.Gzip, nil
	}
	return datagen.Compression(f.compression), nil
}

// explainDatagen adds the flag that solves the problem to an error.
func explainDatagen(err error) error {
	if errors.As(err, new(datagen.ExistsError)) {
		return fmt.Errorf("%w: choose another --dir, or replace the files with --overwrite", err)
	}
	if wrong, is := errors.AsType[*datagen.SettingError](err); is && strings.HasPrefix(wrong.Error(), wrong.Setting+":") {
		return program.Usage("--%w", err)
	}
	return err
}

// showDatagen prints what was written and how to load it.
func showDatagen(p *program.Program, c datagen.Config, r datagen.Result) {
	rows, size, stored := r.Totals()
	headline := fmt.Sprintf("Written in %s: %s rows, %s at %s/s", report.Spell(r.Elapsed),
		humanize.Comma(rows), humanize.Bytes(uint64(size)), humanize.Bytes(uint64(float64(size)/r.Elapsed.Seconds())))
	if stored < size {
		headline += ", compressed to " + humanize.Bytes(uint64(stored))
	}
	fmt.Fprintf(p.Stdout, "%s\n%s and %s in %s\n", program.Drawn(p.StdoutLook.Figure, headline+".", p.StdoutWidth), english.Plural(len(r.Files), "file", ""), datagen.ManifestName, report.Printable(c.Folder))
	switch {
	case c.NoScripts:
		fmt.Fprintln(p.Stdout, "No scripts were written: --db names the database that will load the files.")
	case r.Scripts == (datagen.Scripts{}):
		fmt.Fprintln(p.Stdout, "No scripts were written: the database's own client cannot load these files, or rows violate its keys. sledge build loads the same rows.")
	default:
		fmt.Fprintf(p.Stdout, "\n%s\n  Run %s, %s and %s there, in this order. Each begins with the command that runs it.\n",
			p.StdoutLook.Strong("Next"), r.Scripts.Create, r.Scripts.Load, r.Scripts.Finish)
		if r.Scripts.LoadShell != "" {
			fmt.Fprintf(p.Stdout, "  Instead of %s you can run %s, or on Windows %s.\n", r.Scripts.Load, r.Scripts.LoadShell, r.Scripts.LoadWindows)
		}
	}
}

// verifyCommand is datagen verify.
func verifyCommand(p *program.Program) *cobra.Command {
	return &cobra.Command{
		Use:   "verify folder",
		Short: "Compare the files of sledge datagen with their manifest",
		Long: `Verify compares the files that sledge datagen wrote to a folder with their manifest: whether all
exist, their sizes and their SHA-256 checksums. It lists the files that differ, and ends with exit
code 1 if any does, or 8 if there is no manifest.`,
		Example: program.Examples("sledge datagen verify /data/tpch"),
		Args: func(c *cobra.Command, arguments []string) error {
			if len(arguments) != 1 {
				return program.Usage("%s: name the folder whose files to compare", c.CommandPath())
			}
			return nil
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveFilterDirs
		},
		RunE: p.Body(func(ctx context.Context, args []string) error { return verify(ctx, p, args) }),
	}
}

func verify(ctx context.Context, p *program.Program, arguments []string) error {
	folder := arguments[0]
	d := display.Plain(display.Options{Out: p.Stdout, Err: p.Stderr, Screen: jobflags.ScreenOf(p)}, lines.About{})
	m, differ, err := datagen.Verify(ctx, folder, d.Watch)
	d.End()
	if err != nil {
		return err
	}
	for _, f := range differ {
		fmt.Fprintf(p.Stdout, "%s %s\n", report.Printable(f.File), f.Why)
	}
	if err := datagen.Differ(folder, differ); err != nil {
		return err
	}
	var stored int64
	for _, f := range m.Files {
		stored += f.Stored
	}
	fmt.Fprintf(p.Stdout, "All %d files in %s match their manifest: %s, %s.\n", len(m.Files), report.Printable(folder), report.Printable(m.Rows), humanize.Bytes(uint64(stored)))
	return nil
}
