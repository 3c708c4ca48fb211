package job

import "time"

// Ceiling is what the client on a machine can drive, if the server answers at once. Only the repeats
// are measured; the other figures are calculated from them.
type Ceiling struct {
	Protocol string `json:"protocol"` // the database whose protocol the stand-in spoke, as people call it: "PostgreSQL"
	Title    string `json:"title"`    // of the workload: "TPROC-C"

	// TransactionsPerSecond is Cores divided by the CPU time of a transaction. Cores is the number of
	// cores that Sledge may use.
	TransactionsPerSecond float64 `json:"transactions_per_second"`
	Cores                 int     `json:"cores"`

	CPUMicroseconds float64 `json:"cpu_microseconds"` // of the client for a transaction: the median of the repeats
	SpreadPercent   float64 `json:"spread_percent"`   // greatest less smallest CPU time of the repeats, in percent of the median

	Loops   int             `json:"event_loops"` // that ran the users; 0 if each had a goroutine
	Repeats []CeilingRepeat `json:"repeats"`
}

// CeilingRepeat is one measurement of a ceiling.
type CeilingRepeat struct {
	Seconds         float64 `json:"seconds"`
	Transactions    int64   `json:"transactions"`     // by the virtual users' count
	CPUSeconds      float64 `json:"cpu_seconds"`      // of the client
	BusyPercent     float64 `json:"busy_percent"`     // CPU time of the client in percent of the time of its event loops
	CPUMicroseconds float64 `json:"cpu_microseconds"` // of the client for a transaction
}

// Rate returns the measured transactions a second.
func (r CeilingRepeat) Rate() float64 { return float64(r.Transactions) / r.Seconds }

// Saturated reports whether the client was near its limit in each repeat. A client with rests needs more
// CPU time for each transaction, so the ceiling is higher than calculated.
func (c Ceiling) Saturated() bool {
	const enough = 90
	for _, r := range c.Repeats {
		if r.BusyPercent < enough {
			return false
		}
	}
	return true
}

// CeilingReached compares a run with the ceiling of its client's machine.
type CeilingReached struct {
	Job                   ID        `json:"job"` // that measured the ceiling
	At                    time.Time `json:"at"`  // when it began
	TransactionsPerSecond float64   `json:"transactions_per_second"`
	Percent               float64   `json:"percent"` // of that, which the run reached
}

// MostOfCeiling is the share of the ceiling, in percent, from which on the client may limit a run.
const MostOfCeiling = 70
