package paper

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"sledge/internal/chart"
	"sledge/internal/report"
)

// SetupsHTML writes the page of a comparison of two set-ups: a self-contained file like a report.
func SetupsHTML(c report.SetupComparison) ([]byte, error) {
	return sheetPage(c.Setups[1].Name+" against "+c.Setups[0].Name, "Comparison of set-ups", c.Sheet()).write()
}

// ExperimentHTML writes the page of an experiment: a self-contained file like a report.
func ExperimentHTML(e report.Experiment) ([]byte, error) {
	p := sheetPage(e.Name, "Experiment", e.Sheet())
	var curves []section
	for _, y := range []struct {
		axis chart.Axis
		of   func(report.ExperimentCell) *float64
	}{
		{chart.Axis{Name: e.Figure}, medianOf},
		{chart.Axis{Name: "p99 of response times", Unit: "ms"}, func(c report.ExperimentCell) *float64 { return c.P99 }},
	} {
		if lines, ok := curvesOfCells(e, y.axis, y.of); ok {
			curves = append(curves, section{Title: lines.Name, Explained: "the median of the valid runs of each cell", Blocks: []block{draw(lines, "")}})
		}
	}
	p.Sections = slices.Insert(p.Sections, 0, curves...)
	return p.write()
}

// HistoryHTML writes the page of a history: a self-contained file like a report.
func HistoryHTML(h report.History) ([]byte, error) {
	p := sheetPage(h.Name, "History", h.Sheet())
	lines := chart.Lines{
		Name: h.Figure + " over the runs", X: chart.Axis{Name: "run"}, Y: chart.Axis{Name: h.Figure, Unit: h.Unit}, Dots: true,
		Lines: []chart.Line{{Name: report.Printable(h.Figure), Is: runColour(0)}, {Name: "level", Is: runColour(1)}},
	}
	at := 0
	for i, l := range h.Levels {
		if i > 0 {
			lines.Marks = append(lines.Marks, chart.Mark{At: float64(at + 1), Name: "change"})
		}
		for n := range l.Runs {
			lines.Lines[0].Points = append(lines.Lines[0].Points, chart.Point{X: float64(at + n + 1), Y: h.Runs[at+n].Value})
			lines.Lines[1].Points = append(lines.Lines[1].Points, chart.Point{X: float64(at + n + 1), Y: l.Mean})
		}
		at += l.Runs
		lines.Lines[1].Points = append(lines.Lines[1].Points, chart.Point{X: float64(at) + 0.5, Y: math.NaN()})
	}
	for n := at; n < len(h.Runs); n++ {
		lines.Lines[0].Points = append(lines.Lines[0].Points, chart.Point{X: float64(n + 1), Y: h.Runs[n].Value})
	}
	p.Sections = slices.Insert(p.Sections, 0, section{Title: lines.Name, Explained: "in the order in which they began, with the mean of each level", Blocks: []block{draw(lines, "")}})
	return p.write()
}

func sheetPage(title, over string, s report.Sheet) page {
	p := page{Title: report.Printable(title), Over: over}
	p.setHeadline(s.Headline)
	p.Sections = sectionsOf(s.Parts)
	return p
}

// medianOf returns the median of the first figure, or nil.
func medianOf(c report.ExperimentCell) *float64 {
	if c.Result == nil {
		return nil
	}
	return &c.Result.Median
}

// curvesOfCells draws a figure over the factor with most values that are numbers: a line for each combination of the
// others, of which a chart shows so many that people can tell them apart.
func curvesOfCells(e report.Experiment, y chart.Axis, of func(report.ExperimentCell) *float64) (chart.Lines, bool) {
	const most = 8
	over, longest := -1, 1
	for f := range e.Factors {
		values := valuesOf(e, f)
		if numbers(values) && len(values) > longest {
			over, longest = f, len(values)
		}
	}
	if over < 0 || y.Name == "" {
		return chart.Lines{}, false
	}
	places := valuesOf(e, over)
	lines := chart.Lines{
		Name: y.Name + " over " + e.Factors[over], X: chart.Axis{Name: e.Factors[over], Places: places}, Y: y, Dots: true,
	}
	at := map[string]int{}
	for _, c := range e.Cells {
		var others []string
		for f, value := range c.Values {
			if f != over {
				others = append(others, e.Factors[f]+" "+value)
			}
		}
		name := strings.Join(others, ", ")
		if name == "" {
			name = y.Name
		}
		if _, known := at[name]; !known {
			if len(lines.Lines) == most {
				continue
			}
			at[name] = len(lines.Lines)
			lines.Lines = append(lines.Lines, chart.Line{Name: report.Printable(name), Is: runColour(len(lines.Lines))})
		}
		if value := of(c); value != nil {
			line := &lines.Lines[at[name]]
			line.Points = append(line.Points, chart.Point{X: float64(slices.Index(places, c.Values[over])), Y: *value})
		}
	}
	lines.Lines = slices.DeleteFunc(lines.Lines, func(l chart.Line) bool { return len(l.Points) == 0 })
	return lines, len(lines.Lines) > 0
}

// valuesOf returns the different values of a factor, in the order of the cells.
func valuesOf(e report.Experiment, f int) (list []string) {
	for _, c := range e.Cells {
		if !slices.Contains(list, c.Values[f]) {
			list = append(list, c.Values[f])
		}
	}
	slices.SortStableFunc(list, report.CompareValues)
	return list
}

// numbers reports whether all values are numbers.
func numbers(values []string) bool {
	return !slices.ContainsFunc(values, func(v string) bool {
		_, err := strconv.ParseFloat(v, 64)
		return err != nil
	})
}
