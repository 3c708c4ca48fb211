package job

// Outage is a time in which connections were lost, and its effect on the rate of transactions.
// Rates are per second, and count transactions that were done or rolled back by the workload.
type Outage struct {
	From float64 `json:"from_seconds"` // when the first connection was lost, in seconds since the measurement began
	Lost int     `json:"lost"`         // connections lost until the rate was back at 90 %

	// Silent is the longest time in the outage in which no transaction succeeded, and SilentFrom
	// its beginning; 0 if it was shorter than a quarter of a second.
	Silent     float64 `json:"silent_seconds"`
	SilentFrom float64 `json:"silent_from_seconds,omitempty"`

	RateBefore float64    `json:"rate_before"` // mean of up to 30 s before; 0 if it is unknown
	Back       []Recovery `json:"back"`
}

// Recovery is the time until the rate was back at a share of the rate before the outage, for three
// seconds.
type Recovery struct {
	Percent int      `json:"percent"`
	After   *float64 `json:"after_seconds"` // seconds since the first connection was lost; null if the rate did not come back
}
