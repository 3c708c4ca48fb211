// Package selftest runs the suites of sessions and of workloads on a server, for users of servers
// that our tests do not reach, and writes a report. It creates its own database and account, and
// removes them. It knows databases only through the catalog.
package selftest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"sledge/internal/catalog"
	"sledge/internal/database"
	"sledge/internal/engine"
	"sledge/internal/engine/plan"
	"sledge/internal/host"
	"sledge/internal/job"
	"sledge/internal/option"
	"sledge/internal/settings"
	"sledge/internal/suite"
	"sledge/internal/suite/jobs"
	"sledge/internal/workload"
)

// Name is the default name of the database and the account that a self-test creates.
const Name = "sledge_selftest"

// ownTables is the prefix of the tables and routines that the suite of sessions creates.
const ownTables = "sledge_test_"

// Resolver returns the resolver for self-tests, in which Name is the database and the account of
// each workload.
func Resolver(b settings.Resolver) settings.Resolver {
	var list []*workload.Workload
	for _, w := range b.Workloads {
		own := *w
		own.Use.Name = Name
		list = append(list, &own)
	}
	b.Workloads = list
	return b
}

// Test is a self-test that is ready to run.
type Test struct {
	Version   string        // Sledge's own
	Measured  time.Duration // of each timed run
	StepLimit time.Duration // the time limit of a step, besides its measured time
	WithHosts bool          // whether the report may contain names of machines

	// Began gets the name of each step that begins, and Ended its outcome.
	Began func(name string)
	Ended func(s Step)

	// Quit is closed when the user aborts, skipping even the cleanup.
	Quit <-chan struct{}

	chosen  func(v workload.Variant) bool // the variants to try; nil means all
	orders  []settings.Order              // one for each workload
	refused []refusal                     // the workloads that are not tested
	known   []plan.Plan                   // plans of all workloads, to remove the remains of an earlier self-test
	servers []string                      // addresses of the host names in the options, which errors contain
	folder  string                        // the folder created for an embedded database's file; "" if the user named one
	standed bool                          // whether the database existed before, so that it stays
	left    bool                          // whether the database has remains of an earlier self-test
}

// refusal is a workload that is not tested.
type refusal struct{ workload, why string }

// Prepare resolves the settings of a self-test, for all workloads that the database supports, or
// for the named one. The resolver is the result of Resolver.
func Prepare(b settings.Resolver, s settings.Sources, signIn func(settings.Sources, settings.Order) (settings.Order, error)) (*Test, error) {
	t := &Test{}
	var first error
	for _, w := range b.Workloads {
		if name := s.Flags["workload"]; name != "" {
			if chosen, err := b.Workload(name); err != nil {
				return nil, job.WithExit(job.ExitUsage, err)
			} else if chosen != w {
				continue
			}
		}
		from := t.sources(b, s, w)
		order, err := b.Resolve(job.Build, from)
		if err != nil {
			t.refused = append(t.refused, refusal{w.Title, err.Error()})
			if first == nil {
				first = err
			}
			continue
		}
		if order, err = signIn(from, order); err != nil {
			return nil, err
		}
		t.orders = append(t.orders, order)
	}
	if len(t.orders) == 0 {
		return nil, first
	}
	// Unsupported workloads are left out; any other mistake is the user's to fix.
	d := t.plan().Database
	for _, w := range b.Workloads {
		if first != nil && d.Refuses != nil && d.Refuses(w.Use) != "" {
			first = nil
		}
	}
	t.know(b)
	return t, first
}

// know makes the plans of all workloads, with the connection of the first.
func (t *Test) know(b settings.Resolver) {
	of := t.orders[0]
	given := of.Spec.Values()
	for pair := range b.Pairs() {
		if pair.Database.Name != of.Spec.Database {
			continue
		}
		spec := job.Spec{Action: job.Delete, Database: pair.Database.Name, Workload: pair.Workload.Name, Options: option.Values{}}
		for _, o := range pair.Options() {
			if value, set := given[o.Name]; set {
				spec.Options[o.Name] = value
			}
		}
		if plan, err := plan.New(pair, spec); err == nil {
			t.known = append(t.known, plan)
		}
	}
}

// sources returns the sources of the settings for a workload. An embedded database gets its own
// file unless one is named.
func (t *Test) sources(b settings.Resolver, s settings.Sources, w *workload.Workload) settings.Sources {
	s.Flags = maps.Clone(s.Flags)
	s.Flags["workload"] = w.Name
	order, err := b.Resolve(job.Build, s)
	if err != nil || !order.Plan.Database.Embedded() {
		return s
	}
	const file = "dbname" // the flag
	options := order.Plan.Options()
	i := slices.IndexFunc(options, func(o option.Description) bool { return o.Flag == file })
	if i < 0 {
		return s
	}
	if _, named := order.Spec.Options[options[i].Name]; !named {
		if t.folder == "" {
			t.folder = filepath.Join(os.TempDir(), fmt.Sprintf("%s-%d-%d", Name, os.Getpid(), time.Now().UnixNano()))
		}
		s.Flags[file] = filepath.Join(t.folder, Name+".db")
	}
	return s
}

// plan returns the plan of the first workload, whose connection everything else uses.
func (t *Test) plan() plan.Plan { return t.orders[0].Plan }

// Database returns the tested database.
func (t *Test) Database() *database.Database { return t.plan().Database }

// Makes describes in a sentence what the test creates and removes.
func (t *Test) Makes() string {
	p := t.plan()
	name := p.Database.Options.SchemaName(p.Connection)
	what := fmt.Sprintf("the %s database %s", p.Database.Title, p.Database.Options.Target(p.Connection))
	switch {
	case p.Database.Embedded():
		what = fmt.Sprintf("the %s file %s", p.Database.Title, p.Database.Options.Target(p.Connection))
	case t.standed && !t.left:
		what = "tables and stored routines in " + what + ", which is empty and stays"
	case p.Database.Container.Drop == nil:
		what = "tables and stored routines in " + what + ", which stays"
	case name.Owner != "":
		what += ", and the account " + name.Owner
	}
	first := ""
	if t.left {
		first = " First it removes the remains of another self-test: make sure that no other one is running."
	}
	return fmt.Sprintf("It creates %s. It works there for a while, and removes what it created.%s", what, first)
}

// Look checks that the database is free, and changes nothing. It refuses, with exit code 7, if
// there are objects that a self-test did not create. A failed login is not an error here: the test
// reports it.
func (t *Test) Look(ctx context.Context) error {
	p := t.plan()
	s, err := p.Database.Sessions.Connect(ctx, p.Connection, database.Owner)
	name := p.Database.Options.SchemaName(p.Connection)
	target := fmt.Sprintf("%s %s", p.Database.Title, p.Database.Options.Target(p.Connection))
	if errors.Is(err, database.ErrMissing) && p.Database.Container.Create == nil {
		return job.WithExit(job.ExitConnect, fmt.Errorf("the database for the self-test does not exist, and Sledge creates none on %s: %w", p.Database.Title, err))
	}
	if errors.Is(err, database.ErrMissing) && !errors.Is(err, database.ErrNoAccount) && p.Database.Container.Drop != nil && name.Owner != "" && name.Owner != Name {
		return job.WithExit(job.ExitExists, fmt.Errorf("the account %s exists, but its database does not: the test would remove both. Create an empty database of that account, which then stays. Or drop the account, and name an account that may create it in the options (sledge options %s lists them)", name.Owner, p.Database.Name))
	}
	if err != nil && p.Database.Embedded() && !errors.Is(err, database.ErrMissing) {
		return job.WithExit(job.ExitExists, fmt.Errorf("%w: name a file that does not exist", err))
	}
	if err != nil && t.occupied(ctx) {
		return job.WithExit(job.ExitExists, fmt.Errorf("%s exists and its account cannot log in, so it does not belong to a self-test (%w). Nothing was changed: choose a database that does not exist, or an empty one and its account", target, err))
	}
	if err != nil {
		return nil
	}
	defer func() { _ = s.Close() }() // nothing was done
	t.standed = true
	if p.Database.Embedded() {
		return job.WithExit(job.ExitExists, fmt.Errorf("%s exists already: name a file that does not exist", target))
	}
	objects, err := p.Schema.Objects(ctx, s)
	if err != nil {
		return fmt.Errorf("find out whether %s is empty: %w", target, err)
	}
	if name.Name == Name {
		exists, _ := t.around(ctx)
		t.left = len(objects) > 0 || exists
	}
	if len(objects) == 0 {
		return nil
	}
	known := map[string]bool{}
	if t.left {
		for _, plan := range t.known {
			d, err := engine.PlanDeletion(ctx, plan.Job)
			if err != nil && job.ExitOf(err) != job.ExitMissing {
				continue // its contents are unknown; it is named below
			}
			for _, name := range slices.Concat(d.Tables, d.Routines) {
				known[name] = true
			}
		}
	}
	var others []string
	for _, o := range objects {
		ours := t.left && o.Bond != database.NoBond && (known[o.Name] || known[o.PartOf] || strings.HasPrefix(strings.ToLower(o.Name), ownTables))
		if !ours {
			others = append(others, o.What)
		}
	}
	if len(others) > 0 {
		return job.WithExit(job.ExitExists, fmt.Errorf("%s cannot be used for a self-test, because it contains %s. Nothing was changed: choose a database that does not exist, or an empty one", target, few(others)))
	}
	return nil
}

// around reports whether the tables have a database or an account that is dropped with them, and
// why it stays, if that is known. Some servers have one that is shared and permanent.
func (t *Test) around(ctx context.Context) (exists bool, stays string) {
	p := t.plan()
	if p.Database.Container.Drop == nil {
		return false, ""
	}
	fates, err := p.Database.Container.Drop(ctx, p.Connection, database.DropOptions{Dry: true})
	if err != nil {
		return true, err.Error()
	}
	for _, fate := range fates {
		stays = cmp.Or(stays, fate.Stays)
	}
	return len(fates) > 0, stays
}

// occupied reports whether the database of an account that cannot sign in exists, if another
// account can see that.
func (t *Test) occupied(ctx context.Context) bool {
	p := t.plan()
	if p.Database.Container.Drop == nil || p.Database.Options.SchemaName(p.Connection).Owner == "" {
		return false
	}
	s, err := p.Database.Sessions.Connect(ctx, p.Connection, database.Observer)
	if err != nil {
		return false
	}
	_ = s.Close() // nothing was done
	fates, err := p.Database.Container.Drop(ctx, p.Connection, database.DropOptions{Dry: true})
	return err == nil && slices.ContainsFunc(fates, func(f database.DropResult) bool { return f.Kind == "database" })
}

// few lists things, only the first of them if there are many.
func few(things []string) string {
	const most = 10
	if n := len(things); n > most+1 {
		things = append(slices.Clone(things[:most]), fmt.Sprintf("%d more", n-most))
	}
	return strings.Join(things, ", ")
}

// Run runs the test until its end, or until ctx ends. In both cases it removes what it created and
// returns the report.
func (t *Test) Run(ctx context.Context) Report {
	began := time.Now()
	p := t.plan()
	t.servers = t.addresses(ctx)
	r := Report{
		Schema: Schema, Sledge: t.Version, Database: p.Database.Name, Title: p.Database.Title, Unproven: p.Database.Tested.Unproven,
		Measured: t.Measured.Seconds(), Began: began.UTC(), Client: host.This(), Options: map[string]string{},
	}
	run := &runner{
		ctx: ctx, limit: t.Measured + t.StepLimit, grace: grace, quit: t.Quit,
		began: func(name string) int {
			r.Steps = append(r.Steps, Step{Name: name})
			t.Began(name)
			return len(r.Steps) - 1
		},
		ended: func(number int, s Step) {
			r.Steps[number] = t.cleaned(s, t.WithHosts)
			if !s.silent() {
				t.Ended(t.cleaned(s, true)) // the user of the terminal knows the machines
			}
		},
	}
	if t.standed && !t.left {
		for i := range t.orders {
			t.orders[i].Plan.Pair = staying(t.orders[i].Plan.Pair)
		}
		for i := range t.known {
			t.known[i].Pair = staying(t.known[i].Pair)
		}
	}
	t.makeFolder(run)
	connected := run.run(ctx, "connects", func(step suite.T) { t.connect(step, &r) })
	if connected {
		t.removeLeft(run)
		t.sessions(run)
		if r.Server == "" { // the file of an embedded database did not exist before
			run.run(ctx, "says what it is", func(step suite.T) { t.connect(step, &r) })
		}
		run.run(ctx, "counter", t.counter)
		for _, r := range t.refused {
			run.run(ctx, r.workload, func(step suite.T) { step.Skipf("%s", r.why) })
		}
		for _, order := range t.orders {
			run.run(ctx, order.Plan.Workload.Title, func(step suite.T) {
				jobs.Run(step, jobs.Subject{
					Pair: order.Plan.Pair, Version: t.Version, Values: order.Spec.Values(), Measured: t.Measured, InParts: true,
					Relative: r.Product, Chosen: t.chosen,
				})
			})
		}
	}
	if connected || t.folder != "" {
		last := *run
		last.ctx = context.WithoutCancel(ctx)
		last.run(last.ctx, "removes what it created", func(step suite.T) { r.LeftBehind = t.remove(step) })
	}
	r.Steps = leaves(r.Steps)
	r.Stopped, r.Seconds = ctx.Err() != nil, time.Since(began).Seconds()
	return t.publish(r)
}

// grace is how long a stopped step may take to end, because a build is removed meanwhile.
const grace = 2 * time.Minute

// silent reports whether a step only contains other steps and has no message.
func (s Step) silent() bool { return s.holds && len(s.Says)+len(s.Notes) == 0 }

// leaves returns the steps without silent ones.
func leaves(steps []Step) (list []Step) {
	for _, s := range steps {
		if !s.silent() {
			list = append(list, s)
		}
	}
	return list
}

// staying returns the pair with a database that is not dropped with the schema.
func staying(pair catalog.Pair) catalog.Pair {
	d := *pair.Database
	d.Container.Drop = nil
	pair.Database = &d
	return pair
}
