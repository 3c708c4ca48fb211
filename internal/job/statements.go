package job

// Statements are the statements of a run that took most of the server's time in the measured time, by the
// server's own statistics.
type Statements struct {
	Seconds float64     `json:"seconds"` // between the two readings of the statistics
	Top     []Statement `json:"top"`     // that took most time, the first most

	// Others is the number of other statements that ran, OthersSeconds their time in the server.
	Others        int     `json:"others,omitempty"`
	OthersSeconds float64 `json:"others_seconds,omitempty"`

	// AtLeast means that the statistics of some statements were reset, or removed because there were too
	// many, so that their numbers are lower bounds.
	AtLeast bool `json:"at_least,omitempty"`

	Missing string `json:"missing,omitempty"` // why there are no statements, and what to do
}

// Statement is what the server counted of a statement. The time of statements in a routine may be part of
// the routine's call, too.
type Statement struct {
	ID       string             `json:"id"`   // by the server
	Text     string             `json:"text"` // without its values, at most 1,000 characters
	Calls    int64              `json:"calls"`
	Seconds  float64            `json:"seconds"` // in the server, of all calls
	Rows     int64              `json:"rows"`
	Counters map[string]float64 `json:"counters,omitempty"` // that are not 0, by the server's names

	// PlansSeen are the seconds of the measured time at which its plans were first seen: the first one, and each
	// plan with another shape. The plans are a QueryPlan each. NoPlan is why a server that
	// explains statements has no plan for this one.
	PlansSeen []float64 `json:"plans_seen_seconds,omitempty"`
	NoPlan    string    `json:"no_plan,omitempty"`
}

// PlansChanged returns the seconds at which its plan was first seen to differ from the one before.
func (s Statement) PlansChanged() []float64 { return s.PlansSeen[min(1, len(s.PlansSeen)):] }

// Sum returns the time in the server of all statements, in seconds.
func (s Statements) Sum() float64 {
	sum := s.OthersSeconds
	for _, one := range s.Top {
		sum += one.Seconds
	}
	return sum
}
