package engine

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"sledge/internal/catalog"
	"sledge/internal/job"
	"sledge/internal/option"
	"sledge/internal/workload"
)

// A run may have several groups of users, each with a workload of its own, in one database and for one time.
// Kinds of transaction and figures are named by their group, as in "orders.payment" and "orders.NOPM", and stand in
// the order of the groups.

// bindGroups binds a spec with several groups. The plan of the first has those of the others.
func bindGroups(c catalog.Catalog, pair catalog.Pair, spec job.Spec) (Plan, error) {
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
		other, err := c.Pair(spec.Database, g.Workload)
		if err != nil {
			return Plan{}, err
		}
		if workloads[other.Workload.Name] { // the server's count of them would be of both
			return Plan{}, fmt.Errorf("group %s: two groups of a run cannot do %s yet", g.Name, other.Workload.Title)
		}
		workloads[other.Workload.Name] = true
		p, err := bindGroup(other, first.specOf(other, g), g.Name)
		if err != nil {
			return Plan{}, fmt.Errorf("group %s: %w", g.Name, err)
		}
		if p.target() != first.target() {
			return Plan{}, fmt.Errorf("group %s would work in %s and not in %s: groups of a run share a database", g.Name, p.target(), first.target())
		}
		p.before, p.Seed = before, first.Seed+uint64(i)+1 // or users of two groups would draw the same
		before += p.Users
		first.Grace = max(first.Grace, p.Grace)
		first.others = append(first.others, p)
	}
	if before > maxUsers {
		return Plan{}, &UsersError{before}
	}
	first.Spec.Beside = spec.Beside
	return first.withThresholds()
}

// groupName is what a group may be called: thresholds name its kinds and figures.
var groupName = regexp.MustCompile(`^[a-z][a-z0-9_-]*$`)

// checkGroupName returns an error if a group cannot have a name, or others have it.
func checkGroupName(name string, others []string) error {
	switch {
	case slices.ContainsFunc(others, func(other string) bool { return option.SameName(other, name) }), name == "":
		return fmt.Errorf("group %q: each of several groups needs a name of its own", name)
	case !groupName.MatchString(name):
		return fmt.Errorf("group %q: a name has lower-case letters, digits, - and _, and begins with a letter", name)
	}
	return nil
}

// bindGroup binds the workload of one of several groups: it has no end of its own, and no figures that need one.
func bindGroup(pair catalog.Pair, spec job.Spec, name string) (Plan, error) {
	w := *pair.Workload
	w.Kinds = slices.Clone(w.Kinds)
	for i := range w.Kinds {
		w.Kinds[i].Name = name + "." + w.Kinds[i].Name
	}
	if w.Finite || w.Score == nil {
		w.Finite, w.Score, w.Remarks = false, rateOf(w.Throughput()), nil
		w.Figures = []workload.Figure{{Name: w.Throughput().Name}}
	}
	w.Figures = slices.Clone(w.Figures)
	for i := range w.Figures {
		w.Figures[i].Name = name + "." + w.Figures[i].Name
	}
	score := w.Score
	w.Score = func(of workload.Window) []job.Metric {
		list := score(of)
		for i := range list {
			list[i].Name = name + "." + list[i].Name
		}
		return list
	}
	spec.Beside = nil
	p, err := newPlan(catalog.Pair{Database: pair.Database, Workload: &w}, spec)
	if err != nil {
		return Plan{}, err
	}
	p.group, p.anyLength = name, pair.Workload.Finite
	_, pause := p.pauses()
	for _, cannot := range []struct {
		have string
		has  bool
	}{
		{"steps", p.Steps != nil},
		{"a pool", p.pool != nil},
		{"a ledger", p.Pacing.Ledger},
		{"a rate", p.Pacing.Arrivals != nil},
		{"shared connections", p.Pacing.Connections > 0},
		{"users that connect again", p.Pacing.Reconnect},
		{"asynchronous clients", p.Pacing.Clients > 0},
		{"keying and thinking times", pause},
		{"a time profile", p.Pacing.TimeProfile},
		{"a test driver", p.Pacing.Test},
		{"a table in which runs note what they did", w.Keeps != nil && w.Keeps.Wanted(p.Settings)},
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

// specOf returns the spec of a group beside the first: it has the first's options of database and load.
func (p Plan) specOf(pair catalog.Pair, g job.Group) job.Spec {
	spec := p.Spec
	spec.Workload, spec.Users, spec.Group = g.Workload, g.Users, g.Name
	spec.Options = option.Values{}
	for _, part := range []any{p.Database.Options(pair.Workload.Use), p.Load} {
		for _, d := range option.Describe(part) {
			if value, given := p.Spec.Options[d.Name]; given {
				spec.Options[d.Name] = value
			}
		}
	}
	maps.Copy(spec.Options, g.Options)
	return spec
}

// rateOf returns a score of one figure, how much was done in a time.
func rateOf(t workload.Throughput) func(workload.Window) []job.Metric {
	return func(w workload.Window) []job.Metric {
		all := w.Summary.All()
		rate := float64(all.Done+all.RolledBack) * (float64(t.Per) / float64(w.Elapsed))
		return []job.Metric{{Name: t.Name, Value: rate, Means: t.Means + ", by the virtual users' count"}}
	}
}

// plans returns the plans of all groups of a run.
func (p Plan) plans() []Plan { return append([]Plan{p}, p.others...) }

// Title names the workloads of all groups: "TPROC-C beside TPROC-H".
func (p Plan) Title() string {
	var titles []string
	for _, g := range p.plans() {
		titles = append(titles, g.Workload.Title)
	}
	return strings.Join(titles, " beside ")
}

// KindNames lists the kinds of transaction of all groups.
func (p Plan) KindNames() (names []string) {
	for _, g := range p.plans() {
		names = append(names, g.Workload.KindNames()...)
	}
	return names
}

// whole adds the users, kinds and transactions of the groups beside the first to the result.
func (r *run) whole(result *job.Result) {
	for _, g := range r.groups[1:] {
		result.Users += g.plan.Users
		result.Kinds = append(result.Kinds, g.plan.Workload.KindNames()...)
		result.Summary.Kinds = append(slices.Clip(result.Summary.Kinds), g.totals.Summary.Kinds...)
		result.LastFailures = append(slices.Clip(result.LastFailures), g.totals.Failures...)
	}
}

// byGroup says of each of several groups what the result says of the only one. Known means that the
// generator has told all that it measured.
func (r *run) byGroup(result *job.Result, m measurement, known bool) {
	idle := job.IdleUsers{}
	result.Metrics, result.Waiting, result.Agreement, result.Contention = nil, nil, nil, nil
	result.LongestGap, result.Standstills = nil, 0
	for i, g := range r.groups {
		one := job.GroupResult{Name: g.name, Workload: g.plan.Spec.Workload, Users: g.plan.Users}
		w := g.window(m)
		if known {
			one.Contention = g.contention
			if !g.plan.anyLength {
				one.LongestGap, one.Standstills = g.longestGap(m)
			}
			if start, end := m.start.groups[i], m.end.groups[i]; start.read && end.read {
				one.Agreement = g.agreement(start, end)
				w = w.probed(start, end)
			}
			result.Waiting = append(result.Waiting, g.waiting()...)
			idle.Idle += g.totals.Idle.Idle
			idle.Of += g.totals.Idle.Of
			idle.Why = cmp.Or(idle.Why, g.totals.Idle.Why)
		}
		if didAnything(g.totals.Summary) {
			result.Metrics = append(result.Metrics, g.plan.Workload.Score(w.Window)...)
		}
		result.Groups = append(result.Groups, one)
	}
	if known {
		result.Idle = &idle
	}
	slices.SortStableFunc(result.Waiting, longestFirst)
}

// groupDoubts returns why the numbers of a group must not be used, or nil.
func (r *run) groupDoubts(doubt func(*runGroup) error) error {
	var all []error
	for _, g := range r.groups {
		if err := doubt(g); err != nil {
			if g.name != "" {
				err = fmt.Errorf("group %s: %w", g.name, err)
			}
			all = append(all, err)
		}
	}
	return errors.Join(all...)
}

// agreementOf returns the comparison of a group's counts.
func agreementOf(g *runGroup, result *job.Result) *job.Agreement {
	if len(result.Groups) > 0 {
		return result.Groups[g.number].Agreement
	}
	return result.Agreement
}
