package report

import (
	"strings"

	"sledge/internal/job"
	"sledge/internal/meter"
	"sledge/internal/terminal"
)

// Sheet is a report on one or more jobs, in parts; text and HTML are made from it. Text of other
// programs in it is printable. Looks are those of the View it was made for: terminal.Marked for a
// page in a browser.
type Sheet struct {
	Headline  []Item   // the outcome; may be empty
	Attention []Ground // what a reader must know before using the figures, if no part contains it
	Parts     []Part
}

// Part is a part of a sheet.
type Part struct {
	Title     string
	Explained string // how to read the part
	Items     []Item

	bare bool // a text shows no title
}

// Item is a line, a table, or a text of many lines by another program. Spaces may indent cells and
// lines.
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

// add adds an item to the last part, or to the headline if no part has begun.
func (s *Sheet) add(i Item) {
	if len(s.Parts) == 0 {
		s.Headline = append(s.Headline, i)
		return
	}
	last := &s.Parts[len(s.Parts)-1]
	last.Items = append(last.Items, i)
}

// beside returns the page of a sheet that is shown beside charts.
func beside() page {
	return page{View: View{Look: terminal.Marked(), Whole: true, Server: true, Use: true}, drawn: true}
}

// NewSheet makes the sheet of a job for a page in a browser, with everything that Text shows. line
// is the headline in the words that scripts look for, or "".
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
