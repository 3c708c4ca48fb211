package job

import (
	"time"

	"sledge/internal/meter"
)

// Rate is a Second as charts show it: transactions a minute of all kinds together,
// and how long they took.
type Rate struct {
	At time.Time `json:"at"`
	Moment
	Client *float64 `json:"client_tpm,omitempty"` // missing in a job that another program recorded
	Failed int64    `json:"failed,omitempty"`     // how many transactions failed since the point before

	// Response is of all kinds of transaction together, of those done in the second; it
	// is missing where none was.
	Response *meter.Latency `json:"response,omitempty"`
}
