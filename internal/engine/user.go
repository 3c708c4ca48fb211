package engine

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"sledge/internal/database"
	"sledge/internal/job"
	"sledge/internal/loop"
	"sledge/internal/meter"
	"sledge/internal/workload"
)

// user is a virtual user: a terminal that decides, and what it takes to have done
// what it decides on, again if need be.
type user struct {
	workload.Terminal
	number     int
	connection *connection
	stripe     *meter.Stripe
	task       loop.Task // runs it; nil before it works

	// What the user has under way, for those who watch: when it was meant to start, in
	// nanoseconds since users began and not 0, or else 0; and what it is.
	intended atomic.Int64
	kind     atomic.Int32

	// held is what the user tells before it runs: that comes after its state.
	held    []job.Event
	running bool
	send    func(job.Event)
}

// connection is a session that is ready to do transactions.
type connection struct {
	workload.Executor
	session database.Session
	sockets *loop.Connections // that the session talks over
	name    string            // what the server calls the session: "process 4711"; "" where it has no name for it
	flushed atomic.Int32      // the last of run.flush that was done over it
}

// tell is the seat's Tell.
func (u *user) tell(e job.Event) {
	if !u.running {
		u.held = append(u.held, e)
		return
	}
	u.send(e)
}

// unhold tells what was held back, and lets the user speak from now on.
func (u *user) unhold() {
	for _, e := range u.held {
		u.send(e)
	}
	u.held, u.running = nil, true
}

// monitor is the position of the monitor, or 0 where a test does without.
func (p Plan) monitor() int {
	if p.Pacing.Test {
		return 0
	}
	return job.Monitor
}

// firstWorker is the position of user number 0: after the monitor, which a test
// does without.
func (p Plan) firstWorker() int {
	if p.Pacing.Test {
		return job.Monitor
	}
	return job.FirstWorker
}

// seatsAtOnce bounds how many users log in at the same moment, so that ten
// thousand of them do not overrun the server's listen queue.
const seatsAtOnce = 64

// seatUsers makes the users, each with a connection of its own.
func seatUsers(ctx context.Context, p Plan, f *feed, survey any, stripes []*meter.Stripe) ([]*user, error) {
	users := make([]*user, p.Users)
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(seatsAtOnce)
	for i := range users {
		group.Go(func() error {
			var u *user
			err := job.Guarded(func() (err error) {
				u, err = seat(ctx, p, f, survey, i)
				return err
			})
			if u != nil {
				u.stripe = stripes[i%len(stripes)]
				users[i] = u
			}
			if err != nil {
				return &userError{i + p.firstWorker(), err}
			}
			return nil
		})
	}
	err := group.Wait()
	if failed, ok := errors.AsType[*userError](err); ok { // as every error is
		closeUsers(users)
		f.fail(failed.position, failed.err)
	}
	return users, err
}

// seat makes a user, and opens its connection. What it returns with an error has a
// session to close.
func seat(ctx context.Context, p Plan, f *feed, survey any, number int) (u *user, err error) {
	u = &user{number: number, send: f.tellAs(number + p.firstWorker())}
	if u.connection, err = open(ctx, p, number, u.tell); err != nil {
		return u, err
	}
	u.Terminal = p.Workload.NewTerminal(workload.Seat{
		Number: number, Users: p.Users, Seed: p.Seed,
		Options: p.Settings, Survey: survey, SQL: p.SQL,
		Rand: p.rand(number),
		Tell: u.tell,
	})
	u.tell(job.Event{Step: &job.Step{Name: job.StepTransactions, Stage: job.Begins, Count: int64(p.Pacing.MaxIterations)}})
	return u, nil
}

// open connects and makes the session ready. What it returns with an error, if it is not
// nil, has a session to close.
func open(ctx context.Context, p Plan, number int, tell func(job.Event)) (*connection, error) {
	gathering, sockets := loop.Gather(ctx)
	session, err := connect(gathering, p, database.Owner)
	if err != nil {
		return nil, err
	}
	c := &connection{session: session, sockets: sockets}
	if err := introduce(ctx, p, session, tell); err != nil {
		return c, err
	}
	if p.Server.Name != nil {
		if c.name, err = p.Server.Name(ctx, session); err != nil {
			return c, fmt.Errorf("ask what the server calls the session: %w", err)
		}
	}
	c.Executor, err = p.Workload.NewExecutor(ctx, workload.Connection{
		Number: number, Seed: p.Seed, Test: p.Pacing.Test,
		Options: p.Settings, Session: session, SQL: p.SQL,
	})
	if err == nil && p.Pacing.Test {
		c.Executor = &narrator{Executor: c.Executor, kinds: p.Workload.Kinds, tell: tell}
	}
	return c, err
}

func closeUsers(users []*user) {
	group := errgroup.Group{}
	group.SetLimit(seatsAtOnce)
	for _, u := range users {
		if u != nil && u.connection != nil {
			group.Go(func() error { return job.Guarded(u.connection.session.Close) })
		}
	}
	// A session that cannot be closed cleanly is closed all the same.
	_ = group.Wait()
}

// rand returns the random numbers of a user.
func (p Plan) rand(number int) *rand.Rand { return rand.New(rand.NewPCG(p.Seed, uint64(number))) }

// work is the life of a virtual user: it picks a transaction, waits as long as
// the workload says, does it, records it, and begins again, until the run stops.
// It returns an error when the user cannot go on.
//
// This is the hot path, and so are transact and what it calls.
func (u *user) work(r *run) error {
	if r.arrivals != nil {
		return u.workAtRate(r)
	}
	ctx := r.calls
	intended := time.Now()
	for n := 0; n < r.plan.Pacing.MaxIterations && !r.stopping.Load(); n++ {
		u.connection.answer(ctx, r)
		next, more := u.Pick()
		if !more {
			return nil
		}
		if next.Keying > 0 {
			intended = intended.Add(next.Keying)
			if !u.task.PauseUntil(intended) {
				return nil
			}
		}
		ended, err := u.transact(ctx, r, next, intended)
		if err != nil {
			return err
		}
		intended = ended
		if next.Thinking > 0 {
			intended = ended.Add(next.Thinking)
			if !u.task.PauseUntil(intended) {
				return nil
			}
		}
	}
	return nil
}

// workAtRate is work where a rate says when transactions are meant to start, whoever does
// them: the user takes the next that nobody has taken, and waits until it is due. One that
// is due already starts at once, and is late.
//
// It is part of the hot path.
func (u *user) workAtRate(r *run) error {
	for n := 0; n < r.plan.Pacing.MaxIterations && !r.stopping.Load(); n++ {
		_, due := r.arrivals.Claim()
		intended := r.began.Add(min(due, farOff))
		if !u.task.PauseUntil(intended) {
			if time.Now().After(intended) {
				r.missed.Add(1) // it came due while the run ended
			}
			return nil
		}
		u.connection.answer(r.calls, r)
		next, more := u.Pick()
		if !more {
			return nil
		}
		if _, err := u.transact(r.calls, r, next, intended); err != nil {
			return err
		}
	}
	return nil
}

// farOff is after the end of any run, and can be added to a moment.
const farOff = 100 * 365 * 24 * time.Hour

// transact does one transaction, again and again with the same inputs while it
// fails in a way that may pass, and records how it ended. It returns when that
// was, and an error when the user cannot go on.
func (u *user) transact(ctx context.Context, r *run, t workload.Transaction, intended time.Time) (time.Time, error) {
	record := meter.Record{Kind: t.Kind, User: int32(u.number)}
	u.kind.Store(int32(t.Kind))
	u.intended.Store(mark(intended.Sub(r.began)))
	for {
		start := time.Now()
		if record.Retries == 0 {
			record.Late = start.Sub(intended)
		}
		err := u.connection.Do(ctx, t)
		end := time.Now()
		record.Service, record.Response, record.Ended = end.Sub(start), end.Sub(intended), end.Sub(r.began)
		switch err {
		case nil:
			u.record(record)
			return end, nil
		case workload.ErrRolledBack:
			record.Outcome = meter.RolledBack
			u.record(record)
			return end, nil
		}
		if r.broken.Load() {
			return end, nil // cut short by the end of the run: neither a result nor a failure
		}
		again, err := u.afterFailure(ctx, r, &record, err)
		if err != nil || !again || r.broken.Load() {
			return time.Now(), err
		}
	}
}

// record notes how the transaction under way has ended.
func (u *user) record(r meter.Record) {
	u.stripe.Record(r)
	u.intended.Store(0) // not before it is recorded: whoever counts must find it in one place or the other
}

// afterFailure rolls back, and says whether to try again. The error is non-nil
// when the user cannot go on.
func (u *user) afterFailure(ctx context.Context, r *run, record *meter.Record, failure error) (again bool, err error) {
	record.Class = r.plan.Database.Classify(failure)
	if record.Class != meter.Connection {
		if rollback := u.connection.session.Rollback(ctx); rollback != nil {
			record.Class = meter.Connection
			failure = errors.Join(failure, fmt.Errorf("roll back: %w", rollback))
		}
	}
	again = record.Class.Retryable() && int(record.Retries) < r.plan.Pacing.MaxRetries && !r.plan.Pacing.RaiseError
	r.noteFailure(*record, failure, again)
	if again {
		record.Retries++
		u.task.PauseUntil(time.Now().Add(backoff(int(record.Retries))))
		return true, nil
	}
	record.Outcome = meter.Failed
	u.record(*record)
	if record.Class == meter.Connection || r.plan.Pacing.RaiseError {
		return false, fmt.Errorf("%s: %w", r.plan.Workload.Kinds[record.Kind].Name, failure)
	}
	// What failed once is likely to fail again: a user that does nothing but fail
	// must not keep the server and the log busy at full speed.
	u.task.PauseUntil(time.Now().Add(10 * time.Millisecond))
	return false, nil
}

// backoff is nothing before the first retry, because the other party to a
// deadlock has gone on by then, and grows to 50 ms after that.
func backoff(retries int) time.Duration {
	return min(time.Duration(retries-1)*5*time.Millisecond, 50*time.Millisecond)
}

// noteFailure keeps the first examples of each class of failure, with their
// messages, for the job. Counting is the stripes' business.
func (r *run) noteFailure(record meter.Record, failure error, retried bool) {
	const examples = 5
	r.mu.Lock()
	r.noted[record.Class]++
	n := r.noted[record.Class]
	r.mu.Unlock()
	if n <= examples {
		user := int(record.User) + r.plan.firstWorker()
		r.feed.send(job.Event{User: user, Failure: &job.Failure{
			Kind: r.plan.Workload.Kinds[record.Kind].Name, Class: record.Class.String(),
			Message: failure.Error(), Retried: retried,
		}})
	}
}
