// Package doctor checks machines, servers and loads for what would spoil a run. A check is data with a
// small function that reads facts. The checks of a machine are in package host, and those of a
// database in its folder: this package knows neither. It changes nothing.
package doctor

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"sledge/internal/job"
)

// Check is a check. Its texts are for any finding of it; Finds may replace them in the facts.
type Check struct {
	ID       string // "mem.swappiness": the group and a name. It never changes
	On       Place
	Cost     Cost
	Severity job.Severity

	Wanted string // what it should be: "at most 10"
	Why    string // one sentence
	Mend   string // one line: a command, or what to do
	Source string // where the advice comes from

	// Finds returns the value that is a finding, in words, or "" if there is nothing to find. It may be
	// called twice: see Facts.Growth.
	Finds func(f *Facts) string
}

// Group returns the first part of the ID: "mem".
func (c Check) Group() string {
	group, _, _ := strings.Cut(c.ID, ".")
	return group
}

// Place is what a check reads first.
type Place int

// The places.
const (
	Client        Place = iota // the machine of the client
	ServerMachine              // the machine of the server
	Server                     // the server, over a session
	Load                       // the planned load
)

// String returns the place in words.
func (p Place) String() string {
	return [...]string{"client", "server's machine", "server", "load"}[p]
}

// Cost is what a check takes.
type Cost int

// The costs.
const (
	Instant   Cost = iota // it reads a few values; each timed run makes these checks
	Watching              // it compares two readings
	Measuring             // it measures for some seconds
	Disk                  // it writes a temporary file, so the user must ask for it
)

// String returns the cost in words.
func (c Cost) String() string {
	return [...]string{"", "watches for 10 s", "measures for seconds", "only with --disk"}[c]
}

// Subject is what is checked.
type Subject struct {
	Client Machine

	// Host is the machine of the server; nil if it cannot be read, and Elsewhere says why. It is the
	// client if both are the same machine.
	Host      *Machine
	Elsewhere string

	Server Readings // nil without a database
	Load   *Planned // nil without a database

	Target string // the server and its database, in words: "PostgreSQL tpcc on db1:5432"
}

// Local reports whether the server is on the client's machine.
func (s *Subject) Local() bool { return s.Host == &s.Client }

// Planned is the load that is planned.
type Planned struct {
	Users       int
	Connections int  // to the server
	TCP         bool // connections use TCP, rather than a Unix socket or none
	Embedded    bool // the database is part of this process
	Analytic    bool // few queries that read much data, rather than many short transactions
	Timed       bool // the run has a ramp-up and a measured time
	Paced       bool // a rate, or pauses, decides when transactions begin
	RampUp      time.Duration
	Duration    time.Duration
	Rate        float64 // the greatest rate, in transactions a second; 0 without one
	HasCeiling  bool    // sledge ceiling can measure the client with this load

	// Crowd is how users wait for each other's rows; nil if that is not known, or if they seldom do.
	Crowd *job.Contention
}

// Readings are what a server reports, by section.
type Readings map[string]Section

// Section is the answer of a server to one question: values by name, or an error.
type Section struct {
	Values map[string]string
	Err    error
}

// Options select checks.
type Options struct {
	Only, Skip []string // IDs and groups; an empty list of Only means all

	Quick bool          // make only checks that read a few values, and do not list the others
	Watch time.Duration // the time between the two readings of a check that watches; 0 leaves these checks out
	Slow  bool          // whether to make checks that measure
	Disk  bool          // whether to make checks that write
}

// Selects reports whether the options select a check.
func (o Options) Selects(c Check) bool {
	is := func(name string) bool { return name == c.ID || name == c.Group() }
	return (len(o.Only) == 0 || slices.ContainsFunc(o.Only, is)) && !slices.ContainsFunc(o.Skip, is)
}

// left returns why the options leave out a check that they select, or "".
func (o Options) left(c Check) string {
	switch {
	case c.Cost == Watching && o.Watch <= 0, c.Cost == Measuring && !o.Slow:
		return "it takes seconds"
	case c.Cost == Disk && !o.Disk:
		return "it writes a temporary file: ask for it with --disk"
	}
	return ""
}

// Merge returns the checks of a machine and those of a database. A database's check replaces a check
// with the same ID.
func Merge(machine, database []Check) []Check {
	list := slices.DeleteFunc(slices.Clone(machine), func(c Check) bool {
		return slices.ContainsFunc(database, func(own Check) bool { return own.ID == c.ID })
	})
	return append(list, database...)
}

// Examine makes the checks. Those that watch or measure run side by side. It returns early if ctx
// ends; then the checks that had not ended are unchecked.
func Examine(ctx context.Context, s *Subject, checks []Check, o Options) job.Doctor {
	found := job.Doctor{Findings: []job.Advice{}}
	outcomes := make([]outcome, len(checks))
	var slow sync.WaitGroup
	for i, c := range checks {
		if !o.Selects(c) || o.Quick && c.Cost != Instant {
			continue
		}
		if why := o.left(c); why != "" {
			if c.concerns(s) {
				outcomes[i].missing = errors.New(why)
			}
			continue
		}
		if c.Cost == Instant {
			outcomes[i] = s.once(c)
			continue
		}
		slow.Go(func() { outcomes[i] = s.slowly(ctx, c, o) })
	}
	slow.Wait()
	for i, one := range outcomes {
		switch {
		case one.missing != nil:
			found.Unchecked = append(found.Unchecked, job.Unchecked{ID: checks[i].ID, Why: one.missing.Error()})
		case !one.made:
		case one.value == "":
			found.Checks++
		default:
			found.Checks++
			found.Findings = append(found.Findings, one.advice(checks[i], s))
		}
	}
	found.Sort()
	return found
}

// outcome is the outcome of a check.
type outcome struct {
	made    bool // false if it does not concern the subject
	value   string
	missing error // why it could not be made
	facts   Facts
	at      time.Time
}

// concerns reports whether the place of a check is part of the subject.
func (c Check) concerns(s *Subject) bool {
	return c.On == Client || c.On == ServerMachine || s.Load != nil
}

// once makes a check that needs one reading.
func (s *Subject) once(c Check) outcome {
	f := Facts{subject: s, check: c}
	return f.make()
}

// slowly makes a check that watches, measures or writes.
func (s *Subject) slowly(ctx context.Context, c Check, o Options) outcome {
	f := Facts{subject: s, check: c}
	if c.Cost == Watching {
		f.before = map[string]float64{}
		first := f.make()
		if !first.made || first.missing != nil {
			return first
		}
		began := time.Now()
		select {
		case <-time.After(o.Watch):
		case <-ctx.Done():
		}
		f.passed = time.Since(began).Seconds()
	}
	if ctx.Err() != nil {
		return outcome{made: true, missing: errors.New("it was stopped")}
	}
	return f.make()
}

// make calls the function of the check. A failure of the function itself leaves the check unmade,
// because a run must not fail because of it.
func (f *Facts) make() (o outcome) {
	if !f.check.concerns(f.subject) {
		return outcome{}
	}
	f.Severity, f.Wanted, f.Mend, f.missing, f.unconcerned = f.check.Severity, f.check.Wanted, f.check.Mend, nil, false
	f.where()
	var value string
	if f.missing == nil {
		if err := job.Guarded(func() error { value = f.check.Finds(f); return nil }); err != nil {
			f.missing = fmt.Errorf("the check failed: %w", err)
		}
	}
	if f.unconcerned {
		return outcome{}
	}
	return outcome{made: true, value: value, missing: f.missing, facts: *f, at: time.Now().UTC()}
}

// advice returns a finding.
func (o outcome) advice(c Check, s *Subject) job.Advice {
	where := c.On.String()
	switch {
	case c.On == Server:
		where = s.Target
	case c.On == Load:
	case s.Load == nil:
		where = "this machine"
	case s.Local():
		where = "client's and server's machine"
	}
	return job.Advice{
		ID: c.ID, Severity: o.facts.Severity, Where: where, Value: o.value,
		Wanted: o.facts.Wanted, Why: c.Why, Mend: o.facts.Mend, Source: c.Source, CheckedAt: o.at,
	}
}
