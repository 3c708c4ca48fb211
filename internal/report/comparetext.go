package report

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"sledge/internal/job"
	"sledge/internal/terminal"
)

// String gives the number of runs and their spread.
func (r Repeats) String() string {
	if r.Runs < 2 {
		return "the only run of its kind in this repository"
	}
	return fmt.Sprintf("one of %d runs with the same options: %s from %s to %s, median %s, spread %s",
		r.Runs, Printable(r.Figure), figured(&r.Least), figured(&r.Most), figured(&r.Median), share(int64(1e6*(r.Most-r.Least)), int64(1e6*r.Median)))
}

// repeats shows how much the figures of equal runs vary, and warns if there are too few of them.
func (c Comparison) repeats(b *page) {
	if len(c.Repeats) == 0 {
		return
	}
	b.title("Repeats", "a ratio within the spread of equal runs is noise")
	t := terminal.Table{Bare: true, Columns: []terminal.Column{{Left: true}, {Left: true, Wrapped: true}}}
	few := false
	for i, r := range c.Repeats {
		t.Row("  "+b.Look.Strong(Letter(i)), r.String())
		few = few || r.Runs < enoughRepeats
	}
	b.lay(t)
	if few {
		b.say(b.Look.Doubtful, "! One run of each decides nothing: repeat each %d times or more, in turns, and let sledge compare decide.", enoughRepeats)
	}
}

// Letter returns the letter of a run in tables.
func Letter(i int) string { return string(rune('A' + i)) }

// Name returns the letter of a run, followed by the labels by which the runs differ: "B: 6.12".
func (c Comparison) Name(i int) string {
	if labels := c.labels(i); labels != "" {
		return Letter(i) + ": " + labels
	}
	return Letter(i)
}

// labels returns the labels of a run by which the runs differ.
func (c Comparison) labels(i int) string {
	var labels []string
	for _, d := range c.Differences {
		switch name, is := strings.CutPrefix(d.Name, ofLabel); {
		case !is || d.Values[i] == noLabel:
		case d.Values[i] == emptyLabel:
			labels = append(labels, name)
		default:
			labels = append(labels, d.Values[i])
		}
	}
	return terminal.Cut(Printable(strings.Join(labels, ", ")), longestCell)
}

// Text writes the comparison for people.
func (c Comparison) Text(w io.Writer, v View) error {
	b := page{View: v}
	c.whole(&b)
	return b.write(w)
}

// DifferencesText writes the runs and what differs between them, without figures.
func (c Comparison) DifferencesText(w io.Writer, v View) error {
	b := page{View: v}
	c.runs(&b)
	c.differences(&b)
	return b.write(w)
}

// whole writes the whole comparison.
func (c Comparison) whole(b *page) {
	c.runs(b)
	c.differences(b)
	c.repeats(b)
	c.figures(b)
	c.queries(b)
	c.statements(b)
}

// runs lists the runs.
func (c Comparison) runs(b *page) {
	b.title("Runs", "")
	t := terminal.Table{Bare: true, Columns: []terminal.Column{{Left: true}, {Left: true, Short: ShortID}, {Left: true, Rank: 1}, {Left: true, Wrapped: true}}}
	for i, r := range c.Runs {
		what := fmt.Sprintf("%s on %s, %s, %s", r.Workload, r.Database, VirtualUsers(r.Users), Spell(time.Duration(r.Elapsed*float64(time.Second))))
		if labels := c.labels(i); labels != "" {
			what = labels + ": " + what
		}
		if r.Status != job.Succeeded {
			what += fmt.Sprintf("; %s", strings.ToUpper(string(r.Status)))
			if reason := strings.Join(strings.Fields(r.Reason), " "); reason != "" {
				what += ": " + reason
			}
		}
		t.Row(b.Look.Strong(Letter(i)), string(r.ID), r.Begun.UTC().Format(timeLayout), Printable(what))
	}
	b.lay(t)
}

// longestCell limits the width of a value in a table, such as a rate over time.
const longestCell = 24

// differences shows what differs between the runs.
func (c Comparison) differences(b *page) {
	if len(c.Differences) == 0 {
		b.say(plain, "\nThe runs have the same options, labels, server and machine. Differences in their figures are noise, or come from changes outside of Sledge.")
		return
	}
	differ(b, c.Differences)
}

// differ shows a table of differences, followed by lines for values that are too long for a table.
func differ(b *page, list []Difference) {
	b.title("What differs", "")
	t := terminal.Table{Columns: []terminal.Column{{Head: "  ", Left: true}}}
	for i := range list[0].Values {
		t.Columns = append(t.Columns, terminal.Column{Head: Letter(i), Left: true})
	}
	var long []Difference
	for _, d := range list {
		if !b.drawn && slices.ContainsFunc(d.Values, func(v string) bool { return terminal.Width(v) > longestCell }) {
			long = append(long, d)
			continue
		}
		cells := []string{"  " + d.Name}
		for _, v := range d.Values {
			cells = append(cells, cmp.Or(v, "-"))
		}
		t.Row(cells...)
	}
	if b.Width > 0 && t.Wide() > b.Width {
		t.Rows, long = nil, list
	}
	if len(t.Rows) > 0 {
		b.table(t)
	}
	for _, d := range long {
		b.say(plain, "  %s", Printable(d.Name))
		for i, v := range d.Values {
			b.say(plain, "    %s  %s", Letter(i), Printable(cmp.Or(v, "-")))
		}
	}
}

// figures writes one table: first all transactions together, then each kind.
func (c Comparison) figures(b *page) {
	if len(c.Figures) == 0 {
		b.say(plain, "\nNothing was measured in these runs.")
		return
	}
	b.title("Figures", "of each run, and their ratio to those of A")
	t := terminal.Table{Columns: []terminal.Column{{Head: "  figure", Left: true}}}
	for i := range c.Runs {
		t.Columns = append(t.Columns, terminal.Column{Head: Letter(i)})
		if i > 0 {
			t.Columns = append(t.Columns, terminal.Column{Head: Letter(i) + "/A", Rank: i}) // the last are left out first
		}
	}
	kind := ""
	for _, f := range c.Figures {
		if f.Kind != kind {
			kind = f.Kind
			t.Row("  " + b.Look.Strong(Printable(kind)))
		}
		name := "  " + Printable(f.Name)
		if f.Unit != "" {
			name += ", " + f.Unit
		}
		if kind != "" {
			name = "  " + name
		}
		cells := []string{name}
		for i, v := range f.Values {
			cells = append(cells, figured(v))
			if i > 0 {
				cells = append(cells, figured(f.Ratios[i]))
			}
		}
		t.Row(cells...)
	}
	b.lay(t)
}

// figured formats a figure with three digits or more; below 1 with three decimals, below 0.1 with
// four.
func figured(v *float64) string {
	switch {
	case v == nil:
		return "-"
	case *v >= 1000:
		return count(int64(math.Round(*v)))
	case *v >= 100:
		return strconv.FormatFloat(*v, 'f', 1, 64)
	case *v >= 0.9995 || *v == 0: // 0.9996 with three decimals would read 1.000
		return strconv.FormatFloat(*v, 'f', 2, 64)
	case *v < 0.09995:
		return strconv.FormatFloat(*v, 'f', 4, 64)
	}
	return strconv.FormatFloat(*v, 'f', 3, 64)
}
