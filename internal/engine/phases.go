package engine

import (
	"context"
	"errors"
	"math"
	"time"

	"sledge/internal/database"
	"sledge/internal/engine/observer"
	"sledge/internal/host"
	"sledge/internal/job"
	"sledge/internal/meter"
)

// end stops the users and waits for them, for no longer than Grace after the time
// was up, or until ctx is cancelled; then it breaks off the users that are left. What ended
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
	behind     int64          // arrivals that were due by then, and that no user had taken
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
