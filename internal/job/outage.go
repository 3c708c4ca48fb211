package job

// Outage is a time in which connections were lost, and what became of the rate of
// transactions. Rates are a second, and count what ended as it should.
type Outage struct {
	From float64 `json:"from_seconds"` // since the measurement began: when the first connection was lost
	Lost int     `json:"lost"`         // connections, until the rate was back at 90 %

	// Silent is the longest time meanwhile in which no transaction ended as it should, and
	// SilentFrom when that began; 0 if it was shorter than a quarter of a second.
	Silent     float64 `json:"silent_seconds"`
	SilentFrom float64 `json:"silent_from_seconds,omitempty"`

	RateBefore float64    `json:"rate_before"` // up to 30 s before; 0 if that is not known
	Back       []Recovery `json:"back"`
}

// Recovery says when a share of the rate before was reached again, and kept for three seconds.
type Recovery struct {
	Percent int      `json:"percent"`
	After   *float64 `json:"after_seconds"` // since the first connection was lost; null if it was not
}
