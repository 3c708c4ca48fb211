package screen

import (
	"fmt"
	"image/color"
	"math"
	"slices"
	"strings"
	"time"

	"charm.land/lipgloss/v2"

	"sledge/internal/database"
	"sledge/internal/top"
)

// tones are the colours of classes: those of the terminal's palette, which suit its background.
var tones = map[database.WaitClass]color.Color{
	database.WaitCPU: lipgloss.Green, database.WaitLock: lipgloss.Red, database.WaitLog: lipgloss.Yellow, database.WaitCommit: lipgloss.Magenta,
	database.WaitRead: lipgloss.Blue, database.WaitWrite: lipgloss.Cyan, database.WaitLatch: lipgloss.BrightRed, database.WaitNetwork: lipgloss.BrightBlue,
	database.WaitMemory: lipgloss.BrightMagenta, database.WaitParallel: lipgloss.BrightGreen, database.WaitThrottle: lipgloss.BrightCyan, database.WaitOther: lipgloss.BrightBlack,
}

// tinted draws text in the colour of a class.
func (s *Screen) tinted(class database.WaitClass, text string) string {
	if tone := tones[class]; tone != nil {
		return s.Look.Tinted(tone, text)
	}
	return text
}

// labelWidth is the width of the numbers at the left of the chart.
const labelWidth = 7

// column is a column of the chart: the mean sessions by class, of at least a second.
type column struct {
	means map[database.WaitClass]float64 // nil without an answer
	known bool                           // whether there are readings
	sum   float64
}

// perColumn returns the time of a column of the chart, so that five minutes fit.
func perColumn(width int) time.Duration {
	for _, seconds := range []time.Duration{1, 2, 5, 10, 15, 30} {
		if int(top.Kept/(seconds*time.Second)) <= width-labelWidth-1 {
			return seconds * time.Second
		}
	}
	return time.Minute
}

// strip draws the average active sessions by class over the last five minutes before a reading. A column has
// a time that is a multiple of its length, so that only the last column changes from second to second.
func (s *Screen) strip(i, width, height int) []string {
	each := perColumn(width)
	readings := s.history.Last(i, top.Kept)
	last := readings[len(readings)-1].At.Truncate(each)
	columns := make([]column, top.Kept/each)
	at := func(r top.Reading) int { return len(columns) - 1 - int(last.Sub(r.At.Truncate(each))/each) }
	most := 0.
	for len(readings) > 0 {
		k, n := at(readings[0]), 1
		for n < len(readings) && at(readings[n]) == k {
			n++
		}
		if k >= 0 && k < len(columns) {
			c := &columns[k]
			c.known = true
			if means, answered := top.Classes(readings[:n]); answered {
				c.means = means
				for _, mean := range means {
					c.sum += mean
				}
			}
			most = max(most, c.sum)
		}
		readings = readings[n:]
	}
	scale := nice(most)
	cpus := float64(s.history.At(i).CPUs)
	line := -1 // the row of the CPU count
	if cpus > 0 && cpus <= scale {
		line = int(math.Ceil(cpus/scale*float64(height))) - 1
	}
	lines := make([]string, 0, height)
	for row := height - 1; row >= 0; row-- {
		label := ""
		switch row {
		case height - 1:
			label = amount(scale)
		case line:
			label = fmt.Sprintf("%.0f CPU", cpus)
		case 0:
			label = "0"
		}
		var b strings.Builder
		fmt.Fprintf(&b, "%*s ", labelWidth-1, label)
		for k := 0; k < len(columns); {
			class, text := cell(columns[k], row, height, scale, row == line)
			n := 1
			for k+n < len(columns) {
				nextClass, nextText := cell(columns[k+n], row, height, scale, row == line)
				if nextClass != class || nextText != text {
					break
				}
				n++
			}
			b.WriteString(s.tinted(class, strings.Repeat(text, n)))
			k += n
		}
		lines = append(lines, strings.TrimRight(b.String(), " "))
	}
	return lines
}

// cell returns what a row of a column shows: the class that reaches the middle of the row, the line of the CPU
// count, or nothing.
func cell(c column, row, height int, scale float64, line bool) (database.WaitClass, string) {
	level := (float64(row) + 0.5) / float64(height) * scale
	if c.sum > level {
		reached := 0.
		for _, class := range database.WaitClasses {
			if reached += c.means[class]; reached > level {
				letter, _ := classOf(class)
				return class, letter
			}
		}
		return database.WaitOther, "O" // rounding, or a class of another version
	}
	switch {
	case c.known && c.means == nil && row == 0:
		return "", "?"
	case c.sum > 0 && row == 0:
		return "", "."
	case line:
		return "", "-"
	}
	return "", " "
}

// nice returns a round number that is not much greater than x, and at least 1.
func nice(x float64) float64 {
	if x <= 1 {
		return 1
	}
	unit := math.Pow(10, math.Floor(math.Log10(x)))
	for _, factor := range []float64{1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8} {
		if factor*unit >= x {
			return factor * unit
		}
	}
	return 10 * unit
}

// legend names the classes of the last half minute with their mean sessions.
func (s *Screen) legend(i, width int) string {
	means, answered := top.Classes(s.history.Last(i, window))
	if !answered {
		return "Average active sessions " + notMeasured
	}
	var parts []string
	for _, class := range database.WaitClasses {
		if means[class] > 0 {
			_, name := classOf(class)
			parts = append(parts, s.tinted(class, name)+" "+amount(means[class]))
		}
	}
	if len(parts) == 0 {
		parts = append(parts, "no active sessions")
	}
	about := fmt.Sprintf("%.0f s a column, means of %.0f s", perColumn(width).Seconds(), window.Seconds())
	if cpus := s.history.At(i).CPUs; cpus > 0 {
		about += fmt.Sprintf(", %d CPUs", cpus)
	}
	return strings.Join(slices.Concat(parts, []string{s.Look.Faint(about)}), "  ")
}
