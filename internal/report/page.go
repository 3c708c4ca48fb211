package report

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"sledge/internal/terminal"
)

// page is a text in the making, or a sheet.
type page struct {
	View
	bytes.Buffer
	left  []string // the heads of columns that there was no room for
	sheet *Sheet   // nil of a text
}

// gap begins a part that has no title in a text.
func (p *page) gap(name string) {
	if p.sheet != nil {
		p.sheet.begin(name, "")
		return
	}
	fmt.Fprintln(p)
}

// say adds lines that are broken where they are too wide. The look is of each line that
// comes of it.
func (p *page) say(look func(string) string, format string, args ...any) {
	if p.sheet != nil {
		p.sheet.add(Item{Line: look(strings.TrimSpace(fmt.Sprintf(format, args...)))})
		return
	}
	for line := range strings.SplitSeq(terminal.Fold(fmt.Sprintf(format, args...), p.Width), "\n") {
		p.WriteString(look(line) + "\n")
	}
}

// piece is a part of a line, with its look.
type piece struct {
	look func(string) string
	text string
}

// pieces writes a line of pieces that stay whole: those that there is no room for go on in the
// next line.
func (p *page) pieces(list []piece) {
	const between, indent = "  ", "  "
	column := 0
	for i, one := range list {
		width := terminal.Width(one.text)
		switch {
		case i == 0:
		case p.Width > 0 && column+len(between)+width > p.Width:
			p.WriteString("\n" + indent)
			column = len(indent)
		default:
			p.WriteString(between)
			column += len(between)
		}
		for j, line := range strings.Split(terminal.Fold(strings.Repeat(" ", column)+one.text, p.Width), "\n") {
			if j == 0 {
				line = line[column:]
			} else {
				p.WriteByte('\n')
				column = 0
			}
			p.WriteString(one.look(line))
			column += terminal.Width(line)
		}
	}
	p.WriteByte('\n')
}

// asItIs adds lines that others wrote, set out by their spaces. A text folds those that are too wide.
func (p *page) asItIs(text string) {
	text = PrintableLines(text)
	if p.sheet != nil {
		p.sheet.add(Item{Text: text})
		return
	}
	p.WriteString(terminal.Fold(text, p.Width) + "\n")
}

// plain is the look of text that nothing sets off.
func plain(line string) string { return line }

// title begins a part of the page: with its name, and what a reader must know of it.
func (p *page) title(name, explained string) {
	if p.sheet != nil {
		p.sheet.begin(name, explained)
		return
	}
	if explained == "" {
		p.say(p.Look.Strong, "\n%s", name)
		return
	}
	text := terminal.Fold("\n"+name+": "+explained, p.Width)
	fmt.Fprintln(p, strings.Replace(text, name, p.Look.Strong(name), 1))
}

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

// lay adds a table of cells that have a look already, in columns that are not wrapped.
func (p *page) lay(t terminal.Table) {
	if p.sheet != nil {
		p.sheet.add(Item{Table: &t})
		return
	}
	text, left := t.Text(p.Width)
	if heads, rows, several := strings.Cut(text, "\n"); several && !t.Bare {
		text = p.Look.Faint(heads) + "\n" + rows
	}
	p.WriteString(text)
	for _, head := range left {
		if !slices.Contains(p.left, head) {
			p.left = append(p.left, head)
		}
	}
}

// end says what there was no room for, and where to look next.
func (p *page) end() {
	if len(p.left) > 0 {
		p.say(p.Look.Faint, "\n%s", NoRoom(p.left))
	}
	if len(p.View.Next) == 0 {
		return
	}
	p.title("Next", "")
	t := terminal.Table{Bare: true, Columns: []terminal.Column{{Left: true}, {Left: true, Wrapped: true}}}
	wide := 0
	for _, next := range p.View.Next {
		wide = max(wide, terminal.Width(next.Command+next.Why))
	}
	if p.Width > 0 && wide+len("    ") > p.Width { // a command that is broken cannot be copied
		for _, next := range p.View.Next {
			p.say(p.Look.Faint, "  %s:", next.Why)
			p.say(plain, "%s", terminal.FoldCommands("    "+next.Command, p.Width))
		}
		return
	}
	for _, next := range p.View.Next {
		t.Row("  "+next.Command, next.Why)
	}
	p.lay(t)
}

// NoRoom says which columns of a table are not shown.
func NoRoom(left []string) string {
	return fmt.Sprintf("No room for %s: widen the terminal, or use --json.", strings.Join(left, ", "))
}
