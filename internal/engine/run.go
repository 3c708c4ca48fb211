package engine

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"sledge/internal/database"
	"sledge/internal/engine/load"
	"sledge/internal/engine/observer"
	"sledge/internal/engine/order"
	"sledge/internal/host"
	"sledge/internal/job"
	"sledge/internal/meter"
	"sledge/internal/workload"
)

// coordinator does a run: it has what the run is given.
type coordinator struct {
	plan    Plan
	feed    *feed
	stop    <-chan struct{} // closed to end the run early
	version string          // Sledge's own, for the facts

	generator func(context.Context, binder) order.Generator // returns what works the users
	beside    []observer.Observer                           // what goes on beside the run besides Sledge's own observers
}

// do does the run.
func (c coordinator) do(ctx context.Context) (job.Result, error) {
	switch p := c.plan; {
	case p.Pacing.Test:
		return rehearse(ctx, c)
	case p.Pacing.Finite:
		return workThrough(ctx, c)
	}
	c.feed.state(job.Monitor, job.UserRunning)
	result, err := doRun(ctx, c)
	c.feed.finish(err)
	return result, err
}

// run coordinates a run: its phases, the server's counts, what goes on beside it, its result and its
// verdict. Users, connections and loops are the generator's, of which it knows no more than the interface.
type run struct {
	setup     coordinator
	generator order.Generator
	reports   *reports
	heard     heard

	plan   Plan        // of the first group, whose options say how long the run is and what it is judged by
	groups []*runGroup // one at least
	grace  time.Duration
	feed   *feed

	leave     func()       // gives the claim of a run without a monitor back
	checkFile func() error // whether the file of an embedded database is still there

	beside  *observer.Group   // what goes on beside the run; nil before users have connected
	counter *observer.Counter // polls the server's count; nil if nothing does
	commits *observer.Commits // audits acknowledged commits; nil if they are not noted

	rated   *observer.Reading // of the server's count, the last that a second was reported with
	toldAll time.Time         // when users last had told the server what they had done
}

// runGroup is a group of users as the coordinator sees it.
type runGroup struct {
	boundGroup
	number     int
	name       string           // "" of the only one
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
func doRun(ctx context.Context, c coordinator) (job.Result, error) {
	p, stop := c.plan, c.stop
	if err := checkFiles(p, host.OpenFiles()); err != nil {
		return job.Result{}, err
	}
	monitor, err := connectSteady(ctx, p)
	if err != nil {
		return job.Result{}, interrupted(ctx, job.Run, err)
	}
	release, err := shareClaim(ctx, p, monitor)
	if err != nil {
		closeQuietly(&monitor)
		return job.Result{}, interrupted(ctx, job.Run, err)
	}
	defer func() { _ = release() }() // it ends with this process
	var r *run
	defer func() {
		// Side by side: a server that does not answer holds up each of them.
		var leaving sync.WaitGroup
		leaving.Go(func() { closeQuietly(&monitor) })
		if r != nil {
			leaving.Go(func() { r.beside.End(nil) })
			leaving.Go(r.close)
		}
		leaving.Wait()
	}()
	if r, err = prepare(ctx, c, monitor); err != nil {
		return job.Result{}, interrupted(ctx, job.Run, err)
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
	c.feed.send(job.Event{User: job.Monitor, Headline: &headline})
	if err == nil || result.Status.Whole() {
		err = errors.Join(err, maintain(ctx, p, c.feed, &result, stop))
	}
	return result, err
}

// prepare looks for the schema, asks for the facts, and tells the generator to connect the
// users. The monitor of a timed run reports meanwhile; a test has no monitor.
func prepare(ctx context.Context, c coordinator, s database.Session) (*run, error) {
	p, f := c.plan, c.feed
	tell, monitor := f.tellAs(job.Monitor), job.Monitor
	if p.unmonitored() {
		tell = func(job.Event) {}
	}
	if p.Pacing.Test {
		monitor = 0
	}
	p, schema, err := findSchema(ctx, p, s)
	if err != nil {
		return nil, err
	}
	if err := introduce(ctx, p, s, tell); err != nil {
		return nil, err
	}
	facts, err := findFacts(ctx, p, s, c.version)
	if err != nil {
		return nil, err
	}
	if facts.Product != "" {
		f.message(0, "%s", answeredBy(p, facts.Product))
	}
	if facts.Unproven != "" {
		f.message(0, "%s", facts.Unproven)
	}
	if p, err = throughPooler(p, database.Pooling(facts.Pooling)); err != nil {
		return nil, err
	}
	if database.Pooling(facts.Pooling).Shares() && p.Schema.Claims != nil {
		f.message(0, "Through a connection pooler in %s mode this run holds no claim: a build or deletion in %s would not be refused. Start none", facts.Pooling, p.target())
	}
	f.send(job.Event{User: monitor, Facts: &facts})
	r := &run{setup: c, plan: p, feed: f, grace: p.Grace, checkFile: databaseFile(p), heard: heard{next: 1}}
	first, err := newRunGroup(ctx, p, schema, s)
	if err != nil {
		return nil, err
	}
	r.groups = []*runGroup{first}
	for _, other := range p.others {
		next, err := r.prepareBeside(ctx, other, s, facts)
		if err != nil {
			return nil, fmt.Errorf("group %s: %w", other.group, err)
		}
		r.groups = append(r.groups, next)
	}
	if err := schema.keep(ctx, p, s); err != nil { // not before what cannot be done is refused
		return nil, err
	}
	for _, g := range r.groups {
		if err = g.preflight(ctx, f); err != nil {
			return nil, err
		}
	}
	if err = first.checkPool(ctx, facts); err != nil {
		return nil, err
	}
	if err = r.connectUsers(ctx); err == nil {
		err = r.keepLedger(ctx, s)
	}
	if err != nil {
		r.close()
		return nil, err
	}
	return r, nil
}

// prepareBeside looks for the schema of a group beside the first.
func (r *run) prepareBeside(ctx context.Context, p Plan, s database.Session, facts job.Facts) (*runGroup, error) {
	p.Say = r.plan.Say
	p, schema, err := findSchema(ctx, p, s)
	if err != nil {
		return nil, err
	}
	if p, err = throughPooler(p, database.Pooling(facts.Pooling)); err != nil {
		return nil, err
	}
	g, err := newRunGroup(ctx, p, schema, s)
	if err != nil {
		return nil, err
	}
	g.number = len(r.groups)
	return g, nil
}

// newRunGroup asks about the users of a group what has to be known before they connect.
func newRunGroup(ctx context.Context, p Plan, schema schemaState, s database.Session) (*runGroup, error) {
	g := &runGroup{boundGroup: boundGroup{plan: p}, name: p.group, reported: meter.NewSummary(len(p.Workload.Kinds))}
	var err error
	if p.Workload.Silence != nil {
		if g.silence, err = p.Workload.Silence(ctx, s, p.SQL, p.Settings); err != nil {
			return nil, err
		}
	}
	if g.contention, err = findContention(ctx, p, s); err != nil {
		return nil, err
	}
	if p.Workload.Survey != nil {
		if g.survey, err = p.Workload.Survey(ctx, schema.look(p, s)); err != nil {
			return nil, err
		}
	}
	if p.group != "" && p.Workload.Stages != nil {
		if names, err := p.Workload.Stages(p.Settings, p.Users, g.survey); err != nil || len(names) > 0 {
			return nil, job.WithExit(job.ExitUsage, errors.Join(errors.New("a run of several groups cannot have stages yet"), err))
		}
	}
	if p.Pacing.Finite {
		if g.stages, err = stagesOf(p, g.survey); err != nil {
			return nil, err
		}
	}
	if p.Pacing.Arrivals != nil && !p.unmonitored() {
		g.arrivals = p.Pacing.Arrivals(p.Seed)
	}
	return g, nil
}

// stagesOf returns the names of a run's stages; one without a name if the workload has no stages.
func stagesOf(p Plan, survey any) ([]string, error) {
	one := []string{""}
	if p.Workload.Stages == nil {
		return one, nil
	}
	names, err := p.Workload.Stages(p.Settings, p.Users, survey)
	if err != nil {
		return nil, job.WithExit(job.ExitUsage, err)
	}
	if len(names) == 0 {
		return one, nil
	}
	return names, nil
}

// kindName returns what a kind is called in the run.
func (g *runGroup) kindName(kind meter.Kind) string { return g.plan.Workload.Kinds[kind].Name }

// connectUsers tells the generator to connect the users.
func (r *run) connectUsers(ctx context.Context) error {
	var o order.Order
	users := 0
	for _, g := range r.groups {
		o.Groups = append(o.Groups, order.Group{Name: g.name, Spec: g.plan.Spec})
		users += g.plan.terminals()
	}
	next := 0
	bind := func(order.Group) (boundGroup, error) {
		next++
		return r.groups[next-1].boundGroup, nil
	}
	r.generator = r.setup.generator(ctx, bind)
	roster, err := r.generator.Prepare(ctx, o)
	if err != nil {
		return err
	}
	if roster.Users != users {
		return fmt.Errorf("the load generator has %d of %d users", roster.Users, users)
	}
	r.reports = listen(r.generator.Reports())
	return nil
}

// introduce tells what a virtual user has to tell when it has connected.
func introduce(ctx context.Context, p Plan, s database.Session, tell func(job.Event)) error {
	if p.Pacing.TimeProfile {
		tell(job.Event{Step: &job.Step{Name: job.StepTimeProfile, Stage: job.Begins}})
	}
	if p.Server.Connection == nil {
		return nil
	}
	lines, err := p.Server.Connection(ctx, s)
	if err != nil {
		return fmt.Errorf("ask about the connection: %w", err)
	}
	for _, line := range lines {
		tell(job.Event{Step: &job.Step{Name: job.StepConnection, Stage: job.Begins, Of: line}})
	}
	return nil
}
