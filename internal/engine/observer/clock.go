package observer

import "time"

// serverClock compares a server's clock with this process's. Each reading bounds the difference of the two,
// because the server received the request after it was sent, and read its clock before the answer came;
// the newest readings together bound it closely.
type serverClock struct {
	readings []bounds // the newest
}

// bounds are the least and the greatest possible difference: the server's clock minus this one. The least
// would be true if an answer took no time, and the greatest if a request took none.
type bounds struct{ least, greatest time.Duration }

// clockReadings is the number of readings that are kept: three seconds of samples, in which no clock
// drifts far.
const clockReadings = 16

// read notes what the server's clock showed when it received the request that was sent at a time, and later,
// before the answer came.
func (c *serverClock) read(sent, received, answered, came time.Time) {
	c.readings = append(c.readings[max(0, len(c.readings)-clockReadings+1):], bounds{answered.Sub(came), received.Sub(sent)})
}

// difference returns what the newest readings together say. If a clock was set meanwhile, the newest one
// decides.
func (c *serverClock) difference() bounds {
	all := c.readings[0]
	for _, b := range c.readings[1:] {
		all.least, all.greatest = max(all.least, b.least), min(all.greatest, b.greatest)
	}
	if all.least > all.greatest {
		all = c.readings[len(c.readings)-1]
		c.readings = []bounds{all}
	}
	return all
}
