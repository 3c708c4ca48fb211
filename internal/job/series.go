package job

import (
	"maps"
	"slices"
	"strings"
	"time"
)

// Series identifies values that are sampled repeatedly beside the transactions of a job.
type Series struct {
	Name   string            `json:"name"`             // "lock waits"
	Unit   string            `json:"unit,omitempty"`   // the unit of its values: "ms"
	Labels map[string]string `json:"labels,omitempty"` // distinguishes several series of one name: {"disk": "sda"}
}

// Called returns the text that distinguishes the series from others of the same name: "sda", or the
// name if it has no labels.
func (s Series) Called() string {
	if len(s.Labels) == 0 {
		return s.Name
	}
	var values []string
	for _, label := range slices.Sorted(maps.Keys(s.Labels)) {
		values = append(values, s.Labels[label])
	}
	return strings.Join(values, ", ")
}

// TransactionCounter names the series of the transaction counter's rate.
const TransactionCounter = "transaction counter"

// Sample is one value of a series, at the time of its event.
type Sample struct {
	Series
	Value float64 `json:"value"`
}

// Sampled is a series with its values.
type Sampled struct {
	Series
	Points []Point `json:"points"`
}

// Point is one value of a series.
type Point struct {
	At    time.Time `json:"at"`
	Value float64   `json:"value"`
}
