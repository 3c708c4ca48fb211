package generator

import (
	"context"
	"errors"
	"fmt"
	"time"

	"sledge/internal/engine/plan"
	"sledge/internal/engine/target"
	"sledge/internal/meter"
	"sledge/internal/workload"
)

// limiter is an executor that cancels transactions that exceed a time limit.
type limiter struct {
	workload.Spanner
	c    *connection
	plan plan.Plan
}

// limit adds the time limit of transactions to a connection, if the run has one.
func (l *connector) limit(c *connection) {
	if l.plan.Pacing.Limit > 0 {
		c.Executor = &limiter{Spanner: c.Executor.(workload.Spanner), c: c, plan: l.plan}
	}
}

// overLimitError means that a transaction exceeded its time limit.
type overLimitError struct {
	limit  time.Duration
	option string // option with the limit
	err    error  // error of the cancelled transaction
}

// Error describes the limit, without the server's message about the cancellation.
func (e *overLimitError) Error() string {
	return fmt.Sprintf("cancelled because it took longer than %s, which is what option %s allows", e.limit, e.option)
}

// Unwrap returns the error of the cancelled transaction.
func (e *overLimitError) Unwrap() error { return e.err }

// Do implements workload.Executor. A transaction that succeeds just at the limit is a success.
func (l *limiter) Do(ctx context.Context, t workload.Transaction) error {
	if t.Unlimited {
		return l.Spanner.Do(ctx, t)
	}
	answered, asked := make(chan struct{}), make(chan error, 1)
	timer := time.AfterFunc(l.plan.Pacing.Limit, func() { asked <- l.cancel(answered) })
	err := l.Spanner.Do(ctx, t)
	close(answered)
	if timer.Stop() {
		return err
	}
	if unheard := <-asked; unheard != nil && err != nil {
		return fmt.Errorf("%w: %w", unheard, err)
	}
	if lost := l.settle(ctx); lost != nil {
		return errors.Join(err, lost)
	}
	if err == nil {
		return nil
	}
	return &overLimitError{l.plan.Pacing.Limit, l.plan.Spec.Names.Of("query_limit"), err}
}

// settle absorbs a cancellation that came too late for its statement. Otherwise the cancellation
// would hit the next statement. An error means that the session is lost.
func (l *limiter) settle(ctx context.Context) error {
	_, err := l.plan.Server.Version(ctx, l.c.session)
	if err != nil {
		_, err = l.plan.Server.Version(ctx, l.c.session)
	}
	return err
}

// cancel cancels the running statement. If the server does not cancel it, cancel closes the
// connection and returns an error.
func (l *limiter) cancel(answered <-chan struct{}) error {
	ctx, done := context.WithTimeoutCause(context.Background(), target.Asking, fmt.Errorf("the server did not answer within %s", target.Asking))
	defer done()
	err := l.c.cancel(ctx)
	if err == nil {
		select {
		case <-answered:
			return nil
		case <-time.After(target.Cancelling):
			err = fmt.Errorf("the server continued it for another %s", target.Cancelling)
		}
	}
	select {
	case <-answered: // the statement ended meanwhile
		return nil
	default:
	}
	l.c.interrupt()
	return fmt.Errorf("it took longer than %s, and could not be cancelled: %w", l.plan.Pacing.Limit, err)
}

// classify returns the class of a transaction's failure.
func (g *group) classify(failure error) meter.Class {
	if _, is := errors.AsType[*overLimitError](failure); is {
		return meter.OverLimit
	}
	return g.plan.Database.Sessions.Classify(failure)
}
