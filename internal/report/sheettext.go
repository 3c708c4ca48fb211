package report

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"sledge/internal/terminal"
)

// write writes the sheet of a page as text.
func (p *page) write(w io.Writer) error {
	_, err := io.WriteString(w, strings.TrimLeft(p.text(), "\n"))
	return err
}

// text returns the sheet as text, followed by commands to try next.
func (p *page) text() string {
	t := sheetText{View: p.View}
	for _, i := range p.sheet.Headline {
		t.item(i)
	}
	for _, part := range p.sheet.Parts {
		t.title(part)
		for _, i := range part.Items {
			t.item(i)
		}
	}
	t.end()
	return t.String()
}

// sheetText is the text of a sheet under construction.
type sheetText struct {
	View
	bytes.Buffer
	left []string // the heads of columns that did not fit
}

func (t *sheetText) title(p Part) {
	switch {
	case p.bare:
		t.WriteByte('\n')
	case p.Explained == "":
		t.lines(t.Look.Strong, "\n"+p.Title)
	default:
		text := terminal.Fold("\n"+p.Title+": "+p.Explained, t.Width)
		fmt.Fprintln(t, strings.Replace(text, p.Title, t.Look.Strong(p.Title), 1))
	}
}

func (t *sheetText) item(i Item) {
	switch {
	case i.Table != nil:
		t.table(*i.Table)
	case i.pieces != nil:
		t.pieces(i.pieces)
	case i.look != nil:
		t.lines(i.look, i.line)
	default:
		t.WriteString(terminal.Fold(i.Text, t.Width) + "\n")
	}
}

// lines writes text with a look, and wraps it if it is too wide.
func (t *sheetText) lines(look func(string) string, text string) {
	for line := range strings.SplitSeq(terminal.Fold(text, t.Width), "\n") {
		t.WriteString(look(line) + "\n")
	}
}

func (t *sheetText) pieces(list []piece) {
	const between, indent = "  ", "  "
	column := 0
	for i, one := range list {
		width := terminal.Width(one.text)
		switch {
		case i == 0:
		case t.Width > 0 && column+len(between)+width > t.Width:
			t.WriteString("\n" + indent)
			column = len(indent)
		default:
			t.WriteString(between)
			column += len(between)
		}
		for j, line := range strings.Split(terminal.Fold(strings.Repeat(" ", column)+one.text, t.Width), "\n") {
			if j == 0 {
				line = line[column:]
			} else {
				t.WriteByte('\n')
				column = 0
			}
			t.WriteString(one.look(line))
			column += terminal.Width(line)
		}
	}
	t.WriteByte('\n')
}

func (t *sheetText) table(table terminal.Table) {
	text, left := table.Text(t.Width)
	if heads, rows, several := strings.Cut(text, "\n"); several && !table.Bare {
		text = t.Look.Faint(heads) + "\n" + rows
	}
	t.WriteString(text)
	for _, head := range left {
		if !slices.Contains(t.left, head) {
			t.left = append(t.left, head)
		}
	}
}

// end names the columns that did not fit, and the commands to try next.
func (t *sheetText) end() {
	if len(t.left) > 0 {
		t.lines(t.Look.Faint, "\n"+NoRoom(t.left))
	}
	if len(t.View.Next) == 0 {
		return
	}
	t.title(Part{Title: "Next"})
	table := terminal.Table{Bare: true, Columns: []terminal.Column{{Left: true}, {Left: true, Wrapped: true}}}
	wide := 0
	for _, next := range t.View.Next {
		wide = max(wide, terminal.Width(next.Command+next.Why))
	}
	if t.Width > 0 && wide+len("    ") > t.Width { // a broken command could not be copied
		for _, next := range t.View.Next {
			t.lines(t.Look.Faint, "  "+next.Why+":")
			t.lines(plain, terminal.FoldCommands("    "+next.Command, t.Width))
		}
		return
	}
	for _, next := range t.View.Next {
		table.Row("  "+next.Command, next.Why)
	}
	t.table(table)
}

// NoRoom names the columns of a table that are not shown.
func NoRoom(left []string) string {
	return fmt.Sprintf("No room for %s: widen the terminal, or use --json.", strings.Join(left, ", "))
}
