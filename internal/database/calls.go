package database

import (
	"context"
	"errors"
	"sync/atomic"
)

// Interruption records that a session was interrupted. Sessions embed it.
type Interruption struct{ Interrupted atomic.Bool }

// ErrInterrupted is the error of calls of an interrupted session.
var ErrInterrupted = errors.New("the session was interrupted")

// Ended returns the error of a call, given the driver's error, with a short text.
func (i *Interruption) Ended(err error) error {
	err = Short(err)
	if err != nil && i.Interrupted.Load() {
		return errors.Join(ErrInterrupted, err)
	}
	return err
}

// Calls lets another goroutine cancel the current call of a session, or end all calls for good.
// Sessions over drivers that watch contexts embed it.
type Calls struct {
	Interruption

	life atomic.Pointer[life] // of the current call; replaced if that is cancelled
}

// life is a context with its cancel function.
type life struct {
	context.Context
	end context.CancelFunc
}

func newLife() *life {
	ctx, end := context.WithCancel(context.Background())
	return &life{ctx, end}
}

// Open must be called before the first call.
func (c *Calls) Open() { c.life.Store(newLife()) }

// Watched returns the context for a call, and a function to run after the call. The context ends when the call
// is cancelled or the session is interrupted. For callers that cancel nothing, such as virtual users, it
// allocates nothing. It fails if the caller's context is done already, because some drivers then close the
// connection.
func (c *Calls) Watched(ctx context.Context) (watched context.Context, done func(), err error) {
	switch {
	case ctx.Done() == nil:
		return c.life.Load(), func() {}, nil
	case ctx.Err() != nil:
		return ctx, func() {}, ctx.Err()
	}
	watched, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(c.life.Load(), cancel)
	return watched, func() { stop(); cancel() }, nil
}

// Cancel implements Session, for drivers that keep a connection after the context of a call has
// ended.
func (c *Calls) Cancel(context.Context) error {
	c.life.Swap(newLife()).end()
	if c.Interrupted.Load() { // Interrupt may have ended the old context only
		c.End()
	}
	return nil
}

// End ends the current call and refuses further ones.
func (c *Calls) End() { c.life.Load().end() }
