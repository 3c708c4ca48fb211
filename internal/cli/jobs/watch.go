package jobs

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/dustin/go-humanize/english"
	"github.com/spf13/cobra"

	"sledge/internal/cli/display"
	"sledge/internal/cli/program"
	"sledge/internal/cli/results"
	"sledge/internal/experiment"
	"sledge/internal/job"
	"sledge/internal/report"
)

func experimentWatch(p *program.Program) *cobra.Command {
	e := &experimenting{program: p}
	c := &cobra.Command{
		Use:   "watch PLAN",
		Short: "Follow an experiment that another process performs",
		Long: `Watch prints a line whenever a run of the experiment begins or ends: how many are done and left, the
time left, and the best combination so far. It ends when no run is left. Ctrl-C ends watch alone: the
experiment goes on.`,
		Example: program.Examples("sledge experiment watch scaling.toml"),
		Args:    onePlan,
		RunE:    p.Body(func(ctx context.Context, args []string) error { return e.watch(ctx, args[0]) }),
	}
	c.Flags().StringVar(&e.flags.Repository, "repo", "", "`file` of the job repository")
	return c
}

// watch prints the state of an experiment whenever it changes.
func (e *experimenting) watch(ctx context.Context, path string) error {
	p := e.program
	x, err := e.read(path)
	if err != nil {
		return err
	}
	store, err := p.ReadRepository(e.flags.Repository)
	if err != nil {
		return err
	}
	defer store.Close() // it was only read
	const every = time.Second
	for before := ""; ; {
		runs, err := store.List(ctx, runsOf(x.Plan))
		if err != nil {
			return err
		}
		state := x.StateOf(runs)
		if now := progressOf(state, runs); now != before {
			best, err := results.BestCell(ctx, store, x.Plan.Name, namesOf(x.Plan))
			if before = now; err == nil && best != nil {
				_, server := x.Plan.Overrides(best)
				now += "   best so far: " + describe(x.Plan, experiment.Cell{Values: best, Server: server})
			}
			fmt.Fprintln(p.Stdout, report.Printable(now))
		}
		if len(state.Left) == 0 && !slices.ContainsFunc(runs, isRunning) {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(every):
		}
	}
}

func isRunning(j job.Job) bool { return j.Status == job.Running }

// progressOf says how far an experiment is.
func progressOf(state experiment.State, runs []job.Job) string {
	var took []time.Duration
	var running []string
	for _, j := range runs {
		if isRunning(j) {
			running = append(running, string(j.ID))
		} else if j.Status.Valid() && j.Ended.After(j.Begun) {
			took = append(took, j.Ended.Sub(j.Begun))
		}
	}
	left := len(state.Left) + len(running)
	text := fmt.Sprintf("%d of %s done", state.Done, english.Plural(state.Done+left, "run", ""))
	if state.Failed > 0 {
		text += fmt.Sprintf(", %d failed", state.Failed)
	}
	if len(running) > 0 {
		text += ", running: " + english.WordSeries(running, "and")
	}
	if slices.Sort(took); len(took) > 0 && left > 0 {
		text += fmt.Sprintf("   about %s left", display.Clock(time.Duration(left)*took[len(took)/2]))
	}
	return text
}
