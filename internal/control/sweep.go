package control

import (
	"context"
	"errors"
	"fmt"
	"time"

	"sledge/internal/job"
)

// ErrEnough is returned by a run of a sweep that is the last though more were asked for.
var ErrEnough = errors.New("enough")

// Sweep does runs one after another: with different numbers of virtual users, or the same
// again and again. It pauses between two. The first that returns an error is the last,
// and so is the one in which ctx ends; run does not return the error of a run that others
// are to follow nevertheless.
func Sweep(ctx context.Context, runs int, pause time.Duration, run func(number int) error) error {
	for number := range runs {
		if number > 0 {
			timer := time.NewTimer(pause)
			select {
			case <-timer.C:
			case <-ctx.Done():
			}
			timer.Stop()
		}
		if ctx.Err() != nil {
			return job.WithExit(job.ExitStopped, &sweepError{number, runs, ctx.Err()})
		}
		switch err := run(number); {
		case errors.Is(err, ErrEnough):
			return nil
		case err != nil:
			return err
		}
	}
	return nil
}

// sweepError says that a sweep was stopped. People do not see the words of the context's
// error in it; errors.Is finds that error all the same.
type sweepError struct {
	done, asked int
	cause       error
}

func (e *sweepError) Error() string {
	return fmt.Sprintf("stopped after %d of %d runs", e.done, e.asked)
}
func (e *sweepError) Unwrap() error { return e.cause }
