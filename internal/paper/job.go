package paper

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dustin/go-humanize"

	"sledge/internal/chart"
	"sledge/internal/job"
	"sledge/internal/meter"
	"sledge/internal/report"
	"sledge/internal/terminal"
)

// page returns the page of one job.
func (s subject) page(title string) page {
	j := s.job
	p := page{
		Title:     title,
		Over:      "Report of a job",
		Status:    signOf(j.Status),
		Attention: s.sheet.Attention,
	}
	p.setHeadline(s.sheet.Headline)
	p.Facts = append(p.Facts, fact{"Job", string(j.ID)})
	if !j.Begun.IsZero() {
		p.Facts = append(p.Facts, fact{"Begun", j.Begun.Format(timeLayout)})
	}
	if !j.Ended.IsZero() {
		p.Facts = append(p.Facts, fact{"Ended", j.Ended.Format(timeLayout)})
	}
	for _, name := range slices.Sorted(maps.Keys(j.Spec.Labels)) {
		p.Facts = append(p.Facts, fact{name, report.Printable(j.Spec.Labels[name])})
	}
	if j.Spec.Note != "" {
		p.Facts = append(p.Facts, fact{"Note", report.PrintableLines(j.Spec.Note)})
	}
	parts := sectionsOf(s.sheet.Parts)
	var last []section // the options follow the result
	if n := len(parts); n > 0 {
		parts, last = parts[:n-1], parts[n-1:]
	}
	if len(parts) > 0 && j.Spec.Action == job.Run { // the evidence for the figures
		p.Sections, parts = append(p.Sections, parts[0]), parts[1:]
	}
	p.Sections = append(p.Sections, s.charts()...)
	p.Sections = append(p.Sections, parts...)
	p.Sections = append(p.Sections, s.examples()...)
	p.Sections = append(p.Sections, last...)
	p.Sections = append(p.Sections, s.surroundings()...)
	return p
}

// charts returns the sections with charts of the measurements.
func (s subject) charts() (list []section) {
	add := func(title, explained string, blocks ...block) {
		if len(blocks) > 0 {
			list = append(list, section{Title: title, Explained: explained, Blocks: blocks})
		}
	}
	if len(s.job.Result.Spans) > 0 {
		add("Time of each", "the mean, from the least to the most where it was done several times", draw(queryBars(s.job.Result), ""))
		add("Streams", "what was done when", draw(streams(s.job.Result), ""))
	} else {
		add("Over time", "", s.overTime()...)
	}
	add("Beside the run", "", s.beside()...)
	if b, ok := s.boxes(); ok {
		add("Spread of response times", "the box is the middle half, with a stroke at the median; the whiskers go from the minimum to p99, and the dot is the maximum",
			draw(b, ""))
	}
	if loaded := s.job.Result.Loaded; len(loaded) > 0 {
		b := chart.Bars{Name: "Seconds by table", X: chart.Axis{Name: "time of all builders, added up", Unit: "s"}, Series: []string{"seconds"}}
		for _, l := range loaded {
			if l.Rows > 0 {
				b.Groups = append(b.Groups, chart.Group{Name: l.Table, Values: []chart.Value{{Value: l.Seconds}}})
			}
		}
		if len(b.Groups) > 0 {
			add("Load of the tables", "", draw(b, ""))
		}
	}
	var busy []block
	for _, c := range Machine(s.details.Metrics) {
		busy = append(busy, draw(c, ""))
	}
	add("Machine under test", "as recorded by the program that ran the job", busy...)
	return list
}

// timed returns the times of points, in seconds since the begin of the first one.
func timed(points []job.Rate) (times []float64) {
	if len(points) == 0 {
		return nil
	}
	begin := points[0].At.Add(-points[0].Passed())
	for _, p := range points {
		times = append(times, p.At.Sub(begin).Seconds())
	}
	return times
}

// bands returns the phases other than the measurement.
func bands(points []job.Rate, times []float64) (list []chart.Band) {
	from := 0.0
	for i, p := range points {
		if i+1 < len(points) && points[i+1].Phase == p.Phase {
			continue
		}
		if p.Phase != job.Measure {
			list = append(list, chart.Band{Name: string(p.Phase), From: from, To: times[i]})
		}
		from = times[i]
	}
	return list
}

// overTime draws rates and response times.
func (s subject) overTime() (blocks []block) {
	times := timed(s.points)
	phases := bands(s.points, times)
	axis := chart.Axis{Name: "time since the run began", Time: true}
	var marks []chart.Mark
	if steps := s.job.Result.Steps; len(steps) > 1 {
		if i := slices.IndexFunc(s.points, func(p job.Rate) bool { return p.Phase == job.Measure }); i >= 0 {
			begin := times[i] - s.points[i].Offset
			for _, step := range steps {
				marks = append(marks, chart.Mark{Name: strconv.Itoa(step.Users), At: begin + step.From})
			}
		}
	}
	of := func(name, is string, value func(job.Rate) float64) chart.Line {
		return s.line(times, 0, name, is, value)
	}
	note := ""
	if len(marks) > 0 {
		note = "The numbers at the top are the numbers of virtual users from there on."
	}
	if rates := s.rates(times); len(rates.Lines) > 0 {
		rates.X, rates.Bands, rates.Marks = axis, phases, marks
		blocks = append(blocks, draw(rates, joined(note, s.explainedDelay(rates.Lines))))
	}
	response := chart.Lines{Name: "Response times", X: axis, Y: chart.Axis{Name: "response time, on a logarithmic axis", Unit: "ms", Log: true}, Bands: phases, Marks: marks}
	for _, f := range []struct {
		name string
		of   func(meter.Latency) float64
	}{
		{"p50", func(l meter.Latency) float64 { return float64(l.P50) }},
		{"p95", func(l meter.Latency) float64 { return float64(l.P95) }},
		{"p99", func(l meter.Latency) float64 { return float64(l.P99) }},
		{"max", func(l meter.Latency) float64 { return float64(l.Max) }},
	} {
		l := of(f.name, f.name, func(p job.Rate) float64 {
			if p.Response == nil {
				return nothing
			}
			return f.of(*p.Response)
		})
		if measuresAnything(l) {
			response.Lines = append(response.Lines, l)
		}
	}
	if len(response.Lines) > 0 {
		blocks = append(blocks, draw(response, note))
	}
	failed := of("failed", "failed", func(p job.Rate) float64 { return float64(p.Failed) })
	if slices.ContainsFunc(failed.Points, func(p chart.Point) bool { return p.Y > 0 }) {
		blocks = append(blocks, draw(chart.Lines{
			Name: "Failed transactions", X: axis, Y: chart.Axis{Name: "failed since the point before"},
			Lines: []chart.Line{failed}, Bands: phases, Marks: marks,
		}, ""))
	}
	return blocks
}

// rates returns the chart of transactions a minute, without its axis of time.
func (s subject) rates(times []float64) chart.Lines {
	rates := chart.Lines{Name: "Transactions a minute", Y: chart.Axis{Name: "transactions a minute"}}
	for _, l := range []chart.Line{
		s.line(times, s.serverDelay, "server's count", "server", func(p job.Rate) float64 { return orNothing(p.ServerTPM) }),
		s.line(times, 0, "virtual users' count", "client", func(p job.Rate) float64 { return orNothing(p.Client) }),
		s.counter(),
	} {
		if measuresAnything(l) {
			rates.Lines = append(rates.Lines, l)
		}
	}
	return rates
}

// line returns a line with a value of each point. It is drawn earlier than the points by a number
// of seconds.
func (s subject) line(times []float64, earlier float64, name, is string, value func(job.Rate) float64) chart.Line {
	l := chart.Line{Name: name, Is: is}
	for i, p := range s.points {
		l.Points = append(l.Points, chart.Point{X: max(0, times[i]-earlier), Y: value(p)})
	}
	return l
}

// measuresAnything reports whether a line has a value.
func measuresAnything(l chart.Line) bool {
	return slices.ContainsFunc(l.Points, func(p chart.Point) bool { return p.Y == p.Y }) // not NaN
}

// explainedDelay says why the line of the server's count does not show the seconds in which it was
// read; "" if it does.
func (s subject) explainedDelay(lines []chart.Line) string {
	if s.serverDelay == 0 || lines[0].Is != "server" || len(s.points) == 0 {
		return ""
	}
	return fmt.Sprintf("This server counts a transaction about %g s after it has ended, so its count is drawn %g s earlier.", s.serverDelay, s.serverDelay)
}

// joined joins the sentences that are not empty.
func joined(sentences ...string) string {
	return strings.Join(slices.DeleteFunc(sentences, func(s string) bool { return s == "" }), " ")
}

// beside draws the series that observers sampled beside the run, one chart for each name and unit, but
// none for values that are always 0.
func (s subject) beside() (blocks []block) {
	phases := bands(s.points, timed(s.points))
	var begin time.Time
	if len(s.points) > 0 {
		begin = s.points[0].At.Add(-s.points[0].Passed())
	}
	for group, names := range job.ByName(s.series) {
		name := report.Printable(group[0].Name)
		lines := chart.Lines{
			Name: name, X: chart.Axis{Name: "time since the run began", Time: true}, Y: chart.Axis{Name: name, Unit: report.Printable(group[0].Unit)},
			Bands: phases,
		}
		moved := false
		for _, one := range group {
			l := chart.Line{Name: report.Printable(one.Called(names...)), Is: "metric " + strconv.Itoa(len(lines.Lines)+1)}
			for _, p := range one.Points {
				if begin.IsZero() {
					begin = p.At
				}
				moved = moved || p.Value != 0
				l.Points = append(l.Points, chart.Point{X: p.At.Sub(begin).Seconds(), Y: p.Value})
			}
			lines.Lines = append(lines.Lines, l)
		}
		if moved {
			blocks = append(blocks, draw(lines, ""))
		}
	}
	return blocks
}

// counter returns a line with the readings of a transaction counter, for a job without measured
// seconds.
func (s subject) counter() chart.Line {
	l := chart.Line{Name: "transaction counter", Is: "server"}
	if len(s.points) > 0 || len(s.readings) == 0 {
		return l
	}
	begin := s.readings[0].At
	for _, c := range s.readings {
		l.Points = append(l.Points, chart.Point{X: c.At.Sub(begin).Seconds(), Y: c.Rate})
	}
	return l
}

// boxes draws the distribution of response times for each kind of transaction.
func (s subject) boxes() (chart.Boxes, bool) {
	b := chart.Boxes{Name: "Response times by transaction", X: chart.Axis{Name: "response time, on a logarithmic axis", Unit: "ms", Log: true}}
	if len(s.job.Result.Spans) > 0 {
		return b, false
	}
	for _, t := range s.doc.Transactions {
		if l := t.Response; l != nil {
			b.Boxes = append(b.Boxes, chart.Box{
				Name: t.Kind, Min: float64(l.Min), P25: float64(l.P25), P50: float64(l.P50), P75: float64(l.P75), P99: float64(l.P99), Max: float64(l.Max),
			})
		}
	}
	for _, t := range s.details.Timings {
		if t.User == 0 && t.P25 != nil && t.P75 != nil {
			b.Boxes = append(b.Boxes, chart.Box{Name: t.Name, Min: t.Min, P25: *t.P25, P50: t.P50, P75: *t.P75, P99: t.P99, Max: t.Max})
		}
	}
	return b, len(b.Boxes) > 0
}

// queryBars draws the times of each kind of transaction of a run whose transactions are few and
// long.
func queryBars(r job.Result) chart.Bars {
	b := chart.Bars{Name: "Time of each", X: chart.Axis{Name: "time", Unit: "s"}, Series: []string{"mean time"}}
	for _, kind := range r.Kinds {
		if t := report.TimesOf(r, kind); t != nil {
			b.Groups = append(b.Groups, chart.Group{Name: kind, Values: []chart.Value{valueOf(t)}})
		}
	}
	return b
}

// valueOf returns the bar of a kind of transaction.
func valueOf(t *report.QueryTimes) chart.Value {
	if t == nil {
		return chart.Value{Value: nothing}
	}
	v := chart.Value{Value: t.Mean, Least: t.Least, Most: t.Most}
	if t.Done == 0 {
		v.Value = nothing
	}
	if t.NotDone > 0 {
		v.Words = fmt.Sprintf("(%d not done)", t.NotDone)
	}
	return v
}

// streams draws the timeline of each stream.
func streams(r job.Result) chart.Spans {
	c := chart.Spans{Name: "Streams", X: chart.Axis{Name: "time since the first began", Time: true}}
	lanes := map[int]int{}
	for _, user := range report.UsersOf(r.Spans) {
		lanes[user] = len(c.Lanes)
		name := "refreshes"
		if i := slices.IndexFunc(r.Spans, func(s job.Span) bool { return s.User == user && s.Stream != job.NoStream }); i >= 0 {
			name = "stream " + strconv.Itoa(r.Spans[i].Stream)
		}
		c.Lanes = append(c.Lanes, name)
	}
	for _, s := range r.Spans {
		span := chart.Span{Lane: lanes[s.User], Name: s.Kind, Mark: report.Mark(s.Kind), From: s.From, To: s.From + s.Seconds}
		if !s.Done() {
			span.Broken = string(s.Outcome)
		}
		c.Spans = append(c.Spans, span)
	}
	return c
}

// Machine draws the use of the machine under test.
func Machine(metrics []job.SystemMetric) (list []chart.Chart) {
	if len(metrics) == 0 {
		return nil
	}
	begin := metrics[0].At
	type reading struct {
		name string
		of   func(job.SystemMetric) *float64
	}
	for _, c := range []struct {
		name  string
		y     chart.Axis
		lines []reading
	}{
		{"Processors", chart.Axis{Name: "busy", Unit: "%"}, []reading{
			{"user", func(m job.SystemMetric) *float64 { return m.User }},
			{"system", func(m job.SystemMetric) *float64 { return m.Sys }},
			{"interrupt", func(m job.SystemMetric) *float64 { return m.IRQ }},
		}},
		{"Disk operations", chart.Axis{Name: "operations a second"}, []reading{{"operations", func(m job.SystemMetric) *float64 { return m.IOPS }}}},
		{"Disk throughput", chart.Axis{Name: "throughput", Unit: "MB/s"}, []reading{{"throughput", func(m job.SystemMetric) *float64 { return m.MBps }}}},
	} {
		l := chart.Lines{Name: c.name, X: chart.Axis{Name: "time since the first reading", Time: true}, Y: c.y}
		for i, r := range c.lines {
			line := chart.Line{Name: r.name, Is: "metric " + strconv.Itoa(i+1)}
			seen := false
			for _, m := range metrics {
				v := r.of(m)
				seen = seen || v != nil
				line.Points = append(line.Points, chart.Point{X: m.At.Sub(begin).Seconds(), Y: orNothing(v)})
			}
			if seen {
				l.Lines = append(l.Lines, line)
			}
		}
		if len(l.Lines) > 0 {
			list = append(list, l)
		}
	}
	return list
}

// examples returns the sections with percentiles of response times and examples of failures.
func (s subject) examples() (list []section) {
	if s.doc.All != nil && s.doc.All.Done > 0 && len(s.job.Result.Spans) == 0 {
		list = append(list, section{Title: "All percentiles of response time (ms)", Explained: "from scheduled start to completion, retries included", Blocks: []block{{Table: percentiles(s.doc)}}})
	}
	if len(s.failures) == 0 {
		return list
	}
	var t table
	for _, head := range []string{"at", "virtual user", "transaction", "class", "outcome", "message"} {
		t.Heads = append(t.Heads, cell{Pieces: text(head)})
	}
	for _, f := range s.failures {
		became := "failed"
		if f.Retried {
			became = "tried again"
		}
		var row []cell
		for _, c := range []string{f.At.Format(time.TimeOnly), strconv.Itoa(f.User), f.Kind, f.Class, became, strings.Join(strings.Fields(f.Message), " ")} {
			row = append(row, cell{Pieces: text(report.Printable(c))})
		}
		t.Rows = append(t.Rows, row)
	}
	explained := "the first of each class"
	if s.more {
		explained = fmt.Sprintf("the first %d recorded", mostFailures)
	}
	return append(list, section{Title: "Examples of failures", Explained: explained, Blocks: []block{{Table: &t}}})
}

// percentiles is a table of all known percentiles of response times.
func percentiles(d report.Document) *table {
	t := &table{}
	for i, head := range []string{"transaction", "done", "min", "mean", "p25", "p50", "p75", "p90", "p95", "p99", "p99.9", "max", "deviation"} {
		t.Heads = append(t.Heads, cell{Pieces: text(head), Number: i > 0})
	}
	rows := d.Transactions
	if d.All != nil && len(rows) > 1 {
		rows = append(slices.Clone(rows), *d.All)
	}
	for i, one := range rows {
		look := ""
		if d.All != nil && i == len(d.Transactions) {
			look = "strong"
		}
		add := func(row []cell, text string, number bool) []cell {
			return append(row, cell{Pieces: []terminal.Piece{{Look: look, Text: text}}, Number: number})
		}
		row := add(nil, report.Printable(one.Kind), false)
		row = add(row, humanize.Comma(one.Done), true)
		for n := range 11 {
			value := "-"
			if l := one.Response; l != nil {
				value = chart.Number(float64([]meter.Millis{l.Min, l.Mean, l.P25, l.P50, l.P75, l.P90, l.P95, l.P99, l.P999, l.Max, l.StdDev}[n]))
			}
			row = add(row, value, true)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// surroundings returns the sections with the settings of the server and the facts about machines.
func (s subject) surroundings() (list []section) {
	pairs := func(title, explained string, rows []fact) {
		t := &table{}
		for _, r := range rows {
			if r.Value != "" {
				t.Rows = append(t.Rows, []cell{{Pieces: []terminal.Piece{{Look: "faint", Text: report.Printable(r.Name)}}}, {Pieces: text(report.Printable(r.Value))}})
			}
		}
		if len(t.Rows) > 0 {
			list = append(list, section{Title: title, Explained: explained, Blocks: []block{{Table: t}}})
		}
	}
	if f := s.job.Facts; f != nil && len(f.ServerSettings) > 0 {
		var rows []fact
		for _, name := range slices.Sorted(maps.Keys(f.ServerSettings)) {
			rows = append(rows, fact{name, f.ServerSetting(name)})
		}
		pairs("Settings of the server", "as the server reported them before the run", rows)
	}
	if f := s.job.Facts; f != nil && s.job.Origin == "" {
		h := f.Host
		rows := []fact{{"Name", h.Name}, {"System", strings.TrimSpace(h.OS + " " + h.Kernel)}, {"Architecture", h.Arch}, {"Processor", h.CPU}, {"Processors", strconv.Itoa(h.CPUs)}}
		if h.MemoryBytes > 0 {
			rows = append(rows, fact{"Memory", humanize.IBytes(h.MemoryBytes)})
		}
		for _, name := range slices.Sorted(maps.Keys(h.Settings)) {
			rows = append(rows, fact{name, h.Settings[name]})
		}
		pairs("Machine that Sledge ran on", "", append(rows, fact{"Sledge", f.SledgeVersion}))
	}
	var system []fact
	for _, one := range s.details.System {
		system = append(system, fact{one.Name, one.Value})
	}
	pairs("System", "as recorded by the program that ran the job", system)
	return list
}
