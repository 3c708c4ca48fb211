package cli

import (
	"fmt"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/guptarohit/asciigraph"

	"sledge/internal/job"
	"sledge/internal/meter"
	"sledge/internal/report"
	"sledge/internal/terminal"
)

// live is what a run shows of itself where lines can be drawn over: how far it has come,
// its rate as a number and as a graph of the last minute, response times of the phase so
// far, and what failed in it.
type live struct {
	title  string // which run of several, or ""
	users  int
	length func(job.Phase) time.Duration

	phase   job.Phase
	sum     meter.Summary // of the phase
	rates   []float64     // transactions a minute in each of the last seconds, of whatever phase
	rate    job.ServerRate
	server  *float64 // the server's own rate of them, while that is news
	counted bool     // whether there was one
	stalled int      // seconds since a transaction ended

	clients int // asynchronous ones that have logged in; 0 where there are none
}

// remembered is how many seconds the graph shows.
const remembered = 60

// begin begins a phase.
func (l *live) begin(phase job.Phase) {
	l.phase, l.sum = phase, meter.Summary{}
}

// add adds a second.
func (l *live) add(s job.Second) {
	if l.sum.Kinds == nil {
		l.sum = meter.NewSummary(len(s.Measured.Kinds))
	}
	before := ended(l.sum)
	l.phase = s.Phase
	if err := l.sum.AddCoded(s.Measured); err != nil {
		return // what is not whole is not shown; the result says what is wrong
	}
	rate := float64(ended(l.sum)-before) / s.Measured.Elapsed.Minutes()
	l.rates = append(l.rates, rate)
	l.rates = l.rates[max(0, len(l.rates)-remembered):]
	l.server = l.rate.Add(s)
	l.counted = l.counted || l.server != nil
	l.clients = s.Sessions
	l.stalled++
	if rate > 0 {
		l.stalled = 0
	}
}

// ended counts the transactions that ended as they should.
func ended(s meter.Summary) (n int64) {
	for i := range s.Kinds {
		n += s.Kinds[i].Done + s.Kinds[i].RolledBack
	}
	return n
}

// text returns what draws the state of now, in any width and from any goroutine.
func (l *live) text(offset time.Duration, look terminal.Look) func(width int) string {
	length, rates := l.length(l.phase), append([]float64(nil), l.rates...)
	head := []string{look.Strong(fmt.Sprintf("%-8s", l.phase)) + " " + clock(offset) + " of " + clock(length), clock(max(0, length-offset)) + " left"}
	var figures, times, errors string
	if len(rates) > 0 {
		sum := l.sum
		if sum.Kinds == nil { // the phase has just begun, and the block keeps its place
			sum = meter.NewSummary(1)
		}
		all := sum.All()
		rate := humanize.Comma(int64(rates[len(rates)-1])) + " TPM"
		switch {
		case l.stalled > 0:
			rate = look.Bad(rate)
		case l.phase == job.Measure:
			rate = look.Figure(rate)
		default: // nothing of this counts yet
			rate = look.Strong(rate)
		}
		average := "-"
		if sum.Elapsed > 0 {
			average = humanize.Comma(int64(sum.PerMinute(ended(sum))))
		}
		figures = rate + look.Faint("   average ") + average
		switch {
		case l.server != nil:
			figures += look.Faint("   server ") + humanize.Comma(int64(*l.server))
		case l.counted: // it does not answer
			figures += look.Faint("   server -")
		}
		for _, p := range []float64{50, 95, 99} {
			times += look.Faint(fmt.Sprintf("p%g ", p)) + millis(all.Response, p) + " ms   "
		}
		times += look.Faint("max ") + millis(all.Response, 100) + " ms"
		errors = counted(all.Failures(), "failed", look.Bad, look) + "   " + counted(all.Retried, "retried", look.Doubtful, look)
		if l.stalled > 1 {
			errors += "   " + look.Bad(fmt.Sprintf("no transaction has ended for %d s", l.stalled))
		}
	}
	who := report.VirtualUsers(l.users)
	if l.clients > 0 {
		who += ", " + humanize.Comma(int64(l.clients)) + " clients"
	}
	if l.title != "" {
		who = l.title + ", " + who
	}
	return func(width int) string {
		lines := []string{timeBar(head, offset, length, width)}
		if figures != "" {
			lines = append(lines, "  "+beside(figures, look.Faint(who), width-2), "")
			lines = append(lines, graph(rates, width)...)
			lines = append(lines, "", "  "+times, "  "+errors)
		}
		for i, line := range lines {
			if terminal.Width(line) > width { // plain text can be cut anywhere
				lines[i] = terminal.Cut(terminal.Plain(line), width)
			}
		}
		return strings.Join(lines, "\n")
	}
}

// counted spells a number of what had better not happen.
func counted(n int64, what string, bad func(string) string, look terminal.Look) string {
	text := humanize.Comma(n)
	if n > 0 {
		text = bad(text)
	}
	return look.Faint(what+" ") + text
}

// beside puts a text to the right of another, if there is room for both.
func beside(left, right string, width int) string {
	room := width - terminal.Width(left) - terminal.Width(right)
	if room < 2 {
		return left
	}
	return left + strings.Repeat(" ", min(room, 8)) + right
}

// timeBar draws how much of a phase has gone by, between what stands at its ends.
func timeBar(ends []string, done, length time.Duration, width int) string {
	room := min(width-terminal.Width(ends[0]+ends[1])-len("  []  "), widestTimeBar)
	if room < narrowestBar || length <= 0 {
		return ends[0]
	}
	full := min(room, int(int64(room)*int64(done)/int64(length)))
	return fmt.Sprintf("%s  [%s%s]  %s", ends[0], strings.Repeat("=", full), strings.Repeat(" ", room-full), ends[1])
}

const widestTimeBar = 50

// graph draws rates over seconds, the newest at the right.
func graph(rates []float64, width int) []string {
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
