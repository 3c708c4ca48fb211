package observer

import (
	"testing"
	"time"
)

// A server's clock is an hour ahead. Requests and answers take between 1 and 19 ms, and the server works for 5 ms. The
// difference is as exact as the quickest request and the quickest answer, until the clock is set.
func TestServerClock_BoundsTheDifference(t *testing.T) {
	var c serverClock
	const ms = time.Millisecond
	at, ahead := time.Now(), time.Hour
	read := func(there, back time.Duration) {
		at = at.Add(200 * ms)
		received := at.Add(there)
		answered := received.Add(5 * ms)
		c.read(at, received.Add(ahead), answered.Add(ahead), answered.Add(back))
	}
	read(19*ms, 2*ms)
	read(ms, 19*ms)
	want := bounds{ahead - 2*ms, ahead + ms}
	if got := c.difference(); got != want {
		t.Errorf("got %v, want %v", got, want)
	}
	for range 5 {
		read(5*ms, 5*ms)
	}
	if got := c.difference(); got != want {
		t.Errorf("got %v, want worse readings to change nothing", got)
	}
	ahead = 2 * time.Hour
	read(2*ms, 3*ms)
	if got, want := c.difference(), (bounds{ahead - 3*ms, ahead + 2*ms}); got != want {
		t.Errorf("got %v after the clock was set, want %v", got, want)
	}
}
