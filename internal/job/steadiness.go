package job

// Steadiness describes the course of the throughput of a run in its measured time, by the
// transactions of each second.
type Steadiness struct {
	Pattern string `json:"pattern"` // "steady", "drifting", "jumping" or "oscillating"

	// From is when the described part begins, since the measurement began. What precedes it is ramp-up,
	// and Effect says by how much that changes the mean rate of the measured time.
	From   float64 `json:"from_seconds"`
	Effect float64 `json:"ramp_up_effect_percent,omitempty"`

	// Precision is half of the 95 % interval of the mean rate, which allows for the likeness of
	// neighbouring seconds; nil if it is not known.
	Precision *float64 `json:"precision_percent,omitempty"`

	Change float64          `json:"change_percent,omitempty"` // of a drift, from beginning to end
	Jumps  []ThroughputJump `json:"jumps,omitempty"`          // in order
	Period float64          `json:"period_seconds,omitempty"` // of an oscillation
	Enough bool             `json:"enough_periods,omitempty"` // whether the part has at least 3 of them
}

// ThroughputJump is a lasting change of the rate of transactions.
type ThroughputJump struct {
	At     float64 `json:"at_seconds"` // since the measurement began
	Change float64 `json:"change_percent"`

	Class      string `json:"class,omitempty"`      // of the waits of which there were more from then on
	Background string `json:"background,omitempty"` // work of the server's own at that time: "checkpoint"
}
