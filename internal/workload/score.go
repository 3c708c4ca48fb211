package workload

import (
	"time"

	"sledge/internal/job"
	"sledge/internal/meter"
)

// Score turns the measurements of a run into headline figures.
type Score struct {
	// Of returns the headline figures, the first of which stands for the run. Optional.
	Of func(w Window) []job.Metric

	Figures []Figure // all that Of may return

	// Remarks explain the figures, and why one is missing that the run was to give: a sentence
	// each. Optional.
	Remarks func(w Window) []string
}

// Figure is a headline figure that a workload has.
type Figure struct {
	Name string // "NOPM"
	Unit string // as job.Metric has it: "s", or "" of a number
}

// Window is what was measured, between two readings of the server's counts.
type Window struct {
	Summary        meter.Summary // what the virtual users counted
	Elapsed        time.Duration // between the two readings of the probe
	Counter        int64         // how far the server's own count of transactions moved
	Counted        bool          // whether the server has such a count
	CounterElapsed time.Duration // between the two readings of it
	Probe          int64         // how far the workload's own count on the server moved
	Probed         bool          // whether that count could be read
	Users          int
	Kinds          []meter.Kind // that were asked of the users; nil for what the options say
	Options        any          // of the workload
	Survey         any          // what Survey found
	Spans          []job.Span   // of a run that ends when its work is done
}
