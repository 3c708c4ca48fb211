package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"sledge/internal/job"
	"sledge/internal/meter"
	"sledge/internal/workload"
)

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
