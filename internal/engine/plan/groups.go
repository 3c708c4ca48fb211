package plan

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"sledge/internal/catalog"
	"sledge/internal/engine/load"
	"sledge/internal/job"
	"sledge/internal/meter"
	"sledge/internal/option"
	"sledge/internal/workload"
)

// Binder binds the spec of a group.
type Binder func(spec job.Spec) (Group, error)

// Group is a bound group, with the survey of its workload.
type Group struct {
	Plan   Plan
	Survey any
	Stages []string // stages of a finite run; at least one
}

// A run may have several groups of users, each with its own workload, in one database and for the
// same time. Names of kinds and figures have the prefix of their group, such as "orders.payment"
// and "orders.NOPM", and are in the order of the groups.

// NewOfGroups binds a spec with several groups. The plan of the first group contains the plans of
// the others.
func NewOfGroups(c catalog.Catalog, pair catalog.Pair, spec job.Spec) (Plan, error) {
	names, workloads := []string{spec.Group}, map[string]bool{pair.Workload.Name: true}
	if err := checkGroupName(spec.Group, nil); err != nil {
		return Plan{}, err
	}
	first, err := bindGroup(pair, spec, spec.Group)
	if err != nil {
		return Plan{}, err
	}
	before := first.Users
	for i, g := range spec.Beside {
		if err := checkGroupName(g.Name, names); err != nil {
			return Plan{}, err
		}
		names = append(names, g.Name)
		if err := checkShared(first, g); err != nil {
			return Plan{}, err
		}
		other, err := c.PairOf(job.Spec{Database: spec.Database, Workload: g.Workload, Files: g.Files})
		if err != nil {
			return Plan{}, err
		}
		if workloads[other.Workload.Name] { // the server's count would include both groups
			return Plan{}, fmt.Errorf("group %s: two groups of a run cannot do %s yet", g.Name, other.Workload.Title)
		}
		workloads[other.Workload.Name] = true
		p, err := bindGroup(other, specBeside(first, other, g), g.Name)
		if err != nil {
			return Plan{}, fmt.Errorf("group %s: %w", g.Name, err)
		}
		if p.Target() != first.Target() {
			return Plan{}, fmt.Errorf("group %s would work in %s and not in %s: groups of a run share a database", g.Name, p.Target(), first.Target())
		}
		p.before, p.Spec.Seed = before, first.Spec.Seed+uint64(i)+1 // otherwise users of two groups would draw the same numbers
		before += p.Users
		first.Grace = max(first.Grace, p.Grace)
		first.Others = append(first.Others, p)
	}
	if before > maxUsers {
		return Plan{}, &UsersError{before}
	}
	first.Spec.Beside = spec.Beside
	return first.WithThresholds()
}

// groupName matches valid names of groups. Thresholds use them in the names of kinds and figures.
var groupName = regexp.MustCompile(`^[a-z][a-z0-9_-]*$`)

// checkGroupName returns an error if a group's name is invalid or already used.
func checkGroupName(name string, others []string) error {
	switch {
	case slices.ContainsFunc(others, func(other string) bool { return option.SameName(other, name) }), name == "":
		return fmt.Errorf("group %q: each of several groups needs a name of its own", name)
	case !groupName.MatchString(name):
		return fmt.Errorf("group %q: a name has lower-case letters, digits, - and _, and begins with a letter", name)
	}
	return nil
}

// bindGroup binds the workload of one of several groups. A finite workload gets no end of its own,
// and the throughput as its only figure.
func bindGroup(pair catalog.Pair, spec job.Spec, name string) (Plan, error) {
	w := *pair.Workload
	w.Kinds = slices.Clone(w.Kinds)
	for i := range w.Kinds {
		w.Kinds[i].Name = name + "." + w.Kinds[i].Name
	}
	if w.Users.Finite || w.Score.Of == nil {
		w.Users.Finite, w.Score.Of, w.Score.Remarks = false, rateOf(w.Evidence.Throughput()), nil
		w.Score.Figures = []workload.Figure{{Name: w.Evidence.Throughput().Name}}
	}
	w.Score.Figures = slices.Clone(w.Score.Figures)
	for i := range w.Score.Figures {
		w.Score.Figures[i].Name = name + "." + w.Score.Figures[i].Name
	}
	score := w.Score.Of
	w.Score.Of = func(of workload.Window) []job.Metric {
		list := score(of)
		for i := range list {
			list[i].Name = name + "." + list[i].Name
		}
		return list
	}
	spec.Group, spec.Beside = name, nil
	p, err := newPlan(catalog.Pair{Database: pair.Database, Workload: &w}, spec)
	if err != nil {
		return Plan{}, err
	}
	p.AnyLength = p.AnyLength || pair.Workload.Users.Finite
	for _, cannot := range []struct {
		have string
		has  bool
	}{
		{"steps", p.Steps != nil},
		{"a pool", p.Pool != nil},
		{"a ledger", p.Pacing.Kept.Ledger},
		{"shared connections", p.Pacing.Connections.Shared > 0},
		{"users that connect again", p.Pacing.Reconnect.Wanted},
		{"asynchronous clients", p.Pacing.Clients.PerUser > 0},
		{"a time profile", p.Pacing.Kept.TimeProfile},
		{"a test driver", p.Pacing.Test},
		{"a table in which runs record their work", w.Schema.Keeps != nil && w.Schema.Keeps.Wanted(p.Settings)},
	} {
		if cannot.has {
			return Plan{}, fmt.Errorf("a run of several groups cannot have %s yet", cannot.have)
		}
	}
	if spec.Action != job.Run {
		return Plan{}, fmt.Errorf("only a run can have several groups, not a %s", spec.Action)
	}
	return p, nil
}

// checkShared returns an error if a group other than the first sets a load option that all groups
// share.
func checkShared(first Plan, g job.Group) error {
	for _, d := range option.Describe(first.Load) {
		if value, given := g.Options[d.Name]; given && !load.OfGroup(d.Name) {
			return fmt.Errorf("group %s: %s=%s: all groups of a run share this option: set %s for the run", g.Name, d.Name, value, first.Spec.Names.Of(d.Name))
		}
	}
	return nil
}

// specBeside returns the spec of a group other than the first, with the first group's database and the
// load options that all groups share.
func specBeside(first Plan, pair catalog.Pair, g job.Group) job.Spec {
	spec := first.Spec
	spec.Workload, spec.Files, spec.Users = g.Workload, g.Files, g.Users
	spec.Options = option.Values{}
	for _, d := range option.Describe(first.Load) {
		if value, given := first.Spec.Options[d.Name]; given && !load.OfGroup(d.Name) {
			spec.Options[d.Name] = value
		}
	}
	connection := option.Texts(first.Connection) // with its defaults: those of another workload name another database and account
	for _, d := range option.Describe(first.Database.Options.New(pair.Workload.Use)) {
		if value, has := connection[d.Name]; has && value != d.Default {
			spec.Options[d.Name] = value
		}
	}
	maps.Copy(spec.Options, g.Options)
	return spec
}

// rateOf returns a function that computes the throughput of a part of a run.
func rateOf(t workload.Throughput) func(workload.Window) []job.Metric {
	return func(w workload.Window) []job.Metric {
		all := w.Summary.All()
		rate := float64(all.Done+all.RolledBack) * (float64(t.Per) / float64(w.Elapsed))
		return []job.Metric{{Name: t.Name, Value: rate, Means: t.Means + ", by the virtual users' count"}}
	}
}

// Groups holds the plans of all groups of a run, in order.
type Groups []Plan

// Groups returns the plan and the plans of the other groups.
func (p Plan) Groups() Groups { return append(Groups{p}, p.Others...) }

// Title returns the titles of all groups' workloads: "TPROC-C beside TPROC-H".
func (l Groups) Title() string {
	var titles []string
	for _, g := range l {
		titles = append(titles, g.Workload.Title)
	}
	return strings.Join(titles, " beside ")
}

// KindNames lists the kinds of transaction of all groups.
func (l Groups) KindNames() (names []string) {
	for _, g := range l {
		names = append(names, g.Workload.KindNames()...)
	}
	return names
}

// Score returns the headline figures of a part of a run by the virtual users' count. The figures of
// the whole run are in the result and use the server's count. A finite run and a part without
// measurements have no such figures.
func (l Groups) Score(measured meter.CodedSummary) []job.Metric {
	if l[0].Workload.Score.Of == nil || l[0].Pacing.Finite || measured.Elapsed <= 0 || len(measured.Kinds) != len(l.KindNames()) {
		return nil
	}
	var list []job.Metric
	kinds := measured.Kinds
	for _, g := range l {
		measured.Kinds, kinds = kinds[:len(g.Workload.Kinds)], kinds[len(g.Workload.Kinds):]
		list = append(list, g.Workload.Score.Of(workload.Window{
			Summary: measured.Counts(), Elapsed: measured.Elapsed, CounterElapsed: measured.Elapsed, Users: g.Users, Kinds: g.Kinds, Options: g.Settings,
		})...)
	}
	return list
}
