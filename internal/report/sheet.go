package report

import (
	"strings"

	"sledge/internal/job"
	"sledge/internal/meter"
	"sledge/internal/terminal"
)

// Sheet is what there is to tell of a job or of several, in parts. Text and HTML are made from it. What others
// wrote in it is printable, and its text is in the looks of the View that it was made for: of terminal.Marked
// where a page in a browser shows it.
type Sheet struct {
	Headline  []Item   // what came of it; empty where there is nothing to say
	Attention []Ground // what a reader must know before using the figures, where no part has it
	Parts     []Part
}

// Part is a part of a sheet.
type Part struct {
	Title     string
	Explained string // what a reader must know of it
	Items     []Item

	bare bool // a text shows no title
}

// Item is a line of a part, or a table, or a text of many lines as others wrote it. Cells and
// lines may be set in by spaces.
type Item struct {
	Table *terminal.Table
	Text  string

	line   string
	look   func(string) string // of the line
	pieces []piece             // of the line
}

// Line returns the line in its look, or "".
func (i Item) Line() string {
	if i.look == nil {
		return ""
	}
	return i.look(strings.TrimSpace(i.line))
}

// begin begins a part.
func (s *Sheet) begin(p Part) { s.Parts = append(s.Parts, p) }

// add adds an item to the last part. What comes before there is any is the headline.
func (s *Sheet) add(i Item) {
	if len(s.Parts) == 0 {
		s.Headline = append(s.Headline, i)
		return
	}
	last := &s.Parts[len(s.Parts)-1]
	last.Items = append(last.Items, i)
}

// beside is a page of a sheet that is shown beside charts.
func beside() page {
	return page{View: View{Look: terminal.Marked(), Whole: true}, drawn: true}
}

// NewSheet makes the sheet of a job for a page in a browser: all that Text tells of it. The line is its
// headline in words that scripts look for, or "".
func NewSheet(j job.Job, sum meter.Summary, line string) Sheet {
	b := beside()
	b.Line = line
	list := Grounds(j, sum)
	if j.Spec.Action != job.Run {
		headline(&b, j)
	} else if len(j.Result.Metrics) > 0 {
		if worth := Worth(j); worth != "" {
			b.say(b.Look.Bad, "%s", worth)
		}
		b.lay(metricTable(&b, j))
	}
	for _, g := range Attention(list) {
		b.sheet.Attention = append(b.sheet.Attention, Ground{g.Tone, Printable(g.Name), Printable(g.Text)})
	}
	whole(&b, j, sum, list)
	return b.sheet
}

// Sheet makes the sheet of the comparison for a page in a browser.
func (c Comparison) Sheet() Sheet {
	b := beside()
	c.whole(&b)
	return b.sheet
}

// ProfileSheet makes the sheet of a profile for a page in a browser: a table of its runs.
func ProfileSheet(jobs []job.Job) Sheet {
	b := beside()
	b.title("Runs", "in the order in which they began")
	profileTable(&b, jobs)
	return b.sheet
}
