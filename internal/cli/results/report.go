package results

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"sledge/internal/cli/jobflags"
	"sledge/internal/cli/program"
	"sledge/internal/paper"
	"sledge/internal/report"
	"sledge/internal/repository"
)

// reporting holds the flags of report.
type reporting struct {
	profiles []int
	output   string
	force    bool
}

// standardOutput is the file name that means standard output.
const standardOutput = "-"

func (a *archive) reportCommand() *cobra.Command {
	var asked reporting
	c := &cobra.Command{
		Use:   "report [ID...]",
		Short: "Write an HTML report of a job, several runs or a profile",
		Long: `Report writes one HTML file that contains everything, including charts. Any browser can show it
offline, print it or save it as PDF.

The report of one job contains the output of sledge jobs show, charts of rates and response times
with the ramp-up marked, the distribution of response times, examples of failures, and the server's
settings. The report of several runs lists what differs and compares figures and charts, as sledge
jobs compare does. With --profile the report shows NOPM, TPM and percentiles over virtual users;
several profiles share the charts.

The file is named after the job, such as sledge-6B02470C10A26D3B4C4E2F1A.html, in the current
folder. --output names another file; --output - writes to standard output.`,
		Example: program.Examples(
			"sledge jobs report last",
			"sledge jobs report 6B02 last --output comparison.html",
			"sledge jobs report --profile 3",
			"sledge jobs report --profile 3 --profile 4",
			"sledge jobs report last --output - | ssh laptop 'cat > run.html'",
		),
		Args: func(c *cobra.Command, args []string) error {
			switch {
			case len(asked.profiles) > 0 && slices.Min(asked.profiles) < 1:
				return program.Usage("--profile: %d is not the number of a performance profile: sledge jobs profile lists them", slices.Min(asked.profiles))
			case len(asked.profiles) > 0 && len(args) > 0:
				return program.Usage("--profile: a report shows profiles or jobs, not both: leave out --profile or %s", args[0])
			case len(asked.profiles) > report.MostCompared:
				return program.Usage("--profile: name %d profiles at most", report.MostCompared)
			case len(asked.profiles) == 0 && len(args) == 0:
				return program.Usage("%s: name a job: its ID, its first digits, or last (sledge jobs lists them); or give --profile", c.CommandPath())
			case len(args) > report.MostCompared:
				return program.Usage("%s: name %d runs at most", c.CommandPath(), report.MostCompared)
			case a.json:
				return program.Usage("--json: a report is HTML: sledge jobs show, compare and profile print JSON")
			}
			return nil
		},
		ValidArgsFunction: jobflags.CompleteJobs(a.program, &a.repository),
		RunE: a.program.Body(func(ctx context.Context, args []string) error {
			return a.with(func(store *repository.Store) error { return a.report(ctx, store, args, asked) })
		}),
	}
	flags := c.Flags()
	flags.IntSliceVar(&asked.profiles, "profile", nil, "`number` of the performance profile to report; repeat as needed")
	flags.StringVar(&asked.output, "output", "", "`file` to write; - for standard output (default: named after the job)")
	flags.BoolVar(&asked.force, "force", false, "overwrite an existing file")
	jobflags.CompleteFlag(a.program, c, "profile", func(c *cobra.Command, _ []string, word string) ([]string, cobra.ShellCompDirective) {
		return a.completeProfiles(c, nil, word)
	})
	return c
}

func (a *archive) report(ctx context.Context, store *repository.Store, ids []string, asked reporting) error {
	done := a.program.WhenSlow("Reading the measurements of each second")
	made, err := a.paper(store).Of(ctx, ids, asked.profiles)
	done()
	if err != nil {
		return err
	}
	path := asked.output
	switch path {
	case standardOutput:
		_, err := a.program.Stdout.Write(made.HTML)
		return err
	case "":
		path = made.Name
	}
	err = writeNew(path, "output", asked.force, func(file *os.File) error {
		_, err := file.Write(made.HTML)
		return err
	})
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(a.program.Stdout, "Wrote %s\n", path)
	return err
}

// paper returns the writer of reports.
func (a *archive) paper(store *repository.Store) paper.Archive {
	return paper.Archive{Store: store, Resolver: a.program.Resolver, Headline: a.program.Headline, Version: a.program.Version}
}

// writePage writes an HTML page into the new file that --html names, and says so.
func writePage(p *program.Program, path string, page []byte, err error) error {
	if err != nil {
		return err
	}
	if err := writeNew(path, "html", false, func(file *os.File) error { _, err := file.Write(page); return err }); err != nil {
		return err
	}
	_, err = fmt.Fprintf(p.Stdout, "Wrote %s\n", path)
	return err
}

// writeNew writes the file that a flag names, and removes it if writing fails. It overwrites an
// existing file only if force is true, and only when the new one is complete.
func writeNew(path, flag string, force bool, write func(*os.File) error) error {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_EXCL, 0o644)
	if errors.Is(err, os.ErrExist) {
		if force {
			return overwrite(path, flag, write)
		}
		return program.Usage("--%s: %s exists already: choose another name, or %s", flag, path, map[bool]string{true: "give --force", false: "remove the file"}[flag == "output"])
	}
	if err != nil {
		return program.Usage("--%s: %w", flag, err)
	}
	if err := errors.Join(write(file), file.Close()); err != nil {
		return errors.Join(err, os.Remove(path))
	}
	return nil
}

// overwrite replaces an existing file when the new one is complete. A device is written directly.
func overwrite(path, flag string, write func(*os.File) error) error {
	wrong := func(err error) error { return program.Usage("--%s: %w", flag, err) }
	info, err := os.Stat(path)
	if err != nil {
		return wrong(err)
	}
	if !info.Mode().IsRegular() {
		file, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return wrong(err)
		}
		return errors.Join(write(file), file.Close())
	}
	if path, err = filepath.EvalSymlinks(path); err != nil {
		return wrong(err)
	}
	file, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return wrong(err)
	}
	err = errors.Join(write(file), file.Chmod(info.Mode().Perm()), file.Close())
	if err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(file.Name()))
	}
	return nil
}
