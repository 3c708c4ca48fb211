package views

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"sledge/internal/catalog"
	"sledge/internal/hammerdb/lines"
	"sledge/internal/hammerdb/names"
	"sledge/internal/job"
	"sledge/internal/report"
	"sledge/internal/terminal"
)

// The views in this file are of many jobs, in the shape of HammerDB's "jobs".

// ProfileNumbers is the view of "jobs profileid all".
func ProfileNumbers(profiles []int) View {
	list := []string{}
	for _, p := range profiles {
		list = append(list, strconv.Itoa(p))
	}
	return View{value: list}
}

// Results is the view of "jobs result" and of "jobs profile".
func Results(jobs []job.Job, c catalog.Catalog) View {
	o := object{}
	for _, j := range jobs {
		o = append(o, member{string(j.ID), resultOf(j, c)})
	}
	return View{value: o}
}

func resultOf(j job.Job, c catalog.Catalog) any {
	head := object{{"db", databaseName(j, c)}, {"bm", benchmark(j, c).Name}, {"tstamp", timestamp(j)}}
	if a, ok := answers(j); ok {
		return append(head, member{"queries", a.queries}, member{"querysets", a.sets}, member{"geomean", decimal(a.mean)}, member{"querytime", a.seconds})
	}
	if lines.Result(j.Result, "") == "" {
		return "Jobid has no test result"
	}
	head = append(head, member{"activevu", fmt.Sprint(report.Users(j))})
	for _, f := range mainFigures(j) {
		head = append(head, member{field(f.name), f.value})
	}
	return head
}

// queriesOf is how many queries a geometric mean is of, which only its line says.
func queriesOf(j job.Job) string {
	_, rest, _ := strings.Cut(j.Result.Line, "(")
	number, _, closed := strings.Cut(rest, ")")
	if !closed {
		return ""
	}
	return number
}

// decimal writes a number with as few digits as tell it.
func decimal(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// Timestamps is the view of "jobs timestamp".
func Timestamps(jobs ...job.Job) View {
	o := object{}
	for _, j := range jobs {
		o = append(o, member{string(j.ID), timestamp(j)})
	}
	return View{value: o}
}

// How wide HammerDB's columns of jobs are, with a space between two, and all of them.
const (
	tableLine = "%-26s %-18s %-19s %-14s %-10s %-8s"
	tableWide = 100
)

// Table is what "jobs" prints: the newest job first, as the jobs are given, and no more
// than limit of them; 0 is all. Which is best is decided among all. The file is where
// the repository is. On a terminal of less than HammerDB's width, columns are narrower,
// and some are left out.
func Table(jobs []job.Job, c catalog.Catalog, file string, width, limit int) string {
	shown := map[job.ID]bool{}
	for _, j := range jobs[:min(len(jobs), cmp.Or(limit, len(jobs)))] {
		shown[j.ID] = true
	}
	var lines []string
	for _, b := range benchmarks(jobs, c) {
		var list []job.Job
		anyShown := false
		for _, j := range jobs {
			if j.Spec.Workload == b.Workload {
				list = append(list, j)
				anyShown = anyShown || shown[j.ID]
			}
		}
		if len(list) > 0 && !anyShown {
			continue // that there are none would be wrong
		}
		if len(lines) > 0 {
			lines = append(lines, "")
		}
		title := report.Printable(b.Title)
		if len(list) == 0 {
			lines = append(lines, fmt.Sprintf("No %s runs found in database file %s.", title, file))
			continue
		}
		narrow := terminal.Table{Columns: []terminal.Column{
			{Head: "Jobid", Left: true, Short: report.ShortID},
			{Head: "Database", Left: true, Rank: 1},
			{Head: "Date", Left: true},
			{Head: "Workload", Left: true},
			{Head: figureTitle(b, list), Left: true},
			{Head: "Status", Left: true},
		}}
		wide := []string{columns("Jobid", "Database", "Date", "Workload", figureTitle(b, list), "Status"), strings.Repeat("-", tableWide)}
		best := best(list, b)
		for _, j := range list {
			if !shown[j.ID] {
				continue
			}
			status := statusWord(j)
			if best[j.ID] {
				status = "TOP"
			}
			cells := []string{string(j.ID), withRelease(j, c), timestamp(j), workloadWord(j), headlineFigure(j), status}
			narrow.Row(cells...)
			wide = append(wide, columns(cells...))
		}
		lines = append(lines, title+" Jobs")
		if width == 0 || width >= tableWide {
			lines = append(lines, wide...)
			continue
		}
		text, _ := narrow.Text(width)
		head, rows, _ := strings.Cut(strings.TrimSuffix(text, "\n"), "\n")
		lines = append(lines, head, strings.Repeat("-", width), rows)
	}
	return strings.Join(lines, "\n")
}

// benchmarks lists those that are known, and after them what else there are jobs of.
func benchmarks(jobs []job.Job, c catalog.Catalog) []names.Benchmark {
	list := known(c)
	for _, j := range jobs {
		if !slices.ContainsFunc(list, func(b names.Benchmark) bool { return b.Workload == j.Spec.Workload }) {
			list = append(list, benchmark(j, c))
		}
	}
	return list
}

// figureTitle heads the column of the figure that stands for a job.
func figureTitle(b names.Benchmark, list []job.Job) string {
	if b.Queries {
		return "Geomean"
	}
	for _, j := range list {
		if h, ok := mainFigure(j); ok {
			return report.Printable(h.Name)
		}
	}
	return nopm
}

func columns(cells ...string) string {
	values := make([]any, len(cells))
	for i, c := range cells {
		values[i] = c
	}
	return strings.TrimRight(fmt.Sprintf(tableLine, values...), " ")
}

func withRelease(j job.Job, c catalog.Catalog) string {
	name := report.Printable(databaseName(j, c))
	if r := release(j); r != "" {
		return fmt.Sprintf("%s (%s)", name, report.Printable(r))
	}
	return name
}

// best are the jobs with the highest figure, which is NOPM, or with the lowest geometric mean, of
// those whose numbers can be used, the first of equals. Times of queries depend on how much
// data they read, so of those there is one for each database and scale factor.
func best(jobs []job.Job, b names.Benchmark) map[job.ID]bool {
	type class struct{ database, size string }
	type first struct {
		id    job.ID
		value float64
	}
	top := map[class]first{}
	for _, j := range jobs {
		h, ok := mainFigure(j)
		if !ok || !j.Status.Valid() {
			continue
		}
		var of class
		if h.Name == geomean {
			of = class{j.Spec.Database, sizeOf(j, b)}
		}
		if t, some := top[of]; !some || h.Name != geomean && h.Value > t.value || h.Name == geomean && h.Value < t.value {
			top[of] = first{j.ID, h.Value}
		}
	}
	ids := map[job.ID]bool{}
	for _, t := range top {
		ids[t.id] = true
	}
	return ids
}

// sizeOf says how much data a job had: as it was found, or else as it was set.
func sizeOf(j job.Job, b names.Benchmark) string {
	if j.Facts != nil && j.Facts.Size != "" {
		return strings.TrimPrefix(j.Facts.Size, b.Unit+" ")
	}
	return j.Spec.Options[b.Size]
}

// none stands where HammerDB's table has nothing to say.
const none = "--"

func headlineFigure(j job.Job) string {
	if h, ok := mainFigure(j); ok {
		return written(h)
	}
	return none
}

func workloadWord(j job.Job) string {
	if title, ok := Titles[j.Spec.Action]; ok {
		return title
	}
	return none
}

// Titles are what HammerDB calls the actions.
var Titles = map[job.Action]string{
	job.Build:  "Schema Build",
	job.Run:    "Benchmark Run",
	job.Check:  "Schema Check",
	job.Delete: "Schema Delete",
}

// statusWord is one of HammerDB's three: an invalid result, or a run that was stopped early, is
// not a success.
func statusWord(j job.Job) string {
	switch j.Status {
	case job.Succeeded:
		return "SUCCESS"
	case job.Running:
		return "RUNNING"
	}
	return "FAILED"
}

// OldestFirst returns jobs in the order in which they began, of a list in the
// opposite one.
func OldestFirst(jobs []job.Job) []job.Job {
	jobs = slices.Clone(jobs)
	slices.Reverse(jobs)
	return jobs
}
