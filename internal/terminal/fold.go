// Package terminal fits text into the width of a terminal. It knows nothing about the content.
// A width of 0 means no terminal: text stays unchanged.
package terminal

import (
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/mattn/go-runewidth"
)

// Width returns the number of columns that text takes on a terminal. Escape sequences of a Look
// take none.
func Width(text string) int {
	if strings.Contains(text, escape) {
		return lipgloss.Width(text)
	}
	return runewidth.StringWidth(text)
}

// Plain returns text without the escape sequences of a Look.
func Plain(text string) string {
	var b strings.Builder
	for {
		before, after, found := strings.Cut(text, escape)
		b.WriteString(before)
		if !found {
			return b.String()
		}
		_, text, _ = strings.Cut(after, "m")
	}
}

// escape begins an escape sequence.
const escape = "\x1b"

// widest returns the width of the widest line.
func widest(text string) int {
	most := 0
	for line := range strings.SplitSeq(text, "\n") {
		most = max(most, Width(line))
	}
	return most
}

// Fold breaks lines that are wider than a terminal: at a gap of two or more spaces, or else between
// two words, or else anywhere. Continuation lines are indented by two more spaces than the line.
func Fold(text string, width int) string {
	if width <= 0 {
		return text
	}
	var b strings.Builder
	for i, line := range strings.Split(text, "\n") {
		if i > 0 {
			b.WriteByte('\n')
		}
		foldLine(&b, line, 0, width)
	}
	return b.String()
}

// Reflow refills the lines of each paragraph that is wider than a terminal. Indented lines stay
// separate.
func Reflow(text string, width int) string {
	if width <= 0 || widest(text) <= width {
		return text
	}
	var list []string
	flowing := false
	for line := range strings.SplitSeq(text, "\n") {
		flows := line != "" && line[0] != ' '
		if flows && flowing {
			list[len(list)-1] += " " + line
		} else {
			list = append(list, line)
		}
		flowing = flows
	}
	for i, line := range list {
		list[i] = strings.Join(words(line, width), "\n")
		if strings.HasPrefix(line, " ") {
			list[i] = Fold(line, width)
		}
	}
	return strings.Join(list, "\n")
}

// FoldCommands is Fold for text with indented commands: a backslash ends each broken line, so a
// shell reads on.
func FoldCommands(text string, width int) string {
	const more = ` \`
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if width > len(more) && Width(line) > width && strings.HasPrefix(line, " ") {
			lines[i] = strings.ReplaceAll(Fold(line, width-len(more)), "\n", more+"\n")
		}
	}
	return strings.Join(lines, "\n")
}

// Cut shortens a line to a width, at a gap of two or more spaces if there is one, or else anywhere.
func Cut(line string, width int) string {
	if Width(line) <= width {
		return line
	}
	head := runewidth.Truncate(line, width, "")
	if i := strings.LastIndex(line[:min(len(head)+gap, len(line))], strings.Repeat(" ", gap)); i > 0 {
		return strings.TrimRight(line[:i], " ")
	}
	return head
}

// Fitted returns a line of exactly a width: cut, which an ellipsis shows, or filled with spaces at its end,
// or at its beginning if right is true.
func Fitted(line string, width int, right bool) string {
	room := width - Width(line)
	if room < 0 {
		line = runewidth.Truncate(line, max(0, width), "…")
		room = width - Width(line) // a wide character may not have fitted
	}
	if right {
		return strings.Repeat(" ", max(0, room)) + line
	}
	return line + strings.Repeat(" ", max(0, room))
}

// gap is the minimum number of spaces between the parts of a line.
const gap = 2

// foldLine writes a line that begins in a column, and returns the column after it.
func foldLine(b *strings.Builder, line string, column, width int) int {
	if strings.ContainsRune(line, '\t') {
		line = expand(line, column)
	}
	indent := 2
	if column == 0 {
		indent += len(line) - len(strings.TrimLeft(line, " "))
	}
	indent = min(indent, width/2)
	for column+Width(line) > width {
		head := breakAt(line, width-column)
		if column > indent && head > 0 && line[head] != ' ' && line[head-1] != ' ' {
			head = 0 // a word that would be cut may fit on its own line
		}
		if head == 0 && column <= indent { // not even one character fits
			break
		}
		b.WriteString(strings.TrimRight(line[:head], " "))
		b.WriteString("\n" + strings.Repeat(" ", indent))
		line, column = strings.TrimLeft(line[head:], " "), indent
	}
	b.WriteString(line)
	return column + Width(line)
}

// breakAt returns the number of bytes before the break of a line that is wider than room.
func breakAt(line string, room int) int {
	head := len(runewidth.Truncate(line, max(room, 0), ""))
	text := len(line) - len(strings.TrimLeft(line, " ")) // no break before the first word
	// A break may be at the first space beyond the room.
	within := line[:min(head+1, len(line))]
	if i := strings.LastIndex(line[:min(head+gap, len(line))], strings.Repeat(" ", gap)); i > text && i > head/2 {
		return i
	}
	if i := strings.LastIndexByte(within, ' '); i > text {
		return i
	}
	return head
}

// expand replaces tabs by the spaces that a terminal shows for them.
func expand(line string, column int) string {
	const stop = 8
	var b strings.Builder
	for i, part := range strings.Split(line, "\t") {
		if i > 0 {
			spaces := stop - column%stop
			b.WriteString(strings.Repeat(" ", spaces))
			column += spaces
		}
		b.WriteString(part)
		column += Width(part)
	}
	return b.String()
}
