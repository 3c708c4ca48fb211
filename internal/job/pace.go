package job

import (
	"sledge/internal/meter"
)

// Pace says how a run kept to its requested rate of transactions. Rates are per second, over
// the measured time; start lag is how long after its scheduled start a transaction began.
type Pace struct {
	Asked  float64 `json:"asked_per_second"` // that were due
	Ended  float64 `json:"ended_per_second"` // of those, that began in that time and ended, then or soon after
	Behind int64   `json:"behind"`           // due when the time was up, and not begun by then

	// Earlier is how many ended in the measured time that were due before it. They are in no
	// histogram, and not in Ended.
	Earlier int64 `json:"due_earlier,omitempty"`

	// Reached is the share of the transactions due that were done, or rolled back as the
	// workload asks, in percent; 100 if no transaction was due. Share also knows it of jobs that were
	// recorded before it was kept.
	Reached float64 `json:"reached_percent,omitempty"`

	StartLag meter.Latency `json:"start_lag"`

	Kinds []KindPace `json:"kinds,omitempty"` // where each kind of transaction has a rate of its own
}

// Share returns Reached, or an estimate of it in a job from before it was kept.
func (p Pace) Share() float64 {
	if p.Reached == 0 && p.Asked > 0 {
		return 100 * p.Ended / p.Asked
	}
	return p.Reached
}

// Keyed compares a run with keying and thinking times with what these allow: what terminals
// do whose transactions take no time at all.
type Keyed struct {
	Sessions float64 `json:"sessions"`            // terminals that worked, on average over the measured time
	Cycle    float64 `json:"cycle_seconds"`       // mean pause before and after a transaction
	Expected float64 `json:"expected_per_minute"` // transactions of all kinds
	Measured float64 `json:"measured_per_minute"` // those done, or rolled back as the workload asks
	Reached  float64 `json:"reached_percent"`     // of the expected

	// Each says what one terminal does at most, as "10 new orders in 476 s", and Figure what
	// all do of what the headline counts, a minute.
	Each   string  `json:"each,omitempty"`
	Figure float64 `json:"expected_figure,omitempty"`
	What   string  `json:"what,omitempty"`  // the headline counts: "new order"
	Limit  string  `json:"limit,omitempty"` // of the workload's standard, in words: "the times of TPC-C allow at most 12.86 a warehouse"
}

// PaceReached returns which share of its rate, or of what keying and thinking times allow, a run
// reached, in percent. A run that was asked for neither reached it all.
func (r Result) PaceReached() float64 {
	reached := 100.0
	if r.Pace != nil {
		reached = min(reached, r.Pace.Share())
	}
	if r.Keyed != nil {
		reached = min(reached, r.Keyed.Reached)
	}
	return reached
}

// EnoughPace is the share of a rate, or of what keying and thinking times allow, in percent,
// below which a run is said not to have kept its pace.
const EnoughPace = 95

// KindPace is the Pace of one kind of transaction.
type KindPace struct {
	Kind   string  `json:"kind"`
	Asked  float64 `json:"asked_per_second"`
	Ended  float64 `json:"ended_per_second"`
	Behind int64   `json:"behind"`

	StartLag meter.Latency `json:"start_lag"`
}

// Sharing says how virtual users fared that share connections.
type Sharing struct {
	Connections int           `json:"connections"`
	Wait        meter.Latency `json:"wait"` // of a transaction for a connection: in its response time, not in its service time
}
