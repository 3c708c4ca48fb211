package coordinator

import (
	"context"
	"errors"
	"fmt"
	"time"

	"sledge/internal/database"
	"sledge/internal/engine/feed"
	"sledge/internal/engine/load"
	"sledge/internal/engine/plan"
	"sledge/internal/engine/target"
	"sledge/internal/job"
	"sledge/internal/workload"
)

// explain records the plans of a run's queries, with the parameters of the first user's first query
// set. It uses its own session after the measured time, so that it does not disturb the run. It
// precedes post-run maintenance, which may change the statistics that plans depend on. If it cannot
// get a plan, it records the error instead, and the status of the run does not change.
//
// After a stop request it does not execute queries to time them.
func explain(ctx context.Context, p plan.Plan, f *feed.Feed, result *job.Result, stop <-chan struct{}) {
	asked := p.Pacing.Kept.Plans
	if asked == load.NoPlans || p.Workload.Users.Queries == nil || p.Server.Explain == nil || ctx.Err() != nil {
		return
	}
	e := explainer{plan: p, stop: stop, began: time.Now(), until: time.Now().Add(min(p.Pacing.Duration, plan.FarOff))}
	defer e.close()
	queries, err := e.queries(ctx)
	step := job.Step{Name: job.StepPlans, Count: int64(len(queries))}
	if asked == load.TimedPlans && e.mayExecute() == nil {
		step.Kind = string(asked)
	}
	f.Step(job.Monitor, step)
	result.Explained = &job.Explained{Queries: len(queries), Asked: string(asked)}
	if err != nil {
		result.Explained.Why = err.Error()
	}
	for i, q := range queries {
		if ctx.Err() != nil {
			break
		}
		f.Send(job.Event{User: job.Monitor, Progress: &job.Progress{Step: "plans", Detail: p.Workload.Kinds[q.Kind].Name, Done: int64(i), Total: int64(len(queries)), Unit: "queries"}})
		plan := e.explain(ctx, q)
		result.Plans = append(result.Plans, plan)
		result.Explained.Add(plan)
	}
	result.Explained.Seconds = time.Since(e.began).Seconds()
	step.Stage, step.Count, step.Seconds = job.Ends, int64(result.Explained.Plans), result.Explained.Seconds
	f.Step(job.Monitor, step)
}

// explainer gets plans, one after another.
type explainer struct {
	plan    plan.Plan
	stop    <-chan struct{}
	session database.Session // nil before the first plan and after a failed call
	lost    error            // why no plan is available
	began   time.Time
	until   time.Time // no query is executed from then on
}

// queries returns the queries of the first user.
func (e *explainer) queries(ctx context.Context) ([]workload.Query, error) {
	p := e.plan
	slot := workload.Slot{
		Users: p.Terminals(), Seed: p.Spec.Seed, Options: p.Settings, SQL: p.SQL,
		Rand: p.Rand(0), Tell: func(job.Event) {},
	}
	if p.Workload.Users.Survey != nil {
		s, err := e.connected(ctx)
		if err != nil {
			return nil, err
		}
		if slot.Survey, err = p.Workload.Users.Survey(ctx, target.SchemaState{}.Look(p.Job, s)); err != nil {
			return nil, err
		}
	}
	return p.Workload.Users.Queries(slot), nil
}

// connected returns the session. If it is nil, connected opens it, unless an earlier attempt
// failed.
func (e *explainer) connected(ctx context.Context) (database.Session, error) {
	if e.session == nil && e.lost == nil {
		e.session, e.lost = target.Connect(ctx, e.plan.Job, database.Owner)
	}
	return e.session, e.lost
}

func (e *explainer) close() { target.CloseQuietly(&e.session) }

// explain gets the plan of a query, with times if they are requested. If it cannot get the times,
// it gets the plan without them.
func (e *explainer) explain(ctx context.Context, q workload.Query) job.QueryPlan {
	plan := job.QueryPlan{Kind: e.plan.Workload.Kinds[q.Kind].Name, Stream: q.Stream, Query: q.Text}
	if q.Err != nil {
		plan.Error = q.Err.Error()
		return plan
	}
	var untimed error
	if e.plan.Pacing.Kept.Plans == load.TimedPlans {
		if untimed = e.mayExecute(); untimed == nil {
			if untimed = e.execute(ctx, &plan); untimed == nil {
				plan.Timed = true
				return plan
			}
		}
		plan.Error = "no times: " + untimed.Error()
	}
	if err := e.ask(ctx, e.plan.Server.Explain, &plan, planning, errTooLongPlanned); err != nil {
		plan.Error = err.Error()
	}
	return plan
}

// planning limits the time for a plan without times. Most take milliseconds, but some databases
// execute parts of a query to plan it.
const planning = time.Minute

var errTooLongPlanned = fmt.Errorf("the database took longer than %s to plan the query", planning)

// mayExecute returns an error if no more queries may be executed.
func (e *explainer) mayExecute() error {
	select {
	case <-e.stop:
		return errors.New("the run was stopped")
	default:
	}
	if !time.Now().Before(e.until) {
		return fmt.Errorf("the time limit of %s was over", e.plan.Pacing.Duration)
	}
	return nil
}

// execute gets the plan with times, within the rest of the time limit and the limit of one query.
func (e *explainer) execute(ctx context.Context, plan *job.QueryPlan) error {
	limit, why := time.Until(e.until), errors.New("the time limit was over before the query ended")
	if most := e.plan.Pacing.Limit; most > 0 && most < limit {
		limit, why = most, fmt.Errorf("it took longer than %s, which is what option %s allows", most, e.plan.Spec.Names.Of("query_limit"))
	}
	return e.ask(ctx, e.plan.Server.ExplainTimed, plan, limit, why)
}

// ask gets the lines of a plan with how. After limit it cancels the request and returns why. After
// a failure it closes the session, whose state is unknown.
func (e *explainer) ask(ctx context.Context, how database.Explainer, plan *job.QueryPlan, limit time.Duration, why error) error {
	s, err := e.connected(ctx)
	if err != nil {
		return err
	}
	limited, done := context.WithTimeout(ctx, limit+target.Cancelling) // if the server does not cancel the request
	defer done()
	cancelled := make(chan struct{})
	timer := time.AfterFunc(limit, func() {
		defer close(cancelled)
		asking, done := context.WithTimeout(limited, target.Asking)
		defer done()
		_ = s.Cancel(asking) // if this fails, the request continues until limited ends
	})
	began := time.Now()
	answer, err := how(limited, s, plan.Query)
	plan.Seconds = time.Since(began).Seconds()
	if !timer.Stop() {
		<-cancelled
		e.close() // a late cancellation could hit the next request
		if err != nil && ctx.Err() == nil {
			return why
		}
	}
	if err != nil {
		e.close()
		return err
	}
	if plan.Lines = e.plan.Database.Dialect.ReadPlan(answer); len(plan.Lines) == 0 {
		return fmt.Errorf("%s returned no plan", e.plan.Database.Title)
	}
	return nil
}
