package load

import (
	"math"
	"time"

	"sledge/internal/option"
	"sledge/internal/threshold"
)

// Load is a struct of options for the users of a run.
type Load interface {
	// Pacing returns the load that the options describe.
	Pacing() Pacing
}

// Fresh returns the default options of a run: a finite run, which ends when its work is done, or a
// timed run.
func Fresh(finite bool) Load {
	if finite {
		return NewFiniteOptions()
	}
	return NewOptions()
}

// FiniteOptions are the options of a run that ends when its work is done.
type FiniteOptions struct {
	option.Naming
	TimeLimit  option.Minutes `opt:"time_limit" group:"load" unit:"minutes" flag:"time-limit" for:"run" needs:"nothing" help:"end the run after this time even if its work is not done, in minutes or with a unit such as 90s; 0 sets no limit"`
	QueryLimit option.Minutes `opt:"query_limit" group:"load" unit:"minutes" flag:"query-limit" for:"run" needs:"nothing" help:"cancel a query on the server after this time, in minutes or with a unit such as 90s; the query counts as failed, and the next one begins. Refresh functions have no limit; 0 sets no limit"`
	Restore    bool           `opt:"restore" dict:"-" group:"load" flag:"restore" for:"run" needs:"nothing" help:"begin with the schema as it was when the first run with this option began, which keeps a copy of it on the server; later ones put the copy back. So all runs find the same data. PostgreSQL and SQLite, in a database that a build created; a deletion drops the copy, too"`
	UserDelay  time.Duration  `opt:"user_delay" group:"load" for:"run" needs:"users!=1" help:"time between the starts of two virtual users, such as 500ms; 0s starts them together"`
	RaiseError bool           `opt:"stop_on_failure" group:"client" for:"run" needs:"nothing" help:"end the run at the first failure, without retries"`
	Plans      Plans          `opt:"plans" group:"client" flag:"plans" for:"run" choices:"none|explain|analyze" needs:"nothing" help:"record the plan of each query after the measured time: explain executes no query; analyze executes each query once more and records the time of each step"`
	FailIf     threshold.List `opt:"fail_if" group:"client" flag:"fail-if" for:"run" list:"true" needs:"nothing" help:"fail a valid run, with exit code 10, if one of these conditions holds, separated by commas: query_9.max>10s, geometric_mean>2s, failed>0, composite<5000; none sets no condition"`
	Observe    bool           `opt:"observe" dict:"-" group:"client" flag:"observe" for:"run" needs:"nothing" help:"sample beside the run what the server and the machines do: its sessions, counters and statements, and the use of each resource. Without it, the result cannot say what limited the run; set it to false to learn what sampling costs"`
	Agents     agents         `opt:"agents" dict:"-" group:"client" flag:"agent" for:"run" list:"true" needs:"observe" help:"sample other machines beside the run through their agents, whose names sledge agent add has saved, separated by commas; none watches none"`
	MaxRetries int            `opt:"max_retries" group:"client" unit:"tries" min:"0" max:"1000" for:"run" needs:"!stop_on_failure" help:"maximum number of retries of a transaction after a deadlock, a serialization failure, a lock timeout or a busy database; after that it counts as failed"`
}

// NewFiniteOptions returns the defaults.
func NewFiniteOptions() *FiniteOptions {
	return &FiniteOptions{Plans: UntimedPlans, Observe: true, MaxRetries: 10}
}

// Pacing implements Load. One failure makes a finite run invalid, because the failed work is
// missing from the measurement.
func (o *FiniteOptions) Pacing() Pacing {
	p := Pacing{
		Finite:        true,
		Restores:      o.Restore,
		Duration:      time.Duration(o.TimeLimit),
		Limit:         time.Duration(o.QueryLimit),
		Shifts:        Shifts{UserDelay: o.UserDelay},
		Failures:      Failures{Retries: o.MaxRetries, EndAtFirst: o.RaiseError},
		Kept:          Kept{Plans: o.Plans, Samples: o.Observe},
		FailIf:        o.FailIf,
		MaxIterations: math.MaxInt,
	}
	if p.Kept.Samples {
		p.Kept.Agents = o.Agents
	}
	if p.Failures.EndAtFirst {
		p.Failures.Retries = 0
	}
	if p.Duration == 0 {
		p.Duration = math.MaxInt64
	}
	return p
}

// Plans selects which query plans of a run are recorded.
type Plans string

// The choices of Plans.
const (
	NoPlans      Plans = "none"
	UntimedPlans Plans = "explain" // executes no query
	TimedPlans   Plans = "analyze" // executes each query once more
)
