package agent

import (
	"testing"
	"time"
)

const ms = time.Millisecond

func TestClock_TakesTheMostExactOfTheLastPolls(t *testing.T) {
	var c Clock
	if _, _, known := c.Here(0); known {
		t.Error("a clock without polls knows the agent's time")
	}
	// The agent's clock is an hour ahead. The way there takes 80 ms and back 20 ms, then 1 ms each.
	c.Add(0, time.Hour+80*ms, time.Hour+85*ms, 105*ms)
	if here, within, _ := c.Here(time.Hour + 500*ms); here != 470*ms || within != 50*ms {
		t.Errorf("got %v within %v, want 470ms within 50ms, which contains the true 500ms", here, within)
	}
	c.Add(time.Second, time.Hour+time.Second+ms, time.Hour+time.Second+ms, time.Second+2*ms)
	for i := range 15 { // slow polls do not replace it until it is the seventeenth last
		at := time.Duration(i+2) * time.Second
		c.Add(at, time.Hour+at+90*ms, time.Hour+at+90*ms, at+100*ms)
	}
	if here, within, _ := c.Here(time.Hour + 20*time.Second); here != 20*time.Second || within != ms {
		t.Errorf("got %v within %v, want 20s within 1ms", here, within)
	}
	c.Add(17*time.Second, time.Hour+17*time.Second+90*ms, time.Hour+17*time.Second+90*ms, 17*time.Second+100*ms)
	if _, within, _ := c.Here(0); within != 50*ms {
		t.Errorf("got within %v, want 50ms: the exact poll is too old", within)
	}
}

func TestClock_ForgetsPollsBeforeAJump(t *testing.T) {
	var c Clock
	c.Add(0, ms, ms, 2*ms)
	c.Add(60*time.Second, 20*time.Second+40*ms, 20*time.Second+40*ms, 60*time.Second+80*ms) // the agent's machine slept for 40 s
	if here, within, _ := c.Here(21 * time.Second); here != 61*time.Second || within != 40*ms {
		t.Errorf("got %v within %v, want 61s within 40ms", here, within)
	}
	c.Add(61*time.Second, 22*time.Second, 21*time.Second, 62*time.Second) // answered before it was received
	if here, _, _ := c.Here(21 * time.Second); here != 61*time.Second {
		t.Errorf("after an impossible poll: got %v, want 61s", here)
	}
}
