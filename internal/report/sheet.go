package report

import (
	"sledge/internal/job"
	"sledge/internal/meter"
	"sledge/internal/terminal"
)

// Sheet is what Text writes, in parts, for who shows it on something else than a terminal. Its
// text is in the looks of terminal.Marked, and what others wrote in it is printable.
type Sheet struct {
	Headline  []Item   // what came of it; empty where there is nothing to say
	Attention []Ground // what a reader must know before using the figures
	Parts     []Part
}

// Part is a part of a sheet.
type Part struct {
	Title     string
	Explained string // what a reader must know of it
	Items     []Item
}

// Item is a line of a part, or a table, or a text of many lines as others wrote it. Cells and
// lines may be set in by spaces.
type Item struct {
	Line  string
	Table *terminal.Table
	Text  string
}

// begin begins a part.
func (s *Sheet) begin(title, explained string) {
	s.Parts = append(s.Parts, Part{Title: title, Explained: explained})
}

// add adds an item to the last part. What comes before there is any is the headline.
func (s *Sheet) add(i Item) {
	if len(s.Parts) == 0 {
		s.Headline = append(s.Headline, i)
		return
	}
	last := &s.Parts[len(s.Parts)-1]
	last.Items = append(last.Items, i)
}

// onSheet is a page that makes a sheet.
func onSheet() page {
	return page{View: View{Look: terminal.Marked(), Whole: true}, sheet: &Sheet{}}
}

// NewSheet makes the sheet of a job: all that Text tells of it. The line is its headline in
// words that scripts look for, or "".
func NewSheet(j job.Job, sum meter.Summary, line string) Sheet {
	b := onSheet()
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
	return *b.sheet
}

// Sheet makes the sheet of the comparison.
func (c Comparison) Sheet() Sheet {
	b := onSheet()
	c.whole(&b)
	return *b.sheet
}

// ProfileSheet makes the sheet of a profile: a table of its runs.
func ProfileSheet(jobs []job.Job) Sheet {
	b := onSheet()
	b.title("Runs", "in the order in which they began")
	profileTable(&b, jobs)
	return *b.sheet
}
