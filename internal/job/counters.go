package job

import "slices"

// ServerCounters are the differences of the server's own counters between two readings: when the
// measured time began, and when it was over.
type ServerCounters struct {
	Seconds float64 `json:"seconds"` // between the readings

	Counters []ServerCounter `json:"counters"`

	// Missing are the sources that were not measured, with the reason: the server does not show them to
	// the user, or their counters were reset between the readings.
	Missing []MissingCounters `json:"missing,omitempty"`
}

// ServerCounter is a counter of the server, or a level that it measures.
type ServerCounter struct {
	Source string `json:"source"` // the server's view: "pg_stat_wal"
	Name   string `json:"name"`   // as the server calls it: "wal_bytes"
	Means  string `json:"means"`  // in a few words: "WAL written"
	Unit   string `json:"unit,omitempty"`

	// Value is the growth of the counter, over all objects that it counts. Of a level it is the second
	// reading, and Before is the first.
	Value  float64  `json:"value"`
	Before *float64 `json:"before,omitempty"`

	PerSecond      float64 `json:"per_second,omitempty"`      // missing for a level
	PerTransaction float64 `json:"per_transaction,omitempty"` // of the users' transactions that ended as they should

	Summary bool          `json:"summary,omitempty"` // summaries of a run show it
	Parts   []CounterPart `json:"parts,omitempty"`   // the objects with the greatest values; missing if it counts one thing only
}

// CounterPart is the growth of a counter for one object, such as a table.
type CounterPart struct {
	Of    string  `json:"of"`
	Value float64 `json:"value"`
}

// MissingCounters is a source of counters that was not measured.
type MissingCounters struct {
	Source string `json:"source"`
	Why    string `json:"why"`
}

// Of returns the counters of a source. Nil has none.
func (c *ServerCounters) Of(source string) []ServerCounter {
	if c == nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(c.Counters), func(one ServerCounter) bool { return one.Source != source })
}
