package loop

// Traffic is what went over connections.
type Traffic struct {
	Sent, Received int64 // bytes as they are on the wire: encrypted where the connection is

	// RoundTrips is how often something was sent that an answer was waited for: a round
	// trip begins with the first that is sent, and with each that is sent after something was
	// received. What is sent in several parts before the answer comes is one round trip, and
	// so is an answer that comes in several parts.
	RoundTrips int64
}

// Since returns what went over the connections since they had seen earlier.
func (t Traffic) Since(earlier Traffic) Traffic {
	return Traffic{t.Sent - earlier.Sent, t.Received - earlier.Received, t.RoundTrips - earlier.RoundTrips}
}

// counter adds the traffic of one connection to that of all of a session. Whoever uses the
// session counts and reads without a lock, since nobody else sends or receives over it.
type counter struct {
	sum  *Traffic
	sent bool // something, since something was received last
}

func (c *counter) wrote(n int) {
	if n <= 0 {
		return
	}
	c.sum.Sent += int64(n)
	if !c.sent {
		c.sent = true
		c.sum.RoundTrips++
	}
}

func (c *counter) read(n int) {
	if n <= 0 {
		return
	}
	c.sum.Received += int64(n)
	c.sent = false
}
