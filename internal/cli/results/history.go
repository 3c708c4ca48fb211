package results

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"sledge/internal/cli/program"
	"sledge/internal/document"
	"sledge/internal/paper"
	"sledge/internal/report"
	"sledge/internal/repository"
)

// HistoryCommand returns "sledge history", which says when the figure of a set-up changed.
func HistoryCommand(p *program.Program) *cobra.Command {
	a := &archive{program: p}
	var test report.HistoryTest
	var percent float64
	var form Form
	var failOnChange bool
	var recent int
	c := &cobra.Command{
		Use:   "history [NAME]",
		Short: "Say when the results of a set-up changed, and what changed with them",
		Long: `History finds the changes of level in the results of a set-up over time, and lists what else changed
with each: options, labels such as a commit, versions, settings, the machine. Name the runs by a
label (suite=nightly), by a performance profile (profile:3), or by the ID of one of them, or last,
which stands for all runs with its options, server and data. The default is last.

A single bad run is not a change, and a new level is reported from its third run on. The method is that
of Hunter and Apache Otava: E-divisive with a t-test, whose limit is one in a thousand.

Exit codes: 0, or 1 if --fail-on-change is set and the figure became worse within the newest runs.
Errors have the codes of all commands.`,
		Example: program.Examples(
			"sledge history suite=nightly",
			"sledge history 6B02 --figure 'response p99'",
			"sledge history suite=nightly --fail-on-change --least 3",
			"sledge history suite=nightly --html history.html",
		),
		GroupID: program.GroupResults,
		Args: func(c *cobra.Command, args []string) error {
			switch {
			case len(args) > 1:
				return program.Usage("%s: name one set-up: by a label (suite=nightly), a profile (profile:3), or the ID of one of its runs", c.CommandPath())
			case !(percent >= 0) || percent >= 100:
				return program.Usage("--least: %g is not a change in percent: give a number from 0 to 100", percent)
			case recent < 1:
				return program.Usage("--recent: %d is not a number of runs: give 1 or more", recent)
			case c.Flags().Changed("recent") && !failOnChange:
				return program.Usage("--recent has no effect without --fail-on-change: add that, or leave it out")
			}
			if err := form.Check(); err != nil {
				return program.Usage("%w", err)
			}
			return nil
		},
		RunE: p.Body(func(ctx context.Context, args []string) error {
			test.Least = percent / 100
			name := "last"
			if len(args) > 0 {
				name = args[0]
			}
			return a.with(func(store *repository.Store) error {
				done := p.WhenSlow("Reading the results")
				h, err := document.NewHistory(ctx, store, p.Resolver, name, test)
				done()
				if err != nil {
					return err
				}
				err = form.print(p, h, func() ([]byte, error) { return paper.HistoryHTML(h) })
				if failOnChange {
					err = errors.Join(err, h.Changed(recent))
				}
				return err
			})
		}),
	}
	flags := c.Flags()
	flags.StringVar(&a.repository, "repo", "", "`file` of the job repository")
	form.AddTo(flags)
	flags.StringVar(&test.Figure, "figure", "", "`name` of the figure, such as 'response p99' or 'new order: response p99' (default: the headline figure)")
	flags.Float64Var(&percent, "least", 0, "leave out changes by less than this `percent`")
	flags.BoolVar(&failOnChange, "fail-on-change", false, "end with exit code 1 if the figure became worse within the newest runs")
	flags.IntVar(&recent, "recent", 10, "with --fail-on-change: `number` of the newest runs in which a change counts")
	return c
}
