package job

import (
	"slices"
	"time"
)

// Doctor is what sledge doctor found on the machines, the server and the load of a run.
type Doctor struct {
	Checks    int         `json:"checks"`              // checks that were made
	Findings  []Advice    `json:"findings"`            // the worst first
	Unchecked []Unchecked `json:"unchecked,omitempty"` // checks that could not be made
}

// Severity is how much a finding may harm a result.
type Severity string

// The severities, the worst first.
const (
	SeverityStop   Severity = "stop"   // the run would fail, or its result be wrong
	SeverityHigh   Severity = "high"   // it is likely to cost more than 10 %, or makes runs unlike each other
	SeverityMedium Severity = "medium" // it costs a few percent, or matters only in some cases
	SeverityNote   Severity = "note"   // the reader of a result should know it
)

// Severities lists the severities, the worst first.
var Severities = []Severity{SeverityStop, SeverityHigh, SeverityMedium, SeverityNote}

// Advice is a finding of a check, and its remedy, which Sledge never executes.
type Advice struct {
	ID        string    `json:"id"` // "pg.shared_buffers": the check; it never changes
	Severity  Severity  `json:"severity"`
	Where     string    `json:"where"`  // "client", "PostgreSQL tpcc on db1:5432"
	Value     string    `json:"value"`  // what is
	Wanted    string    `json:"wanted"` // what it should be
	Why       string    `json:"why"`
	Mend      string    `json:"mend"`   // a command, or what to do
	Source    string    `json:"source"` // where the advice comes from
	CheckedAt time.Time `json:"checked_at"`
}

// Unchecked is a check that could not be made.
type Unchecked struct {
	ID  string `json:"id"`
	Why string `json:"why"`
}

// Count returns the number of findings of a severity.
func (d Doctor) Count(s Severity) (n int) {
	for _, a := range d.Findings {
		if a.Severity == s {
			n++
		}
	}
	return n
}

// Sort puts the worst findings first, and keeps the order of the checks otherwise.
func (d *Doctor) Sort() {
	slices.SortStableFunc(d.Findings, func(a, b Advice) int {
		return slices.Index(Severities, a.Severity) - slices.Index(Severities, b.Severity)
	})
}
