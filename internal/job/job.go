// Package job describes a job: its spec, its events, and its result. It does not know runners,
// repositories or displays.
package job

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"sledge/internal/meter"
	"sledge/internal/option"
)

// ID is the permanent identifier of a job: 24 upper-case hexadecimal digits.
type ID string

// Spec is the complete description of a job, as plain data. The command line and the web page fill
// it in, and the repository keeps it. Two runs of one spec pick the same transactions with the same
// inputs.
type Spec struct {
	Action   Action        `json:"action"`
	Database string        `json:"database"`
	Workload string        `json:"workload"`
	Files    Files         `json:"files,omitempty"`
	Options  option.Values `json:"options"` // options that differ from their defaults, without secrets
	Users    int           `json:"users,omitempty"`
	Seed     uint64        `json:"seed"`
	Group    string        `json:"group,omitempty"`  // the name of these users, if other groups work beside them
	Beside   []Group       `json:"beside,omitempty"` // groups of users that work beside these, in the same database
	Resume   bool          `json:"resume,omitempty"` // continue an interrupted build; a resumed build keeps it, because its duration is not that of a whole build

	// Labels and Note help people and programs to find the job and to know its purpose. They do not
	// affect the job.
	Labels map[string]string `json:"labels,omitempty"`
	Note   string            `json:"note,omitempty"`

	// Secrets are the values of secret options. Code that binds a spec, such as plan.New,
	// takes them out of Options. They are never printed, encoded or kept.
	Secrets option.Secrets `json:"-"`

	// Names are the front end's names of the options, for messages. They are not part of the
	// description, and are not kept.
	Names option.Names `json:"-"`
}

// Files are the files of a workload that the user has written, by their paths in its folder; nil for a
// workload of Sledge.
type Files map[string]string

// Write writes the files into a new folder.
func (f Files) Write(folder string) error {
	if err := os.Mkdir(folder, 0o755); err != nil {
		return err
	}
	for name, text := range f {
		if !filepath.IsLocal(name) {
			return fmt.Errorf("the workload has a file %q, which would be outside its folder", name)
		}
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// Sum returns a short checksum of the files, which differs if anything in them does; "" if there are
// none.
func (f Files) Sum() string {
	if len(f) == 0 {
		return ""
	}
	hash := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(f)) {
		fmt.Fprintf(hash, "%d %s %d %s", len(name), name, len(f[name]), f[name])
	}
	return hex.EncodeToString(hash.Sum(nil)[:4])
}

// Values returns all options, including secret ones, for binding and for connecting.
func (s Spec) Values() option.Values {
	all := s.Options.Clone()
	maps.Copy(all, s.Secrets.Reveal())
	return all
}

// Settle returns the spec with the options that were settled during the job. The repository keeps
// this spec, because its options have the same meaning when they are bound again.
func (s Spec) Settle(settled option.Values) Spec {
	options := s.Options.Clone()
	maps.Copy(options, settled)
	s.Options = options
	return s
}

// Action is the kind of a job.
type Action string

// The actions.
const (
	Build  Action = "build"
	Run    Action = "run"
	Check  Action = "check"
	Delete Action = "delete"

	MeasureCeiling Action = "ceiling" // measures what the client can drive
)

// Actions lists all actions in the order of lists.
var Actions = []Action{Build, Check, Run, Delete, MeasureCeiling}

// Status is the state of a job, or how it ended.
type Status string

// The statuses. A job is Killed if its process disappeared without ending it.
const (
	Running   Status = "running"
	Succeeded Status = "succeeded"
	Failed    Status = "failed"  // it ended with an error
	Partial   Status = "partial" // stopped by the user, with the measurements so far
	Invalid   Status = "invalid" // it ran, but its figures must not be used
	Missed    Status = "missed"  // it is valid and was measured in full, and missed a threshold
	Killed    Status = "killed"
)

// Statuses lists all statuses in the order of lists.
var Statuses = []Status{Running, Succeeded, Missed, Failed, Partial, Invalid, Killed}

// Valid reports whether the figures of a run with this status may be used.
func (s Status) Valid() bool { return s == Succeeded || s == Missed }

// Whole reports whether a run with this status ran to its end, whether or not its figures are
// valid.
func (s Status) Whole() bool { return s == Succeeded || s == Invalid || s == Missed }

// Watcher receives the events of a job, one after another, in the job's goroutines. A slow watcher
// delays the next second's event. It delays virtual users only when they begin, end, or report the
// first failures of a class.
type Watcher interface{ Watch(Event) }

// Control lets the caller follow and end a job.
type Control struct {
	Watchers []Watcher

	// Stop, when closed, ends a run early: users complete their transactions, and the result is
	// marked partial. Cancelling the context aborts the job.
	Stop <-chan struct{}

	Direct
}

// Direct is what a caller receives beside events, if the users run in its process. All fields are optional.
type Direct struct {
	// Records receives the record of every transaction of a run, up to a second after its end; began is when users
	// began. The records of a user are in order. It must not retain the record or block. It is called in one
	// goroutine at a time.
	Records func(began time.Time, r *meter.Record)

	// Joined receives the executor of every connection that users get. It may be called concurrently.
	Joined func(executor any)

	// Out takes what scripts print. It must be safe for concurrent use.
	Out io.Writer
}

// Runner executes jobs, in this process or in another one.
type Runner interface {
	Do(ctx context.Context, spec Spec, control Control) (Result, error)
}
