package results

import (
	"context"
	"errors"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"sledge/internal/cli/program"
	"sledge/internal/document"
	"sledge/internal/paper"
	"sledge/internal/report"
	"sledge/internal/repository"
	"sledge/internal/statistics"
)

// CompareCommand returns "sledge compare", which says whether one set-up is better than another.
func CompareCommand(p *program.Program) *cobra.Command {
	a := &archive{program: p}
	var test report.Test
	var percent float64
	var form Form
	c := &cobra.Command{
		Use:   "compare A B",
		Short: "Say whether set-up B is better than set-up A, and how sure that is",
		Long: `Compare compares the runs of two set-ups: better, worse, the same, or undecided. Name a set-up by a
label of its runs (set=a), a performance profile (profile:3), the IDs of its runs, separated by
commas, or the file of a bundle.

A run is one measurement, so each set-up needs several: below six of each, no difference can be
proven. Let the runs of A and B take turns, because Sledge then compares each pair, and slow changes
of the machine affect both. It finds out whether they did.

Figures are compared as ratios, by their ranks, so that single bad runs decide nothing. The headline
figure is tested; --figure tests others, and several together need stronger evidence each. The other
figures have intervals too, but no verdict. Runs that are not valid are left out.

Exit codes: 0 B is better, or the same; 1 B is worse; 2 undecided. Errors have the codes of all
commands.`,
		Example: program.Examples(
			"sledge compare set=a set=b",
			"sledge compare 6B02,6B04,6B06 6B03,6B05,6B07",
			"sledge compare version=17 version=18 --figure 'response p99' --delta 5",
			"sledge compare branch=main branch=fix --markdown >> comment.md",
			"sledge compare profile:3 profile:4 --html comparison.html",
		),
		GroupID: program.GroupResults,
		Args: func(c *cobra.Command, args []string) error {
			switch {
			case len(args) != 2:
				return program.Usage("%s: name two set-ups, A and B: by a label (set=a), a profile (profile:3), or the IDs of runs, separated by commas", c.CommandPath())
			case args[0] == args[1]:
				return program.Usage("%s: A and B are both %s: name different runs", c.CommandPath(), args[0])
			case !(percent > 0) || percent >= 100:
				return program.Usage("--delta: %g is not a difference in percent: give a number above 0 and below 100", percent)
			}
			if err := form.Check(); err != nil {
				return program.Usage("%w", err)
			}
			return nil
		},
		RunE: p.Body(func(ctx context.Context, args []string) error {
			test.Delta = percent / 100
			return a.withAny(func(store *repository.Store) error { // bundles need none
				done := p.WhenSlow("Reading the measurements")
				c, err := document.NewSetupComparison(ctx, store, p.Resolver, [2]string(args), test)
				done()
				if err != nil {
					return err
				}
				return showSetups(p, c, form)
			})
		}),
	}
	flags := c.Flags()
	flags.StringVar(&a.repository, "repo", "", "`file` of the job repository")
	form.AddTo(flags)
	flags.StringArrayVar(&test.Figures, "figure", nil, "`name` of a figure to test, such as 'response p99' or 'new order: response p99'; repeat as needed (default: the headline figure)")
	flags.Float64Var(&percent, "delta", 100*statistics.DefaultDelta, "smallest difference in `percent` that matters")
	AddSameMachines(flags, &test)
	return c
}

// AddSameMachines adds the flag that says that machines are equal.
func AddSameMachines(flags *pflag.FlagSet, test *report.Test) {
	flags.BoolVar(&test.SameMachines, "same-machines", false, "machines with other names or processors are equal")
}

// CompareSetups compares two set-ups whose runs are at hand.
func CompareSetups(p *program.Program, names [2]string, runs [2][]report.Measured, test report.Test) (report.SetupComparison, error) {
	return document.CompareSetups(p.Resolver, names, runs, test)
}

// ShowSetups prints a comparison of two set-ups.
func ShowSetups(p *program.Program, c report.SetupComparison, asJSON bool) error {
	return printSetups(p, c, Form{JSON: asJSON})
}

// showSetups prints a comparison of two set-ups. Its error says the verdict, if B is worse or that is
// undecided.
func showSetups(p *program.Program, c report.SetupComparison, form Form) error {
	return errors.Join(printSetups(p, c, form), c.Err())
}

func printSetups(p *program.Program, c report.SetupComparison, form Form) error {
	return form.print(p, c, func() ([]byte, error) { return paper.SetupsHTML(c) })
}
