package experiment_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"sledge/internal/experiment"
	"sledge/internal/job"
)

func TestRepeat_PausesAndEndsWithTheFirstError(t *testing.T) {
	broken := errors.New("broken")
	for _, tt := range []struct {
		name string
		ends map[int]error // the error of each run, by number
		runs []int
		took time.Duration
		err  error
	}{
		{"all succeed", nil, []int{0, 1, 2, 3}, 3 * time.Minute, nil},
		{"one fails", map[int]error{1: broken}, []int{0, 1}, time.Minute, broken},
		{"one ends the experiment", map[int]error{2: experiment.ErrEnough}, []int{0, 1, 2}, 2 * time.Minute, nil},
		{"it is stopped in a pause", map[int]error{2: context.Canceled}, []int{0, 1, 2}, 2*time.Minute + time.Second, context.Canceled},
	} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			var runs []int
			began := time.Now()
			err := experiment.Repeat(ctx, 4, time.Minute, func(number int) error {
				runs = append(runs, number)
				err := tt.ends[number]
				if err == context.Canceled {
					time.AfterFunc(time.Second, cancel)
					return nil
				}
				return err
			})
			if !slices.Equal(runs, tt.runs) || time.Since(began) != tt.took || !errors.Is(err, tt.err) {
				t.Errorf("%s: got runs %v in %s and the error %v, want %v in %s and %v", tt.name, runs, time.Since(began), err, tt.runs, tt.took, tt.err)
			}
			if tt.err == context.Canceled && (job.ExitOf(err) != job.ExitStopped || err.Error() != "stopped after 3 of 4 runs") {
				t.Errorf("%s: got %v with exit code %d, want a stop error with exit code %d", tt.name, err, job.ExitOf(err), job.ExitStopped)
			}
		})
	}
}

// In each block of two pairs, the places of A and B have the same sum, so that a steady drift
// favours neither.
func TestTurns_FavourNeitherSetUp(t *testing.T) {
	begins := map[int]bool{}
	for seed := range uint64(20) {
		turns := experiment.Turns(7, seed)
		if len(turns) != 14 {
			t.Fatalf("got %d runs, want 14", len(turns))
		}
		begins[turns[0]] = true
		for i := 0; i+4 <= len(turns); i += 4 {
			if block := turns[i : i+4]; block[0] == block[1] || block[2] != block[1] || block[3] != block[0] {
				t.Errorf("seed %d: got the block %v, want 0 1 1 0 or 1 0 0 1", seed, block)
			}
		}
		if turns[12] == turns[13] {
			t.Errorf("seed %d: got the last pair %v", seed, turns[12:])
		}
		if again := experiment.Turns(7, seed); !slices.Equal(turns, again) {
			t.Errorf("seed %d: got %v, then %v", seed, turns, again)
		}
	}
	if len(begins) != 2 {
		t.Error("all seeds begin with the same set-up")
	}
}
