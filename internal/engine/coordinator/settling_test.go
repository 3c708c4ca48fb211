package coordinator

import (
	"testing"
	"time"

	"sledge/internal/engine/order"
	"sledge/internal/engine/plan"
	"sledge/internal/meter"
)

// A rate settles at the earliest half a minute after the last of the users has begun.
func TestWatch_NoticesASettledRate(t *testing.T) {
	p := plan.Plan{Users: 11}
	p.Pacing.Shifts.UserDelay = 2 * time.Second
	w := &watch{run: &run{plan: p}, settles: true}
	settled := 0
	for second := 1; settled == 0 && second < 300; second++ {
		done := int64(100 * min(second/2+1, p.Users)) // grows while users begin
		w.look(&order.Interval{At: time.Duration(second) * time.Second, Groups: []meter.CodedSummary{{Kinds: []meter.CodedTally{{Done: done + int64(second%3)}}}}}, time.Second)
		if w.settled {
			settled = second
		}
	}
	if settled < 50 || settled > 60 {
		t.Errorf("the rate settled after %d s, want 50 to 60: 30 s after the last user began", settled)
	}
}
