// Package paper writes reports: one file of HTML about a job, a performance profile, or several
// runs side by side, which has all in it that it needs, charts too, and prints well. What it
// says of a job is a sheet of package report, so that it is what the command line says.
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
	"math"
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
	"sledge/internal/terminal"
)

// Archive is where reports are made from.
type Archive struct {
	Store    *repository.Store
	Resolver settings.Resolver
	Headline func(job.Job) string // of a run, in words that scripts look for; "" where it has none
	Version  string               // of the program
}

// Report is a report that was made.
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

// Policy is the Content-Security-Policy of a report: it may use its own style sheet, and
// nothing else. The report contains it; servers must send it as a header, too.
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

// mostRuns is how many runs of a performance profile a report shows.
const mostRuns = 100

// Of makes the report of performance profiles, by their numbers, or where there are none of
// jobs.
func (a Archive) Of(ctx context.Context, ids []string, profiles []int) (Report, error) {
	if len(profiles) > 0 {
		return a.Profiles(ctx, profiles)
	}
	return a.Jobs(ctx, ids)
}

// Jobs makes the report of a job, or of several runs side by side. The IDs are as the
// repository takes them; the error is a mistake in them, or that there are no such jobs.
func (a Archive) Jobs(ctx context.Context, ids []string) (Report, error) {
	if len(ids) == 0 {
		return Report{}, job.WithExit(job.ExitUsage, fmt.Errorf("say which job: its ID, the first digits of it, or last"))
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

// Profiles makes the report of a performance profile, or of several laid over each other.
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

// names returns what people call the workload and the database of a job, or how it is asked
// for by where the program does not have it.
func (a Archive) names(j job.Job) (workload, database string) {
	workload, database = j.Spec.Workload, j.Spec.Database
	if w, err := a.Resolver.Workload(workload); err == nil {
		workload = w.Title
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

// subject is a job with all that a report tells of it.
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
	details  job.ImportDetails
}

// How much is told.
const (
	mostPoints   = 600 // of a chart over time
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
	s.sheet, s.doc = report.NewSheet(s.job, s.sum, a.Headline(s.job)), report.NewDocument(s.job, s.sum)
	overTime, err := document.NewTPM(ctx, a.Store, id, time.Time{}, time.Time{}, mostPoints)
	if err != nil {
		return s, err
	}
	s.points, s.series = overTime.Points, overTime.Series
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
	s.details, err = a.Store.Imported(ctx, id)
	return s, err
}

// page is what the template shows.
type page struct {
	Title     string
	Over      string // what sort of report it is
	Status    *status
	Facts     []fact
	Attention []report.Ground    // what a reader must know before using the figures
	Headline  [][]terminal.Piece // lines
	Figures   []figure
	Sections  []section

	Policy string
	Style  template.CSS
	Made   string
}

type status struct{ Tone, Sign, Word string }

type fact struct{ Name, Value string }

// figure is a headline figure.
type figure struct{ Value, Name, Means string }

// section is a part of a report.
type section struct {
	ID               string
	Title, Explained string
	Blocks           []block
}

// settle gives the section an address, and each of its tables a name of its own, by which
// people who cannot see the page go from one to the next.
func (s *section) settle(number int) {
	s.ID = "part-" + strconv.Itoa(number)
	tables := 0
	name := func(t *table, what string) {
		tables++
		t.Label = what + s.Title
		if tables > 1 {
			t.Label += " " + strconv.Itoa(tables)
		}
	}
	for _, b := range s.Blocks {
		if b.Table != nil {
			name(b.Table, "")
		}
		if d := b.Drawing; d != nil {
			name(&d.Table, "numbers of ")
			if d.Title == s.Title {
				d.Title = "" // it is said already
			}
		}
	}
}

// block is one of its members.
type block struct {
	Line    []terminal.Piece
	Table   *table
	Drawing *drawing
	Text    string // as others wrote it, in lines set out by spaces
}

type table struct {
	Label string
	Heads []cell // without a table, none
	Rows  [][]cell
}

// Class says how it is set: narrower with many columns.
func (t table) Class() string {
	const many = 10
	switch {
	case len(t.Heads) == 0:
		return "bare"
	case len(t.Heads) > many:
		return "many"
	}
	return ""
}

// cell is a cell of a table.
type cell struct {
	Pieces []terminal.Piece
	Number bool // it stands at the right
	Mark   bool // it is a sign, whose meaning is said in words, too
}

// drawing is a chart, drawn for wide and for narrow screens, and what is behind it.
type drawing struct {
	Title        string
	Note         string
	Wide, Narrow template.HTML
	Table        table
}

// How wide charts are drawn, in pixels: for paper and for screens with room, and for others.
const (
	wideChart   = 860
	narrowChart = 340
)

// draw makes a block of a chart.
func draw(c chart.Chart, note string) block {
	numbers := c.Table()
	var t table
	for i, head := range numbers.Heads {
		t.Heads = append(t.Heads, cell{Pieces: text(report.Printable(head)), Number: i > 0})
	}
	for _, row := range numbers.Rows {
		var cells []cell
		for i, c := range row {
			cells = append(cells, cell{Pieces: text(report.Printable(c)), Number: i > 0})
		}
		t.Rows = append(t.Rows, cells)
	}
	return block{Drawing: &drawing{
		Title: report.Printable(c.Title()), Note: note, Table: t,
		Wide: template.HTML(c.SVG(wideChart)), Narrow: template.HTML(c.SVG(narrowChart)), //nolint:gosec // package chart escapes what others wrote
	}}
}

// text is text in no look.
func text(s string) []terminal.Piece { return []terminal.Piece{{Text: s}} }

// signs are what states look like.
var signs = map[job.Status]status{
	job.Running:   {"going", "▶", "running"},
	job.Succeeded: {"good", "✓", "done"},
	job.Failed:    {"bad", "✗", "failed"},
	job.Partial:   {"doubtful", "◐", "partial"},
	job.Invalid:   {"bad", "!", "invalid"},
	job.Missed:    {"bad", "▽", "missed"},
	job.Killed:    {"bad", "■", "killed"},
}

// signOf is the sign of a state; one that is not known is shown as such.
func signOf(s job.Status) *status {
	if sign, known := signs[s]; known {
		return &sign
	}
	return &status{"doubtful", "?", cmp.Or(string(s), "unknown")}
}

// sectionsOf makes sections of the parts of a sheet.
func sectionsOf(parts []report.Part) (list []section) {
	for _, p := range parts {
		s := section{Title: p.Title, Explained: p.Explained}
		for _, i := range p.Items {
			s.Blocks = append(s.Blocks, blockOf(i))
		}
		list = append(list, s)
	}
	return list
}

func blockOf(i report.Item) block {
	if i.Text != "" {
		return block{Text: i.Text}
	}
	if i.Table == nil {
		return block{Line: pieces(i.Line())}
	}
	var t table
	for _, c := range i.Table.Columns {
		if !i.Table.Bare {
			t.Heads = append(t.Heads, cell{Pieces: pieces(c.Head), Number: !c.Left})
		}
	}
	for _, row := range i.Table.Rows {
		var cells []cell
		for n, column := range i.Table.Columns {
			c := cell{Number: !column.Left}
			if n < len(row) {
				c.Pieces = pieces(row[n])
			}
			cells = append(cells, c)
		}
		t.Rows = append(t.Rows, cells)
	}
	t.mark()
	return block{Table: &t}
}

// mark finds out whether the first column is of signs, or of nothing.
func (t *table) mark() {
	for _, row := range t.Rows {
		if len(row) == 0 {
			return
		}
		if first := row[0].Pieces; len(first) > 0 && spoken[first[0].Text] == "" {
			return
		}
	}
	for _, row := range t.Rows {
		row[0].Mark = true
	}
}

// spoken are words for the signs before a verdict.
var spoken = map[string]string{"✓": "good", "!": "doubtful", "✗": "bad"}

// Spoken is the word for a sign.
func (c cell) Spoken() string { return spoken[c.Pieces[0].Text] }

// pieces takes text of a sheet apart, which may be set in.
func pieces(line string) []terminal.Piece {
	list := terminal.Pieces(strings.TrimSpace(line))
	for i := range list {
		list[i].Text = strings.TrimSpace(list[i].Text)
		if i > 0 {
			list[i].Text = " " + list[i].Text
		}
	}
	return list
}

// plain is a line of a sheet without its looks.
func plain(line string) string {
	var b strings.Builder
	for _, p := range pieces(line) {
		b.WriteString(p.Text)
	}
	return b.String()
}

// setHeadline puts what came of a job large on the page.
func (p *page) setHeadline(items []report.Item) {
	for _, i := range items {
		if i.Table == nil {
			p.Headline = append(p.Headline, pieces(i.Line()))
			continue
		}
		for _, row := range i.Table.Rows {
			f := figure{Value: plain(row[0]), Name: plain(row[1])}
			if len(row) > 2 {
				f.Means = plain(row[2])
			}
			p.Figures = append(p.Figures, f)
		}
	}
}

// nothing stands for a missing number.
var nothing = math.NaN()

// orNothing is a number, or none.
func orNothing(v *float64) float64 {
	if v == nil {
		return nothing
	}
	return *v
}
