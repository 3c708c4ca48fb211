package generator

import (
	"testing"
	"time"

	"sledge/internal/meter"
)

func TestTries_FindTheOneInFlight(t *testing.T) {
	var tries tries
	const ms = time.Millisecond
	if got := tries.at(0, time.Hour); got.number != 0 {
		t.Errorf("got %+v before the first try", got)
	}
	for n := range 40 { // each takes 6 ms of 10
		try := tries.begin(meter.Kind(n%5), time.Duration(10*n)*ms)
		try.end.Store(int64(time.Duration(10*n+6) * ms))
	}
	tries.begin(3, 400*ms)
	for _, c := range []struct {
		at, slack time.Duration
		want      int64 // number of the try, from 1; 0 for none
	}{
		{401 * ms, 0, 41},
		{time.Hour, 0, 41}, // it has not ended
		{395 * ms, 0, 40},
		{393 * ms, 0, 40},
		{398 * ms, 0, 0},       // between two
		{399 * ms, 2 * ms, 41}, // nearer to the later one
		{397 * ms, 2 * ms, 40}, // nearer to the earlier one
		{396*ms + 1, 3 * ms, 40},
		{120 * ms, 0, 13},
		{90 * ms, 0, 0}, // another has taken its place
		{90 * ms, time.Hour, 0},
	} {
		got := tries.at(c.at, c.slack)
		if got.number != c.want || c.want > 0 && c.want < 41 && got.kind != meter.Kind((c.want-1)%5) {
			t.Errorf("at %v within %v: got %+v, want number %d", c.at, c.slack, got, c.want)
		}
	}
	if last := tries.at(450*ms, 0); !last.covers(400*ms, 500*ms) || last.covers(399*ms, 500*ms) {
		t.Errorf("got %+v, want it to cover all from its start", last)
	}
}
