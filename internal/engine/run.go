package engine

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"sledge/internal/database"
	"sledge/internal/engine/observer"
	"sledge/internal/host"
	"sledge/internal/job"
	"sledge/internal/meter"
	"sledge/internal/workload"
)

// run coordinates a run: its phases, the server's counts, what goes on beside it, its result and its
// verdict. Users, connections and loops are the generator's.
type run struct {
	*generator

	sums // of what users do

	leave      func()           // gives the claim of a run without a monitor back
	silence    workload.Silence // what the server may roll back without a word
	contention *job.Contention  // what users are to expect of each other; nil for little
	checkFile  func() error     // whether the file of an embedded database is still there
	servers    []string         // versions, of those that the connections of the pool lead to

	beside  *observer.Group   // what goes on beside the run; nil before users have connected
	counter *observer.Counter // polls the server's count; nil if nothing does
	commits *observer.Commits // audits acknowledged commits; nil if they are not noted

	load     *host.Load        // of the measured time, from when that begins; nil before
	reported *observer.Reading // of the server's count, the last that a second was reported with
	toldAll  time.Time         // when users last had told the server what they had done
}

// sums are what the records of a run are added to, besides its summaries. Those that the run does not
// need are nil.
type sums struct {
	scheduled    *meter.Scheduled // what was scheduled in the measured time, from when that begins, if there are arrivals
	lateness     *meter.Delays    // of the measured time, if there are arrivals or pauses
	kindLateness []*meter.Delays  // the same of each of the plan's kinds
	queueing     *meter.Delays    // of the measured time, if users share connections
	shares       *meter.Shares    // of the measured time, if users have pools of connections
	parts        *meter.Parts     // of the measured time, by steps

	// What each user measured, and what in the ramp-up, if it is asked for.
	profile, rampUpProfile *meter.Profile
}

func newSums(p Plan) sums {
	s := sums{parts: p.newParts()}
	kinds := len(p.Workload.Kinds)
	if _, pause := p.pauses(); pause || p.Pacing.Arrivals != nil {
		s.lateness, s.kindLateness = meter.NewLateness(), p.latenessByKind()
	}
	if p.Pacing.Connections > 0 {
		s.queueing = meter.NewQueueing()
	}
	if p.pool != nil {
		s.shares = meter.NewShares(len(p.pool.connections), p.Users, kinds)
	}
	if p.Pacing.TimeProfile {
		s.profile = meter.NewProfile(p.Users, kinds)
		if p.Pacing.RampUp > 0 {
			s.rampUpProfile = meter.NewProfile(p.Users, kinds)
		}
	}
	return s
}

// doRun connects every virtual user, lets them all work through ramp-up and
// measurement, and returns what was measured.
func doRun(ctx context.Context, p Plan, f *feed, stop <-chan struct{}, version string) (job.Result, error) {
	if err := p.checkFiles(host.OpenFiles()); err != nil {
		return job.Result{}, err
	}
	monitor, err := connectSteady(ctx, p)
	if err != nil {
		return job.Result{}, brokenOff(ctx, job.Run, err)
	}
	release, err := p.share(ctx, monitor)
	if err != nil {
		closeQuietly(&monitor)
		return job.Result{}, brokenOff(ctx, job.Run, err)
	}
	defer func() { _ = release() }() // it ends with this process
	var r *run
	defer func() {
		// Side by side: a server that does not answer holds up each of them.
		var leaving sync.WaitGroup
		leaving.Go(func() { closeQuietly(&monitor) })
		if r != nil {
			leaving.Go(func() { r.beside.End(nil) })
			leaving.Go(func() { r.reviving.Wait(); r.connections.close() })
		}
		leaving.Wait()
	}()
	if r, err = prepare(ctx, p, f, monitor, version); err != nil {
		return job.Result{}, brokenOff(ctx, job.Run, err)
	}
	defer host.UseCores(r.cores)()
	r.observe(ctx, r.observers(stop)...)

	m, err := r.measure(ctx, &monitor, stop)
	r.end(ctx, &m, r.late(&m)...)
	result := r.result(m)
	r.beside.End(&result)
	err = r.verdict(ctx, &result, m, err)
	if unaudited := r.commits.Err(); err == nil && unaudited != nil {
		err = untidy(&result, job.Failed, job.ExitAborted, unaudited)
	}
	err = p.judge(&result, err)
	headline := result
	f.send(job.Event{User: job.Monitor, Headline: &headline})
	if err == nil || result.Status.Whole() {
		err = errors.Join(err, tidyUp(ctx, p, f, &result, stop))
	}
	return result, err
}

// prepare looks whether the schema is there, asks for the facts, and seats the
// users. What the monitor of a timed run says meanwhile, nobody says in a test.
func prepare(ctx context.Context, p Plan, f *feed, s database.Session, version string) (*run, error) {
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
	facts, err := findFacts(ctx, p, s, version)
	if err != nil {
		return nil, err
	}
	if facts.Product != "" {
		f.message(0, "%s", p.answeredBy(facts.Product))
	}
	if facts.Unproven != "" {
		f.message(0, "%s", facts.Unproven)
	}
	if p, err = p.throughPooler(database.Pooling(facts.Pooling)); err != nil {
		return nil, err
	}
	if database.Pooling(facts.Pooling).Shares() && p.Schema.Claims != nil {
		f.message(0, "Through a connection pooler in %s mode this run holds no claim: a build or deletion in %s would not be refused. Start none", facts.Pooling, p.target())
	}
	f.send(job.Event{User: monitor, Facts: &facts})
	r := &run{generator: newGenerator(ctx, p, f), sums: newSums(p), checkFile: p.databaseFile()}
	if p.Workload.Silence != nil {
		if r.silence, err = p.Workload.Silence(ctx, s, p.SQL, p.Settings); err != nil {
			return nil, err
		}
	}
	if r.contention, err = findContention(ctx, p, s); err != nil {
		return nil, err
	}
	if p.Workload.Survey != nil {
		if r.survey, err = p.Workload.Survey(ctx, schema.look(p, s)); err != nil {
			return nil, err
		}
	}
	if p.Pacing.Finite {
		if r.stages, err = newStages(p, r.survey); err != nil {
			return nil, err
		}
	}
	if err := schema.keep(ctx, p, s); err != nil { // not before what cannot be done is refused
		return nil, err
	}
	if err = r.preflight(ctx); err != nil {
		return nil, err
	}
	if err = r.checkPool(ctx, facts); err != nil {
		return nil, err
	}
	if err = r.seatUsers(ctx); err != nil {
		r.connections.close()
		return nil, err
	}
	if err = r.keepLedger(ctx, s); err != nil {
		r.connections.close()
		return nil, err
	}
	return r, nil
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
