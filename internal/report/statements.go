package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"sledge/internal/job"
	"sledge/internal/terminal"
)

// statementsOf names the statement that took most of the server's time.
func statementsOf(s job.Statements) string {
	const longest = 80
	if s.Missing != "" {
		return "not measured: " + s.Missing
	}
	if len(s.Top) == 0 {
		return "the server counted none"
	}
	first := s.Top[0]
	text := fmt.Sprintf("%s of the server's time in statements in %s (%s × %s ms)",
		share(int64(1e6*first.Seconds), int64(1e6*s.Sum())), terminal.Cut(first.Text, longest), count(first.Calls), meanMS(first))
	for _, one := range s.Top {
		if at := one.PlansChanged(); len(at) > 0 {
			text += fmt.Sprintf("; the plan of %s changed in %s", terminal.Cut(one.Text, longest), inSeconds(at))
		}
	}
	return text
}

// inSeconds lists moments of the measured time: "second 42, 50".
func inSeconds(at []float64) string {
	var list []string
	for _, second := range at {
		list = append(list, fmt.Sprintf("%.0f", second))
	}
	return "second " + strings.Join(list, ", ")
}

// meanMS is the mean time of a call in the server.
func meanMS(s job.Statement) string { return millis(1e9 * s.Seconds / float64(max(1, s.Calls))) }

// statements shows the statements that took most of the server's time, and those of their plans that changed.
func statements(b *page, s job.Statements, plans []job.QueryPlan) {
	if s.Missing != "" {
		b.title("Top statements of the server", "")
		b.say(b.Look.Doubtful, "  not measured: %s", Printable(s.Missing))
		return
	}
	b.title("Top statements of the server", "by their time in the server in the measured time")
	t := terminal.Table{Columns: []terminal.Column{
		{Head: "  share"}, {Head: "calls"}, {Head: "ms each"}, {Head: "rows each", Rank: 2}, {Head: "plan", Left: true, Rank: 1}, {Head: "statement", Left: true, Wrapped: true},
	}}
	for _, one := range s.Top {
		rows := float64(one.Rows) / float64(max(1, one.Calls))
		t.Row(share(int64(1e6*one.Seconds), int64(1e6*s.Sum())), count(one.Calls), meanMS(one), figured(&rows), planWords(one), one.Text)
	}
	if len(t.Rows) > 0 {
		b.table(t)
	}
	if s.Others > 0 {
		b.say(b.Look.Faint, "  %s other statements took %.2f s.", count(int64(s.Others)), s.OthersSeconds)
	}
	if s.AtLeast {
		b.say(b.Look.Doubtful, "  The server reset or removed the statistics of some statements: their numbers are lower bounds.")
	}
	var without []string // reasons
	for _, one := range s.Top {
		if one.NoPlan != "" {
			without = append(without, Printable(one.NoPlan))
		}
	}
	for _, why := range distinct(without) {
		b.say(b.Look.Faint, "  No plan: %s.", why)
	}
	changedPlans(b, s, plans)
}

// planWords says in a cell of a table whether the plan of a statement changed.
func planWords(s job.Statement) string {
	switch at := s.PlansChanged(); {
	case len(at) > 0:
		return "changed in " + inSeconds(at)
	case len(s.PlansSeen) > 0:
		return "same"
	}
	return "-"
}

// changedPlans shows the plans of the statements whose plan changed, each beside the one before.
func changedPlans(b *page, s job.Statements, plans []job.QueryPlan) {
	for _, one := range s.Top {
		var before *job.QueryPlan
		for i := range plans {
			after := &plans[i]
			if after.Statement != one.ID {
				continue
			}
			if before != nil {
				b.title(fmt.Sprintf("Plan changed in second %.0f", after.Seen), named(one.Text))
				b.differ(before.Lines, after.Lines, "before", fmt.Sprintf("from second %.0f on", after.Seen))
			}
			before = after
		}
		if before != nil && before.Error != "" {
			b.say(b.Look.Doubtful, "  %s", Printable(before.Error))
		}
	}
}

// ComparedStatement is a top statement of several runs, by its text. Each list has one value for each run, in
// their order; null for a run without it.
type ComparedStatement struct {
	Text   string     `json:"text"`
	Each   []*float64 `json:"each_ms"` // mean time of a call in the server
	Ratios []*float64 `json:"ratios"`  // to the time in the first run

	// PlanChanged says whether the shape of the last plan differs from that in the first run.
	PlanChanged []*bool `json:"plan_changed"`
}

// compareStatements adds the statements that are among the top of the first run and of another one.
func (c *Comparison) compareStatements(runs []Measured) {
	of := func(r Measured, text string) *float64 {
		if r.Job.Result.Statements == nil {
			return nil
		}
		for _, one := range r.Job.Result.Statements.Top {
			if one.Text == text {
				each := 1000 * one.Seconds / float64(max(1, one.Calls))
				return &each
			}
		}
		return nil
	}
	if runs[0].Job.Result.Statements == nil {
		return
	}
	var seen []string // servers may have several statements with one text
	for _, one := range runs[0].Job.Result.Statements.Top {
		if slices.Contains(seen, one.Text) {
			continue
		}
		seen = append(seen, one.Text)
		s := ComparedStatement{Text: one.Text}
		others := 0
		for i, r := range runs {
			each := of(r, one.Text)
			s.Each = append(s.Each, each)
			var ratio *float64
			if first := s.Each[0]; each != nil && first != nil && *first > 0 {
				to := *each / *first
				ratio = &to
			}
			if each != nil && i > 0 {
				others++
			}
			s.Ratios = append(s.Ratios, ratio)
			s.PlanChanged = append(s.PlanChanged, planChanged(runs[0].Plans, r.Plans, one.Text))
		}
		if others > 0 {
			c.Statements = append(c.Statements, s)
		}
	}
}

// statements writes a line for each statement: its time in each run, the ratio to the first, and whether its
// plan changed.
func (c Comparison) statements(b *page) {
	if len(c.Statements) == 0 {
		return
	}
	b.title("Top statements of the server", "ms of a call in the server, and the ratio to that of A")
	t := terminal.Table{}
	for i := range c.Runs {
		if i == 0 {
			t.Columns = append(t.Columns, terminal.Column{Head: "  " + Letter(i)})
			continue
		}
		t.Columns = append(t.Columns, terminal.Column{Head: Letter(i)}, terminal.Column{Head: Letter(i) + "/A", Rank: i}, terminal.Column{Head: cmp.Or(planHead(len(c.Runs)), "plan "+Letter(i)), Left: true, Rank: i})
	}
	t.Columns = append(t.Columns, terminal.Column{Head: "statement", Left: true, Wrapped: true})
	for _, s := range c.Statements {
		var cells []string
		for i, each := range s.Each {
			cells = append(cells, figured(each))
			if i > 0 {
				cells = append(cells, figured(s.Ratios[i]), b.planCell(s.PlanChanged[i]))
			}
		}
		t.Row(append(cells, named(s.Text))...)
	}
	b.lay(t)
}

// planCell says in a cell of a table whether a plan changed; changed is nil if that is unknown.
func (p *page) planCell(changed *bool) string {
	switch {
	case changed == nil:
		return "-"
	case *changed:
		return p.Look.Strong("changed")
	}
	return "same"
}
