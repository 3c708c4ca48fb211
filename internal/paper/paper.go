// Package paper writes reports on a job, a performance profile, or several runs side by side: one
// self-contained, printable HTML file with charts. Its sentences come from the sheets of package
// report, so they equal those of the command line.
package paper

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"strconv"
	"strings"
	"time"

	"sledge/internal/chart"
	"sledge/internal/document"
	"sledge/internal/job"
	"sledge/internal/meter"
	"sledge/internal/report"
	"sledge/internal/repository"
	"sledge/internal/settings"
)

// Archive holds the sources of reports.
type Archive struct {
	Store    *repository.Store
	Resolver settings.Resolver
	Headline func(job.Job) string // headline of a run, in the words that scripts look for; "" if it has none
	Version  string               // of the program
}

// Report is a finished report.
type Report struct {
	Name string // of its file: "sledge-6B024711AAAA.html"
	HTML []byte
}

//go:embed page.html
var pageText string

//go:embed page.css
var styleText string

var pageTemplate = template.Must(template.New("page").Parse(pageText))

// style is the style sheet of a report, with the colours of charts.
var style = colours() + styleText

// Policy is the Content-Security-Policy of a report, which allows only the report's own style
// sheet. The report contains it; servers must send it as a header, too.
var Policy = func() string {
	sum := sha256.Sum256([]byte(style))
	return "default-src 'none'; base-uri 'none'; form-action 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}()

// colours writes the classes of the colours of charts.
func colours() string {
	var b strings.Builder
	for i := range chart.Light {
		fmt.Fprintf(&b, ".c%d{--c:%s}", i, chart.Light[i])
	}
	b.WriteString("@media screen and (prefers-color-scheme:dark){")
	for i := range chart.Dark {
		fmt.Fprintf(&b, ".c%d{--c:%s}", i, chart.Dark[i])
	}
	return b.String() + "}\n"
}

// mostRuns limits the runs of a performance profile in a report.
const mostRuns = 100

// Of returns the report of performance profiles, by number, or of jobs if profiles is empty.
func (a Archive) Of(ctx context.Context, ids []string, profiles []int) (Report, error) {
	if len(profiles) > 0 {
		return a.Profiles(ctx, profiles)
	}
	return a.Jobs(ctx, ids)
}

// Jobs returns the report of a job, or of several runs side by side. The IDs are in any form that
// the repository accepts. An error means that an ID is wrong, or that there is no such job.
func (a Archive) Jobs(ctx context.Context, ids []string) (Report, error) {
	if len(ids) == 0 {
		return Report{}, job.WithExit(job.ExitUsage, fmt.Errorf("name a job: its ID, its first digits, or last"))
	}
	if len(ids) == 1 {
		s, err := a.read(ctx, job.ID(ids[0]))
		if err != nil {
			return Report{}, err
		}
		return a.finish(s.page(a.title(s.job)), "sledge-"+string(s.job.ID))
	}
	comparison, err := document.NewComparison(ctx, a.Store, a.Resolver, ids)
	if err != nil {
		return Report{}, err
	}
	var list []subject
	for _, r := range comparison.Runs {
		s, err := a.read(ctx, r.ID)
		if err != nil {
			return Report{}, err
		}
		list = append(list, s)
	}
	name := "sledge-" + report.ShortID(string(list[0].job.ID)) + "-" + report.ShortID(string(list[1].job.ID))
	if more := len(list) - 2; more > 0 {
		name += fmt.Sprintf("-and-%d", more)
	}
	return a.finish(comparisonPage(comparison, list), name)
}

// Profiles returns the report of a performance profile, or of several together.
func (a Archive) Profiles(ctx context.Context, numbers []int) (Report, error) {
	if len(numbers) == 1 {
		runs, err := a.runsOf(ctx, numbers[0])
		if err != nil {
			return Report{}, err
		}
		return a.finish(a.profilePage(numbers[0], runs), "sledge-profile-"+strconv.Itoa(numbers[0]))
	}
	c, err := document.NewProfileComparison(ctx, a.Store, a.Resolver, numbers, a.Headline)
	if err != nil {
		return Report{}, err
	}
	var runs [][]job.Job
	for _, number := range numbers {
		of, err := a.runsOf(ctx, number)
		if err != nil {
			return Report{}, err
		}
		runs = append(runs, of)
	}
	name := fmt.Sprintf("sledge-profiles-%d-%d", numbers[0], numbers[1])
	if more := len(numbers) - 2; more > 0 {
		name += fmt.Sprintf("-and-%d", more)
	}
	return a.finish(a.profilesPage(c, runs), name)
}

// runsOf returns the runs of a performance profile, the oldest first.
func (a Archive) runsOf(ctx context.Context, number int) ([]job.Job, error) {
	runs, err := document.RunsOfProfile(ctx, a.Store, number)
	if err == nil && len(runs) > mostRuns {
		err = job.WithExit(job.ExitUsage, fmt.Errorf("performance profile %d has %d runs, and a report shows %d: make reports of some of them by their IDs", number, len(runs), mostRuns))
	}
	return runs, err
}

// finish makes a report of a page.
func (a Archive) finish(p page, name string) (Report, error) {
	p.Made = fmt.Sprintf("Made by Sledge %s on %s.", a.Version, time.Now().Format(timeLayout))
	text, err := p.write()
	return Report{Name: name + ".html", HTML: text}, err
}

// write writes the page as a file.
func (p page) write() ([]byte, error) {
	p.Style, p.Policy = template.CSS(style), Policy //nolint:gosec // the style sheet is ours
	for i := range p.Sections {
		p.Sections[i].settle(i + 1)
	}
	var b bytes.Buffer
	if err := pageTemplate.Execute(&b, p); err != nil {
		return nil, fmt.Errorf("write the page: %w", err)
	}
	return b.Bytes(), nil
}

const timeLayout = "2006-01-02 15:04:05 MST"

// names returns the titles of the workload and the database of a job, or their names in its spec if
// this program lacks them.
func (a Archive) names(j job.Job) (workload, database string) {
	workload, database = j.Spec.Workload, j.Spec.Database
	if w, err := a.Resolver.Workload(workload); err == nil {
		workload = w.Title
	}
	for _, g := range j.Spec.Beside {
		title := g.Workload
		if w, err := a.Resolver.Workload(title); err == nil {
			title = w.Title
		}
		workload += " beside " + title
	}
	if d, err := a.Resolver.Known().Database(database); err == nil {
		database = d.Title
	}
	return report.Printable(workload), report.Printable(database)
}

// title names a job.
func (a Archive) title(j job.Job) string {
	action := cmp.Or(string(j.Spec.Action), "job")
	workload, database := a.names(j)
	text := strings.ToUpper(action[:1]) + action[1:] + " of " + workload + " on " + database
	if j.Spec.Action == job.Run {
		text += ", " + report.VirtualUsers(report.Users(j))
	}
	return text
}

// subject is a job with everything that a report shows of it.
type subject struct {
	job      job.Job
	sum      meter.Summary
	sheet    report.Sheet
	doc      report.Document
	points   []job.Rate
	series   []job.Sampled
	readings []job.Count // of a transaction counter that was running
	failures []repository.StoredFailure
	more     bool // there are more failures

	serverDelay float64 // seconds after which the server counts a transaction
	details     job.ImportDetails
}

// Limits of a report.
const (
	mostPoints   = 600 // points of a chart over time
	mostFailures = 40  // examples
)

// read reads a job.
func (a Archive) read(ctx context.Context, id job.ID) (s subject, err error) {
	if s.job, err = a.Store.Get(ctx, id); err != nil {
		return s, err
	}
	id = s.job.ID
	if s.sum, _, err = a.Store.Summary(ctx, id); err != nil {
		return s, err
	}
	if s.job.Result.Plans, err = a.Store.Plans(ctx, id); err != nil {
		return s, err
	}
	s.sheet, s.doc = report.NewSheet(s.job, s.sum, a.Headline(s.job)), report.NewDocument(s.job, s.sum)
	overTime, err := document.NewTPM(ctx, a.Store, a.Resolver.Catalog, s.job, time.Time{}, time.Time{}, mostPoints)
	if err != nil {
		return s, err
	}
	s.points, s.serverDelay = overTime.Points, overTime.ServerDelay
	if s.series, err = a.Store.Series(ctx, id, time.Time{}, time.Time{}, mostPoints); err != nil {
		return s, err
	}
	for c, err := range a.Store.Readings(ctx, id) {
		if err != nil {
			return s, err
		}
		s.readings = append(s.readings, c)
	}
	for f, err := range a.Store.Failures(ctx, id) {
		if err != nil {
			return s, err
		}
		if s.more = len(s.failures) == mostFailures; s.more {
			break
		}
		s.failures = append(s.failures, f)
	}
	s.details, err = a.Store.ImportDetails(ctx, id)
	return s, err
}

// The widths of charts, in pixels: for paper and wide screens, and for others.
const (
	wideChart   = 860
	narrowChart = 340
)
