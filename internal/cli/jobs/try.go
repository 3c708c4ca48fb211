package jobs

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"sledge/internal/cli/program"
	"sledge/internal/cli/results"
	"sledge/internal/experiment"
	"sledge/internal/job"
	"sledge/internal/option"
	"sledge/internal/repository"
	"sledge/internal/settings"
	"sledge/internal/tuning"
)

func experimentTry(p *program.Program) *cobra.Command {
	e := &experimenting{program: p, built: map[string]string{}}
	c := &cobra.Command{
		Use:   "try PLAN",
		Short: "Perform the runs that another program asks for: an optimizer, for example",
		Long: `Try reads combinations of values from standard input, one JSON object in each line, performs the
runs of each, and prints its result as one JSON object in a line. So any optimizer can search for the
best combination; docs/experiments.md has an example with Optuna.

  {"users": 4, "server.work_mem": "24MB"}

The names are those that the plan varies, with the prefix server. for settings of the server. The
values need not be among those of the plan. A name that is left out has the first value in the plan.

The answer has the member result with the median of the runs, or error, which says why there is no
median. A combination that was tried before is answered from its runs. The runs of a combination have
the same labels as in sledge experiment run, so sledge experiment show shows them by the name of the
experiment.

At the end of the input, and on Ctrl-C, the settings of the server are restored.`,
		Example: program.Examples(
			`echo '{"users": 4}' | sledge experiment try scaling.toml`,
		),
		Args: onePlan,
		RunE: p.Body(func(ctx context.Context, args []string) error { return e.try(ctx, args[0]) }),
	}
	c.Flags().StringVar(&e.flags.Repository, "repo", "", "`file` of the job repository")
	return c
}

// longestTrial is the limit of a line of input, in bytes.
const longestTrial = 1 << 20

// try answers each line of the input.
func (e *experimenting) try(ctx context.Context, path string) (err error) {
	p := e.program
	x, err := e.read(path)
	if err != nil {
		return err
	}
	store, err := p.OpenRepository(e.flags.Repository)
	if err != nil {
		return err
	}
	servers := map[string]*tuning.Server{}
	defer func() { err = errors.Join(err, closeServers(ctx, servers), store.Close()) }()
	if p.StdinIsTerminal {
		f := x.Plan.Factors[0]
		tell(p, fmt.Sprintf(`Type a combination in each line, such as {%q: %q}. Ctrl-C ends.`, f.Name, f.Values[0]))
	}
	lines := bufio.NewScanner(p.Stdin)
	lines.Buffer(nil, longestTrial)
	var failures []error
	n := 0
	for ; ; n++ {
		line, err := p.Ask(func() (string, error) {
			if !lines.Scan() {
				return "", cmp.Or(lines.Err(), io.EOF)
			}
			return lines.Text(), nil
		})
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return fmt.Errorf("read line %d of the input: %w", n+1, err)
		}
		trial, failure := e.tryOne(ctx, x, store, servers, line)
		if err := results.ShowTrial(ctx, p, store, trial, failure); err != nil {
			return err
		}
		if failure != nil {
			failures = append(failures, failure)
		}
		if ctx.Err() != nil || e.flags.Interrupted || job.ExitOf(failure) == job.ExitConnect {
			return failure
		}
	}
	if len(failures) > 0 {
		return fmt.Errorf("%d of %d combinations have an error, the first: %w", len(failures), n, failures[0])
	}
	return nil
}

// tryOne performs the runs of the combination in a line of the input that have not been performed.
func (e *experimenting) tryOne(ctx context.Context, x experiment.Experiment, store *repository.Store, servers map[string]*tuning.Server, line string) (results.Combination, error) {
	trial := results.Combination{Experiment: x.Plan.Name, Factors: namesOf(x.Plan)}
	values, err := valuesOf(x.Plan, line)
	if err != nil {
		return trial, job.WithExit(job.ExitUsage, err)
	}
	trial.Values = values
	x, err = x.Only(values)
	if err != nil {
		return trial, err
	}
	cell := x.Cells[0]
	trial.Cell = cell.Order.Spec.Labels[job.LabelCell]
	if len(cell.Server) > 0 && servers[cell.Target] == nil {
		if servers[cell.Target], err = e.openServer(ctx, x.Plan, cell); err != nil {
			delete(servers, cell.Target)
			return trial, err
		}
	}
	runs, err := store.List(ctx, trial.Query())
	if err != nil {
		return trial, err
	}
	return trial, e.performOn(ctx, x, x.StateOf(runs), servers, experiment.NewClock(0))
}

// valuesOf returns the values in a line of the input, in the order of the factors.
func valuesOf(plan settings.Plan, line string) ([]string, error) {
	var given map[string]any
	values := json.NewDecoder(strings.NewReader(line))
	values.UseNumber()
	if err := values.Decode(&given); err != nil || values.More() {
		return nil, fmt.Errorf(`%.200q is not a JSON object: give a line such as {"%s": "%s"}`, line, plan.Factors[0].Name, plan.Factors[0].Values[0])
	}
	names := namesOf(plan)
	for name := range given {
		if !slices.Contains(names, name) {
			return nil, fmt.Errorf("the plan does not vary %s%s", name, option.Suggest(name, names))
		}
	}
	var list []string
	for _, f := range plan.Factors {
		value, has := given[f.Name]
		if !has {
			value = f.Values[0]
		}
		switch value.(type) {
		case string, json.Number, bool:
			list = append(list, fmt.Sprint(value))
		default:
			return nil, fmt.Errorf("%s: give a number, a text, true or false", f.Name)
		}
	}
	return list, nil
}
