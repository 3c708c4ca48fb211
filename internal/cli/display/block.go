package display

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/guptarohit/asciigraph"

	"sledge/internal/job"
	"sledge/internal/live"
	"sledge/internal/meter"
	"sledge/internal/report"
	"sledge/internal/terminal"
)

// block is the display of a run on a terminal: its progress, its rate as a number and as a graph of
// the last minute, and the response times and failures of the current phase.
type block struct {
	title  string      // such as "run 2 of 5"; "" for a single run
	users  int         // number of virtual users at the begin of the run
	groups []job.Group // nil unless the run has several
	length func(job.Phase) time.Duration

	// delayed says that the server counts a transaction so late that its rate of a second cannot be
	// compared with the virtual users' rate.
	delayed bool

	view    *live.View
	rates   []float64 // transactions per minute in each of the last seconds, of any phase
	counted bool      // whether the server has counted a rate
}

// Remembered is the number of seconds that the graph shows.
const Remembered = 60

// add adds an event.
func (b *block) add(e job.Event) {
	if err := b.view.Add(e); err != nil || e.Second == nil {
		return // damaged data are not shown; the result reports them
	}
	if now, err := b.view.Now(); err == nil && now != nil {
		b.rates = append(b.rates, now.Rate)
		b.rates = b.rates[max(0, len(b.rates)-Remembered):]
		b.counted = b.counted || now.ServerTPM != nil
	}
}

// text returns a function that draws the current state in any width. Any goroutine may call it.
func (b *block) text(look terminal.Look) func(width int) string {
	phase := *b.view.Phase()
	offset := time.Duration(phase.Passed * float64(time.Second))
	length, rates := b.length(phase.Name), slices.Clone(b.rates)
	head := []string{look.Strong(fmt.Sprintf("%-8s", phase.Name)) + " " + Clock(offset) + " of " + Clock(length), Clock(max(0, length-offset)) + " left"}
	var figures, errors string
	var times []string
	if now, err := b.view.Now(); err == nil && now != nil {
		part := b.view.Part()
		if part == nil || part.Phase != phase.Name { // the phase has just begun; the block keeps its height
			part = &live.Part{}
		}
		rate := humanize.Comma(int64(now.Rate)) + " TPM"
		switch {
		case now.Stalled > 0:
			rate = look.Bad(rate)
		case phase.Name == job.Measure:
			rate = look.Figure(rate)
		default: // the ramp-up is not in the result
			rate = look.Strong(rate)
		}
		average := "-"
		if part.Seconds > 0 {
			average = humanize.Comma(int64(part.Rate))
		}
		figures = rate + look.Faint("   average ") + average
		switch {
		case b.delayed && part.ServerTPM != nil:
			figures += look.Faint("   server average ") + humanize.Comma(int64(*part.ServerTPM))
		case b.delayed && b.counted:
			figures += look.Faint("   server average -")
		case now.ServerTPM != nil:
			figures += look.Faint("   server ") + humanize.Comma(int64(*now.ServerTPM))
		case b.counted: // the server does not answer now
			figures += look.Faint("   server -")
		}
		if len(b.groups) == 0 {
			times = []string{timesOf(part.Response, look)}
		}
		for i, g := range b.groups { // a percentile over all groups would mean little
			sum := live.Totals{}
			if i < len(part.Groups) {
				sum = part.Groups[i].Totals
			}
			times = append(times, fmt.Sprintf("%s %*s TPM   ", look.Strong(fmt.Sprintf("%-*s", widestName(b.groups), g.Name)), len(humanize.Comma(int64(part.Rate))), humanize.Comma(int64(sum.Rate)))+timesOf(sum.Response, look))
		}
		errors = counted(part.Failed, "failed", look.Bad, look) + "   " + counted(part.Retried, "retried", look.Doubtful, look)
		if now.Stalled > 1 {
			errors += "   " + look.Bad(fmt.Sprintf("no transaction has ended for %d s", now.Stalled))
		}
	}
	users := report.VirtualUsers(cmp.Or(b.view.Working(), b.users))
	if clients := b.view.Sessions(); clients > 0 {
		users += ", " + humanize.Comma(int64(clients)) + " clients"
	}
	if b.title != "" {
		users = b.title + ", " + users
	}
	return func(width int) string {
		lines := []string{timeBar(head, offset, length, width)}
		if figures != "" {
			lines = append(lines, "  "+Beside(figures, look.Faint(users), width-2), "")
			lines = append(lines, Graph(rates, width)...)
			lines = append(lines, "")
			for _, line := range append(times, errors) {
				lines = append(lines, "  "+line)
			}
		}
		for i, line := range lines {
			if terminal.Width(line) > width { // plain text can be cut anywhere
				lines[i] = terminal.Cut(terminal.Plain(line), width)
			}
		}
		return strings.Join(lines, "\n")
	}
}

// timesOf formats percentiles of response times.
func timesOf(r *meter.Latency, look terminal.Look) string {
	p50, p95, p99, longest := "-", "-", "-", "-"
	if r != nil {
		p50, p95, p99, longest = spellMillis(r.P50), spellMillis(r.P95), spellMillis(r.P99), spellMillis(r.Max)
	}
	return look.Faint("p50 ") + p50 + " ms   " + look.Faint("p95 ") + p95 + " ms   " + look.Faint("p99 ") + p99 + " ms   " + look.Faint("max ") + longest + " ms"
}

// counted formats a count, in the look bad unless it is 0.
func counted(n int64, what string, bad func(string) string, look terminal.Look) string {
	text := humanize.Comma(n)
	if n > 0 {
		text = bad(text)
	}
	return look.Faint(what+" ") + text
}

// Beside appends right to left, or returns left alone if the width is too small for both.
func Beside(left, right string, width int) string {
	room := width - terminal.Width(left) - terminal.Width(right)
	if room < 2 {
		return left
	}
	return left + strings.Repeat(" ", min(room, 8)) + right
}

// timeBar draws the elapsed part of a phase as a bar between two texts.
func timeBar(ends []string, done, length time.Duration, width int) string {
	room := min(width-terminal.Width(ends[0]+ends[1])-len("  []  "), widestTimeBar)
	if room < narrowestBar || length <= 0 {
		return ends[0]
	}
	full := min(room, int(int64(room)*int64(done)/int64(length)))
	return fmt.Sprintf("%s  [%s%s]  %s", ends[0], strings.Repeat("=", full), strings.Repeat(" ", room-full), ends[1])
}

const widestTimeBar = 50

// Graph draws rates over seconds, the newest at the right.
func Graph(rates []float64, width int) []string {
	const high = 4 // lines between the least and the most
	most := 1.
	for _, r := range rates {
		most = max(most, r)
	}
	label := func(value float64) string {
		return fmt.Sprintf("%*s", len(humanize.Comma(int64(most))), humanize.Comma(int64(value)))
	}
	room := width - len("  ") - len(label(most)) - len(" ┤") // the sign at the axis takes one column, not three
	if room < narrowestBar {
		return nil
	}
	shown := rates[max(0, len(rates)-room):]
	if len(shown) == 1 { // a line needs two
		shown = append(shown, shown[0])
	}
	text := asciigraph.Plot(shown, asciigraph.Height(high), asciigraph.LowerBound(0), asciigraph.UpperBound(most),
		asciigraph.YAxisValueFormatter(label))
	var lines []string
	for line := range strings.SplitSeq(text, "\n") {
		lines = append(lines, " "+strings.TrimRight(line, " "))
	}
	return lines
}
