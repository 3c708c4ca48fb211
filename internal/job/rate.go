package job

import (
	"time"

	"sledge/internal/meter"
)

// Rate is a Second as charts show it: the transactions a minute of all kinds together, and their
// response times.
type Rate struct {
	At time.Time `json:"at"`
	Moment
	Client *float64 `json:"client_tpm,omitempty"` // missing if another program recorded the job
	Failed int64    `json:"failed,omitempty"`     // transactions that failed since the point before

	// Response holds the response times of all kinds of transaction together that were done in the
	// second. It is missing if there are none.
	Response *meter.Latency `json:"response,omitempty"`
}
