package loop

// Traffic counts the network traffic of connections.
type Traffic struct {
	Sent, Received int64 // bytes on the wire, after encryption if the connection is encrypted

	// RoundTrips counts the requests that waited for a response. A round trip begins with the first
	// bytes sent, and again with the first bytes sent after a response. A request or a response in
	// several parts counts once.
	RoundTrips int64
}

// Since returns the traffic since an earlier reading.
func (t Traffic) Since(earlier Traffic) Traffic {
	return Traffic{t.Sent - earlier.Sent, t.Received - earlier.Received, t.RoundTrips - earlier.RoundTrips}
}

// counter adds the traffic of one connection to that of its session. It needs no lock, because
// only the owner of the session sends, receives and reads it.
type counter struct {
	sum  *Traffic
	sent bool // something was sent since the last receive
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
