package jobs

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"sledge/internal/agent"
	"sledge/internal/cli/program"
	"sledge/internal/experiment"
	"sledge/internal/settings"
	"sledge/internal/tuning"
)

// settingsOf returns the settings of the server in a cell.
func settingsOf(cell experiment.Cell) (list []tuning.Setting) {
	for _, o := range cell.Server {
		list = append(list, tuning.Setting{Name: o.Name, Value: o.Value})
	}
	return list
}

// openServers prepares to change settings of the servers of the runs that are left, by the cells'
// targets, and tries each value once. It restores what an earlier process has left.
func (e *experimenting) openServers(ctx context.Context, x experiment.Experiment, state experiment.State) (map[string]*tuning.Server, error) {
	servers, values := map[string]*tuning.Server{}, map[string][]tuning.Setting{}
	tried := map[string]bool{}
	for _, step := range state.Left {
		cell := x.Cells[step.Cell]
		if len(cell.Server) == 0 {
			continue
		}
		if servers[cell.Target] == nil {
			s, err := e.openServer(ctx, x.Plan, cell)
			if err != nil {
				return nil, errors.Join(err, closeServers(ctx, servers))
			}
			servers[cell.Target] = s
		}
		for _, one := range settingsOf(cell) {
			if key := cell.Target + "\n" + one.Name + "=" + one.Value; !tried[key] {
				tried[key] = true
				values[cell.Target] = append(values[cell.Target], one)
			}
		}
	}
	for target, s := range servers {
		if err := s.Try(ctx, values[target]); err != nil {
			return nil, errors.Join(fmt.Errorf("plan %s: %w", x.Plan.Path, err), closeServers(ctx, servers))
		}
	}
	return servers, nil
}

func (e *experimenting) openServer(ctx context.Context, plan settings.Plan, cell experiment.Cell) (*tuning.Server, error) {
	how := tuning.Restarting{
		Command: plan.Restart,
		File:    plan.SettingsFile,
		Write:   plan.WriteSettings,
		Say:     func(text string) { tell(e.program, text) },
	}
	if plan.Agent != "" {
		var err error
		if how.Agent, err = e.agent(plan); err != nil {
			return nil, err
		}
	}
	own, _ := plan.Overrides(cell.Values)
	order, err := e.signIn(ctx, e.sources(plan.Path, own, nil), cell.Order)
	if err != nil {
		return nil, err
	}
	folder, err := privateFolder(e.program, e.flags.Repository)
	if err != nil {
		return nil, err
	}
	s, said, err := tuning.Open(ctx, folder, order.Plan.Job, how)
	for _, sentence := range said {
		warn(e.program, sentence)
	}
	return s, err
}

// agent returns a client of the plan's agent.
func (e *experimenting) agent(plan settings.Plan) (*agent.Client, error) {
	list, err := e.program.Agents()
	if err != nil {
		return nil, err
	}
	saved, err := list.Get(plan.Agent)
	if err != nil {
		return nil, fmt.Errorf("plan %s: %w", plan.Path, err)
	}
	return agent.NewClient(saved), nil
}

// closeServers restores the settings of servers. It works even if ctx has been cancelled.
func closeServers(ctx context.Context, servers map[string]*tuning.Server) error {
	var failures []error
	for _, s := range servers {
		failures = append(failures, s.Restore(ctx))
		s.Close()
	}
	return errors.Join(failures...)
}

func experimentRestore(p *program.Program) *cobra.Command {
	e := &experimenting{program: p}
	c := &cobra.Command{
		Use:   "restore PLAN",
		Short: "Restore the settings of the server that an experiment has left changed",
		Long: `Restore puts back the settings of the servers that an experiment changed and could not restore,
because Sledge was killed or the server was away. The next run of an experiment on the server does
so, too. An experiment that ends in any other way restores them itself.`,
		Example: program.Examples("sledge experiment restore memory.toml"),
		Args:    onePlan,
		RunE: p.Body(func(ctx context.Context, args []string) error {
			x, err := e.read(args[0])
			if err != nil {
				return err
			}
			seen := map[string]bool{}
			for _, cell := range x.Cells {
				if seen[cell.Target] {
					continue
				}
				seen[cell.Target] = true
				s, err := e.openServer(ctx, x.Plan, cell)
				if err != nil {
					return err
				}
				s.Close()
				fmt.Fprintf(p.Stdout, "%s: no setting is left changed.\n", cell.Target)
			}
			return nil
		}),
	}
	c.Flags().StringVar(&e.flags.Repository, "repo", "", "`file` of the job repository")
	return c
}
