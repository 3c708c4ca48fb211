package chart

import (
	"encoding/xml"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// attributes parses a drawing as XML, and returns the values of an attribute of the elements with
// the given name.
func attributes(t *testing.T, svg, element, attribute string) (values []string) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(svg))
	for {
		token, err := d.Token()
		if token == nil {
			return values
		}
		if err != nil {
			t.Fatalf("%v in %s", err, svg)
		}
		start, is := token.(xml.StartElement)
		if !is || start.Name.Local != element {
			continue
		}
		for _, a := range start.Attr {
			if a.Name.Local == attribute {
				values = append(values, a.Value)
			}
		}
	}
}

var noNumber = math.NaN()

// awkward returns charts that are hard to draw: without points, with one point, with equal values,
// and without values above 0.
func awkward() []Chart {
	line := func(points ...Point) []Line {
		return []Line{{Name: "a", Is: "server", Points: points}, {Name: "b", Is: "client"}}
	}
	time := Axis{Name: "time", Time: true}
	y := Axis{Name: "rate"}
	logged := Axis{Name: "time", Unit: "ms", Log: true}
	return []Chart{
		Lines{Name: "nothing", X: time, Y: y},
		Lines{Name: "no points", X: time, Y: logged, Lines: line()},
		Lines{Name: "one point", X: time, Y: y, Lines: line(Point{3, 5})},
		Lines{Name: "no number", X: time, Y: logged, Lines: line(Point{3, noNumber}, Point{4, noNumber})},
		Lines{Name: "all 0", X: time, Y: y, Lines: line(Point{0, 0}, Point{1, 0})},
		Lines{Name: "0 on a logarithmic axis", X: time, Y: logged, Lines: line(Point{0, 0}, Point{1, 3}, Point{2, -1})},
		Lines{Name: "all the same", X: time, Y: logged, Lines: line(Point{0, 7}, Point{1, 7})},
		Lines{Name: "huge", X: time, Y: y, Lines: line(Point{0, 1e15}, Point{1e9, 3})},
		Lines{Name: "places", X: Axis{Name: "users", Places: []string{"1"}}, Y: y, Lines: line(Point{0, 7}), Dots: true},
		Bars{Name: "nothing", X: y, Series: []string{"a"}},
		Bars{Name: "no number", X: y, Series: []string{"a", "b"}, Groups: []Group{{"g", []Value{{Value: noNumber}, {Value: 0}}}}},
		Boxes{Name: "nothing", X: logged},
		Boxes{Name: "all 0", X: logged, Boxes: []Box{{Name: "a"}}},
		Spans{Name: "nothing", X: time},
		Spans{Name: "of no length", X: time, Lanes: []string{"stream 1"}, Spans: []Span{{Name: "query 1", Mark: "1"}}},
	}
}

func TestSVG_HasOnlyFiniteNumbers(t *testing.T) {
	number := regexp.MustCompile(`^-?\d+(\.\d)?$`)
	for _, c := range awkward() {
		for _, width := range []int{340, 860} {
			svg := c.SVG(width)
			if strings.Contains(svg, "NaN") || strings.Contains(svg, "Inf") {
				t.Errorf("%s: got %s", c.Title(), svg)
			}
			for _, element := range []string{"line", "rect", "text", "circle"} {
				for _, attribute := range []string{"x", "y", "x1", "x2", "y1", "y2", "cx", "cy", "width", "height"} {
					for _, v := range attributes(t, svg, element, attribute) {
						if !number.MatchString(v) {
							t.Errorf("%s: %s has %s=%q", c.Title(), element, attribute, v)
						}
					}
				}
			}
		}
		for _, row := range c.Table().Rows {
			if len(row) != len(c.Table().Heads) {
				t.Errorf("%s: got the row %q under the heads %q", c.Title(), row, c.Table().Heads)
			}
		}
	}
}

func TestLines_HaveAGapWithoutMeasurements(t *testing.T) {
	l := Lines{
		Name: "rates", X: Axis{Name: "time", Time: true}, Y: Axis{Name: "rate"},
		Lines: []Line{{Name: "a", Is: "server", Points: []Point{{0, 1}, {1, 2}, {2, noNumber}, {3, 3}, {4, 2}}}},
		Bands: []Band{{"ramp-up", 0, 1}},
	}
	paths := attributes(t, l.SVG(860), "path", "d")
	if len(paths) != 1 || strings.Count(paths[0], "M") != 2 || strings.Count(paths[0], "L") != 2 {
		t.Errorf("got the paths %q, want one of two pieces of two points", paths)
	}
	want := [][]string{{"0:00", "1", ""}, {"0:01", "2", "ramp-up"}, {"0:02", "", ""}, {"0:03", "3", ""}, {"0:04", "2", ""}}
	if got := l.Table().Rows; !slices.EqualFunc(got, want, slices.Equal) {
		t.Errorf("got the table %q, want %q", got, want)
	}
}

// The test reads the position of a point from the drawing, and compares it with the marks of the
// axis.
func TestLines_AgreeWithTheAxis(t *testing.T) {
	l := Lines{Name: "rates", X: Axis{Name: "time", Time: true}, Y: Axis{Name: "rate"}, Lines: []Line{{Name: "a", Is: "server", Points: []Point{{0, 0}, {10, 100}}}}}
	svg := l.SVG(860)
	heights := attributes(t, svg, "line", "y1")
	bottom, top := number(t, heights[0]), number(t, heights[len(heights)-1])
	for _, h := range heights {
		bottom, top = max(bottom, number(t, h)), min(top, number(t, h))
	}
	path := regexp.MustCompile(`M([\d.]+) ([\d.]+)L([\d.]+) ([\d.]+)`).FindStringSubmatch(attributes(t, svg, "path", "d")[0])
	if from, to := number(t, path[2]), number(t, path[4]); from != bottom || to != top {
		t.Errorf("a line from 0 to 100 goes from %v to %v, want from %v to %v", from, to, bottom, top)
	}
}

func number(t *testing.T, text string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestScale_HasRoundMarks(t *testing.T) {
	for _, tt := range []struct {
		axis      Axis
		low, high float64
		want      string
	}{
		{Axis{}, 0, 17_000, "0 5,000 10,000 15,000 20,000"},
		{Axis{}, 0, 0.37, "0 0.1 0.2 0.3 0.4"},
		{Axis{}, 0, 0, "0 0.5 1"},
		{Axis{Log: true}, 0.7, 45, "0.5 1 2 5 10 20 50"},
		{Axis{Log: true}, 0.0123, 98_000, "0.01 0.1 1 10 100 1,000 10,000 100,000"},
		{Axis{Time: true}, 0, 30, "0:00 0:10 0:20 0:30"},
		{Axis{Time: true}, 0, 86_400, "0:00 6:00:00 12:00:00 18:00:00 24:00:00"},
		{Axis{Time: true}, 0, 1.2, "0 s 0.5 s 1 s"},
		{Axis{Places: []string{"1", "8"}}, 0, 1, "1 8"},
	} {
		marks := 4
		if tt.high == 0 || tt.high == 1.2 {
			marks = 3
		}
		s := newScale(tt.axis, tt.low, tt.high, marks)
		var labels []string
		for _, m := range s.marks {
			labels = append(labels, s.label(m))
			if at := s.place(m); at < -1e-9 || at > 1+1e-9 {
				t.Errorf("%+v from %v to %v: the mark %v is at %v", tt.axis, tt.low, tt.high, m, at)
			}
		}
		if got := strings.Join(labels, " "); got != tt.want {
			t.Errorf("%+v from %v to %v: got the marks %s, want %s", tt.axis, tt.low, tt.high, got, tt.want)
		}
	}
}

func TestSVG_EscapesText(t *testing.T) {
	const hostile = `</text><script>alert("1")</script>'` + "\x1b[2J"
	for _, c := range []Chart{
		Lines{Name: hostile, X: Axis{Name: hostile, Unit: hostile}, Y: Axis{Name: hostile}, Lines: []Line{{Name: hostile, Is: hostile, Points: []Point{{1, 2}}}, {Name: hostile}}, Dots: true, Bands: []Band{{hostile, 0, 1000}}, Marks: []Mark{{hostile, 1}}},
		Bars{Name: hostile, X: Axis{Name: hostile}, Series: []string{hostile, hostile}, Groups: []Group{{hostile, []Value{{Value: 1, Words: hostile}, {}}}}},
		Boxes{Name: hostile, X: Axis{Name: hostile}, Boxes: []Box{{Name: hostile, Max: 1}}},
		Spans{Name: hostile, X: Axis{Name: hostile}, Lanes: []string{hostile}, Spans: []Span{{Name: hostile, Mark: hostile, To: 1, Broken: hostile}}},
	} {
		svg := c.SVG(860)
		if strings.Contains(svg, "<script") || len(attributes(t, svg, "svg", "aria-label")) != 1 {
			t.Errorf("got %s", svg)
		}
	}
}

// The web application's pages must use the same colours under the same names.
func TestColours_EqualThoseOfThePages(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "ui", "src", "charts", "palette.ts"))
	if err != nil {
		t.Fatal(err)
	}
	for name, colours := range map[string][]string{"light": Light, "dark": Dark} {
		if want := "const " + name + " = ['" + strings.Join(colours, "', '") + "']"; !strings.Contains(string(text), want) {
			t.Errorf("palette.ts lacks the line %s", want)
		}
	}
	listed := regexp.MustCompile(`(?m)^  '?(\w+)'?: (\d),$`).FindAllStringSubmatch(string(text), -1)
	if len(listed) != len(places) {
		t.Errorf("palette.ts has %d names with colours, want %d", len(listed), len(places))
	}
	for _, m := range listed {
		if got := strconv.Itoa(Colour(m[1])); got != m[2] {
			t.Errorf("%s: got the colour %s, and the pages have %s", m[1], got, m[2])
		}
	}
	for name, want := range map[string]int{"query 1": 0, "query 9": 1, "run 0": 6} {
		if got := Colour(name); got != want {
			t.Errorf("%s: got the colour %d, want %d", name, got, want)
		}
	}
}
