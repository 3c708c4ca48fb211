package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"sledge/internal/engine/load"
	"sledge/internal/job"
	"sledge/internal/option"
	"sledge/internal/report"
	"sledge/internal/repository"
)

func (a *archive) planCommand() *cobra.Command {
	var queries []string
	c := &cobra.Command{
		Use:   "plan ID [ID]",
		Short: "Show how the database answered the queries of a run, or what changed between two",
		Long: `Plan shows the plans of a run's queries as the database explained them after the measured
time: option plans of run. Of two runs it shows the plans that changed, beside each other where
the terminal has 100 columns, and marks what only one of them does. Plans are the same if they
have the same operators, tables and indexes; costs, estimates and constants may differ.

In a file or a pipe, lines are whole.`,
		Example: examples(
			"sledge jobs plan last --query 9",
			"sledge jobs plan 6B02 last",
			"sledge jobs plan 6B02 last --query 9,21 > plans.txt",
			"sledge jobs plan last --json | jq -r '.runs[].plans[] | select(.kind == \"query 9\") | .lines[].text'",
		),
		Args: func(c *cobra.Command, args []string) error {
			if len(args) < 1 || len(args) > 2 {
				return usage("%s: name one run or two, by their IDs, the first digits of them, or last (sledge jobs lists them)", c.CommandPath())
			}
			return nil
		},
		ValidArgsFunction: a.program.completeJobs(&a.repository),
		RunE: a.program.run(func(ctx context.Context, args []string) error {
			return a.with(func(store *repository.Store) error { return a.plan(ctx, store, args, queries) })
		}),
	}
	c.Flags().StringSliceVar(&queries, "query", nil, "`numbers` or names of the queries to show, separated by commas (default all, of two runs those whose plan changed)")
	return c
}

func (a *archive) plan(ctx context.Context, store *repository.Store, ids, queries []string) error {
	var runs []report.PlansOfRun
	var kinds []string
	for _, id := range ids {
		j, err := store.Get(ctx, job.ID(id))
		if err != nil {
			return err
		}
		if len(runs) == 1 && runs[0].ID == j.ID {
			return usage("job %s is named twice: name different runs", j.ID)
		}
		plans, err := store.Plans(ctx, j.ID)
		if err != nil {
			return err
		}
		if len(plans) == 0 {
			return usage("job %s has no plans: %s", j.ID, whyNoPlans(j))
		}
		runs = append(runs, report.PlansOfRun{ID: j.ID, Explained: j.Result.Explained, Plans: plans})
		for _, plan := range plans {
			if !slices.Contains(kinds, plan.Kind) {
				kinds = append(kinds, plan.Kind)
			}
		}
	}
	for _, q := range queries {
		if !slices.ContainsFunc(kinds, func(kind string) bool { return isQuery(kind, q) }) {
			return usage("--query: there is no plan of %q; there are those of %s", q, strings.Join(kinds, ", "))
		}
	}
	p := report.NewPlans(runs, func(kind string) bool {
		return len(queries) == 0 || slices.ContainsFunc(queries, func(q string) bool { return isQuery(kind, q) })
	})
	if a.json {
		return a.program.printJSON(p)
	}
	return p.Text(a.program.Stdout, report.View{Width: a.program.width(), Look: a.program.StdoutLook}, len(queries) > 0)
}

// isQuery reports whether a kind of transaction is called so, or has that number.
func isQuery(kind, called string) bool {
	called = strings.TrimSpace(called)
	return option.SameName(kind, called) || kind[strings.LastIndexByte(kind, ' ')+1:] == called
}

// whyNoPlans says why a job has no plans, and what to do.
func whyNoPlans(j job.Job) string {
	switch {
	case j.Spec.Action != job.Run:
		return fmt.Sprintf("it is a %s, and only runs of queries have them", j.Spec.Action)
	case len(j.Result.Spans) == 0:
		return "only runs of queries have them"
	}
	if kept := j.Spec.Options["plans"]; kept == string(load.NoPlans) {
		return "it was done with --plans none: run it again with --plans explain"
	}
	return "it was broken off before they were taken, or an older sledge did it: run it again"
}
