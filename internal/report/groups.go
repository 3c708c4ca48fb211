package report

import (
	"fmt"
	"strings"

	"sledge/internal/job"
	"sledge/internal/meter"
	"sledge/internal/terminal"
)

// A report of a run with several groups has a line of figures for each group, and its tables show
// the sum of each group above its kinds of transaction. A run with one group is shown without the
// group's name.

// Group is one of several groups of a run.
type Group struct {
	job.GroupResult

	All *Transaction `json:"all,omitempty"` // all its kinds together
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

// ofGroup returns the measurements of a group.
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
	c.anyLength, c.paced = c.unstalled[g.Name], rated(g.Options)
	return c
}

// evidence returns the results of each group. A run without groups counts as one group without a
// name.
func evidence(r job.Result) []job.GroupResult {
	if len(r.Groups) > 0 {
		return r.Groups
	}
	return []job.GroupResult{{Contention: r.Contention, Agreement: r.Agreement, LongestGap: r.LongestGap, Standstills: r.Standstills, Punctuality: r.Punctuality}}
}

// inGroup returns the beginning of a sentence about a group.
func inGroup(g job.GroupResult) string {
	if g.Name == "" {
		return ""
	}
	return g.Name + ": "
}

// firstFigures returns the first figure of the run, or of each of its groups.
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

// Headline formats the first figure of a job, or of each of its groups; "" if the job has no
// figures.
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

// endedPieces returns the percentiles of the response times of a run or a group, and its failures.
func endedPieces(b *page, all meter.Tally) (list []piece) {
	if all.Done > 0 {
		at := func(p float64) string { return millis(float64(all.Response.ValueAtQuantile(p))) }
		list = append(list, piece{plain, fmt.Sprintf("p50 %s, p95 %s, p99 %s ms", at(50), at(95), at(99))})
	}
	return append(list, failedPieces(b, all.Failures(), all.Ended())...)
}

// failedPieces returns the number and the share of failed transactions.
func failedPieces(b *page, failed, ended int64) []piece {
	switch {
	case failed > 0:
		return []piece{{b.Look.Bad, fmt.Sprintf("%s failed (%s)", count(failed), share(failed, ended))}}
	case ended > 0:
		return []piece{{plain, "0 failed"}}
	}
	return nil
}

// groupLoad lists the users and the workload of each group.
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
