package report

import (
	"fmt"
	"strings"

	"sledge/internal/job"
	"sledge/internal/meter"
	"sledge/internal/terminal"
)

// A run with several groups of users has a line of figures for each, and its tables have the sum of each group
// above the group's kinds of transaction. A run with one group is shown without a name.

// Group is one of several groups of a run.
type Group struct {
	job.GroupResult

	All *Transaction `json:"all,omitempty"` // its kinds together
}

// newGroups makes the groups of a document.
func newGroups(j job.Job, sum meter.Summary, allDone int64, c correction) (list []Group) {
	for i, g := range j.Spec.Groups() {
		one := Group{GroupResult: job.GroupResult{Name: g.Name, Workload: g.Workload, Users: g.Users}}
		if i < len(j.Result.Groups) {
			one.GroupResult = j.Result.Groups[i]
		}
		if part := ofGroup(g, j.Kinds, sum); len(part.Kinds) > 0 {
			all := part.All()
			t := newTransaction("all", &all, allDone).corrected(c.in(g), "", &all)
			one.All = &t
		}
		list = append(list, one)
	}
	return list
}

// ofGroup returns what a group did.
func ofGroup(g job.Group, kinds []string, sum meter.Summary) meter.Summary {
	part := meter.Summary{Elapsed: sum.Elapsed}
	for i := range sum.Kinds {
		if _, is := g.Own(KindName(kinds, i)); is {
			part.Kinds = append(part.Kinds, sum.Kinds[i])
		}
	}
	return part
}

// in returns the correction for a group alone.
func (c correction) in(g job.Group) correction {
	c.users = float64(g.Users)
	waiting := c.waiting
	c.waiting = nil
	for _, w := range waiting {
		if _, is := g.Own(w.Kind); is {
			c.waiting = append(c.waiting, w)
		}
	}
	c.anyLength = c.unstalled[g.Name]
	return c
}

// evidence lists what each group of a run has by itself: of a run without groups, the one without a name.
func evidence(r job.Result) []job.GroupResult {
	if len(r.Groups) > 0 {
		return r.Groups
	}
	return []job.GroupResult{{Contention: r.Contention, Agreement: r.Agreement, LongestGap: r.LongestGap, Standstills: r.Standstills}}
}

// inGroup begins a sentence on a group.
func inGroup(g job.GroupResult) string {
	if g.Name == "" {
		return ""
	}
	return g.Name + ": "
}

// firstFigures are the first figure of the run, or of each of its groups.
func firstFigures(j job.Job) (list []job.Metric) {
	groups := j.Spec.Groups()
	if groups == nil {
		return j.Result.Metrics[:min(len(j.Result.Metrics), 1)]
	}
	for _, g := range groups {
		for _, m := range j.Result.Metrics {
			if _, is := g.Own(m.Name); is {
				list = append(list, m)
				break
			}
		}
	}
	return list
}

// Headline writes the first figure of a job, or of each of its groups; "" where it has none.
func Headline(j job.Job) string {
	var words []string
	for _, m := range firstFigures(j) {
		words = append(words, Short(m)+" "+m.Name)
	}
	return strings.Join(words, ", ")
}

// groupScores writes a line for each group: its figures, response times and failures.
func groupScores(b *page, j job.Job, sum meter.Summary) {
	groups, wide := j.Spec.Groups(), 0
	for _, g := range groups {
		wide = max(wide, terminal.Width(g.Name))
	}
	for _, g := range groups {
		figure := b.figureLook(j)
		list := []piece{{b.Look.Strong, "  " + g.Name + strings.Repeat(" ", wide-terminal.Width(g.Name))}}
		for _, m := range j.Result.Metrics {
			const few = 2
			if own, is := g.Own(m.Name); is && len(list) <= few {
				list = append(list, piece{figure, Figure(m) + " " + Printable(own)})
				figure = b.Look.Strong
			}
		}
		part := ofGroup(g, j.Kinds, sum)
		all := part.All()
		b.pieces(append(list, endedPieces(b, all)...))
	}
}

// endedPieces says how long the transactions of a run or a group took, and how many failed.
func endedPieces(b *page, all meter.Tally) (list []piece) {
	if all.Done > 0 {
		at := func(p float64) string { return millis(float64(all.Response.ValueAtQuantile(p))) }
		list = append(list, piece{plain, fmt.Sprintf("p50 %s, p95 %s, p99 %s ms", at(50), at(95), at(99))})
	}
	return append(list, failedPieces(b, all.Failures(), all.Ended())...)
}

// failedPieces says how many transactions failed of those that ended.
func failedPieces(b *page, failed, ended int64) []piece {
	switch {
	case failed > 0:
		return []piece{{b.Look.Bad, fmt.Sprintf("%s failed (%s)", count(failed), share(failed, ended))}}
	case ended > 0:
		return []piece{{plain, "0 failed"}}
	}
	return nil
}

// groupLoad says who worked in which group.
func groupLoad(groups []job.Group) string {
	var words []string
	for i, g := range groups {
		users := count(int64(g.Users))
		if i == 0 {
			users = VirtualUsers(g.Users)
		}
		words = append(words, fmt.Sprintf("%s in %s (%s)", users, g.Name, g.Workload))
	}
	return strings.Join(words, ", ")
}
