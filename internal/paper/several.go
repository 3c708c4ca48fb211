package paper

import (
	"fmt"
	"slices"
	"strings"

	"sledge/internal/chart"
	"sledge/internal/document"
	"sledge/internal/job"
	"sledge/internal/meter"
	"sledge/internal/report"
)

// attend adds the reasons why the figures of a run must not be used.
func (p *page) attend(run string, j job.Job, sum meter.Summary) {
	for _, alarm := range report.Alarms(report.Grounds(j, sum)) {
		p.Attention = append(p.Attention, report.Ground{Tone: report.Bad, Name: run, Text: report.Printable(alarm)})
	}
}

// comparisonPage returns the page of several runs side by side.
func comparisonPage(c report.Comparison, runs []subject) page {
	p := page{Title: fmt.Sprintf("%d runs side by side", len(runs)), Over: "Comparison"}
	for i, s := range runs {
		p.attend(c.Name(i), s.job, s.sum)
	}
	parts := sectionsOf(c.Sheet().Parts)
	if len(parts) > 0 { // the list of runs
		p.Sections, parts = append(p.Sections, parts[0]), parts[1:]
	}
	p.Sections = append(p.Sections, figureBars(c)...)
	if b, ok := laidOver(c, runs); ok {
		p.Sections = append(p.Sections, section{Title: "Over time", Explained: "from the beginning of the measured time", Blocks: []block{b}})
	}
	if b, ok := comparedQueries(c); ok {
		p.Sections = append(p.Sections, section{Title: "Time of each", Explained: "the mean, from the least to the most where it was done several times", Blocks: []block{draw(b, "")}})
	}
	p.Sections = append(p.Sections, parts...)
	for i, s := range runs {
		if parts := sectionsOf(s.sheet.Parts); len(parts) > 0 {
			one := parts[0]
			one.Title = "What the figures of " + c.Name(i) + " rest on"
			p.Sections = append(p.Sections, one)
		}
	}
	return p
}

// runColour returns the key of a run's colour.
func runColour(i int) string { return fmt.Sprintf("run %d", i+1) }

// runNames returns the names and the colours of all runs.
func runNames(c report.Comparison) (names, colours []string) {
	for i := range c.Runs {
		names, colours = append(names, c.Name(i)), append(colours, runColour(i))
	}
	return names, colours
}

// figureBars draws the comparison: each headline figure, and percentiles together.
func figureBars(c report.Comparison) (list []section) {
	var blocks []block
	percentiles := chart.Bars{Name: "Response times of all transactions", X: chart.Axis{Name: "response time", Unit: "ms"}}
	percentiles.Series, percentiles.Is = runNames(c)
	headline := 0
	for _, f := range c.Figures {
		if f.Kind != "" {
			break
		}
		if p, is := strings.CutPrefix(f.Name, "response "); is {
			g := chart.Group{Name: p}
			for _, v := range f.Values {
				g.Values = append(g.Values, chart.Value{Value: orNothing(v)})
			}
			percentiles.Groups = append(percentiles.Groups, g)
			continue
		}
		const most = 2 // the main figure; the table has all
		if len(percentiles.Groups) > 0 || headline == most {
			continue
		}
		headline++
		b := chart.Bars{Name: f.Name, X: chart.Axis{Name: f.Name, Unit: f.Unit}, Series: []string{f.Name}}
		for i, v := range f.Values {
			b.Groups = append(b.Groups, chart.Group{Name: runLabel(c, i), Values: []chart.Value{{Value: orNothing(v)}}})
		}
		blocks = append(blocks, draw(b, ""))
	}
	if len(percentiles.Groups) > 0 {
		blocks = append(blocks, draw(percentiles, ""))
	}
	if len(blocks) == 0 {
		return nil
	}
	return []section{{Title: "Charts", Blocks: blocks}}
}

// runLabel describes a run in a few words.
func runLabel(c report.Comparison, i int) string {
	r := c.Runs[i]
	return fmt.Sprintf("%s: %s, %d", c.Name(i), r.Database, r.Users)
}

// laidOver draws the rates of all runs in one chart.
func laidOver(c report.Comparison, runs []subject) (block, bool) {
	l := chart.Lines{Name: "Transactions a minute", X: chart.Axis{Name: "measured time", Time: true}, Y: chart.Axis{Name: "transactions a minute, by the virtual users' count"}}
	for i, s := range runs {
		if len(s.job.Result.Spans) > 0 {
			return block{}, false
		}
		line := chart.Line{Name: c.Name(i), Is: runColour(i)}
		for _, p := range s.points {
			if p.Phase == job.Measure && p.Client != nil {
				line.Points = append(line.Points, chart.Point{X: p.Offset, Y: *p.Client})
			}
		}
		if len(line.Points) > 0 {
			l.Lines = append(l.Lines, line)
		}
	}
	if len(l.Lines) == 0 {
		return block{}, false
	}
	return draw(l, ""), true
}

// comparedQueries draws the times of each kind of transaction in each run.
func comparedQueries(c report.Comparison) (chart.Bars, bool) {
	b := chart.Bars{Name: "Time of each", X: chart.Axis{Name: "time", Unit: "s"}}
	b.Series, b.Is = runNames(c)
	for _, q := range c.Queries {
		g := chart.Group{Name: q.Kind}
		for _, t := range q.Times {
			g.Values = append(g.Values, valueOf(t))
		}
		b.Groups = append(b.Groups, g)
	}
	return b, len(b.Groups) > 0
}

// profilePage returns the page of a performance profile with its runs, the oldest first.
func (a Archive) profilePage(number int, runs []job.Job) page {
	first, last := runs[0], runs[len(runs)-1]
	workload, database := a.names(first)
	p := page{
		Title: fmt.Sprintf("Performance profile %d: %s on %s", number, workload, database),
		Over:  "Report of a performance profile",
		Facts: []fact{{"Runs", fmt.Sprint(len(runs))}, {"Begun", first.Begun.Format(timeLayout)}, {"Last run begun", last.Begun.Format(timeLayout)}},
	}
	for _, j := range runs {
		p.attend(report.VirtualUsers(report.Users(j)), j, j.Result.Summary)
	}
	points := document.NewProfile(number, runs, a.Headline).Points
	p.Figures = best(points)
	if blocks := curves(points); len(blocks) > 0 {
		p.Sections = append(p.Sections, section{Title: "Over virtual users", Explained: "the mean of the runs that succeeded", Blocks: blocks})
	}
	p.Sections = append(p.Sections, sectionsOf(report.ProfileSheet(runs).Parts)...)
	if len(runs) > 1 && len(runs) <= report.MostCompared {
		c := document.CompareRuns(a.Resolver, runs)
		c.Differences = slices.DeleteFunc(c.Differences, func(d report.Difference) bool { return d.Name == "users" })
		if len(c.Differences) == 0 {
			p.Sections = append(p.Sections, section{Title: "What differs", Blocks: []block{{Line: text("The runs differ only in the number of virtual users.")}}})
		} else {
			for _, s := range sectionsOf(c.Sheet().Parts) {
				switch s.Title {
				case "Runs": // the sheet identifies runs by letters
					s.Title = "Runs compared"
					fallthrough
				case "What differs":
					p.Sections = append(p.Sections, s)
				}
			}
		}
	}
	for _, j := range runs {
		sheet := report.NewSheet(j, j.Result.Summary, a.Headline(j))
		if parts := sectionsOf(sheet.Parts); len(parts) > 0 {
			one := parts[0]
			one.Title = fmt.Sprintf("What the figures of %s rest on, job %s", report.VirtualUsers(report.Users(j)), report.ShortID(string(j.ID)))
			p.Sections = append(p.Sections, one)
		}
	}
	return p
}

// best returns the figures of a profile's best point, judged by its first figure.
func best(points []report.ProfilePoint) (list []figure) {
	at := -1
	for i, p := range points {
		if len(p.Metrics) > 0 && (at < 0 || better(p.Metrics[0], points[at].Metrics[0])) {
			at = i
		}
	}
	if at < 0 {
		return nil
	}
	const most = 2
	for i, m := range points[at].Metrics[:min(most, len(points[at].Metrics))] {
		f := figure{Value: report.Figure(m), Name: report.Printable(m.Name), Means: report.Printable(m.Means)}
		if i == 0 {
			f.Means += ", at best: with " + report.VirtualUsers(points[at].Users)
		}
		list = append(list, f)
	}
	return list
}

// better reports whether a figure is better than another of the same name: a shorter time, or a
// greater figure of any other kind.
func better(a, b job.Metric) bool {
	if a.Unit == "s" {
		return a.Value < b.Value
	}
	return a.Value > b.Value
}

// curves draws figures and percentiles over the numbers of virtual users.
func curves(points []report.ProfilePoint) (blocks []block) {
	if len(points) < 2 {
		return nil
	}
	axis := chart.Axis{Name: "virtual users"}
	for _, p := range points {
		axis.Places = append(axis.Places, fmt.Sprint(p.Users))
	}
	rates := chart.Lines{Name: "Throughput", X: axis, Y: chart.Axis{Name: "a minute"}, Dots: true}
	others := []chart.Lines{}
	const most = 2
	for n, m := range points[0].Metrics[:min(most, len(points[0].Metrics))] {
		l := chart.Line{Name: m.Name, Is: []string{"server", "client"}[n]}
		for i, p := range points {
			value := nothing
			if k := slices.IndexFunc(p.Metrics, func(own job.Metric) bool { return own.Name == m.Name }); k >= 0 {
				value = p.Metrics[k].Value
			}
			l.Points = append(l.Points, chart.Point{X: float64(i), Y: value})
		}
		if m.Unit == "" {
			rates.Lines = append(rates.Lines, l)
			continue
		}
		others = append(others, chart.Lines{Name: m.Name, X: axis, Y: chart.Axis{Name: m.Name, Unit: m.Unit}, Lines: []chart.Line{l}, Dots: true})
	}
	if len(rates.Lines) > 0 {
		blocks = append(blocks, draw(rates, ""))
	}
	for _, o := range others {
		blocks = append(blocks, draw(o, ""))
	}
	response := chart.Lines{Name: "Response times", X: axis, Y: chart.Axis{Name: "response time, on a logarithmic axis", Unit: "ms", Log: true}, Dots: true}
	for _, f := range []struct {
		name string
		of   func(meter.Latency) float64
	}{
		{"p50", func(l meter.Latency) float64 { return float64(l.P50) }},
		{"p95", func(l meter.Latency) float64 { return float64(l.P95) }},
		{"p99", func(l meter.Latency) float64 { return float64(l.P99) }},
	} {
		line := chart.Line{Name: f.name, Is: f.name}
		seen := false
		for i, p := range points {
			value := nothing
			if p.Response != nil {
				value, seen = f.of(*p.Response), true
			}
			line.Points = append(line.Points, chart.Point{X: float64(i), Y: value})
		}
		if seen {
			response.Lines = append(response.Lines, line)
		}
	}
	if len(response.Lines) > 0 {
		blocks = append(blocks, draw(response, ""))
	}
	return blocks
}
