package jobs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/dustin/go-humanize/english"
	"github.com/spf13/cobra"

	"sledge/internal/cli/jobflags"
	"sledge/internal/cli/program"
	"sledge/internal/cli/results"
	"sledge/internal/experiment"
	"sledge/internal/job"
	"sledge/internal/report"
	"sledge/internal/repository"
	"sledge/internal/settings"
	"sledge/internal/shell"
	"sledge/internal/terminal"
	"sledge/internal/tuning"
)

// ExperimentCommand returns "sledge experiment".
func ExperimentCommand(p *program.Program) *cobra.Command {
	c := &cobra.Command{
		Use:   "experiment",
		Short: "Perform the runs of a plan: all combinations of settings, repeated",
		Long: `An experiment performs a run for each combination of the values of some settings, several times
each and in random order, and shows how the settings change the result. Its plan is a configuration
file with a table vary; docs/experiments.md describes it.`,
		Example: program.Examples(
			"sledge experiment run scaling.toml",
			"sledge experiment show scaling.toml",
		),
		GroupID: program.GroupResults,
		Args:    program.OnlyCommands,
		RunE:    func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(experimentRun(p), experimentShow(p), results.ExperimentList(p), experimentConfirm(p), experimentTry(p), experimentSuggest(p), experimentWatch(p), experimentRestore(p), results.ExperimentExport(p), results.ExperimentImport(p))
	return c
}

// experimenting holds the flags of sledge experiment run, and what it does.
type experimenting struct {
	program *program.Program
	flags   jobflags.Flags
	form    results.Form
	dryRun  bool
	within  time.Duration
	built   map[string]string // the schemas that this process built, by target
}

func experimentRun(p *program.Program) *cobra.Command {
	e := &experimenting{program: p, built: map[string]string{}}
	c := &cobra.Command{
		Use:   "run PLAN",
		Short: "Perform the runs of a plan that have not been performed",
		Long: `Run performs the runs of a plan, a file in TOML or YAML, and prints the result of each in a line.
At the end it shows the figures of all cells.

  db = "pg"
  warehouses = 10
  duration = "1m"

  [experiment]
  repeat = 5          # runs of each cell
  build = "once"      # drop and build the schema, and again when a cell needs another one

  [vary]
  users = [1, 4, 16]
  client_sql = [false, true]

A table server varies settings of the server, such as work_mem = ["4MB", "64MB"], and the experiment
restores them at its end.

Each run is a job with the labels experiment, cell, and one for each setting that varies. If the
experiment is interrupted in any way, run performs what is left: stopped and killed runs are
repeated, failed ones are not. Delete a job to repeat its run. If you change settings in the plan,
earlier runs with other settings do not count, and run says how many there are.

First it checks all cells, so that a mistake in the plan ends it before anything is changed. Ctrl-C
stops the current run and the experiment; a second Ctrl-C aborts.`,
		Example: program.Examples(
			"# Show the runs and their order, and perform none.",
			"sledge experiment run scaling.toml --dry-run",
			"",
			"sledge experiment run scaling.toml",
			"sledge experiment run scaling.toml --within 8h",
		),
		Args: onePlan,
		RunE: p.Body(func(ctx context.Context, args []string) error {
			if err := e.form.Check(); err != nil {
				return program.Usage("%w", err)
			}
			return e.run(ctx, args[0])
		}),
	}
	flags := c.Flags()
	flags.BoolVar(&e.dryRun, "dry-run", false, "list the runs that are left in their order, and do nothing")
	flags.DurationVar(&e.within, "within", 0, "begin no run that would probably end after this `time`, such as 90m or 8h")
	e.form.AddTo(flags)
	e.form.AddTables(flags)
	flags.StringVar(&e.flags.Repository, "repo", "", "`file` of the job repository")
	return c
}

// onePlan returns an error unless there is one argument.
func onePlan(c *cobra.Command, args []string) error {
	if len(args) != 1 {
		return program.Usage("%s: name a plan: a file in TOML or YAML with a table vary", c.CommandPath())
	}
	return nil
}

// sources returns the sources of a job of the experiment.
func (e *experimenting) sources(path string, overrides []settings.Override, labels []string) settings.Sources {
	sources := e.flags.Sources(e.program)
	sources.ConfigFile, sources.Overrides, sources.Labels = path, overrides, labels
	return sources
}

// signIn asks for the password of a job if the server refuses it. The job keeps its labels.
func (e *experimenting) signIn(ctx context.Context, from settings.Sources, order settings.Order) (settings.Order, error) {
	labels := order.Spec.Labels
	order, err := e.flags.SignInOn(ctx, e.program, e.program.Resolver, from, order, settings.RefusalOf)
	order.Spec.Labels = labels
	return order, err
}

// read reads a plan, and prints the warnings about its settings.
func (e *experimenting) read(path string) (experiment.Experiment, error) {
	p := e.program
	plan, err := p.Resolver.ReadPlan(path)
	if err != nil {
		return experiment.Experiment{}, err
	}
	warned := map[string]bool{}
	return experiment.New(plan, func(overrides []settings.Override, labels []string) (settings.Order, error) {
		order, err := p.Resolver.Resolve(job.Run, e.sources(path, overrides, labels))
		for _, warning := range order.Warnings {
			if !warned[warning] {
				warned[warning] = true
				fmt.Fprintf(p.Stderr, "sledge: warning: %s\n", warning)
			}
		}
		return order, err
	})
}

func (e *experimenting) run(ctx context.Context, path string) (err error) {
	p := e.program
	x, err := e.read(path)
	if err != nil {
		return err
	}
	plan := x.Plan
	store, err := p.OpenRepository(e.flags.Repository)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	runs, err := store.List(ctx, runsOf(plan))
	if err != nil {
		return fmt.Errorf("experiment: %w", err)
	}
	state := x.StateOf(runs)
	each := "each"
	if plan.Halve {
		each = "at most"
	}
	cells := english.Plural(len(x.Cells), "cell", "")
	if plan.Fraction {
		cells = fmt.Sprintf("%d of %d cells", len(x.Cells), x.Combinations())
	}
	tell(p, fmt.Sprintf("experiment %s: %s, %s %s, of which %d are left", plan.Name, cells, english.Plural(plan.Repeat, "run", ""), each, len(state.Left)))
	if state.Foreign > 0 {
		warn(p, fmt.Sprintf("%s of this name have other settings than the plan now says, and do not count: give the plan another name, or delete them.", english.Plural(state.Foreign, "run", "")))
	}
	if state.Failed > 0 {
		warn(p, fmt.Sprintf("%s failed and will not be repeated: delete the jobs to repeat them (sledge jobs list --label %s=%s --status failed).", english.Plural(state.Failed, "run", ""), job.LabelExperiment, plan.Name))
	}
	if e.dryRun {
		return e.list(x, state)
	}
	failure := e.perform(ctx, store, x, state)
	if plan.Notify != "" {
		e.notify(ctx, store, x, failure)
	}
	if len(runs) == 0 && failure != nil && !e.anyRun(ctx, store, plan.Name) {
		return failure
	}
	return errors.Join(failure, results.ShowExperiment(ctx, p, store, plan.Name, namesOf(plan), e.form))
}

// notify runs the plan's command with a text that says how the experiment ended. If that fails, the experiment has succeeded
// nevertheless.
func (e *experimenting) notify(ctx context.Context, store *repository.Store, x experiment.Experiment, failure error) {
	const patience = time.Minute
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience) // also after Ctrl-C
	defer cancel()
	runs, err := store.List(ctx, runsOf(x.Plan))
	text := fmt.Sprintf("experiment %s has ended: %s\n", x.Plan.Name, progressOf(x.StateOf(runs), runs))
	if failure != nil {
		text += failure.Error() + "\n"
	}
	if err = errors.Join(err, shell.Run(ctx, x.Plan.Notify, text, nil)); err != nil {
		warn(e.program, "notify: "+report.OneLine(err))
	}
}

// anyRun reports whether there is a run of an experiment.
func (e *experimenting) anyRun(ctx context.Context, store *repository.Store, name string) bool {
	runs, err := store.List(ctx, repository.Query{Action: job.Run, Labels: map[string]string{job.LabelExperiment: name}, Limit: 1, Figures: true})
	return err == nil && len(runs) > 0
}

// namesOf returns the names of the factors.
func namesOf(plan settings.Plan) (names []string) {
	for _, f := range plan.Factors {
		names = append(names, f.Name)
	}
	return names
}

// list lists the runs that are left.
func (e *experimenting) list(x experiment.Experiment, state experiment.State) error {
	t := terminal.Table{Columns: []terminal.Column{{Head: "run"}}}
	for _, name := range namesOf(x.Plan) {
		t.Columns = append(t.Columns, terminal.Column{Head: name})
	}
	t.Columns = append(t.Columns, terminal.Column{Head: "repetition"}, terminal.Column{Head: "before it", Left: true})
	planned := map[string]string{}
	for i, step := range state.Left {
		cells := append([]string{fmt.Sprint(i + 1)}, x.Cells[step.Cell].Values...)
		before := ""
		if x.NeedsBuild(step, planned) {
			before = "build"
			x.Built(step, planned)
		}
		t.Row(append(cells, fmt.Sprint(step.Repetition+1), before)...)
	}
	return e.program.PrintTable(t)
}

// perform performs the runs that are left.
func (e *experimenting) perform(ctx context.Context, store *repository.Store, x experiment.Experiment, state experiment.State) (failure error) {
	servers, err := e.openServers(ctx, x, state)
	if err != nil {
		return err
	}
	defer func() { failure = errors.Join(failure, closeServers(ctx, servers)) }()
	clock := experiment.NewClock(e.within)
	for {
		failure = errors.Join(failure, e.performOn(ctx, x, state, servers, clock))
		if !x.Plan.Halve || ctx.Err() != nil || e.flags.Interrupted || x.Plan.Stop && failure != nil || clock.Over() {
			return failure
		}
		runs, err := store.List(ctx, runsOf(x.Plan))
		if err != nil {
			return errors.Join(failure, err)
		}
		before := state.Left
		state = x.StateOf(runs)
		unfinished := slices.ContainsFunc(state.Left, func(s experiment.Step) bool { return slices.Contains(before, s) })
		if len(state.Left) == 0 || unfinished {
			return failure
		}
		tell(e.program, fmt.Sprintf("next round: %s of the better half of the cells", english.Plural(len(state.Left), "run", "")))
	}
}

// runsOf selects the runs of an experiment.
func runsOf(plan settings.Plan) repository.Query {
	return repository.Query{Action: job.Run, Labels: map[string]string{job.LabelExperiment: plan.Name}, Figures: true}
}

// performOn performs the runs that are left. servers has the servers whose settings vary, by target.
func (e *experimenting) performOn(ctx context.Context, x experiment.Experiment, state experiment.State, servers map[string]*tuning.Server, clock *experiment.Clock) error {
	p, s := e.program, &e.flags
	s.Brief = true
	var failures []error
	blocked := map[string]bool{} // targets
	err := experiment.Repeat(ctx, len(state.Left), 0, func(i int) error {
		step := state.Left[i]
		cell := x.Cells[step.Cell]
		if blocked[cell.Target] || x.Refused(step.Cell) {
			return nil
		}
		s.Title = fmt.Sprintf("run %d of %d: %s", i+1, len(state.Left), describe(x.Plan, cell))
		j, err := e.runCell(ctx, x, step, servers[cell.Target])
		if _, is := errors.AsType[*tuning.RefusedError](err); is && !x.Plan.Stop && ctx.Err() == nil {
			x.Refuse(step.Cell)
			failures = append(failures, err)
			warn(p, fmt.Sprintf("%s is left out, with its repetitions: %v", s.Title, err))
			return nil
		}
		if j.Status == "" {
			return err
		}
		clock.Step()
		sayRun(p, s.Title, j, timeLeft(clock, len(state.Left)-i-1))
		switch {
		case err == nil:
		case j.Status == job.Partial || s.Interrupted || ctx.Err() != nil:
			return err
		case x.Plan.Stop && j.Status != job.Missed:
			return err
		default:
			failures = append(failures, err)
			warn(p, err.Error())
			if experiment.Blocked(j) {
				blocked[cell.Target] = true
				warn(p, fmt.Sprintf("The other runs on %s are left out. Mend that, and perform the plan again.", cell.Target))
			}
		}
		if clock.Over() && i+1 < len(state.Left) {
			warn(p, fmt.Sprintf("Ended after %d of %d runs: another would probably end after the time of --within.", i+1, len(state.Left)))
			return experiment.ErrEnough
		}
		return nil
	})
	if n := len(failures); n > 1 {
		return errors.Join(err, fmt.Errorf("%d runs failed, missed a threshold or could not begin, the first because: %w", n, failures[0]))
	}
	return errors.Join(append(failures, err)...)
}

// runCell performs a run of a cell: it builds the schema and changes the settings of the server first, if
// that is needed. A job without a status did not begin.
func (e *experimenting) runCell(ctx context.Context, x experiment.Experiment, step experiment.Step, server *tuning.Server) (job.Job, error) {
	cell := x.Cells[step.Cell]
	if x.NeedsBuild(step, e.built) {
		if err := e.build(ctx, x, step); err != nil {
			return job.Job{}, err
		}
	}
	if server != nil {
		change := func() error { return server.Set(ctx, settingsOf(cell)) }
		if len(cell.Server) == 0 { // the server's own settings
			change = func() error { return server.Restore(ctx) }
		}
		if err := change(); err != nil {
			return job.Job{}, err
		}
	}
	own, _ := x.Plan.Overrides(cell.Values)
	order, err := e.signIn(ctx, e.sources(x.Plan.Path, own, nil), cell.Order)
	if err != nil {
		return job.Job{}, err
	}
	return performOne(ctx, e.program, order, &e.flags)
}

// describe names a cell: "users=4 client_sql=true".
func describe(plan settings.Plan, cell experiment.Cell) string {
	var parts []string
	for i, f := range plan.Factors {
		if len(cell.Server) > 0 || !strings.HasPrefix(f.Name, settings.ServerPrefix) {
			parts = append(parts, f.Name+"="+cell.Values[i])
		}
	}
	return strings.Join(parts, " ")
}

// build drops the schema of a step, if there is one, and builds it.
func (e *experimenting) build(ctx context.Context, x experiment.Experiment, step experiment.Step) error {
	overrides, _ := x.Plan.Overrides(x.Cells[step.Cell].Values)
	defer func(ofRun string) { e.flags.Title = ofRun }(e.flags.Title)
	for _, action := range []job.Action{job.Delete, job.Build} {
		from := e.sources(x.Plan.Path, overrides, []string{job.LabelExperiment + "=" + x.Plan.Name})
		order, err := e.program.Resolver.Resolve(action, from)
		if err != nil {
			return err
		}
		e.flags.Title = string(action)
		if order, err = e.signIn(ctx, from, order); err != nil {
			return err
		}
		j, err := jobflags.Perform(ctx, e.program, order, &e.flags)
		if action == job.Delete && job.ExitOf(err) == job.ExitMissing && !e.flags.Interrupted {
			continue // there is no schema to drop
		}
		if err = cmp.Or(err, interrupted(&e.flags)); err != nil {
			return err
		}
		tell(e.program, fmt.Sprintf("%s: %s, job %s", action, describe(x.Plan, x.Cells[step.Cell]), j.ID))
	}
	x.Built(step, e.built)
	return nil
}

func experimentShow(p *program.Program) *cobra.Command {
	var form results.Form
	var repositoryFile string
	c := &cobra.Command{
		Use:   "show PLAN",
		Short: "Show the figures of an experiment by the values of its settings",
		Long: `Show lists the cells of an experiment with the median of their runs, its 95 % interval, the range
and the 99th percentile of response times. Then it shows how each setting changes the figure. PLAN
is a plan, or the name of an experiment without its plan.`,
		Example: program.Examples(
			"sledge experiment show scaling.toml",
			"sledge experiment show scaling --markdown",
			"sledge experiment show scaling --html scaling.html",
			"sledge experiment show scaling --csv > scaling.csv",
			"sledge experiment show scaling --json | jq '.cells[].result.median'",
		),
		Args: onePlan,
		RunE: p.Body(func(ctx context.Context, args []string) error {
			if err := form.Check(); err != nil {
				return program.Usage("%w", err)
			}
			name, factors := args[0], []string(nil)
			if slices.Contains([]string{".toml", ".yaml", ".yml"}, filepath.Ext(name)) {
				plan, err := p.Resolver.ReadPlan(name)
				if err != nil {
					return err
				}
				name, factors = plan.Name, namesOf(plan)
			}
			store, err := p.ReadRepository(repositoryFile)
			if err != nil {
				return err
			}
			return errors.Join(results.ShowExperiment(ctx, p, store, name, factors, form), store.Close())
		}),
	}
	flags := c.Flags()
	form.AddTo(flags)
	form.AddTables(flags)
	flags.StringVar(&repositoryFile, "repo", "", "`file` of the job repository")
	return c
}
