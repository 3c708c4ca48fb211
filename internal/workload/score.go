package workload

import (
	"time"

	"sledge/internal/job"
	"sledge/internal/meter"
)

// Score turns the measurements of a run into headline figures.
type Score struct {
	// Of returns the headline figures. The first one represents the run. Optional.
	Of func(w Window) []job.Metric

	Figures []Figure // all that Of may return

	// Traits says what kind of test a run was, beside what the workload's standard asks for.
	// Optional.
	Traits func(w Window) []job.Trait

	// Remarks returns sentences that explain the figures, or why an expected figure is missing.
	// Optional.
	Remarks func(w Window) []string
}

// Figure is a headline figure that a workload has.
type Figure struct {
	Name string // "NOPM"
	Unit string // as in job.Metric: "s", or "" for a plain number
}

// Window is what was measured, between two readings of the server's counts.
type Window struct {
	Summary        meter.Summary // what the virtual users counted
	Elapsed        time.Duration // between the two readings of the probe
	Counter        int64         // increase of the server's own count of transactions
	Counted        bool          // whether the server has such a count
	CounterElapsed time.Duration // between the two readings of Counter
	Probe          int64         // increase of the workload's own count on the server
	Probed         bool          // whether that count could be read
	Users          int
	Terminals      int          // users, or their asynchronous clients
	Names          []string     // of the kinds of transaction
	Kinds          []meter.Kind // requested of the users; nil if the options decide
	Options        any          // of the workload
	Survey         any          // what Survey found
	Spans          []job.Span   // of a run that ends when its work is done
}
