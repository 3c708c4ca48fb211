package jobs

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/dustin/go-humanize/english"
	"github.com/spf13/cobra"

	"sledge/internal/cli/program"
	"sledge/internal/job"
	"sledge/internal/report"
	"sledge/internal/settings"
	"sledge/internal/tuning"
)

func experimentSuggest(p *program.Program) *cobra.Command {
	var repositoryFile string
	c := &cobra.Command{
		Use:   "suggest [JOB]",
		Short: "Suggest which settings of the server to vary after a run",
		Long: `Suggest prints the plan of an experiment that varies settings of the server. They are those that
sledge doctor advised before the run, and those that may matter to what limited it: the waits in
which transactions spent at least a fifth of their time. The other settings are those of the run.
Without JOB it is the last run.

A suggestion is not a proof: the experiment is. None of the settings makes commits less durable. Look
through the plan, and leave out what you do not want to change.`,
		Example: program.Examples(
			"sledge experiment suggest > memory.toml",
			"sledge experiment run memory.toml",
			"sledge experiment confirm memory.toml",
		),
		Args: func(c *cobra.Command, args []string) error {
			if len(args) > 1 {
				return program.Usage("%s: name one run, or none for the last one", c.CommandPath())
			}
			return nil
		},
		RunE: p.Body(func(ctx context.Context, args []string) error {
			store, err := p.ReadRepository(repositoryFile)
			if err != nil {
				return err
			}
			id := job.ID("last")
			if len(args) == 1 {
				id = job.ID(args[0])
			}
			j, err := store.Get(ctx, id)
			if err = errors.Join(err, store.Close()); err != nil {
				return err
			}
			if j.Spec.Action != job.Run || j.Facts == nil {
				return program.Usage("job %s is not a run with a result: name one (sledge jobs list --action run)", j.ID)
			}
			plan, err := suggestion(p.Resolver, j)
			if err != nil {
				return err
			}
			_, err = fmt.Fprint(p.Whole, plan)
			return err
		}),
	}
	c.Flags().StringVar(&repositoryFile, "repo", "", "`file` of the job repository")
	return c
}

// suggestion returns the plan of an experiment after a run.
func suggestion(r settings.Resolver, j job.Job) (string, error) {
	spec := j.Spec
	spec.Labels, spec.Note = nil, ""
	order, err := r.Order(spec)
	if err != nil {
		return "", err
	}
	how := order.Plan.Server.Tuning
	if how == nil {
		return "", program.Usage("Sledge cannot change settings of %s servers yet", order.Plan.Database.Title)
	}
	sentence, classes := report.Bottleneck(j.Result)
	list := tuning.Suggest(how, j, classes)
	if len(list) == 0 {
		return "", job.WithExit(job.ExitMissing, fmt.Errorf("job %s: no setting of the server is known to matter: %s", j.ID, strings.TrimSuffix(sentence, ".")))
	}
	var t strings.Builder
	fmt.Fprintf(&t, "# After job %s", j.ID)
	if sentence != "" {
		fmt.Fprintf(&t, ": %s", report.Printable(sentence))
	}
	const repeat = 3
	var now, later string
	cells := 1
	for _, one := range list {
		line := fmt.Sprintf("%s = [\"%s\"] # %s\n", one.Name, strings.Join(one.Values, `", "`), report.Printable(one.Why))
		if one.Restart {
			later += "# " + line
		} else {
			now += line
			cells *= len(one.Values)
		}
	}
	fmt.Fprintf(&t, ".\n# %s, %s: leave out what you do not want to change, or add halve = true. Then perform it: sledge experiment run FILE\n",
		english.Plural(cells, "combination", ""), english.Plural(repeat*cells, "run", ""))
	fmt.Fprintf(&t, "%s\n[experiment]\nrepeat = %d\n", r.TOML(order), repeat)
	if later != "" {
		t.WriteString("# To vary the settings that take effect when the server starts, say how to restart it:\n# restart = \"sudo systemctl restart ...\"\n")
	}
	t.WriteString("\n[server]\n" + now + later)
	return t.String(), nil
}
