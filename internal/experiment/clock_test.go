package experiment_test

import (
	"testing"
	"testing/synctest"
	"time"

	"sledge/internal/experiment"
)

func TestClock_EndsBeforeAStepThatWouldBeLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := experiment.NewClock(10 * time.Minute)
		unlimited := experiment.NewClock(0)
		if c.Left(3) != 0 || c.Over() {
			t.Errorf("before the first step: got %s left, over %t", c.Left(3), c.Over())
		}
		for i, step := range []struct {
			took time.Duration
			left time.Duration // of two further steps
			over bool
		}{
			{2 * time.Minute, 4 * time.Minute, false},
			{4 * time.Minute, 6 * time.Minute, false}, // 6 + 4 is just within 10
			{time.Second, 2 * 361 * time.Second / 3, true},
		} {
			time.Sleep(step.took)
			c.Step()
			unlimited.Step()
			if c.Over() != step.over || c.Left(2).Round(time.Second) != step.left.Round(time.Second) || unlimited.Over() {
				t.Errorf("after step %d: got %s left, over %t, want %s, %t", i, c.Left(2), c.Over(), step.left, step.over)
			}
		}
	})
}
