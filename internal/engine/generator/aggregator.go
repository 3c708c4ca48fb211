package generator

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"sledge/internal/engine/load"
	"sledge/internal/engine/order"
	"sledge/internal/engine/plan"
	"sledge/internal/host"
	"sledge/internal/job"
	"sledge/internal/meter"
	"sledge/internal/workload"
)

// aggregator sums up the users' records for each phase of the run. Users never wait for it.
type aggregator struct {
	*runState
	groups []*group
	marked chan struct{} // gets a value when another phase begins

	mu       sync.Mutex // guards the fields below and the sums of the groups
	phase    order.Phase
	began    time.Time // start of the phase
	last     time.Time // end of the last interval
	sequence int       // number of the last interval
	rampedUp time.Duration
	from     time.Time  // start of the measured time; zero before it
	load     *host.Load // load in the measured time; nil before it
	pauses   int        // number of reported pauses
	totals   order.Totals
	over     bool // the measured time has ended
}

// sums are the sums of a group's records. Sums that the run does not need are nil.
type sums struct {
	stripes []*meter.Stripe // stripes of the users
	second  *meter.Interval
	summary meter.Summary  // of the measured time; at a rate, transactions scheduled in it
	byEnd   *meter.Summary // at a rate, transactions that ended in it
	gaps    meter.Stalls   // of the measured time and the time after it
	flow    meter.Flow     // the same

	scheduled    *meter.Scheduled // set when the measured time begins, if there are arrivals
	startLag     *meter.Delays    // of the measured time, if there are arrivals or pauses
	kindStartLag []*meter.Delays  // the same for each of the plan's kinds
	queueing     *meter.Delays    // of the measured time, if users share connections
	shares       *meter.Shares    // of the measured time, if users have pools of connections
	parts        *meter.Parts     // of the measured time, by steps

	// The measurements of each user, and those of the ramp-up, if they are requested.
	profile, rampUpProfile *meter.Profile

	inFlight []order.InFlight // at the end of the measured time
	each     meter.Sum        // hands out every record; nil if there is no receiver
}

func newSums(p plan.Plan) sums {
	kinds := len(p.Workload.Kinds)
	s := sums{second: meter.NewInterval(kinds), summary: meter.NewSummary(kinds)}
	if p.Steps != nil {
		var ends []time.Duration // since users began
		for _, step := range p.Steps[1:] {
			ends = append(ends, p.Pacing.RampUp+step.From)
		}
		s.parts = meter.NewParts(kinds, ends)
	}
	if _, pause := p.Pauses(); pause || p.Pacing.Rate.Arrivals != nil {
		s.startLag = meter.NewStartLag()
		for _, kind := range p.Kinds {
			s.kindStartLag = append(s.kindStartLag, meter.NewStartLagOf(kind))
		}
	}
	if p.Pacing.Connections.Shared > 0 {
		s.queueing = meter.NewQueueing()
	}
	if p.Pool != nil {
		s.shares = meter.NewShares(len(p.Pool.Connections), p.Users, kinds)
	}
	if p.Pacing.Kept.TimeProfile {
		s.profile = meter.NewProfile(p.Users, kinds)
		if p.Pacing.RampUp > 0 {
			s.rampUpProfile = meter.NewProfile(p.Users, kinds)
		}
	}
	return s
}

// of lists the sums to which the records of a phase are added, except second.
func (s *sums) of(phase job.Phase, pacing *load.Pacing) []meter.Sum {
	switch {
	case phase == job.RampUp && s.rampUpProfile != nil:
		return []meter.Sum{s.rampUpProfile}
	case phase == job.Measure, phase == job.Finish && pacing.Unmonitored():
		return s.measured(pacing)
	case phase == job.Finish && s.scheduled != nil:
		return []meter.Sum{&s.gaps, &s.flow, s.scheduled}
	case phase == job.Finish:
		return []meter.Sum{&s.gaps, &s.flow}
	}
	return nil
}

// measured lists the sums to which the records of the measured time are added.
func (s *sums) measured(pacing *load.Pacing) []meter.Sum {
	list := []meter.Sum{&s.gaps}
	if pacing.Reconnect.Wanted {
		list = append(list, &s.flow)
	}
	if s.parts != nil {
		list = append(list, s.parts)
	}
	if s.shares != nil {
		list = append(list, s.shares)
	}
	if s.scheduled == nil {
		return append(list, s.ofTransactions()...)
	}
	return append(list, s.scheduled, s.byEnd)
}

// ofTransactions lists the sums of the transactions that belong to the measured time.
func (s *sums) ofTransactions() []meter.Sum {
	list := []meter.Sum{&s.summary}
	if s.profile != nil {
		list = append(list, s.profile)
	}
	if s.startLag != nil {
		list = append(list, s.startLag)
	}
	for _, late := range s.kindStartLag {
		list = append(list, late)
	}
	if s.queueing != nil {
		list = append(list, s.queueing)
	}
	return list
}

// Reports implements order.Generator.
func (g *generator) Reports() <-chan order.Report { return g.reports }

// report sends reports to the coordinator until all users have ended. No other goroutine sends
// reports.
func (g *generator) report() {
	defer close(g.reports)
	timer := time.NewTimer(g.aggregator.untilNext())
	defer timer.Stop()
	dead, allLoggedIn := g.dead, g.allLoggedIn
	for {
		select {
		case <-timer.C:
			g.reportSecond()
		case <-g.aggregator.marked:
		case <-allLoggedIn:
			g.reports <- order.Report{LoggedIn: true}
			allLoggedIn = nil
		case <-dead:
			g.reports <- order.Report{Failure: failureOf(g.death())}
			dead = nil
		case <-g.finished:
			if err := g.death(); err != nil && dead != nil {
				g.reports <- order.Report{Failure: failureOf(err)}
			}
			g.reports <- order.Report{Ended: &order.Ended{At: time.Since(g.began)}}
			return
		}
		timer.Reset(g.aggregator.untilNext())
	}
}

// untilNext returns the time until the end of the current second. Seconds count from the start of
// the phase, so that they do not drift. Mark ends the last second of a phase.
func (f *aggregator) untilNext() time.Duration {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.reports() {
		return time.Hour
	}
	next := time.Since(f.began).Truncate(time.Second) + time.Second
	if next == f.phase.Length {
		next += time.Second
	}
	return time.Until(f.began.Add(next))
}

// reports reports whether intervals of the phase are reported.
func (f *aggregator) reports() bool { return f.phase.Name != "" && f.phase.Name != job.Finish }

// second reports the interval that has ended. If the coordinator has a long backlog of reports,
// it extends the interval instead.
func (g *generator) reportSecond() {
	const room = 8 // for other reports
	f := &g.aggregator
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.reports() || len(g.reports) > cap(g.reports)-room {
		return
	}
	for _, group := range g.groups {
		if group.plan.Server.Flush != nil {
			group.connections.mark()
		}
	}
	// Sleep between stripes, because virtual users may have only one core. Yielding is not enough,
	// because Go polls the network only when nothing else can run.
	g.reports <- order.Report{Interval: f.interval(func() { time.Sleep(50 * time.Microsecond) })}
}

// reportClient reports each time in which this process did not run, and limits of this process
// when they begin to slow the run.
func (f *aggregator) reportClient() {
	if f.load == nil || f.over {
		return
	}
	for _, limit := range f.load.Second(f.users()) {
		f.feed.Message(f.groups[0].plan.Monitor(), "Client-bound since second %.0f: %s", limit.From, limit)
	}
	list := f.load.Pauses()
	for _, p := range list[f.pauses:] {
		f.feed.Message(f.groups[0].plan.Monitor(), "This client did not run for %.1f s: the server did not cause the users' waits in that time", p.Length.Seconds())
	}
	f.pauses = len(list)
}

// users returns what users tell about the load of this process. Only the start lag of users that
// pause does: with a rate, transactions also wait for a user that is free, and so for the server.
func (f *aggregator) users() (u host.Users) {
	f.runState.mu.Lock()
	scheduler := f.scheduler
	f.runState.mu.Unlock()
	if scheduler != nil { // the measured time of a finite run begins before its users do
		u.Idle = scheduler.Idle()
	}
	for _, group := range f.groups {
		if group.startLag != nil && group.arrivals == nil && group.plan.Pacing.Connections.Shared == 0 {
			lag, n := group.startLag.Total()
			u.StartLag, u.Started = u.StartLag+lag, u.Started+n
		}
	}
	return u
}

// interval returns the users' records since the last interval. rest may be nil: see meter.Take. The
// caller holds mu.
func (f *aggregator) interval(rest func()) *order.Interval {
	f.reportClient()
	now := time.Now()
	f.sequence++
	i := &order.Interval{
		Sequence: f.sequence, Phase: f.phase.Name, Offset: now.Sub(f.began), At: f.since(now), LoggedIn: int(f.loggedIn.Load()),
	}
	failed := false
	for _, group := range f.groups {
		group.take(rest, append(group.of(f.phase.Name, &group.plan.Pacing), group.second)...)
		measured := group.second.Cut(now.Sub(f.last))
		i.Groups = append(i.Groups, measured)
		for _, k := range measured.Kinds {
			failed = failed || len(k.Failed) > 0
		}
	}
	f.last = now
	if i.Ended() == 0 {
		i.Waiting = f.inFlight()
	}
	if failed {
		i.LastFailure = f.lastFailure()
	}
	return i
}

// take adds the users' records since the last call to all sums in list.
func (s *sums) take(rest func(), list ...meter.Sum) {
	if s.each != nil {
		list = append(list, s.each)
	}
	meter.Take(s.stripes, rest, list...)
}

// lastFailure returns the error of the last failed transaction.
func (f *aggregator) lastFailure() (text string) {
	for _, group := range f.groups {
		if last := group.failures.newest(); last != nil {
			text = last.Error()
		}
	}
	return text
}

// Mark implements order.Generator. Records between two phases belong to the next phase.
func (g *generator) Mark(_ context.Context, p order.Phase) (order.Mark, error) {
	f := &g.aggregator
	f.mu.Lock()
	defer f.mu.Unlock()
	var m order.Mark
	if f.reports() {
		m.Last = f.interval(nil)
	}
	at := time.Now()
	if f.phase.Name == job.RampUp {
		f.rampedUp = at.Sub(f.began)
	}
	switch p.Name {
	case job.Measure:
		at = f.beginMeasured()
	case job.Finish:
		if !g.groups[0].plan.Pacing.Unmonitored() {
			f.endMeasured(at)
		}
	}
	for _, group := range g.groups {
		claimed := int64(0)
		if group.arrivals != nil {
			claimed = group.arrivals.Claimed()
		}
		m.Claimed = append(m.Claimed, claimed)
	}
	m.At = g.since(at)
	f.phase, f.began, f.last = p, at, at
	select {
	case f.marked <- struct{}{}:
	default: // a value is already waiting
	}
	return m, nil
}

func (f *aggregator) beginMeasured() time.Time {
	f.load = host.StartLoad(f.cores, f.users())
	f.from = time.Now()
	for _, group := range f.groups {
		if group.arrivals != nil && !group.plan.Pacing.Unmonitored() {
			byEnd := meter.NewSummary(len(group.plan.Workload.Kinds))
			group.byEnd = &byEnd
			group.scheduled = &meter.Scheduled{From: f.since(f.from), Until: plan.FarOff, Sums: group.ofTransactions()}
		}
	}
	return f.from
}

// endMeasured ends the measured time, which must have begun.
func (f *aggregator) endMeasured(at time.Time) {
	f.over = true
	f.totals.Elapsed = at.Sub(f.from)
	for _, w := range f.inFlight() {
		group := f.groups[w.Group]
		group.inFlight = append(group.inFlight, w)
	}
	for _, group := range f.groups {
		group.summary.Elapsed = f.totals.Elapsed
		if group.scheduled != nil {
			group.byEnd.Elapsed = f.totals.Elapsed
			group.scheduled.Until = f.since(at)
		}
	}
	f.totals.Client = f.load.End()
}

// InFlight implements order.Generator.
func (g *generator) InFlight(context.Context) ([]order.InFlight, error) {
	return g.aggregator.inFlight(), nil
}

func (f *aggregator) inFlight() (list []order.InFlight) {
	now := f.since(time.Now())
	for _, group := range f.groups {
		for i, u := range group.users {
			mark := u.intended.Load()
			if mark == 0 {
				continue
			}
			w := order.InFlight{Group: group.number, User: i, Kind: meter.Kind(u.kind.Load()), Scheduled: time.Duration(mark), Took: now - time.Duration(mark)}
			if on := u.on.Load(); on != nil {
				w.Connected, w.Connection = true, on.called()
			}
			list = append(list, w)
		}
	}
	slices.SortStableFunc(list, func(a, b order.InFlight) int { return cmp.Compare(b.Took, a.Took) })
	return list
}

// Cut implements order.Generator. It reads the transactions in flight before the ended ones, and
// users record a transaction before they clear its mark. So it misses no transaction that the
// server has seen.
func (g *generator) Cut(context.Context) (order.Edge, error) {
	f := &g.aggregator
	f.mu.Lock()
	defer f.mu.Unlock()
	inFlight := make([]meter.CodedSummary, len(g.groups))
	for i, group := range g.groups {
		inFlight[i].Kinds = make([]meter.CodedTally, len(group.plan.Workload.Kinds))
	}
	for _, w := range g.aggregator.inFlight() {
		if w.Connected { // otherwise the server has not received it
			inFlight[w.Group].Kinds[w.Kind].Done++
		}
	}
	ended := make([]meter.CodedSummary, len(g.groups))
	for i, group := range g.groups {
		edge := meter.NewSummary(len(group.plan.Workload.Kinds))
		group.take(nil, append(group.of(f.phase.Name, &group.plan.Pacing), &edge)...)
		ended[i] = edge.Coded()
	}
	return order.Edge{Ended: ended, InFlight: inFlight}, nil
}

// Freeze implements order.Generator. It waits for users that still work, because it reads their
// state without a lock.
func (g *generator) Freeze(ctx context.Context) (order.Totals, error) {
	if g.works() {
		select {
		case <-g.finished:
		case <-ctx.Done():
			return order.Totals{}, ctx.Err()
		}
	}
	f := &g.aggregator
	f.mu.Lock()
	defer f.mu.Unlock()
	phase := job.Finish
	if g.death() != nil {
		phase = job.Measure // which includes the failures that ended the run
	}
	for _, group := range g.groups {
		group.take(nil, group.of(phase, &group.plan.Pacing)...)
	}
	now := time.Now()
	if !f.from.IsZero() && !f.over {
		f.endMeasured(now)
	}
	g.eachConnection(func(_ *group, c *connection) { f.totals.AtServer = f.totals.AtServer || c.sockets.Local() })
	f.totals.Groups = nil
	for _, group := range g.groups {
		f.totals.Groups = append(f.totals.Groups, group.freeze(f, now))
	}
	return f.totals, nil
}

func (g *group) freeze(f *aggregator, now time.Time) order.GroupTotals {
	elapsed, began, over := f.totals.Elapsed, f.from.Sub(g.began), f.from.Add(f.totals.Elapsed).Sub(g.began)
	t := order.GroupTotals{
		Summary: g.summary, ByEnd: g.byEnd, Gaps: g.gaps, Flow: g.flow, InFlight: g.inFlight,
		Failures: g.failures.list(&g.summary, g.plan.Workload.Kinds), Losses: g.lost.moments(), ConnectionLosses: g.poolLosses.list, Commits: g.commits(),
	}
	for _, c := range g.connections.all() {
		if one, measures := c.Executor.(workload.Itemizer); measures {
			t.Commands = job.AddCommands(t.Commands, one.Commands())
		}
	}
	for i := range t.InFlight {
		w := &t.InFlight[i]
		if g.users[w.User].intended.Load() == int64(w.Scheduled) {
			w.Took, w.Aborted = now.Sub(g.began)-w.Scheduled, true
		}
	}
	if g.scheduled != nil {
		t.Earlier = g.scheduled.Earlier
	}
	if g.startLag != nil {
		t.StartLag = g.startLag.Coded()
	}
	for _, late := range g.kindStartLag {
		t.KindStartLag = append(t.KindStartLag, late.Coded())
	}
	if g.queueing != nil {
		t.Queueing = g.queueing.Coded()
	}
	if g.shares != nil {
		t.PerConnection, t.PoolUsers = g.shares.Connections(elapsed), g.shares.Users()
	}
	if g.spans != nil {
		t.Spans = g.spans.all()
	}
	if !f.from.IsZero() {
		t.Idle = g.idle(f.from.Add(elapsed))
		if g.parts != nil {
			t.Steps = g.parts.Summaries(began, over)
		}
		if g.profile != nil {
			t.PerUser = g.profile.Users(elapsed)
		}
	}
	if g.rampUpProfile != nil {
		t.RampUp = g.rampUpProfile.Users(f.rampedUp)
	}
	return t
}
