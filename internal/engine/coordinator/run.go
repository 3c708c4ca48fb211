// Package coordinator does a run: its phases, the counts of the server, what goes on beside it, its result
// and its verdict. It tells a load generator what to do and hears what was measured; it knows no users,
// connections or loops.
package coordinator

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"sledge/internal/database"
	"sledge/internal/engine/feed"
	"sledge/internal/engine/load"
	"sledge/internal/engine/observer"
	"sledge/internal/engine/order"
	"sledge/internal/engine/plan"
	"sledge/internal/engine/target"
	"sledge/internal/host"
	"sledge/internal/job"
	"sledge/internal/meter"
	"sledge/internal/workload"
)

// Run does a run: it has what the run is given.
type Run struct {
	Plan    plan.Plan
	Feed    *feed.Feed
	Stop    <-chan struct{} // closed to end the run early
	Version string          // Sledge's own, for the facts

	Generator func(context.Context, plan.Binder) order.Generator // returns what works the users
	Beside    []observer.Observer                                // what goes on beside the run besides Sledge's own observers
}

// Do does the run.
func (c Run) Do(ctx context.Context) (job.Result, error) {
	switch p := c.Plan; {
	case p.Pacing.Test:
		return rehearse(ctx, c)
	case p.Pacing.Finite:
		return workThrough(ctx, c)
	}
	c.Feed.State(job.Monitor, job.UserRunning)
	result, err := doRun(ctx, c)
	c.Feed.Finish(err)
	return result, err
}

// run coordinates a run: its phases, the server's counts, what goes on beside it, its result and its
// verdict. Users, connections and loops are the generator's, of which it knows no more than the interface.
type run struct {
	setup Run
	link  *link
	heard heard

	plan   plan.Plan // of the first group, whose options say how long the run is and what it is judged by
	groups runGroups
	grace  time.Duration
	feed   *feed.Feed

	leave     func()       // gives the claim of a run without a monitor back
	checkFile func() error // whether the file of an embedded database is still there

	beside  *observer.Group   // what goes on beside the run; nil before users have connected
	commits *observer.Commits // audits acknowledged commits; nil if they are not noted
	counts  serverCounts
}

// runGroup is a group of users as the coordinator sees it.
type runGroup struct {
	plan.Group
	number     int
	silence    workload.Silence // what the server may roll back without a word
	contention *job.Contention  // what users are to expect of each other; nil for little
	servers    []string         // versions, of those that the connections of the pool lead to
	arrivals   *load.Arrivals   // when transactions are scheduled; nil leaves that to the users

	reported meter.Summary     // by seconds, of the measured time
	claimed  int64             // arrivals that users had taken when the time was up
	totals   order.GroupTotals // when users have ended
}

// doRun connects every virtual user, lets them all work through ramp-up and
// measurement, and returns what was measured.
func doRun(ctx context.Context, c Run) (job.Result, error) {
	p, stop := c.Plan, c.Stop
	if err := checkFiles(p, host.OpenFiles()); err != nil {
		return job.Result{}, err
	}
	monitor, err := target.ConnectSteady(ctx, p.Job)
	if err != nil {
		return job.Result{}, target.Interrupted(ctx, job.Run, err)
	}
	release, err := target.ShareClaim(ctx, p.Job, monitor)
	if err != nil {
		target.CloseQuietly(&monitor)
		return job.Result{}, target.Interrupted(ctx, job.Run, err)
	}
	defer func() { _ = release() }() // it ends with this process
	var r *run
	defer func() {
		// Side by side: a server that does not answer holds up each of them.
		var leaving sync.WaitGroup
		leaving.Go(func() { target.CloseQuietly(&monitor) })
		if r != nil {
			leaving.Go(func() { r.beside.End(nil) })
			leaving.Go(r.link.close)
		}
		leaving.Wait()
	}()
	if r, err = prepare(ctx, c, monitor); err != nil {
		return job.Result{}, target.Interrupted(ctx, job.Run, err)
	}
	r.observe(ctx, r.observers(stop)...)

	m, err := r.measure(ctx, &monitor, stop)
	r.end(ctx, &m)
	result := r.result(m)
	r.beside.End(&result)
	err = r.verdict(ctx, &result, m, err)
	if unaudited := r.commits.Err(); err == nil && unaudited != nil {
		err = untidy(&result, job.Failed, job.ExitAborted, unaudited)
	}
	err = judge(p, &result, err)
	headline := result
	c.Feed.Send(job.Event{User: job.Monitor, Headline: &headline})
	if err == nil || result.Status.Whole() {
		err = errors.Join(err, maintain(ctx, p.Job, c.Feed, &result, stop))
	}
	return result, err
}

// prepare looks for the schema, asks for the facts, and tells the generator to connect the
// users. The monitor of a timed run reports meanwhile; a test has no monitor.
func prepare(ctx context.Context, c Run, s database.Session) (*run, error) {
	p, f := c.Plan, c.Feed
	tell, monitor := f.As(job.Monitor), job.Monitor
	if p.Pacing.Unmonitored() {
		tell = func(job.Event) {}
	}
	if p.Pacing.Test {
		monitor = 0
	}
	var schema target.SchemaState
	var err error
	if p.Job, schema, err = target.FindSchema(ctx, p.Job, s); err != nil {
		return nil, err
	}
	if p.Pacing.Kept.TimeProfile {
		tell(job.Event{Step: &job.Step{Name: job.StepTimeProfile, Stage: job.Begins}})
	}
	if err := target.Introduce(ctx, p.Job, s, tell); err != nil {
		return nil, err
	}
	facts, err := target.FindFacts(ctx, p.Job, s, c.Version)
	if err != nil {
		return nil, err
	}
	if facts.Product != "" {
		f.Message(0, "%s", target.AnsweredBy(p.Job, facts.Product))
	}
	if facts.Unproven != "" {
		f.Message(0, "%s", facts.Unproven)
	}
	if p.Job, err = target.ThroughPooler(p.Job, database.Pooling(facts.Pooling)); err != nil {
		return nil, err
	}
	if database.Pooling(facts.Pooling).Shares() && p.Schema.Claims != nil {
		f.Message(0, "Through a connection pooler in %s mode this run holds no claim: a build or deletion in %s would not be refused. Start none", facts.Pooling, p.Target())
	}
	f.Send(job.Event{User: monitor, Facts: &facts})
	r := &run{setup: c, plan: p, feed: f, grace: p.Grace, checkFile: databaseFile(p.Job), link: &link{}}
	first, err := newRunGroup(ctx, p, schema, s)
	if err != nil {
		return nil, err
	}
	r.groups = runGroups{first}
	for i, other := range p.Others {
		other.Say = p.Say
		next, err := prepareBeside(ctx, other, s, facts)
		if err != nil {
			return nil, fmt.Errorf("group %s: %w", other.Spec.Group, err)
		}
		next.number = i + 1
		r.groups = append(r.groups, next)
	}
	if err := schema.Keep(ctx, p.Job, s); err != nil { // not before what cannot be done is refused
		return nil, err
	}
	for _, g := range r.groups {
		if err = preflight(ctx, g.Group, f); err != nil {
			return nil, err
		}
	}
	if first.servers, err = checkPool(ctx, p, facts); err != nil {
		return nil, err
	}
	r.counts = serverCounts{plan: p, groups: r.groups, link: r.link, feed: f}
	if err = r.connectUsers(ctx); err == nil {
		err = r.keepLedger(ctx, s)
	}
	if err != nil {
		r.link.close()
		return nil, err
	}
	return r, nil
}

// prepareBeside looks for the schema of a group beside the first.
func prepareBeside(ctx context.Context, p plan.Plan, s database.Session, facts job.Facts) (*runGroup, error) {
	var schema target.SchemaState
	var err error
	if p.Job, schema, err = target.FindSchema(ctx, p.Job, s); err != nil {
		return nil, err
	}
	if p.Job, err = target.ThroughPooler(p.Job, database.Pooling(facts.Pooling)); err != nil {
		return nil, err
	}
	return newRunGroup(ctx, p, schema, s)
}

// newRunGroup asks about the users of a group what has to be known before they connect.
func newRunGroup(ctx context.Context, p plan.Plan, schema target.SchemaState, s database.Session) (*runGroup, error) {
	g := &runGroup{Group: plan.Group{Plan: p}, reported: meter.NewSummary(len(p.Workload.Kinds))}
	var err error
	if p.Workload.Evidence.Silence != nil {
		if g.silence, err = p.Workload.Evidence.Silence(ctx, s, p.SQL, p.Settings); err != nil {
			return nil, err
		}
	}
	if g.contention, err = findContention(ctx, p, s); err != nil {
		return nil, err
	}
	if p.Workload.Users.Survey != nil {
		if g.Survey, err = p.Workload.Users.Survey(ctx, schema.Look(p.Job, s)); err != nil {
			return nil, err
		}
	}
	if p.Spec.Group != "" && p.Workload.Users.Stages != nil {
		if names, err := p.Workload.Users.Stages(p.Settings, p.Users, g.Survey); err != nil || len(names) > 0 {
			return nil, job.WithExit(job.ExitUsage, errors.Join(errors.New("a run of several groups cannot have stages yet"), err))
		}
	}
	if p.Pacing.Finite {
		if g.Stages, err = stagesOf(p, g.Survey); err != nil {
			return nil, err
		}
	}
	if p.Pacing.Rate.Arrivals != nil && !p.Pacing.Unmonitored() {
		g.arrivals = p.Pacing.Rate.Arrivals(p.Spec.Seed)
	}
	return g, nil
}

// findContention asks the workload what users must expect of each other. In a database
// inside this process it is not by rows that they wait for each other.
func findContention(ctx context.Context, p plan.Plan, s database.Session) (*job.Contention, error) {
	if p.Workload.Evidence.Contention == nil || p.Database.Embedded() {
		return nil, nil
	}
	return p.Workload.Evidence.Contention(ctx, s, p.SQL, workload.Crowd{Users: p.Terminals(), Seed: p.Spec.Seed, Kinds: p.Kinds, Options: p.Settings, Rand: p.Rand})
}

// stagesOf returns the names of a run's stages; one without a name if the workload has no stages.
func stagesOf(p plan.Plan, survey any) ([]string, error) {
	one := []string{""}
	if p.Workload.Users.Stages == nil {
		return one, nil
	}
	names, err := p.Workload.Users.Stages(p.Settings, p.Users, survey)
	if err != nil {
		return nil, job.WithExit(job.ExitUsage, err)
	}
	if len(names) == 0 {
		return one, nil
	}
	return names, nil
}

// kindName returns what a kind is called in the run.
func (g *runGroup) kindName(kind meter.Kind) string { return g.Plan.Workload.Kinds[kind].Name }

// connectUsers tells the generator to connect the users.
func (r *run) connectUsers(ctx context.Context) error {
	var specs []job.Spec
	users := 0
	for _, g := range r.groups {
		specs = append(specs, g.Plan.Spec)
		users += g.Plan.Terminals()
	}
	next := 0
	bind := func(job.Spec) (plan.Group, error) {
		next++
		return r.groups[next-1].Group, nil
	}
	r.link.generator = r.setup.Generator(ctx, bind)
	roster, err := r.link.generator.Prepare(ctx, specs)
	if err != nil {
		return err
	}
	if roster.Users != users {
		return fmt.Errorf("the load generator has %d of %d users", roster.Users, users)
	}
	r.link.reports = listen(r.link.generator.Reports())
	return nil
}
