package results

import (
	"context"
	"fmt"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"sledge/internal/cli/program"
	"sledge/internal/document"
	"sledge/internal/report"
	"sledge/internal/repository"
	"sledge/internal/terminal"
)

func (a *archive) bestCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "best",
		Short: "List the best run of each database, workload and amount of data",
		Long: `Best lists the best run of each group of comparable runs: those of the same database and workload,
with the same amount of data and equally durable commits. A run counts if it succeeded, was
measured for at least a minute, and was not imported. Runs are ranked by their first figure: the
highest rate or the shortest time wins. Virtual users, durations, servers and other options may
differ: sledge jobs compare shows them.`,
		Example: program.Examples("sledge jobs best", "sledge jobs best --json | jq '.best[] | {database, size, id, metric}'"),
		Args:    program.NoArguments,
		RunE: a.program.Body(func(ctx context.Context, _ []string) error {
			return a.with(func(store *repository.Store) error {
				d, err := document.NewBest(ctx, store)
				if err != nil {
					return err
				}
				if a.json {
					return a.program.PrintJSON(d)
				}
				return a.printBest(d)
			})
		}),
	}
}

func (a *archive) printBest(d document.Best) error {
	left := ""
	if d.TooShort > 0 {
		left = fmt.Sprintf("Left out: %s measured for less than %s, which is too short to mean anything.\n", runs(d.TooShort), report.Spell(report.LeastOfBest))
	}
	list := d.Best
	if len(list) == 0 {
		_, err := fmt.Fprint(a.program.Stdout, "No run to list yet.\n", left)
		return err
	}
	t := terminal.Table{Columns: []terminal.Column{
		{Head: "Workload", Left: true},
		{Head: "Database", Left: true},
		{Head: "Data", Left: true},
		{Head: "Durable", Left: true, Rank: 2},
		{Head: "Best", Left: true},
		{Head: "Users"},
		{Head: "Of runs", Rank: 3},
		{Head: "Begun (UTC)", Left: true, Short: shortTime, Rank: 1},
		{Head: "Job", Left: true, Short: report.ShortID},
	}}
	for _, b := range list {
		durable := "?"
		if b.Durable != nil {
			durable = map[bool]string{true: "yes", false: "no"}[*b.Durable]
		}
		t.Row(b.Workload, b.Database, report.Printable(b.Size), durable, report.Short(b.Metric)+" "+report.Printable(b.Metric.Name),
			humanize.Comma(int64(b.Users)), humanize.Comma(int64(b.Of)), b.Begun.UTC().Format(time.DateTime), string(b.ID))
	}
	if err := a.program.PrintTable(t); err != nil || left == "" {
		return err
	}
	_, err := fmt.Fprint(a.program.Stdout, "\n", left)
	return err
}

// runs formats a number of runs.
func runs(n int) string {
	if n == 1 {
		return "1 run"
	}
	return humanize.Comma(int64(n)) + " runs"
}
