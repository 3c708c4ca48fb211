package job

import (
	"iter"
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
// name if it has no labels. It leaves out labels that all of the others have with the same value.
func (s Series) Called(others ...Series) string {
	var values []string
	for _, label := range slices.Sorted(maps.Keys(s.Labels)) {
		equal := func(other Series) bool { return other.Labels[label] == s.Labels[label] }
		if len(others) == 0 || slices.ContainsFunc(others, func(other Series) bool { return !equal(other) }) {
			values = append(values, s.Labels[label])
		}
	}
	if len(values) == 0 {
		return s.Name
	}
	return strings.Join(values, ", ")
}

// ByName returns series of one name and unit after another, from a list that is sorted by them.
func ByName(list []Sampled) iter.Seq2[[]Sampled, []Series] {
	return func(yield func([]Sampled, []Series) bool) {
		for i := 0; i < len(list); {
			first := i
			var names []Series
			for ; i < len(list) && list[i].Name == list[first].Name && list[i].Unit == list[first].Unit; i++ {
				names = append(names, list[i].Series)
			}
			if !yield(list[first:i], names) {
				return
			}
		}
	}
}

// TransactionCounter names the series of the transaction counter's rate.
const TransactionCounter = "transaction counter"

// Sample is one value of a series.
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
