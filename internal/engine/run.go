package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"sledge/internal/database"
	"sledge/internal/engine/load"
	"sledge/internal/engine/observer"
	"sledge/internal/host"
	"sledge/internal/job"
	"sledge/internal/loop"
	"sledge/internal/meter"
	"sledge/internal/workload"
)

// run is a run while it goes on.
//
// Two moments end it. From stop on, users start no new transaction; Grace later
// the sessions of those who still wait for the database are interrupted, and what
// they were doing counts for nothing.
type run struct {
	plan        Plan
	feed        *feed
	users       []*user
	crews       []crew       // the virtual users
	connections *connections // all of the users' own, or all that they share
	stripes     []*meter.Stripe

	cores     host.CoreUse   // what the users do with cores
	scheduler loop.Scheduler // runs the users

	scheduled    *meter.Scheduled // what was scheduled in the measured time, from when that begins; nil where there are no arrivals
	arrivals     *load.Arrivals   // when transactions are meant to start; nil leaves that to the users
	lateness     *meter.Delays    // of the measured time, where there are arrivals or pauses
	kindLateness []*meter.Delays  // the same of each of the plan's kinds
	queueing     *meter.Delays    // of the measured time, where users share connections
	shares       *meter.Shares    // of the measured time, where users have pools of connections

	// calls is the context of every call that a virtual user makes. It is never
	// cancelled: see database.Session.Interrupt.
	calls context.Context

	parts *meter.Parts // of the measured time, by steps; nil where all users work all the time
	spans *spans       // nil where transactions are too many to keep each

	survey any     // what the workload found
	stages *stages // of a run that ends when its work is done

	// What each user measured, and what in the ramp-up; nil unless it is asked for.
	profile, rampUpProfile *meter.Profile

	leave func() // gives the claim of a run without a monitor back

	silence workload.Silence // what the server may roll back without a word

	contention *job.Contention // what users are to expect of each other; nil for little

	began time.Time // when users could begin

	loggedIn  atomic.Int32  // asynchronous clients
	everybody chan struct{} // closed when the last of them has logged in

	stopping atomic.Bool   // users look at it between transactions
	flush    atomic.Int32  // how often users were asked to have the server count what they did; see tellServer
	telling  atomic.Int64  // times that users have begun to do so
	told     atomic.Int64  // times that they have done so
	stopped  chan struct{} // closed at the same time as stopping is set, for whoever waits
	broken   atomic.Bool   // sessions are being interrupted
	finished chan struct{} // closed when the last user has ended

	reviving sync.WaitGroup // connections of pools that are being made again

	servers []string // versions, of those that the connections of the pool lead to

	mu         sync.Mutex
	died       error      // the first user's that could not go on
	poolLosses []poolLoss // by connection of the pool
	noted      map[meter.Class]noted

	lastFailure error

	lost       *losses
	logins     chan struct{}   // holds one for each connection that is being made in the run
	connecting context.Context // ends when the run stops: of connections that are made in it
	stopLogins func()

	beside  *observer.Group   // what goes on beside the run; nil before users have connected
	counter *observer.Counter // polls the server's count; nil if nothing does
	commits *observer.Commits // audits acknowledged commits; nil if they are not noted

	checkFile func() error // whether the file of an embedded database is still there
	load      *host.Load   // of the measured time, from when that begins; nil before

	reported *observer.Reading // of the server's count, the last that a second was reported with
	toldAll  time.Time         // when users last had told the server what they had done
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
	if p.pool != nil {
		r.shares = meter.NewShares(len(p.pool.connections), p.Users, len(p.Workload.Kinds))
	}
	if p.Pacing.TimeProfile {
		r.profile = meter.NewProfile(p.Users, len(p.Workload.Kinds))
		if p.Pacing.RampUp > 0 {
			r.rampUpProfile = meter.NewProfile(p.Users, len(p.Workload.Kinds))
		}
	}
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
	f.send(job.Event{User: monitor, Facts: &facts})
	r := &run{
		plan: p, feed: f,
		connections: newConnections(p.connections()),
		logins:      make(chan struct{}, loginsAtOnce),
		everybody:   make(chan struct{}),
		cores:       host.CoreUse{All: p.Database.Embedded},
		calls:       context.WithoutCancel(ctx),
		stopped:     make(chan struct{}),
		finished:    make(chan struct{}),
		noted:       map[meter.Class]noted{},
		checkFile:   p.databaseFile(),
		parts:       p.newParts(),
	}
	r.lost = &losses{run: r}
	if p.Pacing.Finite {
		r.spans = &spans{run: r}
	}
	r.connecting, r.stopLogins = context.WithCancel(r.calls)
	if p.Pacing.Arrivals != nil {
		r.arrivals = p.Pacing.Arrivals(p.Seed)
	}
	if _, pause := p.pauses(); pause || r.arrivals != nil {
		r.lateness = meter.NewLateness()
		r.kindLateness = p.latenessByKind()
	}
	if p.Pacing.Connections > 0 {
		r.queueing = meter.NewQueueing()
	}
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

// start lets the users begin.
func (r *run) start() error {
	scheduler, err := r.newScheduler()
	if err != nil {
		close(r.finished)
		return err
	}
	r.mu.Lock()
	r.scheduler = scheduler
	r.mu.Unlock()
	if r.stopping.Load() { // which did not find it
		scheduler.Stop()
	}
	r.began = time.Now()
	go r.startUsers()
	return nil
}

// startUsers lets the users begin, and waits for the last to end.
func (r *run) startUsers() {
	for _, u := range r.users {
		r.scheduler.Go(func(task loop.Task) { r.live(u, task) })
	}
	r.scheduler.Run()
	close(r.finished)
}

// live is what a user does from its beginning to its end.
func (r *run) live(u *user, task loop.Task) {
	u.task = task
	began, err := r.beginning(u, task)
	if began {
		r.begins(u)
		err = job.Guarded(func() error { return u.workThrough(r) })
	}
	if u.lines != nil {
		err = errors.Join(err, u.lines.leave(r, u, job.ExitOf(err) == job.ExitInternal))
	}
	if errors.Is(err, errEnding) {
		err = nil // it was on its way in
	}
	r.ends(u, err)
}

// beginning returns when the user is to begin, or false if the run ended before that.
func (r *run) beginning(u *user, task loop.Task) (bool, error) {
	if r.plan.Pacing.Clients > 0 {
		if in, err := r.logIn(u, task); !in {
			return false, err
		}
	}
	if err := u.lines.enter(r, u); err != nil {
		return false, err
	}
	_, comes := u.awaitShift(r, r.began)
	return comes, nil
}

// die ends the run because a user cannot go on. The first one's reason counts:
// those of the others are mostly consequences.
func (r *run) die(err error) {
	r.mu.Lock()
	if r.died == nil {
		r.died = err
	}
	r.mu.Unlock()
	r.stop()
}

func (r *run) death() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.died
}

func (r *run) stop() {
	if r.stopping.CompareAndSwap(false, true) {
		close(r.stopped)
		r.stopLogins()
		r.mu.Lock()
		scheduler := r.scheduler
		r.mu.Unlock()
		if scheduler != nil {
			scheduler.Stop()
		}
	}
}

// end stops the users and waits for them, for no longer than Grace after the time
// was up, or until ctx is cancelled; then it breaks off whoever is left. What ended
// meanwhile is added to the late sums alone.
func (r *run) end(ctx context.Context, m *measurement, late ...meter.Sum) {
	r.stop()
	if m.timeUp.IsZero() {
		m.timeUp = time.Now()
	}
	r.waitForUsers(ctx, m)
	if r.death() != nil {
		r.take(r.measured(m)...) // the failures that ended the run belong to it
	}
	r.take(late...)
	for i, w := range m.underWay {
		u := r.users[w.user]
		if u.intended.Load() == w.mark {
			m.underWay[i].took, m.underWay[i].cutOff = time.Since(r.began)-w.intended(), true
		}
	}
}

// waitForUsers returns when the last user has ended, and says for whom it waits.
func (r *run) waitForUsers(ctx context.Context, m *measurement) {
	patience := time.NewTimer(time.Until(m.timeUp.Add(r.plan.Grace)))
	defer patience.Stop()
	notice := time.NewTicker(noticeable)
	defer notice.Stop()
	for waiting := true; waiting; {
		select {
		case <-r.finished:
			return
		case <-notice.C:
			why := "The time is up"
			if r.plan.Pacing.Finite { // whose time limit waits for nobody
				why = "The run is to end"
			}
			r.sayUnderWay(why)
			notice.Reset(noticedAgain)
		case <-patience.C:
			waiting = false
		case <-ctx.Done():
			waiting = false
		}
	}
	r.broken.Store(true)
	for _, c := range r.connections.all() {
		c.interrupt()
	}
	<-r.finished
}

// measurement is what measure found.
type measurement struct {
	summary    meter.Summary // of the measured time; at a rate, of what was scheduled in it
	byEnd      meter.Summary // at a rate, of what ended in it; else empty
	gaps       meter.Gaps    // of the measured time and what comes after it
	flow       meter.Flow    // the same
	rampedUp   time.Duration // how long the ramp-up took
	elapsed    time.Duration
	started    time.Time
	timeUp     time.Time
	underWay   []openTransaction // when the time was up
	stopped    bool              // by the user, before its time
	exhausted  bool              // users had done all their iterations before the time was up
	start, end reading
	client     job.ClientLoad // of the measured time
	renewed    bool           // the monitor's session was lost after the start was read
	taken      int64          // arrivals that users had taken when the time was up
	behind     int64          // arrivals that were due by then, and that nobody had taken
}

// ended returns the transactions that ended in the measured time.
func (m measurement) ended() meter.Summary {
	if m.byEnd.Kinds == nil {
		return m.summary
	}
	return m.byEnd
}

// queued returns how many transactions, of the kinds that count, waited for a connection
// when the time was up.
func (m measurement) queued(counts func(meter.Kind) bool) (n int64) {
	for _, w := range m.underWay {
		if w.on == nil && counts(w.kind) {
			n++
		}
	}
	return n
}

func newMeasurement(kinds int) measurement {
	return measurement{summary: meter.NewSummary(kinds), start: newReading(kinds), end: newReading(kinds)}
}

// measure goes through the phases of a run and takes from the stripes once a
// second.
func (r *run) measure(ctx context.Context, monitor *database.Session, stop <-chan struct{}) (m measurement, err error) {
	kinds := len(r.plan.Workload.Kinds)
	m = newMeasurement(kinds)
	pacing := r.plan.Pacing
	second := meter.NewInterval(kinds)

	ended := timeUp
	if pacing.Clients > 0 {
		r.feed.send(job.Event{User: job.Monitor, Phase: &job.PhaseSpan{Name: job.LogIn, Length: pacing.LogIn()}})
		if err = r.start(); err == nil {
			ended, err = r.phase(ctx, job.LogIn, math.MaxInt64, stop, second)
		}
	}
	if err == nil && ended == timeUp {
		r.feed.send(job.Event{User: job.Monitor, Phase: &job.PhaseSpan{Name: job.RampUp, Length: pacing.RampUp}})
		if pacing.Clients == 0 {
			err = r.start()
		}
	}
	if err == nil && ended == timeUp {
		var rampUp []meter.Sum
		if r.rampUpProfile != nil {
			rampUp = append(rampUp, r.rampUpProfile)
		}
		began := time.Now()
		ended, err = r.phase(ctx, job.RampUp, pacing.RampUp, stop, second, rampUp...)
		m.rampedUp = time.Since(began)
	}
	if err != nil || ended != timeUp {
		m.stopped, m.exhausted = ended == stoppedByUser, ended == usersEnded
		return m, err
	}
	r.feed.step(job.Monitor, job.Step{Name: job.StepCount})
	if _, err = r.readAgain(ctx, monitor, &m.start, counterFirst); err != nil {
		return m, err
	}
	if m.start.unread == "" {
		r.feed.send(job.Event{User: job.Monitor, Counts: m.start.counts(false)})
	}

	r.load = host.StartLoad()
	m.started = time.Now()
	if r.arrivals != nil {
		m.byEnd = meter.NewSummary(kinds)
		r.scheduled = &meter.Scheduled{From: m.started.Sub(r.began), Until: farOff}
	}
	r.beside.Reach(observer.RampUpOver)
	r.feed.send(job.Event{User: job.Monitor, Phase: &job.PhaseSpan{Name: job.Measure, Length: pacing.Duration}})
	ended, err = r.phase(ctx, job.Measure, pacing.Duration, stop, second, r.measured(&m)...)
	m.timeUp = time.Now()
	over := observer.TimeUp
	if err != nil || ended != timeUp {
		over = observer.EndedEarly
	}
	r.beside.Reach(over)
	m.client = r.load.End()
	m.elapsed = m.timeUp.Sub(m.started)
	m.summary.Elapsed, m.byEnd.Elapsed = m.elapsed, m.elapsed
	m.underWay = r.underWay()
	if r.arrivals != nil {
		r.scheduled.Until = m.timeUp.Sub(r.began)
		m.taken = r.arrivals.Claimed()
		m.behind = max(0, r.arrivals.Due(m.timeUp.Sub(r.began))-m.taken)
	}
	m.stopped, m.exhausted = ended == stoppedByUser, ended == usersEnded
	if m.stopped {
		r.stop()
	}
	if err != nil || r.death() != nil {
		return m, err
	}
	r.feed.send(job.Event{User: job.Monitor, Phase: &job.PhaseSpan{Name: job.Finish}})
	if m.start.unread != "" { // what has no beginning cannot be compared
		return m, nil
	}
	if m.renewed, err = r.readAgain(ctx, monitor, &m.end, probeFirst, r.late(&m)...); err != nil {
		return m, err
	}
	if m.end.unread == "" {
		r.feed.send(job.Event{User: job.Monitor, Counts: m.end.counts(true)})
	}
	return m, nil
}

// ending says why a phase ended.
type ending int

const (
	timeUp ending = iota
	stoppedByUser
	usersEnded // they did all their iterations, or one died
)

// late lists what the records are added to of what ends when the time is up.
func (r *run) late(m *measurement) []meter.Sum {
	sums := []meter.Sum{&m.gaps, &m.flow}
	if r.scheduled != nil {
		sums = append(sums, r.scheduled)
	}
	return sums
}

// measured lists what the records of the measured time are added to.
func (r *run) measured(m *measurement) []meter.Sum {
	sums := []meter.Sum{&m.gaps}
	if r.plan.Pacing.Reconnect {
		sums = append(sums, &m.flow)
	}
	if r.parts != nil {
		sums = append(sums, r.parts)
	}
	if r.shares != nil {
		sums = append(sums, r.shares)
	}
	if r.scheduled == nil {
		return append(sums, r.ofTransactions(m)...)
	}
	r.scheduled.Sums = r.ofTransactions(m)
	return append(sums, r.scheduled, &m.byEnd)
}

// ofTransactions lists what adds up the transactions that belong to the measured time.
func (r *run) ofTransactions(m *measurement) []meter.Sum {
	sums := []meter.Sum{&m.summary}
	if r.profile != nil {
		sums = append(sums, r.profile)
	}
	if r.lateness != nil {
		sums = append(sums, r.lateness)
	}
	for _, late := range r.kindLateness {
		sums = append(sums, late)
	}
	if r.queueing != nil {
		sums = append(sums, r.queueing)
	}
	return sums
}

// phase lets a part of the run go by, takes from the stripes once a second, and
// adds what it takes to the sums.
func (r *run) phase(ctx context.Context, name job.Phase, length time.Duration, stop <-chan struct{}, second *meter.Interval, sums ...meter.Sum) (ending, error) {
	if length == 0 {
		return timeUp, nil
	}
	sums = append([]meter.Sum{second}, sums...)
	began := time.Now()
	timer := time.NewTimer(min(time.Second, length))
	defer timer.Stop()
	still, failing := standstill{run: r}, allFailing{run: r}
	steps, pauses := 0, 0
	var everybody <-chan struct{}
	if name == job.LogIn {
		everybody = r.everybody
	}
	for last := began; ; {
		why, ended := timeUp, false
		select {
		case <-timer.C:
		case <-stop:
			why, ended = stoppedByUser, true
		case <-r.finished:
			why, ended = usersEnded, true
		case <-everybody:
			ended = true
		case <-r.stopped: // a user died
			why, ended = usersEnded, true
		case <-ctx.Done():
			return stoppedByUser, job.WithExit(job.ExitStopped, errors.New("the run was aborted"))
		}
		now := time.Now()
		offset := now.Sub(began)
		over := ended || offset >= length
		if !over && r.plan.Server.Flush != nil {
			r.connections.mark()
		}
		meter.Take(r.stripes, restUnless(over), sums...)
		measured := second.Cut(now.Sub(last))
		if measured.Elapsed > 0 {
			r.feed.send(job.Event{User: r.plan.monitor(), Second: &job.Second{
				Phase: name, Offset: offset, Measured: measured, ServerTPM: r.serverTPM(),
				Sessions: int(r.loggedIn.Load()),
			}})
		}
		still.look(measured)
		failing.look(measured)
		pauses = r.tellPauses(pauses)
		steps = r.tellStep(steps)
		last = now
		if over {
			return why, nil
		}
		// Seconds are counted from the beginning, so that they do not drift. Whoever was
		// told of this one may have taken so long that the next is overdue.
		next := min(offset.Truncate(time.Second)+time.Second, length)
		timer.Reset(time.Until(began.Add(next)))
	}
}

// restUnless returns a pause for what is done once a second beside virtual users, who
// may have but one core. To yield would not do: Go looks for answers from the network when
// nothing else can run. Where a phase is over it must be known at once what it measured.
func restUnless(over bool) func() {
	if over {
		return nil
	}
	return func() { time.Sleep(50 * time.Microsecond) }
}

func (r *run) take(sums ...meter.Sum) { meter.Take(r.stripes, nil, sums...) }

// serverTPM returns the server's rate since it was last returned, or nil when the
// server has not answered since then. Whoever has told the server early what it has done is
// silent for a while, so that there is no rate of a time within which users did.
func (r *run) serverTPM() *float64 {
	if r.counter == nil {
		return nil
	}
	now, last := r.counter.Newest(), r.reported
	if now == last {
		return nil
	}
	r.reported = now
	if last == nil || last.Session != now.Session || r.toldAll.After(last.At) && !r.toldAll.After(now.At) {
		return nil
	}
	tpm := float64(now.N-last.N) / now.At.Sub(last.At).Minutes()
	return &tpm
}

// result turns a measurement into the result of the job.
func (r *run) result(m measurement) job.Result {
	result := job.Result{
		Users: r.plan.Users, Clients: r.plan.Pacing.Clients, Kinds: r.plan.Workload.KindNames(),
		Started: m.started, Elapsed: m.elapsed.Seconds(), Summary: m.summary, LastFailures: r.failures(m.summary),
	}
	if !m.started.IsZero() {
		result.Waiting = r.waiting(m)
		result.LongestGap, result.Standstills = r.longestGap(m)
		result.Outages = r.outages(m)
		silentToo(&result)
		result.Contention = r.contention
		result.Steps = r.steps(m)
		m.client.WithDatabase = r.plan.Database.Embedded
		r.attribute(&m.client)
		result.Idle = r.idle(m)
		result.Client = &m.client
	}
	if !m.started.IsZero() {
		r.describeLoad(&result, m)
	}
	w := workload.Window{
		Summary: m.ended(), Elapsed: m.elapsed, CounterElapsed: m.elapsed, Users: r.plan.Users, Kinds: r.plan.Kinds, Options: r.plan.Settings,
	}
	if m.start.probe.read && m.end.probe.read {
		w.Elapsed = m.end.probe.at.Sub(m.start.probe.at)
		w.Probe = m.end.probe.n - m.start.probe.n
		w.Probed = w.Probe >= 0 // or the rows that are counted were removed meanwhile
		result.Agreement = r.agreement(m, w.Probe)
	}
	if m.start.counter.read && m.end.counter.read {
		r.describeCount(&result, &w, m)
	} else {
		result.Uncounted = cmp.Or(r.plan.Uncounted, m.start.uncounted, m.end.uncounted, m.start.unread, m.end.unread)
	}
	if !w.Probed {
		result.Unprobed = cmp.Or(m.start.unread, m.end.unread)
	}
	if didAnything(m.summary) {
		result.Metrics = r.plan.Workload.Score(w)
	}
	if r.profile != nil && !m.started.IsZero() {
		result.PerUser = r.profile.Users(m.elapsed)
	}
	if r.rampUpProfile != nil {
		result.RampUpPerUser = r.rampUpProfile.Users(m.rampedUp)
	}
	return result
}

// didAnything reports whether a transaction succeeded. Without one there is no figure: what the
// server counted is the work of others.
func didAnything(s meter.Summary) bool {
	all := s.All()
	return all.Done+all.RolledBack > 0
}

// describeCount says how many transactions of all kinds the server has counted, or why its
// count is not used.
func (r *run) describeCount(result *job.Result, w *workload.Window, m measurement) {
	if m.renewed && r.lostConnections() { // the server may have begun anew
		result.Uncounted = "the session that read it was lost, and a server that begins anew counts from 0"
		return
	}
	if m.end.counter.n < m.start.counter.n {
		result.Uncounted = "it went back during the run: the server was restarted, or its statistics were reset"
		return
	}
	n := m.end.counter.n - m.start.counter.n - (m.end.told - m.start.telling)
	a := r.counterAgreement(m, n)
	if a != nil && a.Server > a.High && !a.Trusted() && len(r.lost.moments()) > 0 {
		result.Uncounted = "virtual users logged in again, which takes transactions, too"
		return
	}
	w.CounterElapsed = m.end.counter.at.Sub(m.start.counter.at)
	w.Counter, w.Counted = n, true
	result.CounterAgreement = a
}

// describeLoad says how the run kept to what it was asked for of rate, pauses and
// connections.
func (r *run) describeLoad(result *job.Result, m measurement) {
	switch {
	case r.arrivals != nil:
		result.Pace = r.pace(m)
	case r.lateness != nil:
		result.Lateness = delayOf(r.lateness)
	}
	if _, pause := r.plan.pauses(); pause && !m.exhausted {
		result.Keyed = r.plan.keyed(m.summary, m.started.Sub(r.began), m.elapsed)
	}
	r.describePool(result, m)
	if r.queueing != nil {
		result.Sharing = &job.Sharing{Connections: len(r.connections.list), Wait: *delayOf(r.queueing)}
	}
}

func delayOf(d *meter.Delays) *job.Delay {
	return &job.Delay{
		Mean: d.Mean().Seconds(), P50: d.Percentile(50).Seconds(),
		P99: d.Percentile(99).Seconds(), Max: d.Percentile(100).Seconds(),
	}
}

// pace says how the run kept to its rate.
func (r *run) pace(m measurement) *job.Pace {
	before, due := r.arrivals.Due(m.started.Sub(r.began)), r.arrivals.Due(m.timeUp.Sub(r.began))
	all := m.summary.All()
	queued := m.queued(func(meter.Kind) bool { return true })
	return &job.Pace{
		Reached:  percentOf(all.Done+all.RolledBack, float64(due-before)),
		Asked:    float64(due-before) / m.elapsed.Seconds(),
		Ended:    float64(all.Ended()) / m.elapsed.Seconds(),
		Earlier:  r.scheduled.Earlier,
		Behind:   m.behind + queued,
		Kinds:    r.kindPaces(m),
		LateMean: r.lateness.Mean().Seconds(), LateP50: r.lateness.Percentile(50).Seconds(),
		LateP99: r.lateness.Percentile(99).Seconds(), LateMax: r.lateness.Percentile(100).Seconds(),
	}
}

// verdict says how the run ended, in the result and as an error.
func (r *run) verdict(ctx context.Context, result *job.Result, m measurement, err error) error {
	died := r.death()
	switch lost := lostCommits(result.Ledger); {
	case lost != nil:
		result.Status = job.Failed
		err = lost
	case died != nil:
		result.Status = job.Failed
		err = job.WithExit(job.ExitAborted, fmt.Errorf("the run ended early: %w", died))
	case err != nil:
		result.Status = job.Failed
		if ctx.Err() != nil {
			result.Status = job.Partial
		}
		err = job.WithExit(job.ExitAborted, err)
	case m.started.IsZero() && m.exhausted:
		result.Status = job.Invalid
		err = job.WithExit(job.ExitInvalid, errors.New("the virtual users did all their iterations before the ramp-up ended, so nothing was measured: allow them more iterations, or shorten the ramp-up"))
	case m.started.IsZero():
		result.Status = job.Partial
		err = job.WithExit(job.ExitStopped, errors.New("the run was stopped before the measured time began, so nothing was measured"))
	case m.stopped:
		result.Status = job.Partial
		err = job.WithExit(job.ExitStopped, r.cutShort(m.elapsed.Round(time.Second)))
	default:
		err = r.doubts(result, m)
	}
	if err != nil {
		result.Reason = err.Error()
	}
	return err
}

// cutShort says that the user stopped the run.
func (r *run) cutShort(after time.Duration) error {
	if r.plan.Pacing.Test {
		return fmt.Errorf("the test was stopped after %s, before all users had done their iterations", after)
	}
	if r.plan.Pacing.Finite {
		return fmt.Errorf("the run was stopped after %s, before its work was done: its result is partial", after)
	}
	return fmt.Errorf("the run was stopped after %s of %s: its result is partial", after, r.plan.Pacing.Duration)
}

// doubts returns why the numbers of a run that ran to its end must not be used, and
// marks the result so, or returns nil.
func (r *run) doubts(result *job.Result, m measurement) error {
	type doubt struct {
		err   error
		check string // of a report, that says the same
	}
	counts := doubt{r.disagreement(result.Agreement), "Counts"}
	doubts := []doubt{
		{r.checkFile(), ""},
		{r.cutOff(result), "Unfinished"},
		{stoodStill(m.client, m.elapsed), "Client"},
		{r.idleUsers(result.Idle), "Users"},
		{r.tooManyFailures(m), ""},
		counts,
	}
	if a := result.Agreement; a != nil && a.Server < 0 { // rows that were removed explain failures, too
		doubts = slices.Insert(doubts, 0, counts)
	}
	for _, doubt := range doubts {
		if doubt.err != nil {
			result.Status, result.InvalidBy = job.Invalid, doubt.check
			return job.WithExit(job.ExitInvalid, fmt.Errorf("%s%w", job.NotValid, doubt.err))
		}
	}
	return nil
}

// disagreement returns an error when the two counts are further apart than failures
// could bring them that are allowed: routines that others wrote may roll back
// without a word.
func (r *run) disagreement(a *job.Agreement) error {
	if a == nil || a.Holds || a.Vague {
		return nil
	}
	if a.Off() <= r.plan.Pacing.FailureLimit {
		return nil
	}
	return fmt.Errorf("the virtual users counted %d %s transactions and the server %d, where %d to %d were expected; that is %.2f %% off, and option %s allows %g %%. %s",
		a.Client, a.What, a.Server, a.Low, a.High, a.Off(), r.plan.Spec.Names.Of("max_failures"), a.Limit, a.Suspicion())
}

// cutOff returns an error when transactions had to be broken off at the end.
func (r *run) cutOff(result *job.Result) error {
	var n int
	for _, w := range result.Waiting {
		if w.CutOff {
			n++
		}
	}
	if n == 0 {
		return nil
	}
	longest := result.Waiting[0]
	return fmt.Errorf("%d transactions had not ended %s after the time was up and were cut off; %s", n, r.plan.Grace, longest)
}

// tooManyFailures returns an error when the share of failures is above the
// limit, because the rest then says little about the database.
func (r *run) tooManyFailures(m measurement) error {
	whole := m.ended()
	all := whole.All()
	failures, ended := all.Failures(), all.Ended()
	if r.plan.Pacing.Reconnect { // which is to ride out what else would end the run
		failures -= all.Failed[meter.Connection]
	}
	if ended == 0 {
		return errors.New("not one transaction ended in the measured time")
	}
	if of := m.summary.All(); r.scheduled != nil && of.Ended() == 0 {
		return fmt.Errorf("no transaction that was scheduled in the measured time began in it: virtual users were still at %d of before. Lower option %s, or ask for more virtual users",
			r.scheduled.Earlier, r.plan.Spec.Names.Of("rate"))
	}
	if all.Done+all.RolledBack == 0 {
		return fmt.Errorf("all %d transactions failed", failures)
	}
	if what := r.plan.Workload.ProbeName; r.scoreless(whole) {
		return fmt.Errorf("no %s succeeded: every one failed", what)
	}
	share := 100 * float64(failures) / float64(ended)
	if share <= r.plan.Pacing.FailureLimit {
		return nil
	}
	over := ""
	if n := all.Failed[meter.OverLimit]; n > 0 {
		over = fmt.Sprintf("; %d were cancelled after %s, which is what option %s allows", n, r.plan.Pacing.Limit, r.plan.Spec.Names.Of("query_limit"))
	}
	return fmt.Errorf("%d of %d transactions failed (%.2f %%; at most %g %% may fail)%s", failures, ended, share, r.plan.Pacing.FailureLimit, over)
}

// scoreless reports whether all transactions failed that the headline is made of.
func (r *run) scoreless(s meter.Summary) bool {
	return r.plan.Workload.Probed != nil && r.plan.Workload.Probed(&s) == 0 && r.failedProbed(s, meter.Classes()...) > 0
}
