// Package job describes a job: its spec, its events, and its result. It does not know who does
// jobs, keeps them or shows them.
package job

import (
	"context"
	"maps"

	"sledge/internal/option"
)

// ID names a job for good: 24 upper-case hexadecimal digits.
type ID string

// Spec is everything asked of a job, as plain data: what the command line and
// the web page fill in, the repository keeps, and a primary sends to its
// replicas. Two runs of one spec pick the same transactions with the same inputs.
type Spec struct {
	Action   Action        `json:"action"`
	Database string        `json:"database"`
	Workload string        `json:"workload"`
	Options  option.Values `json:"options"` // only what differs from the defaults, and no secret
	Users    int           `json:"users,omitempty"`
	Seed     uint64        `json:"seed"`
	Group    string        `json:"group,omitempty"`  // the name of these users, if others work beside them
	Beside   []Group       `json:"beside,omitempty"` // users of a run that work beside these, in the same database
	Resume   bool          `json:"resume,omitempty"` // go on with a build that was interrupted; it stays in the spec of one that was, whose time is not that of a whole build

	// Labels and Note are for people and their programs, to find the job by and to know
	// what it was done for. They change nothing in it.
	Labels map[string]string `json:"labels,omitempty"`
	Note   string            `json:"note,omitempty"`

	// Secrets are the values of secret options. Code that binds a spec, such as engine.NewPlan,
	// takes them out of Options; nothing prints, encodes or keeps them.
	Secrets option.Secrets `json:"-"`

	// Names are the front end's names of the options, for messages. They are not part of what is
	// asked for, and are not kept.
	Names option.Names `json:"-"`
}

// Values returns the options together with the secret ones, to bind them or to connect by them.
func (s Spec) Values() option.Values {
	all := s.Options.Clone()
	maps.Copy(all, s.Secrets.Reveal())
	return all
}

// Settle returns the spec with options as they were settled while its job was done. That
// is what is kept: the options mean the same whenever they are bound again.
func (s Spec) Settle(settled option.Values) Spec {
	options := s.Options.Clone()
	maps.Copy(options, settled)
	s.Options = options
	return s
}

// Action is what a job does.
type Action string

// The actions.
const (
	Build  Action = "build"
	Run    Action = "run"
	Check  Action = "check"
	Delete Action = "delete"
)

// Status says how a job stands or how it ended.
type Status string

// The statuses. A job whose process went away without ending it is Killed.
const (
	Running   Status = "running"
	Succeeded Status = "succeeded"
	Failed    Status = "failed"  // it ended with an error
	Partial   Status = "partial" // stopped by the user; what was measured until then is kept
	Invalid   Status = "invalid" // it ran, but its numbers must not be used
	Missed    Status = "missed"  // it was measured in full and is valid, and missed a threshold
	Killed    Status = "killed"
)

// Statuses are all of them, in the order in which lists offer them.
var Statuses = []Status{Running, Succeeded, Missed, Failed, Partial, Invalid, Killed}

// Valid reports whether the figures of a run of this status may be compared with others.
func (s Status) Valid() bool { return s == Succeeded || s == Missed }

// Whole reports whether a run of this status ran to its end, whatever its figures are worth.
func (s Status) Whole() bool { return s == Succeeded || s == Invalid || s == Missed }

// Watcher is told of a job as it goes, where it goes: the repository, the primary of a
// distributed run, and who hands the events out to those who may be slow. Events come
// one after another, never two at once; a watcher that is slow delays the next second's
// event, and virtual users only where they begin, end, or tell of the first failures of a
// class.
type Watcher interface{ Watch(Event) }

// Control is how the caller follows and ends a job.
type Control struct {
	Watchers []Watcher

	// Stop, when closed, ends a run early: users finish their transactions, and the result is
	// marked partial. Cancelling the context aborts.
	Stop <-chan struct{}
}

// Runner does jobs. The engine does them in this process; a cluster's primary has its replicas
// do them. Callers need not know which.
type Runner interface {
	Do(ctx context.Context, spec Spec, control Control) (Result, error)
}
