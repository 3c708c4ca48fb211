package paper

import (
	"cmp"
	"html/template"
	"math"
	"strconv"
	"strings"

	"sledge/internal/chart"
	"sledge/internal/job"
	"sledge/internal/report"
	"sledge/internal/terminal"
)

// page is the data of the template.
type page struct {
	Title     string
	Over      string // the kind of report
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

// settle gives the section an ID, and each of its tables a name that screen readers announce.
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
				d.Title = "" // the section shows it
			}
		}
	}
}

// block has one of these members.
type block struct {
	Line    []terminal.Piece
	Table   *table
	Drawing *drawing
	Text    string // text of another program, laid out by spaces
}

type table struct {
	Label string
	Heads []cell // empty if the table has no heads
	Rows  [][]cell
}

// Class decides the layout: narrower with many columns.
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
	Number bool // aligned to the right
	Mark   bool // a sign, whose meaning is also given in words
}

// drawing is a chart, drawn for wide and for narrow screens, with its table.
type drawing struct {
	Title        string
	Note         string
	Wide, Narrow template.HTML
	Table        table
}

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
		Wide: template.HTML(c.SVG(wideChart)), Narrow: template.HTML(c.SVG(narrowChart)), //nolint:gosec // package chart escapes text of other programs
	}}
}

// text returns text without a look.
func text(s string) []terminal.Piece { return []terminal.Piece{{Text: s}} }

// signs are the signs of states.
var signs = map[job.Status]status{
	job.Running:   {"going", "▶", "running"},
	job.Succeeded: {"good", "✓", "done"},
	job.Failed:    {"bad", "✗", "failed"},
	job.Partial:   {"doubtful", "◐", "partial"},
	job.Invalid:   {"bad", "!", "invalid"},
	job.Missed:    {"bad", "▽", "missed"},
	job.Killed:    {"bad", "■", "killed"},
}

// signOf returns the sign of a state, or the state itself if it is unknown.
func signOf(s job.Status) *status {
	if sign, known := signs[s]; known {
		return &sign
	}
	return &status{"doubtful", "?", cmp.Or(string(s), "unknown")}
}

// sectionsOf converts the parts of a sheet into sections.
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

// mark marks the cells of the first column if all of them are signs.
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

// spoken maps the signs before a verdict to words.
var spoken = map[string]string{"✓": "good", "!": "doubtful", "✗": "bad"}

// Spoken returns the word for the sign in a cell.
func (c cell) Spoken() string { return spoken[c.Pieces[0].Text] }

// pieces splits text of a sheet, which may be indented.
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

// plain returns a line of a sheet without its looks.
func plain(line string) string {
	var b strings.Builder
	for _, p := range pieces(line) {
		b.WriteString(p.Text)
	}
	return b.String()
}

// setHeadline puts the result of a job large on the page.
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

// nothing represents a missing number.
var nothing = math.NaN()

// orNothing returns a number, or nothing if it is missing.
func orNothing(v *float64) float64 {
	if v == nil {
		return nothing
	}
	return *v
}
