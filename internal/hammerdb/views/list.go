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

// This file has the views of several jobs, in the shapes of HammerDB's "jobs".

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

// queriesOf returns the number of queries in a geometric mean, which HammerDB records only in the
// line.
func queriesOf(j job.Job) string {
	_, rest, _ := strings.Cut(j.Result.Line, "(")
	number, _, closed := strings.Cut(rest, ")")
	if !closed {
		return ""
	}
	return number
}

// decimal formats a number with as few digits as necessary.
func decimal(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// Timestamps is the view of "jobs timestamp".
func Timestamps(jobs ...job.Job) View {
	o := object{}
	for _, j := range jobs {
		o = append(o, member{string(j.ID), timestamp(j)})
	}
	return View{value: o}
}

// The format of a line in HammerDB's table of jobs, and the width of the table.
const (
	tableLine = "%-26s %-18s %-19s %-14s %-10s %-8s"
	tableWide = 100
)

// Table returns the output of "jobs": at most limit jobs (0 means all), newest first, as given. The
// best run is determined among all jobs. file is the path of the repository. On a terminal that is
// narrower than HammerDB's table, columns are narrower and some are omitted.
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
			continue // there are jobs, but not among those shown
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

// benchmarks lists the known benchmarks, followed by the other benchmarks of the jobs.
func benchmarks(jobs []job.Job, c catalog.Catalog) []names.Benchmark {
	list := known(c)
	for _, j := range jobs {
		if !slices.ContainsFunc(list, func(b names.Benchmark) bool { return b.Workload == j.Spec.Workload }) {
			list = append(list, benchmark(j, c))
		}
	}
	return list
}

// figureTitle returns the heading of the column with the jobs' main figures.
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

// best returns the job with the highest main figure, such as NOPM, among the jobs with valid
// results. For queries it returns the job with the lowest geometric mean for each database and
// scale factor, because the times depend on the amount of data. Of equal jobs it returns the first.
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

// sizeOf returns the amount of data of a job, as found in the schema, or else as set.
func sizeOf(j job.Job, b names.Benchmark) string {
	if j.Facts != nil && j.Facts.Size != "" {
		return strings.TrimPrefix(j.Facts.Size, b.Unit+" ")
	}
	return j.Spec.Options[b.Size]
}

// none is the text of an empty cell in HammerDB's table.
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

// Titles are HammerDB's names for the actions.
var Titles = map[job.Action]string{
	job.Build:  "Schema Build",
	job.Run:    "Benchmark Run",
	job.Check:  "Schema Check",
	job.Delete: "Schema Delete",
}

// statusWord returns one of HammerDB's three states. An invalid result or a run that was stopped
// early is not a success.
func statusWord(j job.Job) string {
	switch j.Status {
	case job.Succeeded:
		return "SUCCESS"
	case job.Running:
		return "RUNNING"
	}
	return "FAILED"
}

// OldestFirst returns a reversed copy of a list of jobs with the newest first.
func OldestFirst(jobs []job.Job) []job.Job {
	jobs = slices.Clone(jobs)
	slices.Reverse(jobs)
	return jobs
}
