package job

import "strings"

// QueryPlan is how a database answers a query, as it explains it.
type QueryPlan struct {
	Kind   string `json:"kind"`              // of transaction: "query 9"
	Stream int    `json:"stream"`            // whose parameters the query has
	Query  string `json:"query" long:"true"` // as the database was asked

	Lines   []PlanLine `json:"lines,omitempty"` // as the database put them; nil where it has none
	Timed   bool       `json:"timed,omitempty"` // the query was executed for it, and the lines have times
	Seconds float64    `json:"seconds"`         // how long it took to get, of a timed one to execute
	Error   string     `json:"error,omitempty"` // why there is no plan, or one without times although they were asked for
}

// PlanLine is a line of a plan. Step is what it says of the shape of the plan, which is an
// operator, a table or an index, without costs, estimates, times and constants, and set in by
// how deep in the plan it is; "" of a line that says nothing of it.
type PlanLine struct {
	Text string `json:"text" long:"true"`
	Step string `json:"step,omitempty"`
}

// Shape returns the steps of the plan. Plans with the same shape may differ in costs,
// estimates and constants alone.
func (p QueryPlan) Shape() string {
	var steps []string
	for _, line := range p.Lines {
		if line.Step != "" {
			steps = append(steps, line.Step)
		}
	}
	return strings.Join(steps, "\n")
}

// Explained says how the plans of a run's queries were had, after its measured time.
type Explained struct {
	Queries int     `json:"queries"`
	Plans   int     `json:"plans"`           // that could be had
	Timed   int     `json:"timed,omitempty"` // of them, with times
	Seconds float64 `json:"seconds"`         // that it took, queries that were executed for it included
	Asked   string  `json:"asked"`           // "explain", or "analyze" for times
	Why     string  `json:"why,omitempty"`   // the first reason for which a plan, or its times, are missing
}

// Add takes a plan into account.
func (e *Explained) Add(p QueryPlan) {
	if len(p.Lines) > 0 {
		e.Plans++
	}
	if p.Timed {
		e.Timed++
	}
	if p.Error != "" && e.Why == "" {
		e.Why = p.Kind + ": " + p.Error
	}
}
