package coordinator

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"sledge/internal/job"
)

// runGroups are the groups of a run, at least one.
type runGroups []*runGroup

// addOthers adds the users, kinds and transactions of the other groups to the result.
func (l runGroups) addOthers(result *job.Result) {
	for _, g := range l[1:] {
		result.Users += g.Plan.Users
		result.Kinds = append(result.Kinds, g.Plan.Workload.KindNames()...)
		result.Summary.Kinds = append(slices.Clip(result.Summary.Kinds), g.totals.Summary.Kinds...)
		result.LastFailures = append(slices.Clip(result.LastFailures), g.totals.Failures...)
	}
}

// kinds returns the names of all kinds of transaction, as in the result.
func (l runGroups) kinds() (names []string) {
	for _, g := range l {
		names = append(names, g.Plan.Workload.KindNames()...)
	}
	return names
}

// byGroup adds the figures of each group to the result, if there are several. known means that the
// generator has reported all its measurements.
func (l runGroups) byGroup(result *job.Result, m measurement, known bool) {
	idle := job.IdleUsers{}
	result.Metrics, result.Waiting, result.Agreement, result.Contention = nil, nil, nil, nil
	result.LongestGap, result.Standstills, result.Traits, result.Punctuality = nil, 0, nil, job.Punctuality{}
	for i, g := range l {
		one := job.GroupResult{Name: g.Plan.Spec.Group, Workload: g.Plan.Spec.Workload, Users: g.Plan.Users}
		w := g.window(m)
		if known {
			one.Contention, one.Punctuality = g.contention, g.punctuality(m)
			if !g.Plan.AnyLength {
				one.LongestGap, one.Standstills = g.longestGap(m)
			}
			if start, end := m.start.groups[i], m.end.groups[i]; start.Read && end.Read {
				one.Agreement = g.agreement(start, end)
				w = w.probed(start, end)
			}
			result.Waiting = append(result.Waiting, g.waiting()...)
			idle.Idle += g.totals.Idle.Idle
			idle.Of += g.totals.Idle.Of
			idle.Why = cmp.Or(idle.Why, g.totals.Idle.Why)
		}
		if didAnything(g.totals.Summary) {
			result.Metrics = append(result.Metrics, g.Plan.Workload.Score.Of(w.Window)...)
		}
		result.Traits = append(result.Traits, traitsOf(g, w.Window)...)
		result.Groups = append(result.Groups, one)
	}
	if known {
		result.Idle = &idle
	}
	slices.SortStableFunc(result.Waiting, longestFirst)
}

// doubts returns the errors that doubt finds in the groups, each with the group's name.
func (l runGroups) doubts(doubt func(*runGroup) error) error {
	var all []error
	for _, g := range l {
		if err := doubt(g); err != nil {
			if g.Plan.Spec.Group != "" {
				err = fmt.Errorf("group %s: %w", g.Plan.Spec.Group, err)
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
