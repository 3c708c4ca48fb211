// Package plan binds a job.Spec: it looks up its names and binds its options for a database and a
// workload. A plan is data. Package plan opens no session and connects to no server.
package plan

import (
	"errors"
	"fmt"
	"maps"
	"strconv"
	"time"

	"sledge/internal/catalog"
	"sledge/internal/database"
	"sledge/internal/engine/load"
	"sledge/internal/job"
	"sledge/internal/meter"
	"sledge/internal/option"
	"sledge/internal/sqlfile"
	"sledge/internal/workload"
)

// Plan is a Job with the options for the users of a run. It holds everything that a run depends on.
// Two runs of one plan choose the same transactions with the same inputs.
type Plan struct {
	Job
	Load   load.Load // options of the load
	Pacing load.Pacing

	Users int          // maximum number of concurrent users
	Steps load.Steps   // number of users at each time; nil if all work all the time
	Kinds []meter.Kind // kinds of arrivals by the number of their source; nil if users decide
	Pool  *Pool        // connections of each user; nil if each user has one

	// Grace is the time limit for transactions in flight at the end of a run. Later they are
	// aborted.
	Grace time.Duration

	Thresholds []Threshold // thresholds of the run

	AnyLength bool   // transactions may take any time; in one of several groups, those of a Finite workload, too
	before    int    // number of virtual users in the groups before this one
	Others    []Plan // plans of the other groups, if this one is the first
}

// grace is the default of Plan.Grace. Transactions that make progress are faster.
const grace = 30 * time.Second

// New binds the options of a spec for a database and a workload. Its errors are mistakes in the
// spec.
//
// The spec of a resumed build keeps values that depend on the time, such as now, because they mean
// the time of the original build.
func New(pair catalog.Pair, spec job.Spec) (Plan, error) {
	spec.Group = "" // a group has a name only if there are several
	p, err := newPlan(pair, spec)
	if err != nil {
		return p, err
	}
	return p.WithThresholds()
}

// newPlan returns a plan without thresholds.
func newPlan(pair catalog.Pair, spec job.Spec) (Plan, error) {
	if len(spec.Beside) > 0 {
		return Plan{}, errors.New("a run of several groups needs the catalog of workloads: bind it with Local.Plan")
	}
	fresh := pair.Fresh()
	j, err := bindJob(pair, spec, fresh)
	if err != nil {
		return Plan{}, err
	}
	p := Plan{Job: j, Load: fresh.Load, Pacing: fresh.Load.Pacing(), Grace: grace, AnyLength: pair.Workload.Users.AnyLength}
	if pair.Workload.Users.Grace > 0 {
		p.Grace = pair.Workload.Users.Grace
	}
	if err := p.checkInside(); err != nil {
		return Plan{}, err
	}
	if pair.Database.Embedded() {
		p.Pacing.Connections.Loops = 0
	}
	if w := pair.Workload; len(w.Schema.Tables(p.Settings, spec.Seed)) == 0 && (spec.Action == job.Build || spec.Action == job.Delete) {
		return Plan{}, fmt.Errorf("%s has no tables, so there is nothing to %s: run it on tables that are there", w.Title, spec.Action)
	}
	if w := pair.Workload; w.Schema.Unbuildable != nil && spec.Action == job.Build {
		if name, why := w.Schema.Unbuildable(p.Settings); why != "" {
			return Plan{}, p.Spec.Names.Wrong(name, p.Spec.Options[name], "%s", why)
		}
	}
	if err := p.checkPacing(); err != nil {
		return Plan{}, err
	}
	if p.Kinds, err = kindsOfRate(p); err != nil {
		return Plan{}, err
	}
	if timed, is := fresh.Load.(*load.Options); is && spec.Action == job.Run {
		if p.Pool, err = bindPool(p.Job, timed); err != nil {
			return Plan{}, err
		}
	}
	if err := p.checkRestore(); err != nil {
		return Plan{}, err
	}
	if p, err = p.WithUsers(spec.Users); err != nil {
		return Plan{}, err
	}
	if p.Pacing.Kept.Plans == load.TimedPlans && p.Server.ExplainTimed == nil && spec.Action == job.Run {
		return Plan{}, p.Spec.Names.Wrong("plans", string(load.TimedPlans), "%s has no plans with times: set it to %s", p.Database.Title, load.UntimedPlans)
	}
	return p, nil
}

// bindJob binds the options of a spec to new option structs.
func bindJob(pair catalog.Pair, spec job.Spec, fresh catalog.Fresh) (Job, error) {
	d, w := pair.Database, pair.Workload
	if err := option.CheckNames(spec.Options, pair.Options()); err != nil {
		return Job{}, fmt.Errorf("%w (sledge options %s %s lists them)", err, d.Name, w.Name)
	}
	spec, err := conceal(spec, pair.Options())
	if err != nil {
		return Job{}, err
	}
	values := spec.Values()
	for _, part := range fresh.All() {
		if err := option.Bind(spec.Names, values, part); err != nil {
			return Job{}, err
		}
	}
	if !spec.Resume {
		for _, part := range fresh.All() {
			spec.Options = option.Settle(spec.Options, part)
		}
	}
	j := Job{Spec: spec, Pair: pair, Settings: fresh.Settings}
	if j.SQL, err = library(d, w); err != nil {
		return Job{}, err
	}
	j.Server = d.Server(j.SQL)
	if w.Users.Piecemeal != nil && w.Users.Piecemeal(j.Settings) && spec.Action == job.Run && j.Server.CountsStatements != "" {
		j.Server.Counter, j.Uncounted = nil, j.Server.CountsStatements
	}
	if w.Users.Autocommits != nil && w.Users.Autocommits(j.Settings) && spec.Action == job.Run && j.Server.CountsCommits != "" {
		j.Server.Counter, j.Uncounted = nil, j.Server.CountsCommits
	}
	return j.At(fresh.Connection), nil
}

// checkInside returns an error if the database is embedded and an option needs a server.
func (p Plan) checkInside() error {
	names := p.Spec.Names
	if !p.Database.Embedded() || p.Spec.Action != job.Run {
		return nil
	}
	if timed, is := p.Load.(*load.Options); is && timed.Loops > 0 {
		return names.Wrong("loops", p.Spec.Options["loops"],
			"%s works inside this process, in the virtual users' own threads: set it to auto or 0", p.Database.Title)
	}
	if p.Pacing.Reconnect.Wanted {
		return names.Wrong("reconnect", "true", "%s works inside this process, so there is no connection to lose: set it to false", p.Database.Title)
	}
	return nil
}

// checkPacing returns an error if load options contradict those of the workload or each other.
func (p Plan) checkPacing() error {
	names, running := p.Spec.Names, p.Spec.Action == job.Run
	if p.Pacing.Kept.Ledger && p.Workload.Evidence.NewAuditor == nil && running {
		return names.Wrong("ledger", "true", "%s cannot be audited: set it to false", p.Workload.Title)
	}
	pauses, pause := p.Pauses()
	if p.Pacing.Rate.Arrivals != nil && pause {
		return names.Wrong(pauses, p.Spec.Options[pauses], "%s says when transactions start, so users cannot pause: set one of the two",
			names.Of("rate"))
	}
	if p.Pacing.Clients.PerUser > 0 && p.Pacing.Shifts.Steps != nil && running {
		return names.Wrong("steps", p.Spec.Options["steps"], "asynchronous clients log in before the ramp-up and stay until the end: set %s to false, or steps to none",
			names.Of("async_scale"))
	}
	return nil
}

// WithUsers returns the plan for another number of virtual users.
func (p Plan) WithUsers(users int) (Plan, error) {
	if users < 0 || users > maxUsers {
		return Plan{}, &UsersError{users}
	}
	p.Spec.Users, p.Users = users, max(users, 1)
	p, err := p.withSteps()
	if err != nil {
		return p, err
	}
	clients, n := p.Pacing.Clients, p.Terminals()
	if n > maxUsers && p.Spec.Action == job.Run {
		return Plan{}, p.Spec.Names.Wrong("async_clients", p.Spec.Options["async_clients"],
			"%d virtual users with %d each are %d clients, more than the maximum of %d: use fewer of either", p.Users, clients.Each(), n, maxUsers)
	}
	if shared := p.Pacing.Connections.Shared; shared > n && p.Spec.Action == job.Run {
		plural := "s"
		if n == 1 {
			plural = ""
		}
		return p, p.Spec.Names.Wrong("connections", p.Spec.Options["connections"],
			"%d is more than the %d %s%s that share them: use fewer, or 0, which gives each user its own", shared, n, clients.Title(), plural)
	}
	return p, p.checkProfile()
}

// Idle returns the options of the spec that differ from their default and have no effect in the
// job.
func (p Plan) Idle() []option.Idle {
	all := option.Values{"users": strconv.Itoa(p.Users)}
	for _, part := range []any{p.Connection, p.Settings, p.Load} {
		maps.Copy(all, option.Texts(part))
	}
	return option.FindIdle(p.Options(), string(p.Spec.Action), p.Spec.Values(), all, p.Spec.Names)
}

// maxUsers limits the users of one process. A larger number is a typing mistake.
const maxUsers = 100_000

// UsersError means that the number of virtual users is not allowed.
type UsersError struct{ Users int }

// Error returns the allowed range.
func (e *UsersError) Error() string {
	return fmt.Sprintf("users: %d is not between 1 and %d", e.Users, maxUsers)
}

// library collects the SQL of a database and a workload. The order of precedence is: the database's
// SQL for the workload, the workload's SQL for the database, the database's SQL for any workload,
// the same for its base database, then portable SQL. So either package may contain the SQL of the
// pair.
func library(d *database.Database, w *workload.Workload) (*sqlfile.Library, error) {
	var places []sqlfile.Place
	for base := d; base != nil; base = base.Base {
		places = append(places,
			sqlfile.Place{Files: base.SQL, Dir: "sql/" + w.Name},
			sqlfile.Place{Files: w.SQL, Dir: "sql/" + base.Name},
			sqlfile.Place{Files: base.SQL, Dir: "sql"})
	}
	places = append(places, sqlfile.Place{Files: w.SQL, Dir: "sql/ansi"})
	return sqlfile.NewLibrary(d.Dialect.Placeholder, places...)
}
