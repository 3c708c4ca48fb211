// Package chart draws charts as SVG for HTML pages: lines, bars, boxes and spans. It knows no
// job. Colours and fonts are classes that the page's style sheet defines, so one drawing serves
// light and dark pages and paper; lines differ by their strokes too. Every chart comes with a
// table of its data.
package chart

import (
	"fmt"
	"html"
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Chart is a drawing with the data behind it.
type Chart interface {
	// Title is a short headline.
	Title() string

	// SVG draws the chart as an HTML element of that width in pixels.
	SVG(width int) string

	// Table returns the data.
	Table() Table
}

// Table is the data of a chart, as text.
type Table struct {
	Heads []string // with units: "p99 (ms)"
	Rows  [][]string
}

// Axis is a side of a chart and its scale.
type Axis struct {
	Name string // "response time"
	Unit string // "ms"; "" for a count
	Log  bool   // logarithmic: its marks are powers of ten; values of 0 and below are left out
	Time bool   // its values are seconds, written as minutes and hours

	// Places, if not empty, are labels at 0, 1, 2 and so on instead of numbers.
	Places []string
}

// head is the column head of the axis in the table.
func (a Axis) head() string {
	if a.Unit == "" {
		return a.Name
	}
	return a.Name + " (" + a.Unit + ")"
}

// Measures of a drawing, in pixels.
const (
	letter    = 7.0 // approximate width of a letter
	lineTall  = 18  // height of a line of text
	aboveTick = 4   // distance from the baseline of a label to the middle of its letters
)

// wide estimates the width of a text. It cannot be exact, because browsers choose the font.
func wide(text string) float64 {
	width := 0.0
	for _, r := range text {
		if width += letter; unicode.IsUpper(r) {
			width += letter / 3
		}
	}
	return width
}

// fitted shortens a text to a width.
func fitted(text string, width float64) string {
	most := max(int(width/letter), 2)
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	return string([]rune(text)[:most-1]) + "…"
}

// canvas is an unfinished drawing.
type canvas struct {
	strings.Builder
	width, height float64

	left, right, top, bottom float64 // bounds of the plot area
}

// begin begins a drawing. Screen readers read the label.
func begin(width, height int, label string) *canvas {
	c := &canvas{width: float64(width), height: float64(height)}
	fmt.Fprintf(c, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img" aria-label="%s">`,
		width, height, width, height, escaped(label))
	return c
}

// end ends the drawing.
func (c *canvas) end() string { return c.String() + "</svg>\n" }

// px writes a coordinate.
func px(v float64) string {
	return strconv.FormatFloat(math.Round(10*v)/10, 'f', -1, 64)
}

func (c *canvas) line(class string, x1, y1, x2, y2 float64) {
	fmt.Fprintf(c, `<line class="%s" x1="%s" y1="%s" x2="%s" y2="%s"/>`, class, px(x1), px(y1), px(x2), px(y2))
}

// rect draws a rectangle with a tooltip.
func (c *canvas) rect(class string, x, y, width, height float64, words string) {
	fmt.Fprintf(c, `<rect class="%s" x="%s" y="%s" width="%s" height="%s">%s</rect>`, class, px(x), px(y), px(max(width, 0)), px(max(height, 0)), tooltip(words))
}

func (c *canvas) dot(class string, x, y float64, words string) {
	fmt.Fprintf(c, `<circle class="%s" cx="%s" cy="%s" r="3.5">%s</circle>`, class, px(x), px(y), tooltip(words))
}

// escaped escapes text for XML and drops control characters.
func escaped(words string) string {
	return html.EscapeString(strings.Map(func(r rune) rune {
		if unicode.IsGraphic(r) {
			return r
		}
		return unicode.ReplacementChar
	}, words))
}

// tooltip returns the tooltip of an element.
func tooltip(words string) string {
	if words == "" {
		return ""
	}
	return "<title>" + escaped(words) + "</title>"
}

// Alignments of a text at its coordinates.
const (
	atStart  = "start"
	atMiddle = "middle"
	atEnd    = "end"
)

func (c *canvas) text(class, anchor string, x, y float64, words string) {
	fmt.Fprintf(c, `<text class="%s" text-anchor="%s" x="%s" y="%s">%s</text>`, class, anchor, px(x), px(y), escaped(words))
}

// entry is a line of a legend.
type entry struct {
	name   string
	colour int
	stroke int // index of its stroke; -1 for an area
}

// strokes distinguish lines without colours.
var strokes = []string{"", "7 4", "2 3", "9 3 2 3", "12 5", "4 2 1 2", "1 5"}

func strokeOf(i int) string { return strokes[i%len(strokes)] }

// dashes returns the attribute of a stroke.
func dashes(i int) string {
	if s := strokeOf(i); s != "" {
		return ` stroke-dasharray="` + s + `"`
	}
	return ""
}

// The sizes of a line's sample in a legend.
const (
	sampleWide = 26
	sampleGap  = 6
	entryGap   = 18
)

// legendTall returns the height of a legend.
func legendTall(entries []entry, width float64) float64 {
	_, tall := placed(entries, width)
	return tall
}

// placed arranges the entries of a legend in rows.
func placed(entries []entry, width float64) (at [][2]float64, tall float64) {
	if len(entries) < 2 {
		return nil, 0
	}
	x, y := 0.0, 0.0
	for _, e := range entries {
		need := sampleWide + sampleGap + wide(e.name)
		if x > 0 && x+need > width {
			x, y = 0, y+lineTall
		}
		at = append(at, [2]float64{x, y})
		x += need + entryGap
	}
	return at, y + lineTall
}

// legend draws a legend, beginning at the top left corner.
func (c *canvas) legend(entries []entry, left, top float64) {
	at, _ := placed(entries, c.width-left)
	for i, place := range at {
		e, x, y := entries[i], left+place[0], top+place[1]
		if e.stroke < 0 {
			c.rect("fill c"+strconv.Itoa(e.colour), x, y+2, sampleWide-10, 10, "")
			x -= 10
		} else {
			fmt.Fprintf(c, `<line class="stroke c%d"%s x1="%s" y1="%s" x2="%s" y2="%s"/>`, e.colour, dashes(e.stroke), px(x), px(y+7), px(x+sampleWide), px(y+7))
		}
		c.text("label", atStart, x+sampleWide+sampleGap, y+7+aboveTick, fitted(e.name, c.width-x-sampleWide-sampleGap))
	}
}
