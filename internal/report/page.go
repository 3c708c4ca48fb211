package report

import (
	"fmt"

	"sledge/internal/terminal"
)

// page is a sheet under construction.
type page struct {
	View
	sheet Sheet
	drawn bool // for a page that shows charts beside the sheet and a large headline
}

// gap begins a part whose title a text leaves out.
func (p *page) gap(name string) { p.sheet.begin(Part{Title: name, bare: true}) }

// title begins a part of the page with a title and an explanation.
func (p *page) title(name, explained string) {
	p.sheet.begin(Part{Title: name, Explained: explained})
}

// say adds lines with a look. A text wraps lines that are too wide.
func (p *page) say(look func(string) string, format string, args ...any) {
	p.sheet.add(Item{line: fmt.Sprintf(format, args...), look: look})
}

// piece is a part of a line, with its look.
type piece struct {
	look func(string) string
	text string
}

// pieces adds a line of pieces that are never split: a text puts the pieces that do not fit on the
// next line.
func (p *page) pieces(list []piece) { p.sheet.add(Item{pieces: list}) }

// asItIs adds lines of another program, laid out by spaces. A text folds lines that are too wide.
func (p *page) asItIs(text string) { p.sheet.add(Item{Text: PrintableLines(text)}) }

// plain is the look of ordinary text.
func plain(line string) string { return line }

// table adds a table.
func (p *page) table(t terminal.Table) {
	for i := range t.Columns {
		t.Columns[i].Head = Printable(t.Columns[i].Head)
	}
	for _, row := range t.Rows {
		for i := range row {
			row[i] = Printable(row[i])
		}
	}
	p.lay(t)
}

// lay adds a table whose cells may have looks. Columns with looks must not wrap.
func (p *page) lay(t terminal.Table) { p.sheet.add(Item{Table: &t}) }
