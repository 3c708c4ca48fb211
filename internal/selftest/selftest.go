// Package selftest runs the suites of sessions and of workloads on a server, for people who
// have one that no test of ours reaches, and reports what came of it. It makes a database and
// an account of its own, and removes them. It knows databases by the catalog alone.
package selftest

import (
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
	"sledge/internal/host"
	"sledge/internal/job"
	"sledge/internal/option"
	"sledge/internal/settings"
	"sledge/internal/suite"
	"sledge/internal/suite/jobs"
	"sledge/internal/workload"
)

// Name is what the database and the account are called that a self-test makes, unless the
// user says otherwise.
const Name = "sledge_selftest"

// ownTables is how the names of tables and routines begin that the suite of sessions makes.
const ownTables = "sledge_test_"

// Resolver returns the resolver for self-tests, in which each workload calls its database and its
// account by our Name.
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

// Test is a self-test that is ready to be run.
type Test struct {
	Version   string        // Sledge's own
	Measured  time.Duration // of each timed run
	StepLimit time.Duration // how long a step may take besides
	WithHosts bool          // names of machines may stand in the report

	// Began is told of each step that begins, by its name, and Ended what became of it.
	Began func(name string)
	Ended func(s Step)

	// Quit is closed when the user aborts, skipping even the cleanup.
	Quit <-chan struct{}

	chosen  func(v workload.Variant) bool // which variants are tried; nil is all
	orders  []settings.Order              // one for each workload
	refused []refusal                     // of the others
	known   []engine.Plan                 // of all workloads, for what an earlier self-test may have left
	servers []string                      // addresses that the names of the options mean, which errors tell
	folder  string                        // that an embedded database's file is in, made for it; "" where the user named one
	standed bool                          // the database was there before: it stays
	left    bool                          // it is of an earlier self-test
}

// refusal is a workload that is not tried.
type refusal struct{ workload, why string }

// Prepare resolves the settings of a self-test, of all workloads that the database is for, or
// of the one that is named. The resolver is one that Resolver returned.
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
	// What the database is not for is left out; any other mistake is the user's to mend.
	d := t.plan().Database
	for _, w := range b.Workloads {
		if first != nil && d.Refuses != nil && d.Refuses(w.Use) != "" {
			first = nil
		}
	}
	t.know(b)
	return t, first
}

// know makes the plans of all workloads by the connection of the first.
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
		if plan, err := engine.NewPlan(pair, spec); err == nil {
			t.known = append(t.known, plan)
		}
	}
}

// sources are where the settings for a workload come from. A database inside this process gets
// a file of its own unless one is named.
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

// plan is that of the first workload, by whose connection all else is done.
func (t *Test) plan() engine.Plan { return t.orders[0].Plan }

// Database is the one that is tested.
func (t *Test) Database() *database.Database { return t.plan().Database }

// Makes says in a sentence what the test makes, and removes.
func (t *Test) Makes() string {
	p := t.plan()
	name := p.Database.SchemaName(p.Connection)
	what := fmt.Sprintf("the %s database %s", p.Database.Title, p.Database.Target(p.Connection))
	switch {
	case p.Database.Embedded():
		what = fmt.Sprintf("the %s file %s", p.Database.Title, p.Database.Target(p.Connection))
	case t.standed && !t.left:
		what = "tables and stored routines in " + what + ", which is empty and stays"
	case p.Database.Drop == nil:
		what = "tables and stored routines in " + what + ", which stays"
	case name.Owner != "":
		what += ", and the account " + name.Owner
	}
	first := ""
	if t.left {
		first = " First it removes what another self-test left there: see that none goes on."
	}
	return fmt.Sprintf("It makes %s. It works there for a while, and removes what it made.%s", what, first)
}

// Look checks that the place is free, and changes nothing. It refuses, with exit code 7, if
// there are objects that a self-test did not create. A failing log-in is not an error here: the
// test reports it.
func (t *Test) Look(ctx context.Context) error {
	p := t.plan()
	s, err := p.Database.Connect(ctx, p.Connection, database.Owner)
	name := p.Database.SchemaName(p.Connection)
	target := fmt.Sprintf("%s %s", p.Database.Title, p.Database.Target(p.Connection))
	if errors.Is(err, database.ErrMissing) && p.Database.Create == nil {
		return job.WithExit(job.ExitConnect, fmt.Errorf("there is no database for the self-test, and Sledge creates none on %s: %w", p.Database.Title, err))
	}
	if errors.Is(err, database.ErrMissing) && p.Database.Drop != nil && name.Owner != "" && name.Owner != Name {
		return job.WithExit(job.ExitExists, fmt.Errorf("the account %s is there, and its database is not: the test would remove both. Create an empty database of that account, which stays, or leave the account to the test, and name who may create it by the options for that (sledge options %s lists them)", name.Owner, p.Database.Name))
	}
	if err != nil && p.Database.Embedded() && !errors.Is(err, database.ErrMissing) {
		return job.WithExit(job.ExitExists, fmt.Errorf("%w: name a file that is not there", err))
	}
	if err != nil && t.occupied(ctx) {
		return job.WithExit(job.ExitExists, fmt.Errorf("%s is there, and its account cannot sign in to it, so that it is not of a self-test (%w). Nothing was changed: choose a database that is not there yet, or an empty one and its account", target, err))
	}
	if err != nil {
		return nil
	}
	defer func() { _ = s.Close() }() // nothing was done in it
	t.standed = true
	if p.Database.Embedded() {
		return job.WithExit(job.ExitExists, fmt.Errorf("%s is there already: name a file that is not", target))
	}
	objects, err := p.Schema.Objects(ctx, s)
	if err != nil {
		return fmt.Errorf("look whether %s is empty: %w", target, err)
	}
	t.left = name.Name == Name && (len(objects) > 0 || t.around(ctx))
	if len(objects) == 0 {
		return nil
	}
	known := map[string]bool{}
	if t.left {
		for _, plan := range t.known {
			d, err := engine.PlanDeletion(ctx, plan)
			if err != nil && job.ExitOf(err) != job.ExitMissing {
				continue // what it found is not known, then, and named below
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
		return job.WithExit(job.ExitExists, fmt.Errorf("%s is not for a self-test, since it holds %s. Nothing was changed: choose a database that is not there yet, or an empty one", target, few(others)))
	}
	return nil
}

// around reports whether a database or an account is around the tables, which goes with them:
// some servers have such a place for everybody, and always.
func (t *Test) around(ctx context.Context) bool {
	p := t.plan()
	if p.Database.Drop == nil {
		return false
	}
	fates, err := p.Database.Drop(ctx, p.Connection, database.DropOptions{Dry: true})
	return err != nil || len(fates) > 0
}

// occupied reports whether the database of an account that cannot sign in exists, if another
// account can see that.
func (t *Test) occupied(ctx context.Context) bool {
	p := t.plan()
	if p.Database.Drop == nil || p.Database.SchemaName(p.Connection).Owner == "" {
		return false
	}
	s, err := p.Database.Connect(ctx, p.Connection, database.Observer)
	if err != nil {
		return false
	}
	_ = s.Close() // nothing was done in it
	fates, err := p.Database.Drop(ctx, p.Connection, database.DropOptions{Dry: true})
	return err == nil && slices.ContainsFunc(fates, func(f database.DropResult) bool { return f.Kind == "database" })
}

// few lists things, the first of them if they are many.
func few(things []string) string {
	const most = 10
	if n := len(things); n > most+1 {
		things = append(slices.Clone(things[:most]), fmt.Sprintf("%d more", n-most))
	}
	return strings.Join(things, ", ")
}

// Run runs the test until its end, or until ctx ends. Then, too, it removes what it made and
// reports.
func (t *Test) Run(ctx context.Context) Report {
	began := time.Now()
	p := t.plan()
	t.servers = t.addresses(ctx)
	r := Report{
		Schema: Schema, Sledge: t.Version, Database: p.Database.Name, Title: p.Database.Title, Unproven: p.Database.Unproven,
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
				t.Ended(t.cleaned(s, true)) // who looks on knows the machines
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
		if r.Server == "" { // a file of its own was not there before
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
		last.run(last.ctx, "removes what it made", func(step suite.T) { r.LeftBehind = t.remove(step) })
	}
	r.Steps = leaves(r.Steps)
	r.Stopped, r.Seconds = ctx.Err() != nil, time.Since(began).Seconds()
	return t.publish(r)
}

// grace is how long a step may take to end that was stopped: a build is removed meanwhile.
const grace = 2 * time.Minute

// silent reports whether a step only holds others, and has nothing to say.
func (s Step) silent() bool { return s.holds && len(s.Says)+len(s.Notes) == 0 }

// leaves are the steps without those that are silent.
func leaves(steps []Step) (list []Step) {
	for _, s := range steps {
		if !s.silent() {
			list = append(list, s)
		}
	}
	return list
}

// staying is the pair whose database is not dropped with the schema.
func staying(pair catalog.Pair) catalog.Pair {
	d := *pair.Database
	d.Drop = nil
	pair.Database = &d
	return pair
}
