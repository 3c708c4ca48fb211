package settings

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"sledge/internal/database"
	"sledge/internal/engine"
	"sledge/internal/engine/plan"
	"sledge/internal/job"
)

// ConnectionTest is the result of a connection test, for people.
type ConnectionTest struct {
	engine.Examination

	// Remarks are the findings, a line each, in the order of the test.
	Remarks []Remark

	// State is the state of the connection and of the schema.
	State State

	// Option is the option to change if the server does not let the owner log in, by its own name;
	// "" if it is unknown.
	Option string

	// Failure is the error because of which neither a run nor a build could log in, with its exit
	// code; or nil.
	Failure error
}

// State is the state of a connection and of the workload's schema. If the owner cannot log in, the
// state is that of its login.
type State string

// The states.
const (
	Unreachable = State(job.Unreachable)
	Refused     = State(job.Refused)
	NoDatabase  = State(job.NoDatabase)
	NoSchema    = State(job.NoSchema)
	HalfBuilt   = State(job.HalfBuilt)
	Unusable    = State("unusable") // the server answers, but neither a run nor a build can use the database as it is
	Ready       = State("ready")    // the schema is there
)

// Remark is a finding of a connection test.
type Remark struct {
	Tone string `json:"tone"` // "good", "doubtful" or "bad"
	Text string `json:"text"`
}

// The tones.
const (
	Good     = "good"
	Doubtful = "doubtful"
	Bad      = "bad"
)

// Try tests the connection of an order and changes nothing. It returns an error if the server
// interrupts its response.
func (o Order) Try(ctx context.Context, version string) (ConnectionTest, error) {
	e, err := engine.Examine(ctx, o.Plan.Job, version)
	t := ConnectionTest{Examination: e}
	t.Owner, t.Admin = o.Explain(e.Owner), o.Explain(e.Admin)
	if err != nil {
		return t, job.WithExit(job.ExitConnect, err)
	}
	t.State, t.Option = t.state()
	t.remark(o.Plan)
	return t, nil
}

// state returns the state, and the option to change.
func (t *ConnectionTest) state() (State, string) {
	err := cmp.Or(t.Owner, t.NoSchema)
	if err == nil {
		return Ready, ""
	}
	switch cause := job.CauseOf(err); {
	case cause == nil:
		return Unusable, ""
	case cause.Kind == job.BadOption:
		return Unusable, cause.Option
	default:
		return State(cause.Kind), cause.Option
	}
}

func (t *ConnectionTest) say(tone, format string, args ...any) {
	t.Remarks = append(t.Remarks, Remark{tone, fmt.Sprintf(format, args...)})
}

// remark adds the findings about the server.
func (t *ConnectionTest) remark(p plan.Plan) {
	if f := t.Facts; f != nil {
		t.say(Good, "%s %s answers at %s", p.Database.Title, f.Server, p.Database.Options.Target(p.Connection))
		if f.Product != "" {
			t.say(Doubtful, "it is %s, although %s was chosen", f.Product, p.Database.Title)
		}
		if f.Unproven != "" {
			t.say(Doubtful, "%s", strings.TrimSuffix(f.Unproven, "."))
		}
		const perMilli = 1e6
		t.say(Good, "a round trip takes %.3g ms, the median of several", float64(t.RoundTrip)/perMilli)
		for _, line := range t.Connection {
			t.say(Good, "%s", line)
		}
		switch d := f.Durability; {
		case d != nil && d.Holds:
			t.say(Good, "commits survive a power failure: %s", d.Why)
		case d != nil:
			t.say(Doubtful, "commits may be lost when the power fails: %s; do not compare such a run with a durable one", d.Why)
		}
	}
	t.remarkAccounts(p)
	switch {
	case t.Schema != "":
		t.say(Good, "the %s schema exists: %s", p.Workload.Title, t.Schema)
	case t.NoSchema != nil:
		t.say(Doubtful, "%v", t.NoSchema)
	case t.Owner == nil:
		t.say(Good, "the %s schema exists", p.Workload.Title)
	}
}

// remarkAccounts adds which accounts can log in, and which actions need them.
func (t *ConnectionTest) remarkAccounts(p plan.Plan) {
	missing := errors.Is(t.Owner, database.ErrMissing)
	canCreate := t.Admin == nil
	switch {
	case t.Owner == nil:
		t.say(Good, "runs, checks and deletes can log in")
	case missing && canCreate:
		t.say(Doubtful, "%v", t.Owner) // the message says that a build creates the account
	case canCreate && !p.Database.Embedded(): // servers do not always distinguish a missing account from a wrong password
		t.say(Doubtful, "%v: if the account or the database does not exist yet, a build makes it", t.Owner)
	default:
		t.Failure = t.Owner
		t.say(Bad, "%v", t.Owner)
	}
	switch {
	case p.Database.Embedded():
	case canCreate && len(t.Lacking) > 0:
		t.say(Doubtful, "the account that creates the database can log in, but these privileges were not found: %s", strings.Join(t.Lacking, ", "))
	case canCreate:
		t.say(Good, "the account that creates the database can log in, and has the privileges")
	case t.Owner == nil:
		t.say(Doubtful, "%v: only a build that creates an account or a database needs it", t.Admin)
	case t.Admin.Error() != t.Owner.Error():
		t.say(Bad, "%v", t.Admin)
	}
}
