package chart

import (
	"fmt"
	"math"
	"strconv"
)

// Bars is a bar chart: a group for each name, with a bar in it for each series.
type Bars struct {
	Name   string
	X      Axis     // the axis of the bars' length
	Series []string // names; a single series has no legend
	Is     []string // the key of each colour, as Colour knows it; nil to use the names
	Groups []Group
}

// Group is the bars of one name.
type Group struct {
	Name   string
	Values []Value // one for each series
}

// Value is the length of a bar. If Least and Most differ, a whisker shows their range.
type Value struct {
	Value       float64 // NaN if missing
	Least, Most float64
	Words       string // text after the number beside the bar, for example "not done"
}

var _ Chart = Bars{}

// Title implements Chart.
func (b Bars) Title() string { return b.Name }

// colourOf returns the colour of a series.
func (b Bars) colourOf(i int) int {
	switch {
	case len(b.Series) == 1:
		return Colour("server")
	case b.Is != nil:
		return Colour(b.Is[i])
	}
	return Colour(b.Series[i])
}

// SVG implements Chart.
func (b Bars) SVG(width int) string {
	var entries []entry
	var names []string
	most := 0.0
	for i, s := range b.Series {
		entries = append(entries, entry{s, b.colourOf(i), -1})
	}
	for _, g := range b.Groups {
		names = append(names, g.Name)
		for _, v := range g.Values {
			if !math.IsNaN(v.Value) {
				most = max(most, v.Value, v.Most)
			}
		}
	}
	const thick, apart = 14.0, 10.0
	legend := legendTall(entries, float64(width))
	group := thick*float64(max(len(b.Series), 1)) + apart
	c := begin(width, int(legend+group*float64(len(b.Groups))+2*lineTall+16), b.Name)
	c.legend(entries, 0, 0)
	c.top = legend + 6
	c.bottom = c.top + group*float64(len(b.Groups))
	c.names(names)
	s := newScale(b.X, 0, most, c.marks())
	c.right -= 7 * letter // room for the text beside the longest bar
	if len(b.Series) > 1 {
		longest := 0.0
		for _, name := range b.Series {
			longest = max(longest, wide(name))
		}
		c.right -= longest
	}
	c.grid(s)
	for i, g := range b.Groups {
		top := c.top + group*float64(i) + apart/2
		c.text("label", atEnd, c.left-8, top+(group-apart)/2+aboveTick, fitted(g.Name, c.left-8))
		for k, v := range g.Values {
			y := top + thick*float64(k)
			words := Number(v.Value)
			if math.IsNaN(v.Value) {
				words = "-"
			} else {
				end := c.x(s, v.Value)
				c.rect("fill c"+strconv.Itoa(b.colourOf(k)), c.left, y+1, end-c.left, thick-2, fmt.Sprintf("%s, %s: %s %s", g.Name, b.Series[k], words, b.X.Unit))
				if v.Most > v.Least {
					c.whisker(c.x(s, v.Least), c.x(s, v.Most), y+thick/2, 4)
				}
			}
			if len(b.Series) > 1 { // distinguishes series without colour
				words += " " + b.Series[k]
			}
			if v.Words != "" {
				words += " " + v.Words
			}
			at := c.left
			if !math.IsNaN(v.Value) {
				at = c.x(s, max(v.Value, v.Most))
			}
			c.text("value", atStart, at+4, y+thick/2+aboveTick, words)
		}
	}
	c.line("axis", c.left, c.top, c.left, c.bottom)
	return c.end()
}

// names reserves room for names at the left.
func (c *canvas) names(list []string) {
	c.left = 0
	for _, name := range list {
		c.left = max(c.left, wide(name)+12)
	}
	c.left, c.right = min(c.left, c.width*0.36), c.width-14
}

// marks returns the number of marks that fit on the bottom axis.
func (c *canvas) marks() int { return max(2, int((c.right-c.left)/90)) }

// grid draws vertical grid lines and the bottom axis.
func (c *canvas) grid(s scale) {
	for _, m := range s.marks {
		at := c.x(s, m)
		c.line("grid", at, c.top, at, c.bottom)
	}
	c.xAxis(s)
}

// whisker draws a range.
func (c *canvas) whisker(from, to, y, half float64) {
	c.line("whisker", from, y, to, y)
	c.line("whisker", from, y-half, from, y+half)
	c.line("whisker", to, y-half, to, y+half)
}

// Table implements Chart.
func (b Bars) Table() Table {
	t := Table{Heads: []string{"name"}}
	ranged := false
	for _, g := range b.Groups {
		for _, v := range g.Values {
			ranged = ranged || v.Most > v.Least
		}
	}
	unit := ""
	if b.X.Unit != "" {
		unit = " (" + b.X.Unit + ")"
	}
	for _, s := range b.Series {
		t.Heads = append(t.Heads, s+unit)
		if ranged {
			t.Heads = append(t.Heads, s+", least", s+", most")
		}
	}
	for _, g := range b.Groups {
		row := []string{g.Name}
		for _, v := range g.Values {
			cell, least, most := "-", "", ""
			if !math.IsNaN(v.Value) {
				cell, least, most = Number(v.Value), Number(v.Least), Number(v.Most)
			}
			if v.Words != "" {
				cell += " " + v.Words
			}
			row = append(row, cell)
			if ranged {
				row = append(row, least, most)
			}
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// Boxes is a box plot, a line for each name: the box spans the middle half, with a stroke at
// the median; the whiskers reach from the minimum to the 99th percentile.
type Boxes struct {
	Name  string
	X     Axis
	Boxes []Box
}

// Box is the spread of the values of one name.
type Box struct {
	Name                         string
	Min, P25, P50, P75, P99, Max float64
}

var _ Chart = Boxes{}

// Title implements Chart.
func (b Boxes) Title() string { return b.Name }

// SVG implements Chart.
func (b Boxes) SVG(width int) string {
	const tall = 34.0
	c := begin(width, int(tall*float64(len(b.Boxes))+2*lineTall+16), b.Name)
	low, high := math.Inf(1), math.Inf(-1)
	var names []string
	for _, box := range b.Boxes {
		names = append(names, box.Name)
		for _, v := range []float64{box.Min, box.P25, box.P50, box.P75, box.P99, box.Max} {
			if v > 0 || !b.X.Log {
				low, high = min(low, v), max(high, v)
			}
		}
	}
	c.top = 6
	c.bottom = c.top + tall*float64(len(b.Boxes))
	c.names(names)
	s := newScale(b.X, low, high, c.marks())
	c.grid(s)
	for i, box := range b.Boxes {
		y := c.top + tall*(float64(i)+0.5)
		c.text("label", atEnd, c.left-8, y+aboveTick, fitted(box.Name, c.left-8))
		c.whisker(c.x(s, box.Min), c.x(s, box.P99), y, 6)
		words := fmt.Sprintf("%s: min %s, p25 %s, p50 %s, p75 %s, p99 %s, max %s %s",
			box.Name, Number(box.Min), Number(box.P25), Number(box.P50), Number(box.P75), Number(box.P99), Number(box.Max), b.X.Unit)
		from, to := c.x(s, box.P25), c.x(s, box.P75)
		c.rect("box c"+strconv.Itoa(Colour("server")), from, y-9, max(to-from, 2), 18, words)
		c.line("median", c.x(s, box.P50), y-9, c.x(s, box.P50), y+9)
		c.dot("outlier", c.x(s, box.Max), y, words)
	}
	return c.end()
}

// Table implements Chart.
func (b Boxes) Table() Table {
	t := Table{Heads: []string{"name"}}
	for _, head := range []string{"min", "p25", "p50", "p75", "p99", "max"} {
		t.Heads = append(t.Heads, head+" ("+b.X.Unit+")")
	}
	for _, box := range b.Boxes {
		row := []string{box.Name}
		for _, v := range []float64{box.Min, box.P25, box.P50, box.P75, box.P99, box.Max} {
			row = append(row, Number(v))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// Spans is a timeline with a lane for each actor.
type Spans struct {
	Name  string
	X     Axis
	Lanes []string
	Spans []Span
}

// Span is a piece of work on a timeline.
type Span struct {
	Lane     int
	Name     string // "query 14"
	Mark     string // the label in its bar, if it fits: "14"
	From, To float64
	Broken   string // its outcome, if not done: "failed"
}

var _ Chart = Spans{}

// Title implements Chart.
func (s Spans) Title() string { return s.Name }

// SVG implements Chart.
func (s Spans) SVG(width int) string {
	const tall = 26.0
	c := begin(width, int(tall*float64(len(s.Lanes))+2*lineTall+16), s.Name)
	c.top = 6
	c.bottom = c.top + tall*float64(len(s.Lanes))
	c.names(s.Lanes)
	high := 0.0
	for _, span := range s.Spans {
		high = max(high, span.To)
	}
	x := newScale(s.X, 0, high, c.marks())
	c.grid(x)
	for i, name := range s.Lanes {
		c.text("label", atEnd, c.left-8, c.top+tall*(float64(i)+0.5)+aboveTick, fitted(name, c.left-8))
	}
	for _, span := range s.Spans {
		from, to := c.x(x, span.From), c.x(x, span.To)
		y := c.top + tall*float64(span.Lane) + 3
		class, words := "span c"+strconv.Itoa(Colour(span.Name)), fmt.Sprintf("%s, from %s to %s", span.Name, x.label(span.From), x.label(span.To))
		if span.Broken != "" {
			class, words = "span broken", words+", "+span.Broken
		}
		c.rect(class, from, y, max(to-from, 1), tall-6, words)
		if mark := span.Mark; wide(mark)+4 < to-from {
			c.text("inside", atMiddle, (from+to)/2, y+(tall-6)/2+aboveTick, mark)
		}
	}
	return c.end()
}

// Table implements Chart.
func (s Spans) Table() Table {
	t := Table{Heads: []string{"who", "what", "from (s)", "took (s)", "ended"}}
	for _, span := range s.Spans {
		ended := span.Broken
		if ended == "" {
			ended = "done"
		}
		t.Rows = append(t.Rows, []string{s.Lanes[span.Lane], span.Name, Number(span.From), Number(span.To - span.From), ended})
	}
	return t
}
