package report

import (
	"io"
	"strings"

	"sledge/internal/terminal"
)

// markdown writes the sheet of a page as GitHub's Markdown, in which text of other programs means
// nothing.
func (p *page) markdown(w io.Writer) error {
	var b strings.Builder
	items := func(list []Item) {
		for _, i := range list {
			switch {
			case i.Table != nil:
				b.WriteString("\n" + markdownTable(*i.Table) + "\n")
			case i.pieces != nil:
				for _, one := range i.pieces {
					b.WriteString(escapedMarkdown(one.text) + "  ")
				}
				b.WriteString("\n")
			case i.look != nil:
				b.WriteString("\n" + escapedMarkdown(strings.TrimSpace(i.line)) + "\n")
			default:
				for line := range strings.SplitSeq(i.Text, "\n") {
					b.WriteString("    " + line + "\n") // a block of code
				}
			}
		}
	}
	items(p.sheet.Headline)
	for _, part := range p.sheet.Parts {
		if !part.bare {
			b.WriteString("\n### " + escapedMarkdown(part.Title) + "\n")
		}
		if part.Explained != "" {
			b.WriteString("\n" + escapedMarkdown(strings.ToUpper(part.Explained[:1])+part.Explained[1:]) + ".\n")
		}
		items(part.Items)
	}
	_, err := io.WriteString(w, strings.TrimLeft(b.String(), "\n"))
	return err
}

// markdownTable writes a table. Markdown's have heads, which may be empty.
func markdownTable(t terminal.Table) string {
	var b strings.Builder
	row := func(cells []string) {
		for i := range t.Columns {
			cell := ""
			if i < len(cells) {
				cell = escapedMarkdown(strings.TrimSpace(cells[i]))
			}
			b.WriteString("| " + cell + " ")
		}
		b.WriteString("|\n")
	}
	heads, lines := make([]string, len(t.Columns)), make([]string, len(t.Columns))
	for i, c := range t.Columns {
		if !t.Bare {
			heads[i] = c.Head
		}
		lines[i] = "---:"
		if c.Left {
			lines[i] = ":---"
		}
	}
	row(heads)
	b.WriteString("| " + strings.Join(lines, " | ") + " |\n")
	for _, cells := range t.Rows {
		row(cells)
	}
	return b.String()
}

// markdownMarks are the characters that Markdown, or HTML in it, gives a meaning; @ and # would notify
// people and link issues.
var markdownMarks = strings.NewReplacer(
	`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "<", "&lt;", ">", "&gt;", "&", "&amp;", "|", `\|`, "~", `\~`, "!", `\!`,
	"@", "&#64;", "#", "&#35;", "$", "&#36;", "\n", " ",
)

func escapedMarkdown(text string) string { return markdownMarks.Replace(text) }
