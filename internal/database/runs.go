package database

import (
	"context"
	"fmt"
	"strings"
	"time"

	"sledge/internal/doctor"
	"sledge/internal/job"
)

// Runs is what the server can do around a run.
type Runs struct {
	// Processes are the names of the server's programs in the list of processes. Optional.
	Processes []string

	// CountDelay is the mean time between the end of a transaction and its appearance in
	// Server.Counter, if that is long enough to be seen in a chart of the server's rate, with a point
	// each second. Charts draw the rate that much earlier.
	CountDelay time.Duration

	// Waits are the classes of the waits of Server.Activity. Optional, like that.
	Waits Waits

	// Unsampled says why runs do not sample the server's sessions and counters; "" if they do.
	Unsampled string

	// Counters describe the counters of Server.Counters. Optional, like that.
	Counters Counters

	// EscapedTexts says that a backslash is an escape in the server's texts, and that texts may be in
	// double quotes.
	EscapedTexts bool

	// Durability says whether committed data survive a power failure, and which settings decide
	// that. The settings are those that the query server.settings lists. Optional.
	Durability func(settings map[string]string) (durable bool, why string)

	// Checks are the checks of sledge doctor for this database. They read the sections of
	// Server.Readings. Optional.
	Checks []doctor.Check

	// Report returns the server's own report on the measured time of a run, or nil if the options
	// do not request one. Optional.
	Report func(options any, measured time.Duration) *Report

	// Maintenance is the post-run maintenance, if the server has any. Optional.
	Maintenance *Maintenance
}

// Maintenance is work that the server does after a run, such as a vacuum, if the options request
// it.
type Maintenance struct {
	// Do does the work and emits its steps. It returns soon after ctx ends, and always restores the
	// server's settings that it has changed. If it cannot, its error is an UnrestoredError.
	Do func(ctx context.Context, options any, tell func(job.Event)) error

	// Possible returns an error if Do would fail because its account cannot connect or lacks a
	// right. Optional.
	Possible func(ctx context.Context, options any) error
}

// Report makes a server's own report on the measured time of a run.
type Report struct {
	Title   string // the server's name for it: "MONREPORT"
	LeftOut string // why there is no report although the options request one; "" if there is one

	// Make is called when the measured time begins, in a session of its own, and returns the text.
	// The channel over is closed when the measured time ends, for a server that compares two
	// readings. Make returns soon after ctx ends.
	Make func(ctx context.Context, s Session, over <-chan struct{}) (text string, err error)
}

// UnrestoredError says that settings of the server could not be restored.
type UnrestoredError struct {
	Statements []string // that restore them
	Err        error    // why they were not executed
}

// Error lists the statements that the user must run.
func (e *UnrestoredError) Error() string {
	return fmt.Sprintf("THE SERVER MAY STILL HAVE TEMPORARY SETTINGS (%v): restore them with %s;",
		e.Err, strings.Join(e.Statements, "; "))
}

// Unwrap returns why they were not restored.
func (e *UnrestoredError) Unwrap() error { return e.Err }
