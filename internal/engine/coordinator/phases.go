package coordinator

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"sledge/internal/database"
	"sledge/internal/engine/feed"
	"sledge/internal/engine/observer"
	"sledge/internal/engine/order"
	"sledge/internal/job"
)

// end stops the users and waits for them, for at most Grace after the end of the measured time or
// until ctx is cancelled. Then it aborts the remaining users. It reads the final totals.
func (r *run) end(ctx context.Context, m *measurement) {
	r.link.stop()
	if m.timeUp.IsZero() {
		m.timeUp = time.Now()
	}
	r.waitForUsers(ctx, m)
	totals := r.finalTotals()
	m.elapsed, m.client, m.atServer = totals.Elapsed, totals.Client, totals.AtServer
	for i, g := range r.groups {
		g.totals = totals.Groups[i]
		g.totals.Summary.Elapsed = m.elapsed
	}
}

// waitForUsers waits until the last user has ended, and reports which users it waits for.
func (r *run) waitForUsers(ctx context.Context, m *measurement) {
	patience := time.NewTimer(time.Until(m.timeUp.Add(r.grace)))
	defer patience.Stop()
	notice := time.NewTicker(feed.Noticeable)
	defer notice.Stop()
	for waiting := true; waiting; {
		select {
		case <-r.link.ended:
			if r.link.gone() == nil {
				return
			}
			waiting = false // users of a lost generator may still work
		case <-r.link.intervals: // interval of a phase that has ended
		case <-notice.C:
			why := "The time is up"
			if r.plan.Pacing.Finite { // a finite run waits for users only after a stop request
				why = "The run ends"
			}
			list, err := call(r.link, r.link.generator.InFlight)
			if err == nil {
				err = r.groups.checkInFlight(list)
			}
			if err == nil {
				r.groups.reportInFlight(r.feed, why, list)
			} else {
				_ = r.link.lose(err)
			}
			notice.Reset(feed.NoticedAgain)
		case <-patience.C:
			waiting = false
		case <-ctx.Done():
			waiting = false
		}
	}
	r.link.abort()
	patience.Reset(order.AnswersWithin)
	for {
		select {
		case <-r.link.ended:
			return
		case <-r.link.intervals:
		case <-patience.C:
			_ = r.link.lose(fmt.Errorf("its users did not end within %s after they were aborted", order.AnswersWithin))
			return
		}
	}
}

// measurement holds the boundaries of the measured time, and the readings and the load in it.
type measurement struct {
	started    time.Time     // zero if nothing was measured
	from       time.Duration // start of the measured time, since users began
	timeUp     time.Time
	elapsed    time.Duration
	stopped    bool // the user stopped the run early
	exhausted  bool // users finished their iterations early
	start, end reading
	renewed    bool           // the monitor's session was lost after the start was read
	client     job.ClientLoad // load of the client in the measured time
	atServer   bool           // users run on the server's machine
}

// measure runs the phases of a run.
func (r *run) measure(ctx context.Context, monitor *database.Session, stop <-chan struct{}) (m measurement, err error) {
	m = measurement{start: r.groups.newReading(), end: r.groups.newReading()}
	pacing := r.plan.Pacing

	ended := timeUp
	if pacing.Clients.PerUser > 0 {
		r.feed.Send(job.Event{User: job.Monitor, Phase: &job.PhaseSpan{Name: job.LogIn, Length: pacing.Clients.LogIn()}})
		if err = r.link.start(); err == nil {
			ended, err = r.phase(ctx, job.LogIn, math.MaxInt64, stop)
		}
	}
	if err == nil && ended == timeUp {
		r.feed.Send(job.Event{User: job.Monitor, Phase: &job.PhaseSpan{Name: job.RampUp, Length: pacing.RampUp}})
		if pacing.Clients.PerUser == 0 {
			err = r.link.start()
		}
	}
	if err == nil && ended == timeUp {
		ended, err = r.phase(ctx, job.RampUp, pacing.RampUp, stop)
	}
	if err != nil || ended != timeUp {
		m.stopped, m.exhausted = ended == stoppedByUser, ended == usersEnded
		return m, err
	}
	r.feed.Step(job.Monitor, job.Step{Name: job.StepCount})
	if _, err = r.counts.readAgain(ctx, monitor, &m.start, counterFirst); err != nil {
		return m, err
	}
	if m.start.unread == "" {
		r.feed.Send(job.Event{User: job.Monitor, Counts: m.start.counts(false)})
	}

	watch := &watch{run: r}
	marked, err := r.mark(order.Phase{Name: job.Measure, Length: pacing.Duration}, watch)
	if err != nil {
		return m, err
	}
	m.started, m.from = time.Now(), marked.At
	r.course.begin(m.started, r.machine)
	r.beside.Reach(observer.RampUpOver)
	r.feed.Send(job.Event{User: job.Monitor, Phase: &job.PhaseSpan{Name: job.Measure, Length: pacing.Duration}})
	ended, err = r.await(ctx, job.Measure, m.started, pacing.Duration, stop, watch)
	m.stopped, m.exhausted = ended == stoppedByUser, ended == usersEnded
	marked, lost := r.mark(order.Phase{Name: job.Finish}, watch)
	m.timeUp = time.Now()
	r.course.end(m.timeUp)
	over := observer.TimeUp
	if err != nil || ended != timeUp {
		over = observer.EndedEarly
	}
	r.beside.Reach(over)
	if err == nil {
		err = lost
	}
	if err != nil {
		return m, err
	}
	m.elapsed = marked.At - m.from
	for i, g := range r.groups {
		g.claimed = marked.Claimed[i]
	}
	if m.stopped {
		r.link.stop()
	}
	if r.link.death() != nil {
		return m, nil
	}
	r.feed.Send(job.Event{User: job.Monitor, Phase: &job.PhaseSpan{Name: job.Finish}})
	if m.start.unread != "" { // without a first reading there is nothing to compare
		return m, nil
	}
	if m.renewed, err = r.counts.readAgain(ctx, monitor, &m.end, probeFirst); err != nil {
		return m, err
	}
	if m.end.unread == "" {
		r.feed.Send(job.Event{User: job.Monitor, Counts: m.end.counts(true)})
	}
	return m, nil
}

// ending is why a phase ended.
type ending int

const (
	timeUp ending = iota
	stoppedByUser
	usersEnded // users finished their iterations, or one user failed
)

// phase runs a phase in which nothing is measured.
func (r *run) phase(ctx context.Context, name job.Phase, length time.Duration, stop <-chan struct{}) (ending, error) {
	if length == 0 {
		return timeUp, nil
	}
	watch := &watch{run: r, settles: r.plan.Pacing.Settles && name == job.RampUp}
	if _, err := r.mark(order.Phase{Name: name, Length: length}, watch); err != nil {
		return usersEnded, err
	}
	began := time.Now()
	ended, err := r.await(ctx, name, began, length, stop, watch)
	if err != nil {
		return ended, err
	}
	if name == job.RampUp {
		r.rampUp = time.Since(began)
	}
	if watch.settles && ended == timeUp {
		r.unsettled = !watch.settled
		if watch.settled {
			r.feed.Message(job.Monitor, "The rate has settled after %.0f s of ramp-up", r.rampUp.Seconds())
		} else {
			r.feed.Message(job.Monitor, "The rate has not settled in %.0f s of ramp-up: the measurement begins without that", length.Seconds())
		}
	}
	_, err = r.mark(order.Phase{}, watch)
	return ended, err
}

// await waits until a phase ends, and handles its reports.
func (r *run) await(ctx context.Context, name job.Phase, began time.Time, length time.Duration, stop <-chan struct{}, watch *watch) (ending, error) {
	r.beside.Align(began)
	timer := time.NewTimer(length - time.Since(began))
	defer timer.Stop()
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	var allLoggedIn <-chan struct{}
	if name == job.LogIn {
		allLoggedIn = r.link.loggedIn
	}
	for silent := 0; ; {
		select {
		case i := <-r.link.intervals:
			silent = 0
			if err := r.receive(i, watch); err != nil {
				return usersEnded, err
			}
			if watch.settled {
				return timeUp, nil
			}
		case <-tick.C:
			if silent++; silent > silentFor {
				return usersEnded, r.link.lose(fmt.Errorf("it reported nothing for %d s", silentFor))
			}
		case <-timer.C:
			return timeUp, nil
		case <-stop:
			return stoppedByUser, nil
		case <-r.link.ended:
			return usersEnded, nil
		case <-allLoggedIn:
			return timeUp, nil
		case <-r.link.dead:
			return usersEnded, nil
		case <-ctx.Done():
			return stoppedByUser, job.WithExit(job.ExitStopped, errors.New("the run was aborted"))
		}
	}
}
