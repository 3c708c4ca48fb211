// Package engine executes jobs on this machine: it builds the schema of a workload, runs virtual
// users on it, checks it, and deletes it.
package engine

import (
	"context"
	"fmt"
	"strings"
	"time"

	"sledge/internal/agent"
	"sledge/internal/catalog"
	"sledge/internal/engine/ceiling"
	"sledge/internal/engine/coordinator"
	"sledge/internal/engine/feed"
	"sledge/internal/engine/generator"
	"sledge/internal/engine/observer"
	"sledge/internal/engine/order"
	"sledge/internal/engine/plan"
	"sledge/internal/engine/target"
	"sledge/internal/host"
	"sledge/internal/job"
)

// Local executes jobs on this machine. It implements job.Runner.
type Local struct {
	catalog.Catalog
	Version string // Sledge's version, for the facts of a job
	Program string // the path of this program, which a ceiling starts as its stand-in; "" if it cannot be one

	// Agents are the saved agents of other machines, which runs may watch. Optional.
	Agents agent.List

	// Beside returns additional observers of a run. Optional.
	Beside func(plan.Plan) []observer.Observer

	// Through wraps the generator of a run. Optional.
	Through func(order.Generator) order.Generator
}

var _ job.Runner = Local{}

// Do executes a spec. The result describes how the job ended, also if there is an error.
func (l Local) Do(ctx context.Context, spec job.Spec, control job.Control) (job.Result, error) {
	p, err := l.Plan(spec)
	if err != nil {
		return failed(job.Result{Extent: job.Extent{Started: time.Now()}}, err), job.WithExit(job.ExitUsage, err)
	}
	return l.DoPlan(ctx, p, control)
}

// DoPlan executes the spec of a plan, as Do does, for a caller that already has the plan.
func (l Local) DoPlan(ctx context.Context, p plan.Plan, control job.Control) (job.Result, error) {
	started := time.Now()
	f := &feed.Feed{Watchers: control.Watchers, Direct: control.Direct}
	p.Say = f.MessageOnce
	facts := job.Facts{SledgeVersion: l.Version, SledgeSHA256: host.Program(), Target: p.Target(), Host: host.This()}
	if p.Spec.Action == job.MeasureCeiling {
		facts.Target = ceiling.Target(p)
	}
	f.Send(job.Event{Facts: &facts}) // known even if no server responds
	result, err := l.perform(ctx, p.Spec.Action, p, f, control.Stop)
	if result.Started.IsZero() {
		result.Started, result.Elapsed = started, time.Since(started).Seconds()
	}
	if err != nil {
		return failed(result, err), err
	}
	if result.Status == "" {
		result.Status = job.Succeeded
	}
	return result, nil
}

// perform executes an action, and reports the state of its first virtual user.
func (l Local) perform(ctx context.Context, action job.Action, p plan.Plan, f *feed.Feed, stop <-chan struct{}) (result job.Result, err error) {
	if action == job.Run {
		watched, err := watched(l.Agents, p)
		if err != nil {
			return result, err
		}
		return l.run(p, watched, f, stop).Do(ctx)
	}
	if action == job.MeasureCeiling {
		result, err = ceiling.Measurement{Program: l.Program, Plan: p, Feed: f, Stop: stop}.Do(ctx)
		return result, target.Interrupted(ctx, action, err)
	}
	f.State(job.Monitor, job.UserRunning)
	switch action {
	case job.Build:
		result, err = build(ctx, p.Job, f)
		err = target.Interrupted(ctx, action, err)
	case job.Check:
		result, err = check(ctx, p.Job, f)
		err = target.Interrupted(ctx, action, err)
	case job.Delete:
		result, err = remove(ctx, p.Job, f)
		err = target.Interrupted(ctx, action, err)
	default:
		err = job.WithExit(job.ExitUsage, fmt.Errorf("there is no action %q", action))
	}
	f.Finish(err)
	return result, err
}

// watched returns the agents of a plan.
func watched(agents agent.List, p plan.Plan) (list []agent.Saved, err error) {
	names := p.Pacing.Kept.Agents
	for _, name := range names {
		one, err := agents.Get(name)
		if err != nil {
			return nil, p.Spec.Names.Wrong("agents", strings.Join(names, ","), "%w", err)
		}
		list = append(list, one)
	}
	return list, nil
}

// run returns the coordinator of a run whose users work in this process.
func (l Local) run(p plan.Plan, watched []agent.Saved, f *feed.Feed, stop <-chan struct{}) coordinator.Run {
	c := coordinator.Run{Plan: p, Agents: watched, Feed: f, Stop: stop, Version: l.Version, Generator: func(ctx context.Context, bind plan.Binder) order.Generator {
		g := generator.New(ctx, bind, f)
		if l.Through != nil {
			return l.Through(g)
		}
		return g
	}}
	if l.Beside != nil {
		c.Beside = l.Beside(p)
	}
	return c
}

// failed sets the status, the reason and the cause of a result from the error that ended it, unless
// the result already has them.
func failed(r job.Result, err error) job.Result {
	if r.Status == "" {
		r.Status = job.Failed
	}
	if r.Reason == "" {
		r.Reason = err.Error()
	}
	if r.Cause == nil {
		r.Cause = job.CauseOf(err)
	}
	return r
}

// Plan looks up the names of a spec and binds its options.
func (l Local) Plan(spec job.Spec) (plan.Plan, error) {
	pair, err := l.PairOf(spec)
	if err != nil {
		return plan.Plan{}, err
	}
	if len(spec.Beside) > 0 {
		return plan.NewOfGroups(l.Catalog, pair, spec)
	}
	return plan.New(pair, spec)
}
