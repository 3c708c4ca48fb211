package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"sledge/internal/job"
	"sledge/internal/terminal"
)

// PlansSchema names the format of Plans, as Schema does for Document.
const PlansSchema = "sledge-plans-1"

// Plans are the plans of the queries or the top statements of one run, or of two runs to compare.
type Plans struct {
	Schema  string         `json:"schema"` // always PlansSchema
	Runs    []PlansOfRun   `json:"runs"`
	Queries []ComparedPlan `json:"queries,omitempty"` // of two runs
}

// PlansOfRun are the plans of one run.
type PlansOfRun struct {
	ID        job.ID          `json:"id"`
	Explained *job.Explained  `json:"explained,omitempty"`
	Plans     []job.QueryPlan `json:"plans"`
}

// ComparedPlan says whether the plan of a query, or the last plan of a statement, has another shape in the
// second run than in the first: other operators, tables or indexes.
type ComparedPlan struct {
	Kind    string `json:"kind"`    // or the text of the statement
	Changed *bool  `json:"changed"` // null if one of the two has no plan
}

// NewPlans returns the plans of the chosen kinds or statements; if there are two runs, also whether each
// plan changed.
func NewPlans(runs []PlansOfRun, chosen func(of string) bool) Plans {
	p := Plans{Schema: PlansSchema}
	var kinds []string
	for _, r := range runs {
		left := []job.QueryPlan{}
		for _, plan := range r.Plans {
			if chosen(plan.Of()) {
				left = append(left, plan)
				kinds = append(kinds, plan.Of())
			}
		}
		r.Plans = left
		p.Runs = append(p.Runs, r)
	}
	if len(runs) == 2 {
		for _, kind := range distinct(kinds) {
			p.Queries = append(p.Queries, ComparedPlan{kind, planChanged(p.Runs[0].Plans, p.Runs[1].Plans, kind)})
		}
	}
	return p
}

// planOf returns the last plan of a kind or statement, or nil if it has no plan.
func planOf(plans []job.QueryPlan, of string) *job.QueryPlan {
	for i := range slices.Backward(plans) {
		if plans[i].Of() == of {
			return &plans[i]
		}
	}
	return nil
}

// planChanged reports whether the plan of a kind or statement changed its shape from before to after; nil if
// one of the two is unknown.
func planChanged(before, after []job.QueryPlan, of string) *bool {
	b, a := planOf(before, of), planOf(after, of)
	if b == nil || a == nil || len(b.Lines) == 0 || len(a.Lines) == 0 {
		return nil
	}
	changed := b.Shape() != a.Shape()
	return &changed
}

// Text writes the plans for people: of one run, all plans one after another; of two runs, the
// changed plans, or with all each plan.
func (p Plans) Text(w io.Writer, v View, all bool) error {
	b := page{View: v}
	if len(p.Runs) == 1 {
		for _, plan := range p.Runs[0].Plans {
			b.title(named(plan.Of()), had(plan))
			b.plan(plan.Lines, "  ")
		}
	} else {
		p.compare(&b, all)
	}
	return b.write(w)
}

// named returns a kind, or the beginning of a statement.
func named(of string) string {
	const longest = 200
	return terminal.Cut(Printable(of), longest)
}

// had names the stream whose parameters the plan has, and says how the plan was read. Of a statement it says
// when the plan was first seen.
func had(plan job.QueryPlan) string {
	text := fmt.Sprintf("as stream %d asked it", plan.Stream)
	if plan.Statement != "" {
		text = fmt.Sprintf("first seen in second %.0f", plan.Seen)
	}
	if plan.Timed {
		text += fmt.Sprintf(", executed once more in %s s", seconds(plan.Seconds))
	}
	if plan.Error != "" {
		text += "; " + Printable(strings.Join(strings.Fields(plan.Error), " "))
	}
	return text
}

// plan writes the lines of a plan.
func (p *page) plan(lines []job.PlanLine, indent string) {
	for _, line := range lines {
		p.say(plain, "%s%s", indent, Printable(line.Text))
	}
}

// besideFrom is the least width of a terminal for two plans side by side.
const besideFrom = 100

// compare writes both plans of each query, and marks the steps that only one of them has.
func (p Plans) compare(b *page, all bool) {
	b.title("Plans", "steps that only A has are marked -, steps that only B has +")
	for i, r := range p.Runs {
		b.say(plain, "  %s  %s", b.Look.Strong(Letter(i)), r.ID)
	}
	var same []string
	statements := 0 // that have the same plans, whose texts would be too many
	for _, q := range p.Queries {
		if !all && q.Changed != nil && !*q.Changed {
			if planOf(p.Runs[0].Plans, q.Kind).Statement != "" {
				statements++
			} else {
				same = append(same, Printable(q.Kind))
			}
			continue
		}
		verdict := "one run has no plan"
		if q.Changed != nil {
			verdict = map[bool]string{true: "the plan changed", false: "the plan has the same operators, tables and indexes"}[*q.Changed]
		}
		b.title(named(q.Kind), verdict)
		var sides [2]job.QueryPlan
		for i, r := range p.Runs {
			name := "  " + Letter(i) + "  "
			if plan := planOf(r.Plans, q.Kind); plan != nil {
				sides[i] = *plan
				b.say(plain, "%s%s", name, had(*plan))
			} else {
				b.say(plain, "%sno plan", name)
			}
		}
		b.differ(sides[0].Lines, sides[1].Lines, Letter(0), Letter(1))
	}
	switch statements {
	case 0:
	case 1:
		same = append(same, "one statement")
	default:
		same = append(same, count(int64(statements))+" statements")
	}
	if len(same) > 0 {
		b.say(plain, "\nThe same operators, tables and indexes: %s.", strings.Join(same, ", "))
	}
}

// differ writes two plans, and marks the steps that only one of them has. a and b name them if they do not fit
// side by side.
func (p *page) differ(before, after []job.PlanLine, a, b string) {
	rows := align(blocksOf(before), blocksOf(after))
	if p.Width >= besideFrom {
		p.beside(rows)
	} else {
		p.below(rows, a, b)
	}
}

// block is a step of a plan with its details in the lines below.
type block struct {
	step  string // without indentation, so that a step equals the same step at another depth
	lines []job.PlanLine
}

func blocksOf(lines []job.PlanLine) (list []block) {
	for _, line := range lines {
		if line.Step != "" || len(list) == 0 {
			list = append(list, block{step: strings.TrimSpace(line.Step)})
		}
		last := &list[len(list)-1]
		last.lines = append(last.lines, line)
	}
	return list
}

// pair is a block of each plan; nil if only the other plan has it.
type pair struct{ a, b *block }

// align pairs the blocks that both plans have, in order: the longest common subsequence.
func align(a, b []block) (rows []pair) {
	longest := make([][]int, len(a)+1) // longest[i][j]: length of the longest common subsequence of a[i:] and b[j:]
	for i := range longest {
		longest[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i].step == b[j].step {
				longest[i][j] = longest[i+1][j+1] + 1
			} else {
				longest[i][j] = max(longest[i+1][j], longest[i][j+1])
			}
		}
	}
	i, j := 0, 0
	for i < len(a) && j < len(b) {
		switch {
		case a[i].step == b[j].step:
			rows = append(rows, pair{&a[i], &b[j]})
			i, j = i+1, j+1
		case longest[i+1][j] >= longest[i][j+1]:
			rows = append(rows, pair{a: &a[i]})
			i++
		default:
			rows = append(rows, pair{b: &b[j]})
			j++
		}
	}
	for ; i < len(a); i++ {
		rows = append(rows, pair{a: &a[i]})
	}
	for ; j < len(b); j++ {
		rows = append(rows, pair{b: &b[j]})
	}
	return rows
}

// below writes one plan after the other, below their names.
func (p *page) below(rows []pair, names ...string) {
	for i, mark := range []string{"- ", "+ "} {
		var lines []string
		for _, row := range rows {
			own, other := row.a, row.b
			if i == 1 {
				own, other = row.b, row.a
			}
			if own != nil {
				lines = append(lines, own.marked(mark, other == nil, p.Width)...)
			}
		}
		p.say(p.Look.Faint, "  %s", names[i])
		if p.drawn { // keeps the indentation
			p.asItIs(strings.Join(lines, "\n"))
			continue
		}
		for _, line := range lines {
			p.say(plain, "%s", p.looked(line))
		}
	}
}

// beside writes both plans side by side, with steps that both have on the same line.
func (p *page) beside(rows []pair) {
	const divider = " | "
	room := (p.Width - len(divider)) / 2
	for _, row := range rows {
		left, right := row.a.marked("- ", row.b == nil, room), row.b.marked("+ ", row.a == nil, room)
		for i := range max(len(left), len(right)) {
			var l, r string
			if i < len(left) {
				l = left[i]
			}
			if i < len(right) {
				r = right[i]
			}
			fill := strings.Repeat(" ", max(0, room-terminal.Width(l)))
			p.say(plain, "%s", strings.TrimRight(p.looked(l)+fill+divider+p.looked(r), " "))
		}
	}
}

// marked returns the lines of the block folded to width, each with the mark if only one plan has
// the block. The block may be nil.
func (b *block) marked(mark string, alone bool, width int) (list []string) {
	if b == nil {
		return nil
	}
	if !alone {
		mark = "  "
	}
	if width > 0 {
		width -= len(mark)
	}
	for _, line := range b.lines {
		for part := range strings.SplitSeq(terminal.Fold(Printable(line.Text), width), "\n") {
			list = append(list, mark+part)
		}
	}
	return list
}

// looked highlights a line with a mark.
func (p *page) looked(line string) string {
	switch {
	case strings.HasPrefix(line, "- "):
		return p.Look.Bad(line)
	case strings.HasPrefix(line, "+ "):
		return p.Look.Good(line)
	}
	return line
}
