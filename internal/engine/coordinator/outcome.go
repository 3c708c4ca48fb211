package coordinator

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"sledge/internal/engine/load"
	"sledge/internal/engine/order"
	"sledge/internal/engine/plan"
	"sledge/internal/job"
	"sledge/internal/meter"
	"sledge/internal/workload"
)

// lostCommits returns an error if acknowledged commits are missing in the database or occur twice.
func lostCommits(l *job.Ledger) error {
	if l == nil || l.Holds() {
		return nil
	}
	return job.WithExit(job.ExitLost, errors.New(l.Broken()))
}

// idleUsers returns an error if the client did not run all users.
func idleUsers(p plan.Plan, idle *job.IdleUsers) error {
	if idle == nil || idle.Idle == 0 {
		return nil
	}
	return fmt.Errorf("%d of %d %ss did no transaction; %s", idle.Idle, idle.Of, p.Pacing.Clients.Title(), idle.Why)
}

// result returns the result of a measurement.
func (r *run) result(m measurement) job.Result {
	g := r.groups[0]
	result := job.Result{
		Extent: job.Extent{Users: g.Plan.Users, Clients: g.Plan.Pacing.Clients.PerUser, RampUp: r.rampUp.Seconds(), Connecting: r.connecting.Seconds(), Started: m.started, Elapsed: m.elapsed.Seconds()},
		Measured: job.Measured{
			Kinds: g.Plan.Workload.KindNames(), Summary: g.totals.Summary, LastFailures: g.totals.Failures, Commands: g.totals.Commands,
			PerUser: g.totals.PerUser, RampUpPerUser: g.totals.RampUp,
		},
	}
	if r.unsettled {
		result.Remarks = append(result.Remarks, "The rate of transactions had not settled when the ramp-up ended: what came before may be in the figures.")
	}
	r.groups.addOthers(&result)
	if missing := r.intervals.unobserved(); missing != nil {
		result.Unobserved = append(result.Unobserved, *missing)
	}
	known := !m.started.IsZero() && r.link.gone() == nil
	if known {
		result.Waiting = g.waiting()
		if !g.Plan.AnyLength {
			result.LongestGap, result.Standstills = g.longestGap(m)
		}
		result.Outages = g.outages(m)
		addOutages(&result)
		result.Contention = g.contention
		result.Steps = stepsOf(g.Plan, g.totals.Steps)
		result.Idle = &g.totals.Idle
		result.Client = clientLoad(r.plan, m)
		result.Punctuality = g.punctuality(m)
		result.Pool = g.pool(m)
		if g.totals.Queueing != nil {
			result.Sharing = &job.Sharing{Connections: g.Plan.ConnectionCount(), Wait: *latencyOf(g.totals.Queueing)}
		}
	}
	w := g.window(m)
	if start, end := m.start.groups[0], m.end.groups[0]; start.Read && end.Read && known {
		w = w.probed(start, end)
		if result.Agreement = g.agreement(start, end); result.Agreement != nil {
			result.Agreement.Seconds = w.Elapsed.Seconds()
		}
	}
	if m.start.counter.Read && m.end.counter.Read && known {
		describeCount(g, &result, &w.Window, m)
	} else {
		result.Uncounted = cmp.Or(r.plan.Uncounted, m.start.uncounted, m.end.uncounted, m.start.unread, m.end.unread)
	}
	if !w.Probed {
		result.Unprobed = cmp.Or(m.start.unread, m.end.unread)
	}
	if didAnything(g.totals.Summary) && g.Plan.Workload.Score.Of != nil {
		result.Metrics = g.Plan.Workload.Score.Of(w.Window)
	}
	result.Traits = traitsOf(g, w.Window)
	if len(r.groups) > 1 {
		r.groups.byGroup(&result, m, known)
	}
	return result
}

// window holds the measurements of a group.
type window struct{ workload.Window }

func (g *runGroup) window(m measurement) window {
	return window{workload.Window{
		Summary: g.totals.Counts(), Elapsed: m.elapsed, CounterElapsed: m.elapsed, Users: g.Plan.Users, Terminals: g.Plan.Terminals(), Names: g.Plan.Workload.KindNames(), Kinds: g.Plan.Kinds,
		Options: g.Plan.Settings, Survey: g.Survey,
	}}
}

// probed returns the window with the workload's own count.
func (w window) probed(start, end probed) window {
	w.Elapsed = end.At.Sub(start.At)
	w.Probe = end.N - start.N
	w.Probed = w.Probe >= 0 // a negative count means that rows were removed meanwhile
	return w
}

// clientLoad returns the load of the users' machine.
func clientLoad(p plan.Plan, m measurement) *job.ClientLoad {
	m.client.WithDatabase = p.Database.Embedded()
	attribute(&m.client, p, m.atServer)
	return &m.client
}

// attribute finds the server's share of the CPU time that other processes of the users' machine used.
func attribute(c *job.ClientLoad, p plan.Plan, atServer bool) {
	if c.Machine == nil {
		return
	}
	var server []string
	if atServer {
		server = append([]string{}, p.Database.Runs.Processes...) // not nil, even if it is empty
	}
	c.Machine.Attribute(server)
}

// didAnything reports whether a transaction succeeded. If none did, the result has no metrics,
// because the server's count is then the work of other programs.
func didAnything(s meter.Summary) bool {
	all := s.All()
	return all.Done+all.RolledBack > 0
}

// describeCount adds the server's count of all transactions to the result, or the reason why it is
// not used.
func describeCount(g *runGroup, result *job.Result, w *workload.Window, m measurement) {
	lost := g.totals.Losses
	pool := slices.ContainsFunc(g.totals.ConnectionLosses, func(l order.ConnectionLoss) bool { return l.Sessions > 0 })
	if m.renewed && (len(lost) > 0 || pool) { // the server may have been restarted
		result.Uncounted = "the session that read it was lost, and a restarted server counts from 0"
		return
	}
	if m.end.counter.N < m.start.counter.N {
		result.Uncounted = "it went back during the run: the server was restarted, or its statistics were reset"
		return
	}
	n := m.end.counter.N - m.start.counter.N - (m.end.flushed - m.start.flushing)
	n = withoutOwn(n, m)
	a := g.counterAgreement(m, n)
	if a != nil && a.Server > a.High && !a.Trusted() && len(lost) > 0 {
		result.Uncounted = "virtual users logged in again, which takes transactions too"
		return
	}
	w.CounterElapsed = m.end.counter.At.Sub(m.start.counter.At)
	w.Counter, w.Counted = n, true
	if a != nil {
		a.Seconds = w.CounterElapsed.Seconds()
	}
	result.CounterAgreement = a
}

// withoutOwn returns the server's count of a measurement without the transactions of the observers. The server
// counts some of them late, and not all, so the count is reduced by those that it has more than the users.
func withoutOwn(n int64, m measurement) int64 {
	users := m.end.all.ended - m.start.all.ended
	return n - min(max(0, n-users), m.end.own-m.start.own)
}

// punctuality returns how well the group kept its rate or its pauses.
func (g *runGroup) punctuality(m measurement) (p job.Punctuality) {
	switch {
	case g.arrivals != nil:
		p.Pace = g.pace(m)
	case g.totals.StartLag != nil:
		p.StartLag = latencyOf(g.totals.StartLag)
	}
	if _, pause := g.Plan.Pauses(); pause && !m.exhausted {
		p.Keyed = keyedOf(g.Plan, g.totals.Summary, m.from, m.elapsed)
	}
	return p
}

// latencyOf summarizes delays. checkTotals has refused invalid ones.
func latencyOf(c meter.CodedHistogram) *meter.Latency {
	d, _ := c.Distribution()
	l := meter.NewLatency(d)
	return &l
}

// pace returns how well the run kept its rate.
func (g *runGroup) pace(m measurement) *job.Pace {
	before, due := g.arrivals.Due(m.from), g.arrivals.Due(m.from+m.elapsed)
	all := g.totals.Summary.All()
	return &job.Pace{
		Reached:  percentOf(all.Done+all.RolledBack, float64(due-before)),
		Asked:    float64(due-before) / m.elapsed.Seconds(),
		Ended:    float64(all.Ended()) / m.elapsed.Seconds(),
		Earlier:  g.totals.Earlier,
		Behind:   max(0, due-g.claimed) + queued(g.totals.InFlight, func(meter.Kind) bool { return true }),
		Kinds:    g.kindPaces(m),
		StartLag: *latencyOf(g.totals.StartLag),
	}
}

// verdict sets the status of the result, and returns the error of the run.
func (r *run) verdict(ctx context.Context, result *job.Result, m measurement, err error) error {
	died := r.link.death()
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
		err = job.WithExit(job.ExitStopped, cutShort(r.plan.Pacing, m.elapsed.Round(time.Second)))
	default:
		err = r.doubts(result, m)
	}
	if err != nil {
		result.Reason = err.Error()
	}
	return err
}

// cutShort returns the error of a run after a stop request.
func cutShort(pacing load.Pacing, after time.Duration) error {
	if pacing.Test {
		return fmt.Errorf("the test was stopped after %s, before all users had done their iterations", after)
	}
	if pacing.Finite {
		return fmt.Errorf("the run was stopped after %s, before its work was done: its result is partial", after)
	}
	return fmt.Errorf("the run was stopped after %s of %s: its result is partial", after, pacing.Duration)
}

// doubts returns an error if the figures of a complete run must not be used, and marks the result
// as invalid.
func (r *run) doubts(result *job.Result, m measurement) error {
	type doubt struct {
		err   error
		check string // name of the check in reports
	}
	g := r.groups[0]
	counts := doubt{r.groups.doubts(func(g *runGroup) error { return disagreement(g.Plan, agreementOf(g, result)) }), "Counts"}
	doubts := []doubt{
		{r.checkFile(), ""},
		{r.groups.doubts(r.intervals.contradiction), ""},
		{aborted(result, r.grace), "Unfinished"},
		{clientPaused(m.client, m.elapsed), "Client"},
		{idleUsers(g.Plan, result.Idle), "Users"},
		{r.groups.doubts((*runGroup).tooManyFailures), ""},
		counts,
	}
	removed := func(g *runGroup) bool { a := agreementOf(g, result); return a != nil && a.Server < 0 }
	if slices.ContainsFunc(r.groups, removed) { // removed rows explain failures too
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

// disagreement returns an error if the two counts differ by more than the option max_failures
// allows. For example, routines of other programs may roll back without an error.
func disagreement(p plan.Plan, a *job.Agreement) error {
	if a == nil || a.Holds || a.Vague {
		return nil
	}
	if a.Off() <= p.Pacing.Failures.Limit {
		return nil
	}
	return fmt.Errorf("the virtual users counted %d %s transactions and the server %d, where %d to %d were expected; that is %.2f %% off, and option %s allows %g %%. %s",
		a.Client, a.What, a.Server, a.Low, a.High, a.Off(), p.Spec.Names.Of("max_failures"), a.Limit, a.Suspicion())
}

// aborted returns an error if transactions had to be aborted at the end.
func aborted(result *job.Result, grace time.Duration) error {
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
	return fmt.Errorf("%d transactions had not ended %s after the time was up and were aborted; %s", n, grace, longest)
}

// tooManyFailures returns an error if no transaction succeeded or the share of failures exceeds the
// limit, because the figures then say little about the database.
func (g *runGroup) tooManyFailures() error {
	whole := g.totals.Counts()
	all := whole.All()
	failures, ended := all.Failures(), all.Ended()
	if g.Plan.Pacing.Reconnect.Wanted { // reconnecting users are meant to survive such failures
		failures -= all.Failed[meter.Connection]
	}
	if ended == 0 {
		return errors.New("no transaction ended in the measured time")
	}
	if of := g.totals.Summary.All(); g.arrivals != nil && of.Ended() == 0 {
		return fmt.Errorf("no transaction that was scheduled in the measured time began in it, because virtual users were still doing %d earlier ones. Lower option %s, or use more virtual users",
			g.totals.Earlier, g.Plan.Spec.Names.Of("rate"))
	}
	if all.Done+all.RolledBack == 0 {
		return fmt.Errorf("all %d transactions failed", failures)
	}
	if g.scoreless(whole) {
		return fmt.Errorf("no %s succeeded: every one failed", g.Plan.Workload.Evidence.Probe.Name)
	}
	share := 100 * float64(failures) / float64(ended)
	if share <= g.Plan.Pacing.Failures.Limit {
		return nil
	}
	over := ""
	if n := all.Failed[meter.OverLimit]; n > 0 {
		over = fmt.Sprintf("; %d were cancelled after %s, which is what option %s allows", n, g.Plan.Pacing.Limit, g.Plan.Spec.Names.Of("query_limit"))
	}
	return fmt.Errorf("%d of %d transactions failed (%.2f %%; at most %g %% may fail)%s", failures, ended, share, g.Plan.Pacing.Failures.Limit, over)
}

// scoreless reports whether all transactions that count for the headline failed.
func (g *runGroup) scoreless(s meter.Summary) bool {
	probe := g.Plan.Workload.Evidence.Probe
	return probe != nil && probe.Expected(&s) == 0 && g.failedProbed(s, meter.Classes()...) > 0
}
