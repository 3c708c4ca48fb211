// Package plan binds a job.Spec: it looks up its names and binds its options, for a database and a
// workload. A plan is data. Package plan opens no session and asks no server.
package plan

import (
	"errors"
	"fmt"
	"maps"
	"strconv"
	"time"

	"sledge/internal/catalog"
	"sledge/internal/database"
	"sledge/internal/engine/feed"
	"sledge/internal/engine/load"
	"sledge/internal/job"
	"sledge/internal/meter"
	"sledge/internal/option"
	"sledge/internal/sqlfile"
	"sledge/internal/workload"
)

// WaitFor says what the job waits for, if that takes longer than noticeable, until done is called.
func (p Plan) WaitFor(format string, args ...any) (done func()) {
	if p.Say == nil {
		return func() {}
	}
	timer := time.AfterFunc(feed.Noticeable, func() { p.Say("Waiting for " + fmt.Sprintf(format, args...)) })
	return func() { timer.Stop() }
}

// Plan is a Spec with its names looked up and its options bound: everything a
// job depends on. Two runs of one plan pick the same transactions with the same
// inputs. SQL scripts are expanded with it.
type Plan struct {
	// Spec is what the plan was made of. What depends on the moment, such as a load time
	// of now, is spelled as it was bound, so that the spec means the same later.
	Spec job.Spec

	catalog.Pair
	Connection any   // the database's options
	Targets    []any // the same, of each server that they name
	Settings   any   // the workload's options
	Load       load.Load
	SQL        *sqlfile.Library
	Schema     database.Schema // how the database keeps the workload's schema
	Server     database.Server // what it says of itself
	Pacing     load.Pacing
	Builders   int // virtual users that build the schema

	Users  int          // that ever work at the same time
	Steps  load.Steps   // how many work at each time; nil where all work all the time
	Kinds  []meter.Kind // that arrivals are of, by the number of their source; nil where users decide
	Seed   uint64
	Resume bool

	// Size is how much data a check is to find, as Schema.Size counts it;
	// 0 where the spec does not say it.
	Size float64

	// Uncounted says why a run goes without the server's count, though the server has one; ""
	// where it has none, or goes with it.
	Uncounted string

	// Grace is how long users may take to finish the transaction they are in when
	// a run is over, before it is aborted.
	Grace time.Duration

	Thresholds []Threshold // that the run is judged by

	Pool *Pool // the connections that each user has to choose from; nil where it has one

	Group     string // the name of the users, if the run has several groups
	AnyLength bool   // whether their transactions may take any time, as those of a workload that is Finite
	before    int    // virtual users of the groups before this one
	Others    []Plan // of the groups beside this one, which is the first

	// Say is given a line when the job waits for something. Optional.
	Say func(line string)
}

// grace is long enough for any transaction that still makes headway.
const grace = 30 * time.Second

// New binds the options of a spec for a database and a workload. Its errors are
// mistakes in the spec.
//
// In the spec of a resumed build, what depends on the moment stays as it is
// written: it means there the moment at which that build was bound.
func New(pair catalog.Pair, spec job.Spec) (Plan, error) {
	p, err := newPlan(pair, spec)
	if err != nil {
		return p, err
	}
	return p.WithThresholds()
}

// newPlan returns a plan without thresholds.
func newPlan(pair catalog.Pair, spec job.Spec) (Plan, error) {
	d, w := pair.Database, pair.Workload
	if len(spec.Beside) > 0 {
		return Plan{}, errors.New("a run of several groups needs the catalog of workloads: bind it by Local.Plan")
	}
	p := Plan{
		Pair: pair,
		Seed: spec.Seed, Resume: spec.Resume,
		Grace: grace,
	}
	if err := option.CheckNames(spec.Options, pair.Options()); err != nil {
		return Plan{}, fmt.Errorf("%w (sledge options %s %s lists them)", err, d.Name, w.Name)
	}
	spec, err := conceal(spec, pair.Options())
	if err != nil {
		return Plan{}, err
	}
	values := spec.Values()
	fresh := pair.Fresh()
	for _, part := range fresh.All() {
		if err := option.Bind(spec.Names, values, part); err != nil {
			return Plan{}, err
		}
	}
	p.Connection, p.Settings, p.Load, p.Pacing = fresh.Connection, fresh.Settings, fresh.Load, fresh.Load.Pacing()
	p.Targets = []any{p.Connection}
	if d.Servers != nil {
		p.Targets = d.Servers(p.Connection)
	}
	if w.Users.Grace > 0 {
		p.Grace = w.Users.Grace
	}
	p.Builders = w.Schema.Builders(p.Settings)
	p.Spec = spec
	if !spec.Resume {
		for _, part := range fresh.All() {
			p.Spec.Options = option.Settle(p.Spec.Options, part)
		}
	}
	if d.Embedded() {
		if timed, is := fresh.Load.(*load.Options); is && timed.Loops > 0 && spec.Action == job.Run {
			return Plan{}, spec.Names.Wrong("loops", spec.Options["loops"],
				"%s works inside this process, in the virtual users' own threads: set it to auto or 0", d.Title)
		}
		if p.Pacing.Reconnect && spec.Action == job.Run {
			return Plan{}, spec.Names.Wrong("reconnect", "true", "%s works inside this process, so there is no connection to lose: set it to false", d.Title)
		}
		p.Pacing.Loops = 0
	}
	if w.Schema.Unbuildable != nil && spec.Action == job.Build {
		if name, why := w.Schema.Unbuildable(p.Settings); why != "" {
			return Plan{}, spec.Names.Wrong(name, p.Spec.Options[name], "%s", why)
		}
	}
	if p.Pacing.Ledger && w.Evidence.NewAuditor == nil && spec.Action == job.Run {
		return Plan{}, spec.Names.Wrong("ledger", "true", "%s cannot be audited: set it to false", w.Title)
	}
	pauses, pause := p.Pauses()
	if p.Pacing.Arrivals != nil && pause {
		return Plan{}, spec.Names.Wrong(pauses, spec.Options[pauses], "%s says when transactions start, so users cannot pause: set one of the two",
			spec.Names.Of("rate"))
	}
	if p.Pacing.Clients > 0 && p.Pacing.Steps != nil && spec.Action == job.Run {
		return Plan{}, spec.Names.Wrong("steps", spec.Options["steps"], "asynchronous clients log in before the ramp-up and stay until the end: set %s to false, or steps to none",
			spec.Names.Of("async_scale"))
	}
	p, err = p.withKinds()
	if err != nil {
		return Plan{}, err
	}
	if timed, is := fresh.Load.(*load.Options); is && spec.Action == job.Run {
		if p.Pool, err = bindPool(p, timed); err != nil {
			return Plan{}, err
		}
	}
	// It is bound, and so a number.
	p.Size, _ = strconv.ParseFloat(spec.Options[w.Schema.Size.Option], 64)
	p, err = p.WithUsers(spec.Users)
	if err != nil {
		return Plan{}, err
	}
	if p.SQL, err = library(d, w); err != nil {
		return Plan{}, err
	}
	p.Schema, p.Server = d.Schema(d, p.SQL, p), d.Server(p.SQL)
	if w.Users.Piecemeal != nil && w.Users.Piecemeal(p.Settings) && spec.Action == job.Run && p.Server.CountsStatements != "" {
		p.Server.Counter, p.Uncounted = nil, p.Server.CountsStatements
	}
	if p.Pacing.Plans == load.TimedPlans && p.Server.ExplainTimed == nil && spec.Action == job.Run {
		return Plan{}, spec.Names.Wrong("plans", string(load.TimedPlans), "%s has no plans with times: set it to %s", d.Title, load.UntimedPlans)
	}
	return p, nil
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
	if n := p.Terminals(); n > maxUsers && p.Spec.Action == job.Run {
		return Plan{}, p.Spec.Names.Wrong("async_clients", p.Spec.Options["async_clients"],
			"%d virtual users with %d each are %d clients, and %d are the most: ask for fewer of either", p.Users, p.ClientsPerUser(), n, maxUsers)
	}
	if shared := p.Pacing.Connections; shared > p.Terminals() && p.Spec.Action == job.Run {
		return p, p.Spec.Names.Wrong("connections", p.Spec.Options["connections"],
			"%d is more than the %s that share them: ask for fewer, or for none, which gives each user its own", shared, p.sharers())
	}
	return p, p.checkProfile()
}

// sharers says who share connections.
func (p Plan) sharers() string {
	switch n := p.Terminals(); {
	case p.Pacing.Clients > 0:
		return fmt.Sprintf("%d asynchronous clients", n)
	case n > 1:
		return fmt.Sprintf("%d virtual users", n)
	}
	return "1 virtual user"
}

// Idle returns the options of the spec that are set to something else than their default and
// have no effect in the job.
func (p Plan) Idle() []option.Idle {
	all := option.Values{"users": strconv.Itoa(p.Users)}
	for _, part := range []any{p.Connection, p.Settings, p.Load} {
		maps.Copy(all, option.Texts(part))
	}
	return option.FindIdle(p.Options(), string(p.Spec.Action), p.Spec.Values(), all, p.Spec.Names)
}

// Pauses names the option that has users pause, if there is one, and says whether it does.
func (p Plan) Pauses() (option string, pause bool) {
	if p.Workload.Users.Pauses == nil {
		return "", false
	}
	return p.Workload.Users.Pauses.Option, p.Workload.Users.Pauses.On(p.Settings)
}

// maxUsers is the most users of one process; a larger number is a typing mistake.
const maxUsers = 100_000

// UsersError says that there cannot be as many virtual users as were asked for.
type UsersError struct{ Users int }

// Error says how many there can be.
func (e *UsersError) Error() string {
	return fmt.Sprintf("users: %d is not between 1 and %d", e.Users, maxUsers)
}

// library gathers the SQL of a pair, first place first: the database's words for
// the workload, the workload's words for the database, the database's words for
// any workload; the same of the database it is based on; then portable SQL. So
// whichever of the two is added second brings the pair's SQL in its own folder.
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

// Target says which database the plan is for, for messages.
func (p Plan) Target() string {
	return fmt.Sprintf("%s %s", p.Database.Title, p.Database.Target(p.Connection))
}

// Score returns the headline figures of what virtual users measured in a part of a run, by
// their own count: those of all of it come with the result, by the server's count. A run that ends when its work is done has
// no such figures, nor has one that measured nothing.
func (p Plan) Score(measured meter.CodedSummary) []job.Metric {
	if p.Workload.Score.Of == nil || p.Pacing.Finite || measured.Elapsed <= 0 || len(measured.Kinds) != len(p.KindNames()) {
		return nil
	}
	var list []job.Metric
	kinds := measured.Kinds
	for _, g := range p.Plans() {
		measured.Kinds, kinds = kinds[:len(g.Workload.Kinds)], kinds[len(g.Workload.Kinds):]
		list = append(list, g.Workload.Score.Of(workload.Window{
			Summary: measured.Counts(), Elapsed: measured.Elapsed, CounterElapsed: measured.Elapsed, Users: g.Users, Kinds: g.Kinds, Options: g.Settings,
		})...)
	}
	return list
}

// Piecemeal reports whether the client sends the statements of transactions itself.
func (p Plan) Piecemeal() bool {
	return p.Workload.Users.Piecemeal != nil && p.Workload.Users.Piecemeal(p.Settings) || !p.SQL.Has("installed_routines")
}

// Routines is what the code is called that a build puts into the database.
func (p Plan) Routines() string {
	if p.Database.Routines == nil {
		return "stored procedures"
	}
	return p.Database.Routines(p.Connection)
}

// StepOf is a step that is about the whole schema.
func (p Plan) StepOf(name job.StepName) job.Step {
	s := p.Database.SchemaName(p.Connection)
	return job.Step{Name: name, Of: s.Name, Owner: s.Owner}
}
