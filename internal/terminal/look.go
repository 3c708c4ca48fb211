package terminal

import (
	"image/color"
	"io"
	"slices"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"
)

// Look is what a terminal can show besides plain text. The zero value is a file: it
// shows nothing else, and what is written to it stays as it is.
type Look struct {
	Redraws bool // what was written can be drawn anew: somebody watches a terminal
	styled  bool // there is bold and faint text
	colored bool
	marked  bool // looks are written as marks
}

// Marked is the look for what is no terminal and has looks of its own, such as a page in a
// browser: Pieces tells what it has drawn. The marks cannot be printed, and so are in no
// text of others that was made printable.
func Marked() Look { return Look{marked: true} }

// The marks: what begins a piece, whose look follows in a letter, and what ends it.
const (
	markBegins = '\x0e'
	markEnds   = '\x0f'
)

// Piece is text in one look.
type Piece struct {
	Look string // "strong", "faint", "figure", "good", "doubtful", "bad"; "" of plain text
	Text string
}

// lookNames are the looks by their letters.
var lookNames = map[byte]string{'s': "strong", 'f': "faint", 'n': "figure", 'g': "good", 'd': "doubtful", 'b': "bad"}

// Pieces takes apart what Marked has drawn. Looks are not within each other.
func Pieces(text string) (list []Piece) {
	for text != "" {
		before, rest, found := strings.Cut(text, string(markBegins))
		if before != "" {
			list = append(list, Piece{Text: before})
		}
		if !found || rest == "" {
			break
		}
		drawn, after, _ := strings.Cut(rest[1:], string(markEnds))
		list = append(list, Piece{Look: lookNames[rest[0]], Text: drawn})
		text = after
	}
	return list
}

// LookOf returns what can be shown on out, which is a terminal where it says so. A
// terminal that NO_COLOR is set for shows no colours, and a dumb one, or the log of a
// build server, plain lines alone.
func LookOf(out io.Writer, isTerminal bool, environ []string) Look {
	profile := colorprofile.Detect(out, environ)
	logged := slices.ContainsFunc(environ, func(line string) bool {
		name, value, _ := strings.Cut(line, "=")
		return name == "CI" && value != "" && value != "false" || name == "TERM" && value == "dumb"
	})
	return Look{
		Redraws: isTerminal && !logged,
		styled:  profile > colorprofile.NoTTY,
		colored: profile > colorprofile.ASCII,
	}
}

// The looks of text. They are told apart without colours too, by words or by place.
func (l Look) Strong(text string) string { return l.draw('s', lipgloss.NewStyle().Bold(true), text) }

// Faint is for what is read only when it is looked for.
func (l Look) Faint(text string) string { return l.draw('f', lipgloss.NewStyle().Faint(true), text) }

// Figure is for the number that people came for.
func (l Look) Figure(text string) string { return l.draw('n', l.in(lipgloss.Cyan).Bold(true), text) }

// Good is for what is as it should be.
func (l Look) Good(text string) string { return l.draw('g', l.in(lipgloss.Green), text) }

// Doubtful is for what the reader must know of a result.
func (l Look) Doubtful(text string) string { return l.draw('d', l.in(lipgloss.Yellow), text) }

// Bad is for what makes a result worthless.
func (l Look) Bad(text string) string { return l.draw('b', l.in(lipgloss.Red).Bold(true), text) }

func (l Look) in(tone color.Color) lipgloss.Style {
	if !l.colored {
		return lipgloss.NewStyle()
	}
	return lipgloss.NewStyle().Foreground(tone)
}

// draw draws one line. The spaces before it stay outside, so that it can be broken
// and set in as plain text is.
func (l Look) draw(letter byte, style lipgloss.Style, line string) string {
	text := strings.TrimLeft(line, " ")
	switch {
	case text == "":
		return line
	case l.marked:
		return line[:len(line)-len(text)] + string(markBegins) + string(letter) + text + string(markEnds)
	case !l.styled:
		return line
	}
	return line[:len(line)-len(text)] + style.Render(text)
}

// Framed draws a frame around lines if that fits into a width, and returns them as
// they are otherwise, or where nothing can be drawn.
func (l Look) Framed(text string, width int) string {
	const around = 6 // two lines, and two spaces on each side
	if !l.styled || width > 0 && lipgloss.Width(text)+around > width {
		return text
	}
	frame := lipgloss.NewStyle().Border(lipgloss.RoundedBorder()).Padding(0, 2)
	if l.colored {
		frame = frame.BorderForeground(lipgloss.BrightBlack)
	}
	return frame.Render(text)
}
