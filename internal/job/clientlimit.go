package job

import (
	"fmt"
	"strconv"
)

// ClientLimit is a sign that Sledge's own process, and not the server, slowed a run, with its evidence.
type ClientLimit struct {
	Rule string `json:"rule"` // "event loops"

	// Bound says that the client limited the result. Otherwise response times contain waits of the
	// client, but the server may have limited the result.
	Bound bool `json:"bound,omitempty"`

	From    float64 `json:"from_seconds"`  // since the measurement began
	Until   float64 `json:"until_seconds"` // the end of the last second in which it held
	Seconds int     `json:"seconds"`       // the number of seconds in which it held

	Figure string  `json:"figure"` // "its event loops were busy"
	Value  float64 `json:"value"`  // the mean in these seconds
	Limit  float64 `json:"limit"`  // the value from which on it is a sign
	Unit   string  `json:"unit"`   // "% of the time"
}

// String returns the evidence: "its event loops were busy 98 % of the time (the limit is 90)".
func (l ClientLimit) String() string {
	return fmt.Sprintf("%s %.0f %s (the limit is %s)", l.Figure, l.Value, l.Unit, strconv.FormatFloat(l.Limit, 'f', -1, 64))
}

// When says when it held: "from second 210", or "in 12 seconds from second 210 to 230". lasted is
// the length of the measured time in seconds.
func (l ClientLimit) When(lasted float64) string {
	const gap = 3 // a shorter rest does not count as an end
	if lasted-l.Until < gap && float64(l.Seconds) >= 0.9*(l.Until-l.From) {
		return fmt.Sprintf("from second %.0f", l.From)
	}
	return fmt.Sprintf("in %d seconds from second %.0f to %.0f", l.Seconds, l.From, l.Until)
}
