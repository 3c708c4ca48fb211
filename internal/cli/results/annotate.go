package results

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"sledge/internal/cli/jobflags"
	"sledge/internal/cli/program"
	"sledge/internal/job"
	"sledge/internal/report"
	"sledge/internal/repository"
)

func (a *archive) labelCommand() *cobra.Command {
	var remove []string
	c := &cobra.Command{
		Use:   "label ID [NAME=VALUE...]",
		Short: "Add, change or remove a job's labels",
		Long: `Label adds each NAME=VALUE to a job's labels, or changes the label that has this name already.
--remove removes a label. Nothing else about the job changes.`,
		Example: program.Examples("sledge jobs label last ticket=4711 kernel=6.1", "sledge jobs label 6B02 --remove ticket"),
		Args: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return program.Usage("%s: name a job: its ID, its first digits, or last (sledge jobs lists them)", c.CommandPath())
			}
			if len(args) == 1 && len(remove) == 0 {
				return program.Usage("%s: give labels as name=value, or --remove and a name", c.CommandPath())
			}
			return nil
		},
		ValidArgsFunction: jobflags.CompleteJobs(a.program, &a.repository),
		RunE: a.program.Body(func(ctx context.Context, args []string) error {
			set := map[string]string{}
			for _, text := range args[1:] {
				name, value, err := job.ParseLabel(text)
				if err != nil {
					return program.Usage("%w", err)
				}
				if _, twice := set[name]; twice || slices.Contains(remove, name) {
					return program.Usage("label %s is given twice: name each once", name)
				}
				set[name] = value
			}
			return a.annotate(ctx, args[0], repository.Annotation{Set: set, Remove: remove})
		}),
	}
	c.Flags().StringArrayVar(&remove, "remove", nil, "remove the label of this `name`; repeat as needed")
	return c
}

func (a *archive) noteCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "note ID TEXT",
		Short:   "Set a job's note",
		Long:    "Note sets a job's note, and replaces an earlier one. An empty text removes the note.",
		Example: program.Examples("sledge jobs note last 'after the upgrade'", "sledge jobs note 6B02 ''"),
		Args: func(c *cobra.Command, args []string) error {
			if len(args) != 2 {
				return program.Usage("%s: name a job, and then its note, in quotes", c.CommandPath())
			}
			return nil
		},
		ValidArgsFunction: jobflags.CompleteJobs(a.program, &a.repository),
		RunE: a.program.Body(func(ctx context.Context, args []string) error {
			return a.annotate(ctx, args[0], repository.Annotation{Note: &args[1]})
		}),
	}
}

// annotate changes a job's labels or its note, and shows them.
func (a *archive) annotate(ctx context.Context, id string, change repository.Annotation) error {
	if err := a.with(func(store *repository.Store) error { _, err := store.Get(ctx, job.ID(id)); return err }); err != nil {
		return err // change would create a missing repository
	}
	return a.change(func(store *repository.Store) error {
		j, err := store.Annotate(ctx, job.ID(id), change)
		if err != nil {
			return err
		}
		if a.json {
			return a.program.PrintJSON(jobflags.DocumentOf(a.program, j, j.Result.Summary))
		}
		return a.printAnnotation(j)
	})
}

func (a *archive) printAnnotation(j job.Job) error {
	line := []string{string(j.ID)}
	for _, name := range slices.Sorted(maps.Keys(j.Spec.Labels)) {
		line = append(line, name+"="+j.Spec.Labels[name])
	}
	if j.Spec.Note != "" {
		line = append(line, strings.Join(strings.Fields(j.Spec.Note), " "))
	}
	_, err := fmt.Fprintln(a.program.Stdout, report.Printable(strings.Join(line, "  ")))
	return err
}
