package job

import (
	"sledge/internal/meter"
)

// Punctuality says how well a run, or one of its groups, kept its rate or its pauses.
type Punctuality struct {
	Pace  *Pace  `json:"pace,omitempty"`  // of a run with a rate
	Keyed *Keyed `json:"keyed,omitempty"` // of a run with keying and thinking times

	// StartLag is the time from the end of a user's pause to the start of its transaction; nil if
	// users do not pause.
	StartLag *meter.Latency `json:"start_lag,omitempty"`
}

// Pace compares a run with its requested rate of transactions. Rates are per second, over the
// measured time. The start lag is the time from the scheduled start of a transaction to its actual
// start.
type Pace struct {
	Asked  float64 `json:"asked_per_second"` // scheduled transactions
	Ended  float64 `json:"ended_per_second"` // transactions that were scheduled and began in the measured time, and that ended, even after it
	Behind int64   `json:"behind"`           // backlog: scheduled and not begun at the end of the measured time

	// Earlier counts the transactions that ended in the measured time and were scheduled before it.
	// They are in no histogram, and not in Ended.
	Earlier int64 `json:"due_earlier,omitempty"`

	// Reached is the share of the scheduled transactions that were done, or rolled back by the
	// workload, in percent; 100 if none was scheduled. Share also returns it for jobs of earlier
	// versions.
	Reached float64 `json:"reached_percent,omitempty"`

	StartLag meter.Latency `json:"start_lag"`

	Kinds []KindPace `json:"kinds,omitempty"` // if each kind of transaction has its own rate
}

// Share returns Reached, or an estimate of it for jobs of earlier versions.
func (p Pace) Share() float64 {
	if p.Reached == 0 && p.Asked > 0 {
		return 100 * p.Ended / p.Asked
	}
	return p.Reached
}

// Keyed compares a run with keying and thinking times with the rate that these allow if
// transactions take no time.
type Keyed struct {
	Sessions float64 `json:"sessions"`            // mean number of terminals that worked in the measured time
	Cycle    float64 `json:"cycle_seconds"`       // mean pause before and after a transaction
	Expected float64 `json:"expected_per_minute"` // transactions of all kinds
	Measured float64 `json:"measured_per_minute"` // transactions that were done, or rolled back by the workload
	Reached  float64 `json:"reached_percent"`     // share of the expected rate

	// Each is the maximum of one terminal, such as "10 new orders in 476 s". Figure is the maximum
	// of all terminals per minute, in the unit of the headline.
	Each   string  `json:"each,omitempty"`
	Figure float64 `json:"expected_figure,omitempty"`
	What   string  `json:"what,omitempty"`  // the unit of the headline: "new order"
	Limit  string  `json:"limit,omitempty"` // the limit of the workload's standard, in words: "the times of TPC-C allow at most 12.86 a warehouse"
}

// Reached returns the share that a run or a group reached of its rate, or of the maximum rate of its
// keying and thinking times, in percent, and whether it has either.
func (p Punctuality) Reached() (percent float64, asked bool) {
	switch {
	case p.Pace != nil:
		return p.Pace.Share(), true
	case p.Keyed != nil:
		return p.Keyed.Reached, true
	}
	return 0, false
}

// PaceReached returns the least share that the run, or one of its groups, reached of its rate or of the
// maximum rate of its keying and thinking times, in percent. For a run without either it returns 100.
func (r Result) PaceReached() float64 {
	if reached, asked := r.PaceOf(""); asked {
		return reached
	}
	return 100
}

// PaceOf returns what PaceReached returns, for the named group alone if the name is not "", and whether
// there was a rate or a pause.
func (r Result) PaceOf(group string) (percent float64, asked bool) {
	list := []Punctuality{r.Punctuality}
	for _, g := range r.Groups {
		if group == "" || g.Name == group {
			list = append(list, g.Punctuality)
		}
	}
	for _, p := range list {
		if reached, is := p.Reached(); is && (!asked || reached < percent) {
			percent, asked = reached, true
		}
	}
	return percent, asked
}

// EnoughPace is the value of PaceReached below which a run has a caveat.
const EnoughPace = 95

// KindPace is the Pace of one kind of transaction.
type KindPace struct {
	Kind   string  `json:"kind"`
	Asked  float64 `json:"asked_per_second"`
	Ended  float64 `json:"ended_per_second"`
	Behind int64   `json:"behind"`

	StartLag meter.Latency `json:"start_lag"`
}

// Sharing holds the waits of virtual users that share connections.
type Sharing struct {
	Connections int           `json:"connections"`
	Wait        meter.Latency `json:"wait"` // wait of a transaction for a connection; part of its response time, not of its service time
}
