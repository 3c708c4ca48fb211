package results

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"sledge/internal/cli/jobflags"
	"sledge/internal/cli/program"
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
		Short: "Show the plans of a run, or those that differ between two runs",
		Long: `Plan shows the plans of the queries that the database explained after the measured time of a run
(option plans); for a run without queries, those of its top statements, and when each was first
seen. Given two runs it shows the plans that differ, side by side if the terminal has 100 columns,
and marks the lines that only one of them has. Of a statement with several plans it compares the
last ones. Plans are equal if they have the same operators, tables and indexes; costs, estimates and
constants may differ.

In a file or a pipe, lines are not shortened.`,
		Example: program.Examples(
			"sledge jobs plan last --query 9",
			"sledge jobs plan 6B02 last",
			"sledge jobs plan 6B02 last --query 9,21 > plans.txt",
			"sledge jobs plan last --json \\",
			"  | jq -r '.runs[].plans[] | select(.kind == \"query 9\") | .lines[].text'",
		),
		Args: func(c *cobra.Command, args []string) error {
			if len(args) < 1 || len(args) > 2 {
				return program.Usage("%s: name one run or two, by their IDs, the first digits, or last (sledge jobs lists them)", c.CommandPath())
			}
			return nil
		},
		ValidArgsFunction: jobflags.CompleteJobs(a.program, &a.repository),
		RunE: a.program.Body(func(ctx context.Context, args []string) error {
			return a.with(func(store *repository.Store) error { return a.plan(ctx, store, args, queries) })
		}),
	}
	c.Flags().StringSliceVar(&queries, "query", nil, "`numbers` or names of the queries to show, separated by commas (default: all; of two runs, those whose plans differ)")
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
			return program.Usage("job %s is named twice: name different runs", j.ID)
		}
		plans, err := store.Plans(ctx, j.ID)
		if err != nil {
			return err
		}
		if len(plans) == 0 {
			return program.Usage("job %s has no plans: %s", j.ID, whyNoPlans(j))
		}
		runs = append(runs, report.PlansOfRun{ID: j.ID, Explained: j.Result.Explained, Plans: plans})
		for _, plan := range plans {
			if plan.Kind != "" && !slices.Contains(kinds, plan.Kind) {
				kinds = append(kinds, plan.Kind)
			}
		}
	}
	for _, q := range queries {
		if !slices.ContainsFunc(kinds, func(kind string) bool { return isQuery(kind, q) }) {
			return program.Usage("--query: there is no plan of %q, only of %s", q, cmp.Or(strings.Join(kinds, ", "), "statements: leave out --query"))
		}
	}
	p := report.NewPlans(runs, func(kind string) bool {
		return len(queries) == 0 || slices.ContainsFunc(queries, func(q string) bool { return isQuery(kind, q) })
	})
	if a.json {
		return a.program.PrintJSON(p)
	}
	return p.Text(a.program.Stdout, report.View{Width: a.program.Width(), Look: a.program.StdoutLook}, len(queries) > 0)
}

// isQuery reports whether a kind of transaction has this name, or this number at its end.
func isQuery(kind, called string) bool {
	called = strings.TrimSpace(called)
	return option.SameName(kind, called) || kind[strings.LastIndexByte(kind, ' ')+1:] == called
}

// whyNoPlans returns why a job has no plans, and what to do.
func whyNoPlans(j job.Job) string {
	switch {
	case j.Spec.Action != job.Run:
		return fmt.Sprintf("it is a %s, and only runs have them", j.Spec.Action)
	case len(j.Result.Spans) == 0:
		return "no top statement has one. sledge jobs show --server lists the reasons"
	}
	if kept := j.Spec.Options["plans"]; kept == string(load.NoPlans) {
		return "it ran with --plans none: run it again with --plans explain"
	}
	return "it was aborted before they were explained, or recorded by an older version: run it again"
}
