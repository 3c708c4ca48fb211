package results

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"sledge/internal/cli/jobflags"
	"sledge/internal/cli/program"
	"sledge/internal/document"
	"sledge/internal/job"
	"sledge/internal/repository"
)

func (a *archive) deleteCommand() *cobra.Command {
	var yes bool
	c := &cobra.Command{
		Use:     "delete ID...",
		Short:   "Remove jobs from the repository permanently",
		Long:    "Delete removes jobs from the repository permanently, with all their measurements.\nOn a terminal it asks first, unless you give --yes.",
		Example: program.Examples("sledge jobs delete 6B02", "sledge jobs delete last --yes"),
		Args: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return program.Usage("%s: name jobs by their IDs, the first digits, or last (sledge jobs lists them)", c.CommandPath())
			}
			return nil
		},
		ValidArgsFunction: jobflags.CompleteJobs(a.program, &a.repository),
		RunE: a.program.Body(func(ctx context.Context, args []string) error {
			if err := a.with(func(*repository.Store) error { return nil }); err != nil {
				return err // change would create a missing repository
			}
			return a.change(func(store *repository.Store) error { return a.delete(ctx, store, args, yes) })
		}),
	}
	c.Flags().BoolVar(&yes, "yes", false, "do not ask")
	return c
}

// delete looks up all jobs before it deletes the first, so that a mistyped ID deletes nothing.
func (a *archive) delete(ctx context.Context, store *repository.Store, ids []string, yes bool) error {
	var found []job.ID
	for _, id := range ids {
		j, err := store.Get(ctx, job.ID(id))
		if err != nil {
			return err
		}
		if !slices.Contains(found, j.ID) {
			found = append(found, j.ID)
		}
	}
	if !yes {
		if err := a.program.Confirm(fmt.Sprintf("Remove %s permanently?", strings.Join(words(found), ", "))); err != nil {
			return err
		}
	}
	deleted := []job.ID{}
	for _, id := range found {
		if err := store.Delete(ctx, id); err != nil {
			return err
		}
		deleted = append(deleted, id)
		if !a.json {
			fmt.Fprintf(a.program.Stdout, "Deleted %s\n", id)
		}
	}
	if a.json {
		if err := a.program.PrintJSON(document.Deletion{Schema: document.DeletedSchema, Deleted: deleted}); err != nil {
			return err
		}
	}
	a.giveBack(ctx, store)
	return nil
}

// giveBack returns the space of deleted jobs to the disk. If it fails or is interrupted, it prints
// a warning, because the jobs have been deleted already.
func (a *archive) giveBack(ctx context.Context, store *repository.Store) {
	defer a.program.WhenSlow("sledge: returning free space to the disk; Ctrl-C leaves this for later")()
	if err := store.GiveBack(ctx); err != nil {
		fmt.Fprintf(a.program.Stderr, "sledge: warning: the jobs are deleted, but the file keeps its size until the next deletion: %v\n", err)
	}
}
