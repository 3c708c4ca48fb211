package jobs

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/dustin/go-humanize/english"
	"github.com/spf13/cobra"

	"sledge/internal/cli/program"
	"sledge/internal/cli/results"
	"sledge/internal/experiment"
	"sledge/internal/job"
	"sledge/internal/settings"
)

func experimentConfirm(p *program.Program) *cobra.Command {
	e := &experimenting{program: p, built: map[string]string{}}
	var pairs int
	c := &cobra.Command{
		Use:   "confirm PLAN",
		Short: "Run the best combination of an experiment in turns with the reference",
		Long: `Confirm says whether the combination with the highest median is really better. The highest of many
is likely to be so by chance, so it runs again, in turns with a reference, and only these runs are
compared.

If the plan varies settings of the server, the reference differs in these only, and the server has its
own. Otherwise it has the first value of each setting in the plan.

Exit codes: 0 it is better, or the same; 1 it is worse; 2 undecided. Errors have the codes of all
commands.`,
		Example: program.Examples(
			"sledge experiment confirm memory.toml",
			"sledge experiment confirm memory.toml --pairs 16 --within 2h",
		),
		Args: func(c *cobra.Command, args []string) error {
			switch {
			case pairs < 1:
				return program.Usage("--pairs: %d is not a number of pairs: give 1 or more (below 6 nothing can be proven)", pairs)
			case c.Flags().Changed("within") && e.within <= 0:
				return program.Usage("--within: %s is not a time: give one such as 90m or 2h", e.within)
			}
			return onePlan(c, args)
		},
		RunE: p.Body(func(ctx context.Context, args []string) error { return e.confirm(ctx, args[0], pairs) }),
	}
	flags := c.Flags()
	flags.IntVar(&pairs, "pairs", usualPairs, "`number` of runs of each")
	flags.DurationVar(&e.within, "within", 0, "begin no pair that would probably end after this `time`, such as 90m or 2h")
	flags.BoolVar(&e.flags.JSON, "json", false, "print one JSON document")
	flags.StringVar(&e.flags.Repository, "repo", "", "`file` of the job repository")
	return c
}

// confirm runs the best cell of an experiment in turns with its reference.
func (e *experimenting) confirm(ctx context.Context, path string, pairs int) (err error) {
	p := e.program
	x, err := e.read(path)
	if err != nil {
		return err
	}
	best, err := e.bestOf(ctx, x)
	if err != nil {
		return err
	}
	c, names := confirmation(x, best)
	if names[0] == names[1] {
		tell(p, "Nothing to confirm: no combination has a higher median than "+names[0]+".")
		return nil
	}
	tell(p, fmt.Sprintf("Set-up B has the highest median of %s: %s. Set-up A is the reference: %s.", english.Plural(len(x.Cells), "combination", ""), names[1], names[0]))
	servers, err := e.openServers(ctx, c, experiment.State{Left: []experiment.Step{{Cell: 1}}})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closeServers(ctx, servers)) }()
	e.flags.Brief = true
	return takeTurns(ctx, p, &e.flags, turns{names, [2]settings.Order{c.Cells[0].Order, c.Cells[1].Order}, pairs, e.within, func(setup int, _ settings.Order) (job.Job, error) {
		return e.runCell(ctx, c, experiment.Step{Cell: setup}, servers[c.Cells[setup].Target])
	}})
}

// bestOf returns the cell with the highest median.
func (e *experimenting) bestOf(ctx context.Context, x experiment.Experiment) (experiment.Cell, error) {
	store, err := e.program.ReadRepository(e.flags.Repository)
	if err != nil {
		return experiment.Cell{}, err
	}
	best, err := results.BestCell(ctx, store, x.Plan.Name, namesOf(x.Plan))
	if err = errors.Join(err, store.Close()); err != nil {
		return experiment.Cell{}, err
	}
	i := slices.IndexFunc(x.Cells, func(c experiment.Cell) bool { return best != nil && slices.Equal(c.Values, best) })
	if i < 0 {
		return experiment.Cell{}, job.WithExit(job.ExitMissing, fmt.Errorf("no cell of the plan has a valid result: run sledge experiment run %s first", x.Plan.Path))
	}
	return x.Cells[i], nil
}

// confirmation returns an experiment with the reference and the best cell, and their names. Their runs do not
// count as runs of the experiment.
func confirmation(x experiment.Experiment, best experiment.Cell) (c experiment.Experiment, names [2]string) {
	c = x
	c.Cells = nil
	for i, cell := range []experiment.Cell{x.Reference(best), best} {
		names[i] = describe(x.Plan, cell)
		if len(cell.Server) < len(best.Server) {
			names[i] = strings.TrimSpace(names[i] + " with the server's own settings")
		}
		labels := maps.Clone(cell.Order.Spec.Labels)
		delete(labels, job.LabelExperiment)
		delete(labels, job.LabelCell)
		labels[job.LabelConfirmation] = x.Plan.Name
		cell.Order.Spec.Labels = labels
		c.Cells = append(c.Cells, cell)
	}
	return c, names
}
