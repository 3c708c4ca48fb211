package chart

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Lines are lines over an axis, such as time or the number of users.
type Lines struct {
	Name  string
	X, Y  Axis
	Lines []Line
	Bands []Band // highlighted parts of the axis, for example the ramp-up
	Marks []Mark // instants at which something changed

	// Dots marks each point, with its values as tooltips.
	Dots bool
}

// Line is a line of a chart.
type Line struct {
	Name   string
	Is     string // the key of its colour: see Colour
	Points []Point
}

// Point is a point of a line. Y is NaN if nothing was measured: the line has a gap there.
type Point struct{ X, Y float64 }

// Band is a part of an axis.
type Band struct {
	Name     string
	From, To float64
}

// Mark is a position on an axis.
type Mark struct {
	Name string
	At   float64
}

var _ Chart = Lines{}

// Title implements Chart.
func (l Lines) Title() string { return l.Name }

// limits returns the least and the greatest drawable value of each axis.
func (l Lines) limits() (x, y [2]float64) {
	x, y = [2]float64{math.Inf(1), math.Inf(-1)}, [2]float64{math.Inf(1), math.Inf(-1)}
	for _, line := range l.Lines {
		for _, p := range line.Points {
			x[0], x[1] = min(x[0], p.X), max(x[1], p.X)
			if !math.IsNaN(p.Y) && (!l.Y.Log || p.Y > 0) {
				y[0], y[1] = min(y[0], p.Y), max(y[1], p.Y)
			}
		}
	}
	for _, b := range l.Bands {
		x[0], x[1] = min(x[0], b.From), max(x[1], b.To)
	}
	if !l.Y.Log {
		y[0] = min(y[0], 0)
	}
	return x, y
}

// SVG implements Chart.
func (l Lines) SVG(width int) string {
	var entries []entry
	for i, line := range l.Lines {
		entries = append(entries, entry{line.Name, Colour(line.Is), i})
	}
	legend := legendTall(entries, float64(width))
	const field = 220
	c := begin(width, int(legend)+2*lineTall+field+2*lineTall+8, l.Name+": "+l.Y.head()+" over "+l.X.head())
	c.legend(entries, 0, 0)
	xs, ys := l.limits()
	y := newScale(l.Y, ys[0], ys[1], 4)
	c.top = legend + 2*lineTall
	c.bottom = c.top + field
	c.text("name", atStart, 0, legend+lineTall-6, l.Y.head())
	c.yAxis(y)
	x := newScale(l.X, xs[0], xs[1], max(2, int((c.right-c.left)/90)))
	if x.axis.Log || len(x.axis.Places) == 0 && !x.axis.Time {
		x.low = min(x.low, xs[0])
	}
	c.bands(x, l.Bands)
	c.xAxis(x)
	for _, m := range l.Marks {
		at := c.x(x, m.At)
		c.line("mark", at, c.top, at, c.bottom)
		c.text("bandname", atStart, at+3, c.top+11, m.Name)
	}
	for i, line := range l.Lines {
		c.curve(line, i, x, y, l.Dots)
	}
	return c.end()
}

// x and y return the position of a value.
func (c *canvas) x(s scale, v float64) float64 { return c.left + s.place(v)*(c.right-c.left) }
func (c *canvas) y(s scale, v float64) float64 { return c.bottom - s.place(v)*(c.bottom-c.top) }

// yAxis draws the left axis and the grid lines. The width of its labels determines the width of the
// plot area.
func (c *canvas) yAxis(s scale) {
	most := 0.0
	for _, m := range s.marks {
		most = max(most, wide(s.label(m)))
	}
	c.left, c.right = most+10, c.width-14
	for _, m := range s.marks {
		at := c.y(s, m)
		c.line("grid", c.left, at, c.right, at)
		c.text("label", atEnd, c.left-6, at+aboveTick, s.label(m))
	}
}

// xAxis draws the bottom axis. It leaves out labels that would touch.
func (c *canvas) xAxis(s scale) {
	c.line("axis", c.left, c.bottom, c.right, c.bottom)
	free := math.Inf(-1)
	for _, m := range s.marks {
		at := c.x(s, m)
		if at < c.left-1 || at > c.right+1 {
			continue
		}
		c.line("axis", at, c.bottom, at, c.bottom+4)
		text := s.label(m)
		middle := min(max(at, wide(text)/2), c.width-wide(text)/2)
		if middle-wide(text)/2 < free {
			continue
		}
		c.text("label", atMiddle, middle, c.bottom+lineTall, text)
		free = middle + wide(text)/2 + letter
	}
	c.text("name", atEnd, c.right, c.bottom+2*lineTall, s.axis.head())
}

// bands shades parts of the plot area.
func (c *canvas) bands(s scale, list []Band) {
	for _, b := range list {
		from, to := c.x(s, b.From), c.x(s, b.To)
		c.rect("band", from, c.top, to-from, c.bottom-c.top, b.Name)
		if wide(b.Name) < to-from-4 {
			c.text("bandname", atStart, from+4, c.top+11, b.Name)
		}
	}
}

// curve draws a line with gaps at points without a value.
func (c *canvas) curve(l Line, stroke int, x, y scale, dots bool) {
	var path strings.Builder
	drawn := 0 // points of the segment
	var last Point
	lone := func() { // a segment of one point would be invisible
		if drawn == 1 && !dots {
			c.dot("dot c"+strconv.Itoa(Colour(l.Is)), c.x(x, last.X), c.y(y, last.Y), "")
		}
		drawn = 0
	}
	for _, p := range l.Points {
		if math.IsNaN(p.Y) || y.axis.Log && p.Y <= 0 {
			lone()
			continue
		}
		command := "L"
		if drawn == 0 {
			command = "M"
		}
		fmt.Fprintf(&path, "%s%s %s", command, px(c.x(x, p.X)), px(c.y(y, p.Y)))
		drawn, last = drawn+1, p
	}
	lone()
	class := "c" + strconv.Itoa(Colour(l.Is))
	if path.Len() > 0 {
		fmt.Fprintf(c, `<path class="stroke %s"%s d="%s"/>`, class, dashes(stroke), path.String())
	}
	if !dots {
		return
	}
	for _, p := range l.Points {
		if !math.IsNaN(p.Y) && (!y.axis.Log || p.Y > 0) {
			c.dot("dot "+class, c.x(x, p.X), c.y(y, p.Y), fmt.Sprintf("%s, %s: %s %s", l.Name, x.label(p.X), Number(p.Y), y.axis.Unit))
		}
	}
}

// Table implements Chart: a row for each value of x.
func (l Lines) Table() Table {
	t := Table{Heads: []string{l.X.head()}}
	at := map[float64][]string{}
	var order []float64
	for i, line := range l.Lines {
		head := line.Name
		if l.Y.Unit != "" {
			head += " (" + l.Y.Unit + ")"
		}
		t.Heads = append(t.Heads, head)
		for _, p := range line.Points {
			if at[p.X] == nil {
				at[p.X] = make([]string, len(l.Lines))
				order = append(order, p.X)
			}
			if !math.IsNaN(p.Y) {
				at[p.X][i] = Number(p.Y)
			}
		}
	}
	slices.Sort(order)
	s := scale{axis: l.X}
	banded := len(l.Bands) > 0
	if banded {
		t.Heads = append(t.Heads, "part")
	}
	for _, x := range order {
		row := append([]string{s.label(x)}, at[x]...)
		if banded {
			row = append(row, l.bandAt(x))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// bandAt returns the name of the band that contains x. A band includes its right end.
func (l Lines) bandAt(x float64) string {
	for _, b := range l.Bands {
		if x > b.From && x <= b.To {
			return b.Name
		}
	}
	return ""
}
