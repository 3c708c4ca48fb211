package job

import (
	"cmp"
	"strings"
)

// QueryPlan is a database's plan of a query, or one of a top statement, which may have several.
type QueryPlan struct {
	Kind   string `json:"kind,omitempty"`    // the kind of transaction: "query 9"; "" for a statement
	Stream int    `json:"stream"`            // the stream whose parameters the query has
	Query  string `json:"query" long:"true"` // the query as it was sent to the database, or the text of the statement without its values

	Statement string  `json:"statement,omitempty"`          // the ID of the statement
	Seen      float64 `json:"first_seen_seconds,omitempty"` // of the measured time, for a statement

	Lines   []PlanLine `json:"lines,omitempty"` // the lines of the plan, unchanged; nil if there is no plan
	Timed   bool       `json:"timed,omitempty"` // the query was executed for the plan, and the lines have times
	Seconds float64    `json:"seconds"`         // the time to get the plan; for a timed plan, the time to execute the query
	Error   string     `json:"error,omitempty"` // why the plan is missing, or why it lacks the requested times
}

// PlanLine is a line of a plan. Step is its part of the plan's shape: an operator, a table or an
// index, indented by its depth, without costs, estimates, times and constants. Step is "" if the
// line has no part in the shape.
type PlanLine struct {
	Text string `json:"text" long:"true"`
	Step string `json:"step,omitempty"`
}

// Of returns what it is a plan of: the kind of transaction, or the statement.
func (p QueryPlan) Of() string { return cmp.Or(p.Kind, p.Query) }

// Shape returns the steps of the plan. Plans with the same shape differ at most in costs, estimates
// and constants.
func (p QueryPlan) Shape() string {
	var steps []string
	for _, line := range p.Lines {
		if line.Step != "" {
			steps = append(steps, line.Step)
		}
	}
	return strings.Join(steps, "\n")
}

// Explained summarizes how the plans of a run were read after its measured time.
type Explained struct {
	Queries int     `json:"queries"`
	Plans   int     `json:"plans"`           // plans that were read
	Timed   int     `json:"timed,omitempty"` // plans with times
	Seconds float64 `json:"seconds"`         // the time for all plans, including executed queries
	Asked   string  `json:"asked"`           // "explain", or "analyze" for plans with times
	Why     string  `json:"why,omitempty"`   // the first reason why a plan, or its times, are missing
}

// Add includes a plan in the summary.
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
