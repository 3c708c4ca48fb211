package report

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/guptarohit/asciigraph"

	"sledge/internal/job"
	"sledge/internal/terminal"
)

// ProfileSchema names the shape of Profile, as Schema does that of Document.
const ProfileSchema = "sledge-profile-1"

// Profile is the runs that share a profile's number, in the order in which they
// began.
type Profile struct {
	Schema  string     `json:"schema"` // always ProfileSchema
	Profile int        `json:"profile,omitempty"`
	Runs    []Document `json:"runs"`
}

// Point is what the runs of a profile with one number of virtual users achieved:
// the mean of those that succeeded.
type Point struct {
	Users     int
	NOPM, TPM float64
}

// Points sums up the runs that succeeded by their number of virtual users, the
// smallest first. A run that failed, was stopped or is not valid has no figures
// that may be compared.
func Points(jobs []job.Job) []Point {
	type sum struct{ nopm, tpm, runs float64 }
	byUsers := map[int]sum{}
	for _, j := range jobs {
		orders, _ := j.Result.Metric("NOPM")
		transactions, ok := j.Result.Metric("TPM")
		if j.Status != job.Succeeded || !ok {
			continue
		}
		s := byUsers[Users(j)]
		byUsers[Users(j)] = sum{s.nopm + orders, s.tpm + transactions, s.runs + 1}
	}
	var list []Point
	for _, n := range slices.Sorted(maps.Keys(byUsers)) {
		s := byUsers[n]
		list = append(list, Point{n, s.nopm / s.runs, s.tpm / s.runs})
	}
	return list
}

// ProfileText shows the runs of a profile as a table, and NOPM and TPM over the
// active virtual users as a chart once there are two numbers of users; in so many
// columns or, with 0, in as many as it takes.
func ProfileText(jobs []job.Job, width int) string {
	b := page{View: View{Width: width}}
	if of := slices.IndexFunc(jobs, func(j job.Job) bool { return len(j.Result.Spans) > 0 }); of >= 0 {
		figures(&b, jobs, jobs[of].Result.Metrics)
		b.end()
		return b.String()
	}
	t := terminal.Table{Columns: []terminal.Column{
		{Head: "users"},
		{Head: "NOPM"},
		{Head: "TPM"},
		{Head: "NOPM per user", Rank: 1},
		{Head: "status"},
		{Head: "job", Short: ShortID},
	}}
	for _, j := range jobs {
		cells := []string{count(int64(Users(j))), "-", "-", "-", string(j.Status), string(j.ID)}
		if transactions, ok := j.Result.Metric("TPM"); ok {
			cells[2] = count(int64(transactions))
		}
		if orders, ok := j.Result.Metric("NOPM"); ok {
			cells[1] = count(int64(orders))
			cells[3] = count(int64(orders / float64(max(1, Users(j)))))
		}
		t.Row(cells...)
	}
	b.table(t)
	if chart := chart(Points(jobs), width); chart != "" {
		fmt.Fprintf(&b, "\n%s\n", chart)
	}
	b.end()
	return terminal.Fold(b.String(), width)
}

// figures lists runs that have neither NOPM nor TPM by the first two figures that they have.
func figures(b *page, jobs []job.Job, of []job.Metric) {
	of = of[:min(len(of), 2)]
	t := terminal.Table{Columns: []terminal.Column{{Head: "users"}}}
	for _, m := range of {
		t.Columns = append(t.Columns, terminal.Column{Head: m.Name})
	}
	t.Columns = append(t.Columns, terminal.Column{Head: "status"}, terminal.Column{Head: "job", Short: ShortID})
	for _, j := range jobs {
		cells := []string{count(int64(Users(j)))}
		for _, m := range of {
			cell := "-"
			if i := slices.IndexFunc(j.Result.Metrics, func(own job.Metric) bool { return own.Name == m.Name }); i >= 0 {
				cell = Figure(j.Result.Metrics[i])
			}
			cells = append(cells, cell)
		}
		t.Row(append(cells, string(j.Status), string(j.ID))...)
	}
	b.table(t)
}

// ShortID is as much of a job's ID as names it among some millions: the second it began
// in, and a few digits that are random.
func ShortID(id string) string {
	const digits = 12
	return id[:min(digits, len(id))]
}

// How large the chart is, in characters, without the numbers at its side: so that it
// fits a terminal of 80, or a narrower one.
const (
	chartWidth  = 60
	chartHeight = 10
)

// chart draws NOPM and TPM over the numbers of active virtual users that were run, or
// nothing where there is only one. They stand at equal distances, since people double
// them; between two of them it draws a straight line.
func chart(list []Point, width int) string {
	if len(list) < 2 {
		return ""
	}
	series := [][]float64{make([]float64, len(list)), make([]float64, len(list))}
	var most float64
	for i, p := range list {
		series[0][i], series[1][i] = p.NOPM, p.TPM
		most = max(most, p.NOPM, p.TPM)
	}
	wide := chartWidth
	if width > 0 {
		const beside = 4 // the axis, and half of the last number of users
		wide = max(10, min(wide, width-len(count(int64(most)))-beside))
	}
	last := len(list) - 1
	return asciigraph.PlotMany(series,
		asciigraph.Width(wide), asciigraph.Height(chartHeight), asciigraph.LowerBound(0),
		asciigraph.YAxisValueFormatter(func(v float64) string { return count(int64(math.Round(v))) }),
		asciigraph.SeriesChars(asciigraph.DefaultCharSet, asciigraph.CreateCharSet("*")),
		asciigraph.XAxisRange(0, float64(last)), asciigraph.XAxisTickCount(len(list)),
		asciigraph.XAxisValueFormatter(func(v float64) string { return count(int64(list[int(math.Round(v))].Users)) }),
		asciigraph.Caption("NOPM: line   TPM: stars   over active virtual users"))
}
