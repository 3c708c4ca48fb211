package job

import (
	"time"

	"sledge/internal/meter"
)

// Rate is a Second for charts: the transactions per minute of all kinds together, and their
// response times.
type Rate struct {
	At time.Time `json:"at"`
	Moment
	Client *float64 `json:"client_tpm,omitempty"` // missing if another program recorded the job
	Failed int64    `json:"failed,omitempty"`     // transactions that failed since the previous point

	// Response holds the response times of all kinds of transaction together that were done in the
	// second. It is missing if no transaction was done.
	Response *meter.Latency `json:"response,omitempty"`
}
