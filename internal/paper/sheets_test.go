package paper

import (
	"strings"
	"testing"

	"sledge/internal/chart"
	"sledge/internal/report"
	"sledge/internal/statistics"
)

func TestExperimentHTML_DrawsTheFigureOverTheNumbers(t *testing.T) {
	e := report.Experiment{Name: "<scaling>", Figure: "NOPM", Factors: []string{"client_sql", "users"}}
	p99 := 12.5
	for i, users := range []string{"16", "4", "1"} {
		for _, sql := range []string{"false", "true"} {
			e.Cells = append(e.Cells, report.ExperimentCell{Values: []string{sql, users}, P99: &p99, Result: &statistics.Summary{Runs: 3, Median: float64(1000 * (i + 1))}})
		}
	}
	lines, ok := curvesOfCells(e, chart.Axis{Name: e.Figure}, medianOf)
	if !ok || len(lines.Lines) != 2 || lines.Name != "NOPM over users" || lines.X.Places[0] != "1" || lines.Lines[1].Name != "client_sql true" || lines.Lines[0].Points[0].X != 2 {
		t.Errorf("got %+v", lines)
	}
	html, err := ExperimentHTML(e)
	if err != nil || !strings.Contains(string(html), "&lt;scaling&gt;") || strings.Contains(string(html), "<scaling>") || !strings.Contains(string(html), "NOPM over users") || !strings.Contains(string(html), "p99 of response times over users") || strings.Contains(string(html), `\x0e`) {
		t.Errorf("got %v and %s", err, html)
	}
	e.Factors, e.Cells = []string{"db"}, []report.ExperimentCell{{Values: []string{"postgresql"}}}
	if _, ok := curvesOfCells(e, chart.Axis{Name: e.Figure}, medianOf); ok {
		t.Error("a factor without numbers has a curve")
	}
}
