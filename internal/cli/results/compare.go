package results

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"sledge/internal/cli/jobflags"
	"sledge/internal/cli/program"
	"sledge/internal/document"
	"sledge/internal/report"
	"sledge/internal/repository"
	"sledge/internal/settings"
)

func (a *archive) compareCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "compare ID ID...",
		Short: "Compare the settings and figures of runs",
		Long: `Compare shows two or more runs side by side. It lists the options that differ, and other
differences, such as the server's version and settings. Then it shows each figure with its
change from the first run: NOPM, response times, failures, round trips and bytes on the network,
CPU time of the client. Figures of transactions are shown in total and by kind. Runs of queries
have a line for each query: its time in each run, the rows that it returned, and whether its plan
has other operators, tables or indexes (sledge jobs plan shows the plans).`,
		Example: program.Examples("sledge jobs compare 6B02 6B11", "sledge jobs compare 6B02 last --json \\", "  | jq '.figures[] | select(.name == \"round trips\")'"),
		Args: func(c *cobra.Command, args []string) error {
			if len(args) < 2 || len(args) > report.MostCompared {
				return program.Usage("%s: name from two runs to %d, by their IDs, the first digits, or last (sledge jobs lists them)", c.CommandPath(), report.MostCompared)
			}
			return nil
		},
		ValidArgsFunction: jobflags.CompleteJobs(a.program, &a.repository),
		RunE: a.program.Body(func(ctx context.Context, args []string) error {
			return a.with(func(store *repository.Store) error { return a.compare(ctx, store, args) })
		}),
	}
}

func (a *archive) diffCommand() *cobra.Command {
	c := a.compareCommand()
	c.Use, c.Short = "diff ID ID...", "Show what differs between runs: options, labels, server and machine"
	c.Long = `Diff compares the facts that decide the result of two or more runs, field by field: options, labels,
users, the server's version and settings, the data, the client's machine, kernel and settings. It
shows those that differ, and no figures: sledge jobs compare shows both.`
	c.Example = program.Examples("sledge jobs diff 6B02 last", "sledge jobs diff 6B02 last --json")
	c.RunE = a.program.Body(func(ctx context.Context, args []string) error {
		return a.with(func(store *repository.Store) error { return a.diff(ctx, store, args) })
	})
	return c
}

func (a *archive) diff(ctx context.Context, store *repository.Store, ids []string) error {
	c, err := document.NewComparison(ctx, store, a.program.Resolver, ids)
	if err != nil {
		return err
	}
	if a.json {
		return a.program.PrintJSON(c)
	}
	return c.DifferencesText(a.program.Stdout, report.View{Width: a.program.Width(), Look: a.program.StdoutLook})
}

func (a *archive) compare(ctx context.Context, store *repository.Store, ids []string) error {
	c, err := document.NewComparison(ctx, store, a.program.Resolver, ids)
	if err != nil {
		return err
	}
	if a.json {
		return a.program.PrintJSON(c)
	}
	return c.Text(a.program.Stdout, report.View{Width: a.program.Width(), Look: a.program.StdoutLook, Next: a.nextOfChanged(c)})
}

// nextOfChanged returns the command that shows the plans that changed between two runs.
func (a *archive) nextOfChanged(c report.Comparison) []report.Pointer {
	changed := c.ChangedPlans()
	if len(changed) == 0 || len(c.Runs) != 2 {
		return nil
	}
	command := fmt.Sprintf("sledge jobs plan %s %s", report.ShortID(string(c.Runs[0].ID)), report.ShortID(string(c.Runs[1].ID)))
	if a.repository != "" {
		command += " --repo " + settings.ShellWord(a.repository)
	}
	return []report.Pointer{{Command: command, Why: "show the plans that differ"}}
}
