package coordinator

import (
	"context"
	"errors"
	"fmt"
	"time"

	"sledge/internal/engine/order"
	"sledge/internal/job"
)

// link is the coordinator's connection to a generator: its commands and its reports. Each response
// has a time limit.
type link struct {
	generator order.Generator
	*reports  // nil before the users have connected
}

// call returns the generator's response. A generator that does not respond is lost.
func call[T any](l *link, ask func(context.Context) (T, error)) (T, error) {
	limit := order.AnswersWithin
	if l.gone() != nil {
		limit = lostWithin
	}
	answer, err := callWithin(limit, ask)
	if err != nil {
		var none T
		return none, l.lose(err)
	}
	return answer, nil
}

// errSilent means that a generator did not respond in time.
var errSilent = fmt.Errorf("it did not answer within %s", order.AnswersWithin)

// callWithin returns the generator's response within a time limit.
func callWithin[T any](limit time.Duration, ask func(context.Context) (T, error)) (answer T, err error) {
	type reply struct {
		answer T
		err    error
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	replies := make(chan reply, 1)
	go func() {
		var got reply
		got.err = job.Guarded(func() (err error) { got.answer, err = ask(ctx); return err })
		replies <- got
	}()
	select {
	case got := <-replies:
		return got.answer, got.err
	case <-ctx.Done():
		return answer, errSilent
	}
}

// start starts the users.
func (l *link) start() error {
	_, err := callWithin(order.AnswersWithin, func(ctx context.Context) (struct{}, error) { return struct{}{}, l.generator.Start(ctx) })
	switch {
	case errors.Is(err, errSilent):
		return l.lose(err)
	case err != nil:
		l.end() // no user works
	}
	return err
}

// stop tells the generator to stop its users.
func (l *link) stop() { l.tell(l.generator.Stop) }

// abort tells the generator to abort its users.
func (l *link) abort() { l.tell(l.generator.Abort) }

// close tells the generator to disconnect its users. It waits for at most order.AnswersWithin.
func (l *link) close() {
	_, _ = callWithin(order.AnswersWithin, func(context.Context) (struct{}, error) { l.generator.Close(); return struct{}{}, nil })
}

// tell calls a method of the generator. If the call takes too long, the generator is lost.
func (l *link) tell(do func()) {
	_, _ = call(l, func(context.Context) (struct{}, error) { do(); return struct{}{}, nil })
}
