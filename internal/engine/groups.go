package engine

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"sledge/internal/catalog"
	"sledge/internal/job"
	"sledge/internal/meter"
	"sledge/internal/option"
	"sledge/internal/workload"
)

// A run may have several groups of users, each with a workload of its own, in one database and for one time.
// Kinds of transaction are named by their group, as in "orders.payment", and stand in the order of the groups.

// bindGroups binds a spec with several groups. The plan of the first has those of the others.
func bindGroups(c catalog.Catalog, pair catalog.Pair, spec job.Spec) (Plan, error) {
	names, workloads := map[string]bool{spec.Group: true}, map[string]bool{pair.Workload.Name: true}
	first, err := bindGroup(pair, spec, spec.Group)
	if err != nil {
		return Plan{}, err
	}
	before := first.Users
	for i, g := range spec.Beside {
		if names[g.Name] || g.Name == "" || spec.Group == "" {
			return Plan{}, fmt.Errorf("group %q: each of several groups needs a name of its own", g.Name)
		}
		names[g.Name] = true
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
		first.others = append(first.others, p)
	}
	if before > maxUsers {
		return Plan{}, &UsersError{before}
	}
	first.Spec.Beside = spec.Beside
	return first, nil
}

// bindGroup binds the workload of one of several groups: it has no end of its own, and no figures that need one.
func bindGroup(pair catalog.Pair, spec job.Spec, name string) (Plan, error) {
	w := *pair.Workload
	w.Kinds = slices.Clone(w.Kinds)
	for i := range w.Kinds {
		w.Kinds[i].Name = name + "." + w.Kinds[i].Name
	}
	if w.Finite {
		w.Finite, w.Score, w.Remarks, w.Figures = false, nil, nil, nil
	}
	spec.Beside = nil
	p, err := NewPlan(catalog.Pair{Database: pair.Database, Workload: &w}, spec)
	if err != nil {
		return Plan{}, err
	}
	p.group = name
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

// plans returns the plans of all groups of a run.
func (p Plan) plans() []Plan { return append([]Plan{p}, p.others...) }

// whole adds the users, kinds and transactions of the groups beside the first to the result.
func (r *run) whole(result *job.Result) {
	for _, g := range r.groups[1:] {
		result.Users += g.plan.Users
		result.Kinds = append(result.Kinds, g.plan.Workload.KindNames()...)
		result.Summary.Kinds = append(slices.Clip(result.Summary.Kinds), g.totals.Summary.Kinds...)
		result.LastFailures = append(slices.Clip(result.LastFailures), g.totals.Failures...)
	}
}

// besideFirst adds the results of the groups beside the first, whose users have ended.
func (r *run) besideFirst(result *job.Result, m measurement) {
	if len(r.groups) == 1 {
		return
	}
	idle := *result.Idle
	result.Idle = &idle
	result.LongestGap, result.Standstills = nil, 0 // the stalls of a group are not those of the run
	for i, g := range r.groups[1:] {
		result.Waiting = append(result.Waiting, g.waiting()...)
		idle.Idle += g.totals.Idle.Idle
		idle.Of += g.totals.Idle.Of
		if idle.Why == "" {
			idle.Why = g.totals.Idle.Why
		}
		if result.Contention == nil {
			result.Contention = g.contention
		}
		start, end := m.start.groups[i+1], m.end.groups[i+1]
		if !start.read || !end.read {
			continue
		}
		if a := g.agreement(start, end); result.Agreement == nil || a != nil && !a.Holds && result.Agreement.Holds {
			result.Agreement = a
		}
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

// scoreOf returns the headline figures of a group.
func (g *runGroup) scoreOf(w workload.Window) []job.Metric {
	if g.plan.Workload.Score == nil {
		return nil
	}
	return g.plan.Workload.Score(w)
}

// ofFirst returns the part of a second that is the first group's.
func (p Plan) ofFirst(measured meter.CodedSummary) meter.CodedSummary {
	if kinds := len(p.Workload.Kinds); len(p.others) > 0 && len(measured.Kinds) > kinds {
		measured.Kinds = measured.Kinds[:kinds]
	}
	return measured
}
