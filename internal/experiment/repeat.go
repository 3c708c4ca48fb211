package experiment

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"sledge/internal/job"
)

// ErrEnough is the error of a run that ends the experiment early.
var ErrEnough = errors.New("enough")

// Turns returns which of two set-ups, 0 or 1, each run of some pairs has. Each two pairs in succession
// have both orders, A B B A or B A A B as seed decides, so that a steady drift favours neither set-up.
func Turns(pairs int, seed uint64) []int {
	random := rand.New(rand.NewPCG(seed, 0))
	var turns []int
	first := 0
	for i := range pairs {
		if first = 1 - first; i%2 == 0 {
			first = random.IntN(2)
		}
		turns = append(turns, first, 1-first)
	}
	return turns
}

// Rounds returns which of some set-ups each run has: all of them in each round, in a random order that seed
// decides.
func Rounds(setups, rounds int, seed uint64) (which []int) {
	random := rand.New(rand.NewPCG(seed, 0))
	for range rounds {
		which = append(which, random.Perm(setups)...)
	}
	return which
}

// Repeat calls run for each number from 0 to runs-1, with a pause between two calls, until run
// returns an error or ctx ends.
func Repeat(ctx context.Context, runs int, pause time.Duration, run func(number int) error) error {
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
			return job.WithExit(job.ExitStopped, &stopError{number, runs, ctx.Err()})
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

// stopError means that an experiment was stopped after some of its runs. Its text does not contain
// the context's error, but errors.Is finds it.
type stopError struct {
	done, asked int
	cause       error
}

func (e *stopError) Error() string {
	return fmt.Sprintf("stopped after %d of %d runs", e.done, e.asked)
}
func (e *stopError) Unwrap() error { return e.cause }
