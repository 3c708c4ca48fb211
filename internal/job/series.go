package job

import "time"

// Series names what is read beside the transactions of a job, again and again.
type Series struct {
	Name   string            `json:"name"`             // "lock waits"
	Unit   string            `json:"unit,omitempty"`   // of its values: "ms"
	Labels map[string]string `json:"labels,omitempty"` // which one of several, such as {"disk": "sda"}
}

// TransactionCounter names the series of the rate that the transaction counter reads.
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
