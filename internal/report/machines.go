package report

import (
	"fmt"
	"math"
	"time"
)

// NoticedDifference is the difference of two clocks, in seconds, from which on it is shown.
const NoticedDifference = 0.1

// ClockDifference says by how much a machine's clock is ahead of this machine's, or how inexactly that
// is known, both in seconds. It returns "" if neither matters.
func ClockDifference(ahead, within float64) string {
	if math.Abs(ahead) <= NoticedDifference && within <= NoticedDifference {
		return ""
	}
	direction := "ahead"
	if ahead < 0 {
		direction = "behind"
	}
	return fmt.Sprintf("its clock is %v %s (± %v)", shortened(math.Abs(ahead)), direction, shortened(within))
}

// shortened returns a number of seconds as a duration of about three digits.
func shortened(seconds float64) time.Duration {
	d := time.Duration(seconds * float64(time.Second))
	unit := time.Millisecond
	if d < 10*time.Millisecond {
		unit = time.Microsecond
	}
	return d.Round(unit)
}
