package views

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"time"

	"sledge/internal/catalog"
	"sledge/internal/chart"
	"sledge/internal/job"
	"sledge/internal/paper"
	"sledge/internal/report"
	"sledge/internal/repository"
)

// The charts of "jobs ID getchart" are self-contained pages. The command returns the page, so that
// a script can write it to a file.

// ChartKinds are the names of a job's charts in getchart.
var ChartKinds = []string{"result", "timing", "tcount", "metrics"}

// JobChart returns a page with a chart of a job. kind is one of ChartKinds.
func JobChart(ctx context.Context, store *repository.Store, j job.Job, kind string, c catalog.Catalog) (string, error) {
	drawn := paper.Charts{Title: fmt.Sprintf("%s %s of job %s", displayName(j, c), kind, j.ID), Over: benchmark(j, c).Title}
	missing := ""
	var err error
	switch kind {
	case "result":
		drawn.Charts, missing = resultCharts(j), "test result"
	case "timing":
		drawn.Charts, err = timingCharts(ctx, store, j, c)
		missing = "timing data"
	case "tcount":
		drawn.Charts, err = countCharts(ctx, store, j, c)
		missing = "transaction counter data"
	case "metrics":
		var used []job.SystemMetric
		used, err = Used(ctx, store, j)
		drawn.Charts, missing = metricCharts(used), "metrics data"
		if err == nil && len(drawn.Charts) == 0 {
			return "", noChart("Chart for jobid %s not available, Jobid has insufficient metrics data", j.ID)
		}
	}
	switch {
	case err != nil:
		return "", err
	case len(drawn.Charts) == 0:
		return "", noChart("Chart for jobid %s not available, Jobid has no %s", j.ID, missing)
	}
	page, err := drawn.HTML()
	return string(page), err
}

// noChart returns HammerDB's error for a missing chart.
func noChart(format string, args ...any) error {
	return job.WithExit(job.ExitMissing, fmt.Errorf(format, args...))
}

// resultCharts draws the headline figures.
func resultCharts(j job.Job) []chart.Chart {
	bars := func(name string, axis chart.Axis, figures ...chart.Group) []chart.Chart {
		return []chart.Chart{chart.Bars{Name: name, X: axis, Series: []string{axis.Name}, Groups: figures}}
	}
	if a, ok := answers(j); ok {
		seconds, err := strconv.ParseFloat(a.seconds, 64)
		if err != nil {
			seconds = math.NaN()
		}
		return bars("Result", chart.Axis{Name: "time", Unit: "s"}, group("GEOMEAN", a.mean), group("QUERY SETS: "+a.sets, seconds))
	}
	if _, ok := mainFigure(j); !ok {
		return nil
	}
	var figures []chart.Group
	for _, f := range mainFigures(j) {
		if v, err := strconv.ParseFloat(f.value.(string), 64); err == nil {
			figures = append(figures, group(f.name, v))
		}
	}
	return bars("Result", chart.Axis{Name: "a minute"}, figures...)
}

// group is a bar with a name.
func group(name string, values ...float64) chart.Group {
	g := chart.Group{Name: name}
	for _, v := range values {
		g.Values = append(g.Values, chart.Value{Value: v})
	}
	return g
}

// timingCharts draws response times: a bar for each query, or boxes and percentiles for other
// transactions.
func timingCharts(ctx context.Context, store *repository.Store, j job.Job, c catalog.Catalog) ([]chart.Chart, error) {
	timings, err := AllTimings(ctx, store, j, c)
	if err != nil || len(timings) == 0 {
		return nil, err
	}
	if benchmark(j, c).Queries {
		b := chart.Bars{Name: "Query times", X: chart.Axis{Name: "mean time", Unit: "s"}, Series: []string{"mean time"}}
		for _, t := range timings {
			b.Groups = append(b.Groups, group(t.Name, t.Avg/1000))
		}
		return []chart.Chart{b}, nil
	}
	axis := chart.Axis{Name: "response time", Unit: "ms"}
	boxes := chart.Boxes{Name: "Response times", X: chart.Axis{Name: "response time, on a logarithmic axis", Unit: "ms", Log: true}}
	bars := chart.Bars{Name: "Percentiles", X: axis, Series: []string{"P50", "P95", "P99", "AVG"}, Is: []string{"p50", "p95", "p99", "server"}}
	for _, t := range byRatio(timings) {
		bars.Groups = append(bars.Groups, group(t.Name, t.P50, t.P95, t.P99, t.Avg))
		if t.P25 != nil && t.P75 != nil { // versions before 6 do not have them
			boxes.Boxes = append(boxes.Boxes, chart.Box{Name: t.Name, Min: t.Min, P25: *t.P25, P50: t.P50, P75: *t.P75, P99: t.P99, Max: t.Max})
		}
	}
	if len(boxes.Boxes) == 0 {
		return []chart.Chart{bars}, nil
	}
	return []chart.Chart{boxes, bars}, nil
}

// countCharts draws the transaction rate over time, without zeros at the beginning and the end.
func countCharts(ctx context.Context, store *repository.Store, j job.Job, c catalog.Catalog) ([]chart.Chart, error) {
	counted, err := counts(ctx, store, j)
	if err != nil {
		return nil, err
	}
	for len(counted) > 0 && counted[0].rate == 0 {
		counted = counted[1:]
	}
	for len(counted) > 0 && counted[len(counted)-1].rate == 0 {
		counted = counted[:len(counted)-1]
	}
	if len(counted) == 0 {
		return nil, nil
	}
	name := displayName(j, c) + " " + counterMetric(j, c)
	l := chart.Line{Name: name, Is: "server"}
	begin, err := time.Parse(time.DateTime, counted[0].at)
	if err != nil {
		return nil, err
	}
	for _, r := range counted {
		at, err := time.Parse(time.DateTime, r.at)
		if err != nil {
			return nil, err
		}
		l.Points = append(l.Points, chart.Point{X: at.Sub(begin).Seconds(), Y: r.rate})
	}
	return []chart.Chart{chart.Lines{
		Name: "Transaction count", Lines: []chart.Line{l},
		X: chart.Axis{Name: "time since " + counted[0].at, Time: true}, Y: chart.Axis{Name: name},
	}}, nil
}

// metricCharts draws the load of the machine under test.
func metricCharts(list []job.SystemMetric) []chart.Chart {
	const least = 2 // readings
	if len(list) < least {
		return nil
	}
	return paper.Machine(list)
}

// ProfileChart returns a page with the curves of a performance profile.
func ProfileChart(number int, runs []job.Job) (string, error) {
	points := report.Points(runs)
	if len(points) < 2 {
		return "", noChart("Error: Not enough data for performance profile chart type")
	}
	l := curves("Performance profile "+strconv.Itoa(number), points)
	addCurves(&l, points, "", "server", "client")
	page, err := paper.Charts{Title: l.Name, Over: "Performance profile", Charts: []chart.Chart{l}}.HTML()
	return string(page), err
}

// ProfilesChart returns a page with the curves of two performance profiles, over the numbers of
// virtual users that both have.
func ProfilesChart(base, compared int, runsOfBase, runsOfCompared []job.Job) (string, error) {
	pairs := matching(report.Points(runsOfBase), report.Points(runsOfCompared))
	if len(pairs) == 0 {
		return "", noChart("Error: Not enough overlapping Active VU points to compare")
	}
	in := func(points []report.Point) (list []report.Point) {
		for _, p := range points {
			for _, both := range pairs {
				if both.users == p.Users {
					list = append(list, p)
				}
			}
		}
		return list
	}
	old, latest := in(report.Points(runsOfBase)), in(report.Points(runsOfCompared))
	l := curves(fmt.Sprintf("Performance profiles %d and %d", base, compared), old)
	addCurves(&l, old, fmt.Sprintf("%d: ", base), "run 1", "run 2")
	addCurves(&l, latest, fmt.Sprintf("%d: ", compared), "run 3", "run 4")
	page, err := paper.Charts{Title: l.Name, Over: "Performance profiles", Charts: []chart.Chart{l}}.HTML()
	return string(page), err
}

// curves returns an empty chart over numbers of virtual users.
func curves(name string, points []report.Point) chart.Lines {
	l := chart.Lines{Name: name, X: chart.Axis{Name: "active virtual users"}, Y: chart.Axis{Name: "a minute"}, Dots: true}
	for _, p := range points {
		l.X.Places = append(l.X.Places, strconv.Itoa(p.Users))
	}
	return l
}

// addCurves adds NOPM and TPM.
func addCurves(l *chart.Lines, points []report.Point, before, colour, other string) {
	orders, all := chart.Line{Name: before + nopm, Is: colour}, chart.Line{Name: before + tpm, Is: other}
	for i, p := range points {
		orders.Points = append(orders.Points, chart.Point{X: float64(i), Y: p.NOPM})
		all.Points = append(all.Points, chart.Point{X: float64(i), Y: p.TPM})
	}
	l.Lines = append(l.Lines, orders, all)
}
