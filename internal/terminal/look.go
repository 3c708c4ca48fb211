package terminal

import (
	"image/color"
	"io"
	"slices"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"
)

// Look is the set of styles that an output supports. The zero value is for a file: no styles, and
// text stays unchanged.
type Look struct {
	Redraws bool // output can be redrawn: a person watches a terminal
	styled  bool // there is bold and faint text
	colored bool
	marked  bool // looks are written as marks
}

// Marked returns the look for outputs with their own styles, for example a page in a browser.
// Pieces parses its text. The marks are unprintable characters, so printable text never contains
// them.
func Marked() Look { return Look{marked: true} }

// The marks: the beginning of a piece, followed by the letter of its look, and its end.
const (
	markBegins = '\x0e'
	markEnds   = '\x0f'
)

// Piece is text in one look.
type Piece struct {
	Look string // "strong", "faint", "figure", "good", "doubtful", "bad"; "" for plain text
	Text string
}

// lookNames maps the letters of marks to looks.
var lookNames = map[byte]string{'s': "strong", 'f': "faint", 'n': "figure", 'g': "good", 'd': "doubtful", 'b': "bad"}

// Pieces parses text drawn by Marked. Looks do not nest.
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

// LookOf returns the look for out. isTerminal says whether out is a terminal. A terminal with
// NO_COLOR shows no colours; a dumb terminal or a build server's log shows only plain lines.
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

// Strong is for emphasis. No look carries information alone, so output without colours loses none.
func (l Look) Strong(text string) string { return l.draw('s', lipgloss.NewStyle().Bold(true), text) }

// Faint is for secondary details.
func (l Look) Faint(text string) string { return l.draw('f', lipgloss.NewStyle().Faint(true), text) }

// Figure is for the main number.
func (l Look) Figure(text string) string { return l.draw('n', l.in(lipgloss.Cyan).Bold(true), text) }

// Good is for results without problems.
func (l Look) Good(text string) string { return l.draw('g', l.in(lipgloss.Green), text) }

// Doubtful is for caveats of a result.
func (l Look) Doubtful(text string) string { return l.draw('d', l.in(lipgloss.Yellow), text) }

// Bad is for problems that invalidate a result.
func (l Look) Bad(text string) string { return l.draw('b', l.in(lipgloss.Red).Bold(true), text) }

// Tinted is for text of one of several kinds, each of which has its own colour.
func (l Look) Tinted(tone color.Color, text string) string {
	if !l.colored {
		return text
	}
	return l.in(tone).Render(text)
}

func (l Look) in(tone color.Color) lipgloss.Style {
	if !l.colored {
		return lipgloss.NewStyle()
	}
	return lipgloss.NewStyle().Foreground(tone)
}

// draw styles one line. The spaces before it stay unstyled, so the line can be broken and
// indented like plain text.
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

// Framed draws a frame around lines if it fits the width and the output can draw; otherwise it
// returns the lines unchanged.
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
