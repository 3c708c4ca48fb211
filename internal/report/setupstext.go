package report

import (
	"fmt"
	"io"
	"strings"

	"sledge/internal/statistics"
	"sledge/internal/terminal"
)

// Text writes the comparison for people.
func (c SetupComparison) Text(w io.Writer, v View) error {
	b := page{View: v}
	c.whole(&b)
	return b.write(w)
}

// Markdown writes the comparison for the text of a pull request.
func (c SetupComparison) Markdown(w io.Writer) error {
	b := page{drawn: true}
	c.whole(&b)
	return b.markdown(w)
}

// Sheet makes the sheet of the comparison for a page in a browser.
func (c SetupComparison) Sheet() Sheet {
	b := beside()
	c.whole(&b)
	return b.sheet
}

func (c SetupComparison) whole(b *page) {
	c.verdicts(b)
	for _, caveat := range c.Caveats {
		b.say(b.Look.Doubtful, "! %s", Printable(caveat))
	}
	c.setups(b)
	if len(c.Differences) > 0 {
		differ(b, c.Differences)
	} else {
		b.say(plain, "\nThe set-ups have the same options, labels, server and machine: what differs between them is unknown to Sledge, or nothing does.")
	}
	c.figures(b)
}

// verdicts says the outcome in a line for each tested figure.
func (c SetupComparison) verdicts(b *page) {
	for _, f := range c.Figures {
		if !f.Tested {
			continue
		}
		look := b.Look.Strong
		switch f.Change.Verdict {
		case statistics.Better, statistics.Same:
			look = b.Look.Good
		case statistics.Worse:
			look = b.Look.Bad
		case statistics.Undecided:
			look = b.Look.Doubtful
		}
		b.say(look, "%s", f.outcome())
	}
}

// outcome says how B compares with A: "NOPM of B against A: +5.7 % (95 % interval …): better".
func (f SetupFigure) outcome() string {
	return Printable(fmt.Sprintf("%s of B against A: %s", f.title(), f.Change))
}

// Outcome says how B compares with A in the first tested figure.
func (c SetupComparison) Outcome() string { return c.Figures[0].outcome() }

// setups lists the set-ups with their runs.
func (c SetupComparison) setups(b *page) {
	b.title("Set-ups", "")
	t := terminal.Table{Bare: true, Columns: []terminal.Column{{Left: true}, {Left: true}, {Left: true, Wrapped: true}}}
	for i, s := range c.Setups {
		var ids []string
		for _, id := range s.Runs {
			ids = append(ids, ShortID(string(id)))
		}
		t.Row("  "+b.Look.Strong(Letter(i)), Printable(s.Name), countRuns(len(s.Runs))+": "+strings.Join(ids, ", "))
	}
	b.lay(t)
}

// countRuns formats a number of runs.
func countRuns(n int) string {
	if n == 1 {
		return "1 run"
	}
	return count(int64(n)) + " runs"
}

// figures shows the medians of each figure with the change from A to B.
func (c SetupComparison) figures(b *page) {
	b.title("Figures", "medians of the runs, and B's change from A with its 95 % interval")
	t := terminal.Table{Columns: []terminal.Column{{Head: "  figure", Left: true}, {Head: "A"}, {Head: "B"}, {Head: "change"}, {Head: "interval"}, {Head: "A's range", Rank: 2}, {Head: "B's range", Rank: 2}, {Head: "verdict", Left: true, Rank: 1}}}
	kind := ""
	for _, f := range c.Figures {
		if f.Kind != kind && !f.Tested {
			kind = f.Kind
			t.Row("  " + b.Look.Strong(Printable(kind)))
		}
		name := "  " + Printable(f.Name)
		if f.Tested && f.Kind != "" {
			name = "  " + Printable(f.title())
		}
		if f.Unit != "" {
			name += ", " + f.Unit
		}
		if kind != "" {
			name = "  " + name
		}
		t.Row(name, middle(f.A), middle(f.B), f.change(), f.interval(), extent(f.A), extent(f.B), f.verdict())
	}
	b.lay(t)
}

func middle(s *statistics.Summary) string {
	if s == nil {
		return "-"
	}
	return figured(&s.Median)
}

// extent formats the smallest and the greatest figure.
func extent(s *statistics.Summary) string {
	if s == nil {
		return "-"
	}
	return figured(&s.Least) + " to " + figured(&s.Most)
}

func (f SetupFigure) change() string {
	if f.Change == nil {
		return "-"
	}
	return fmt.Sprintf("%+.1f %%", 100*(f.Change.Ratio-1))
}

func (f SetupFigure) interval() string {
	if f.Change == nil || f.Change.Interval == nil {
		return "-"
	}
	return fmt.Sprintf("%+.1f to %+.1f %%", 100*(f.Change.Interval.Low-1), 100*(f.Change.Interval.High-1))
}

func (f SetupFigure) verdict() string {
	if !f.Tested {
		return ""
	}
	return string(f.Change.Verdict)
}
