// Package coordinator executes a run: its phases, the server's counts, its observers, its result
// and its verdict. It commands a load generator and receives its measurements. It does not know
// users, connections or event loops.
package coordinator

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"sledge/internal/agent"
	"sledge/internal/database"
	"sledge/internal/doctor"
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

// Run holds the input of a run.
type Run struct {
	Plan    plan.Plan
	Feed    *feed.Feed
	Stop    <-chan struct{} // closed to end the run early
	Version string          // Sledge's version, for the facts

	Generator func(context.Context, plan.Binder) order.Generator // returns the load generator
	Agents    []agent.Saved                                      // of the machines that the run watches
	Beside    []observer.Observer                                // observers in addition to Sledge's own
}

// Do executes the run.
func (c Run) Do(ctx context.Context) (job.Result, error) {
	if err := c.restore(ctx); err != nil {
		return job.Result{}, err
	}
	switch p := c.Plan; {
	case p.Pacing.Test:
		return rehearse(ctx, c)
	case p.Pacing.Finite:
		return runFinite(ctx, c)
	}
	c.Feed.State(job.Monitor, job.UserRunning)
	result, err := doRun(ctx, c)
	c.Feed.Finish(err)
	return result, err
}

// run is the state of a run. Users, connections and event loops belong to the generator.
type run struct {
	setup     Run
	link      *link
	intervals intervalCount

	plan   plan.Plan // plan of the first group; its options determine the duration and the thresholds
	groups runGroups
	grace  time.Duration
	feed   *feed.Feed

	leave     func()       // releases the claim of a run without a monitor
	checkFile func() error // checks that the file of an embedded database still exists

	beside   *observer.Group // observers; nil before users have connected
	own      ownSessions
	course   course
	subject  *doctor.Subject // checked before users work; nil if the run is not timed
	facts    job.Facts       // of the server and of the machines; guarded by machines
	machines sync.Mutex
	commits  *observer.Commits // audits acknowledged commits; nil without a ledger

	connecting time.Duration // of the users, before the run
	rampUp     time.Duration // length of the ramp-up that has ended
	unsettled  bool          // the rate had not settled at its end, although it was to
	counts     serverCounts
}

// runGroup is the coordinator's view of a group of users.
type runGroup struct {
	plan.Group
	number     int
	silence    workload.Silence // transactions that the server may roll back without an error
	contention *job.Contention  // expected contention between users; nil if it is low
	servers    []string         // versions of the servers of the pool's connections
	arrivals   *load.Arrivals   // schedule of transactions; nil without a rate

	reported meter.Summary     // sum of the reported seconds of the measured time
	claimed  int64             // arrivals that users had claimed at the end of the measured time
	totals   order.GroupTotals // set after users have ended
}

// doRun connects every virtual user, runs the ramp-up and the measurement, and returns the result.
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
	defer func() { _ = release() }() // the claim also ends with this process
	var r *run
	defer func() {
		// Close concurrently, because a server that does not respond delays each call.
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
	r.course.describe(&result, r.serverMachine(), r.steadyLoad())
	result.Traits = append(result.Traits, r.traits(result, m)...)
	err = r.verdict(ctx, &result, m, err)
	if unaudited := r.commits.Err(); err == nil && unaudited != nil {
		err = failedAfterwards(&result, job.Failed, job.ExitAborted, unaudited)
	}
	err = judge(p, &result, err)
	headline := result
	c.Feed.Send(job.Event{User: job.Monitor, Headline: &headline})
	if err == nil || result.Status.Whole() {
		err = errors.Join(err, maintain(ctx, p.Job, c.Feed, &result, stop))
	}
	return result, err
}

// prepare finds the schema, reads the facts, and tells the generator to connect the users. The
// monitor of a timed run reports its steps; a test has no monitor.
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
		f.Message(0, "Through a connection pooler in %s mode this run holds no claim, so a build or a deletion in %s would not be refused. Do not start one during the run", facts.Pooling, p.Target())
	}
	f.Send(job.Event{User: monitor, Facts: &facts})
	r := &run{setup: c, facts: facts, plan: p, feed: f, grace: p.Grace, checkFile: databaseFile(p.Job), link: &link{}}
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
	if err := schema.Keep(ctx, p.Job, s); err != nil { // after all refusals
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
	if !p.Pacing.Unmonitored() {
		r.subject = target.Subject(p, host.ThisMachine("", ""))
		r.subject.Load.Crowd = first.contention
	}
	r.counts = serverCounts{plan: p, groups: r.groups, link: r.link, feed: f, own: &r.own}
	if err = r.connectUsers(ctx); err == nil {
		err = r.keepLedger(ctx, s)
	}
	if err != nil {
		r.link.close()
		return nil, err
	}
	return r, nil
}

// prepareBeside finds the schema of a group other than the first.
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

// newRunGroup returns a group with the facts that its users need before they connect.
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

// Crowd returns how the users of a plan would wait for each other; nil if they seldom do. Its error
// means that there is no schema.
func Crowd(ctx context.Context, p plan.Plan, s database.Session) (*job.Contention, error) {
	j, _, err := target.FindSchema(ctx, p.Job, s)
	if err != nil {
		return nil, err
	}
	p.Job = j
	return findContention(ctx, p, s)
}

// findContention asks the workload for the expected contention between users. Users of an embedded
// database do not wait for each other's rows.
func findContention(ctx context.Context, p plan.Plan, s database.Session) (*job.Contention, error) {
	if p.Workload.Evidence.Contention == nil || p.Database.Embedded() {
		return nil, nil
	}
	return p.Workload.Evidence.Contention(ctx, s, p.SQL, workload.Crowd{Users: p.Terminals(), Seed: p.Spec.Seed, Kinds: p.Kinds, Options: p.Settings, Rand: p.Rand})
}

// stagesOf returns the names of a run's stages, or one empty name if the workload has no stages.
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

// kindName returns the name of a kind in the run.
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
	from := time.Now()
	roster, err := r.link.generator.Prepare(ctx, specs)
	r.connecting = time.Since(from)
	if err != nil {
		return err
	}
	if roster.Users != users {
		return fmt.Errorf("the load generator has %d of %d users", roster.Users, users)
	}
	r.link.reports = listen(r.link.generator.Reports())
	return nil
}
