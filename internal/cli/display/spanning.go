package display

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/dustin/go-humanize"

	"sledge/internal/engine"
	"sledge/internal/job"
	"sledge/internal/terminal"
	"sledge/internal/workload"
)

// spanning displays a run of few, long transactions: it prints each transaction at its end, and
// shows the transactions in flight.
type spanning struct {
	unit     workload.Throughput // unit of the rate
	done     int64
	notDone  int64
	queries  int64 // the queries in done; the rate counts only queries, as the result does
	inFlight []job.Span
	said     time.Duration // when the transactions in flight were last printed
}

// span processes the start or end of a transaction. The caller holds the display's lock.
func (s *spanning) span(d *Display, span job.Span) {
	if span.Outcome == "" {
		s.inFlight = append(s.inFlight, span)
		return
	}
	s.inFlight = slices.DeleteFunc(s.inFlight, func(other job.Span) bool { return other.User == span.User })
	switch {
	case !span.Done():
		s.notDone++
	case span.Stream != job.NoStream:
		s.queries++
		s.done++
	default:
		s.done++
	}
	if d.brief || d.hammerDB || d.verbose { // the lines of virtual users show it
		return
	}
	what := fmt.Sprintf("%s (%d of %d", called(span), span.Number, span.Of)
	if span.Set > 1 {
		what += fmt.Sprintf(", set %d", span.Set)
	}
	outcome := string(span.Outcome)
	if span.Class != "" {
		outcome += " (" + span.Class + ")"
	}
	line := fmt.Sprintf("%s  %s) %s after %.3f s", Clock(time.Duration((span.From+span.Seconds)*float64(time.Second))), what, outcome, span.Seconds)
	if span.Done() {
		line += ", " + plural(span.Rows, "row")
	}
	d.line(d.err, line)
}

// called returns the kind of a transaction and its stream.
func called(s job.Span) string {
	if s.Stream == job.NoStream {
		return s.Kind
	}
	return fmt.Sprintf("%s of stream %d", s.Kind, s.Stream)
}

// clock shows the transactions in flight: in the bar, or as a line every 10 s.
func (s *spanning) clock(d *Display, offset time.Duration) {
	text := s.text(offset) // made here, because another goroutine draws the bar
	if d.bar.Width != nil {
		d.bar.Show(func(width int) string { return terminal.Cut(text, width) })
		return
	}
	const often = 10 * time.Second
	if d.brief || offset-s.said < often {
		return
	}
	s.said = offset
	d.line(d.err, text)
}

// text formats the state of the run, the most important part first, because a narrow terminal
// shortens it.
func (s *spanning) text(offset time.Duration) string {
	parts := []string{Clock(offset), fmt.Sprintf("%d done", s.done)}
	if s.notDone > 0 {
		parts = append(parts, fmt.Sprintf("%d not done", s.notDone))
	}
	if s.queries > 0 && offset > 0 {
		parts = append(parts, humanize.Comma(int64(engine.Delta{N: s.queries, In: offset}.Per(s.unit.Per)))+" "+s.unit.Name)
	}
	for _, span := range s.inFlight {
		parts = append(parts, fmt.Sprintf("now %s for %.0f s", called(span), max(0, offset.Seconds()-span.From)))
	}
	return strings.Join(parts, "   ")
}

func queries(n int64) string {
	if n == 1 {
		return "1 query"
	}
	return fmt.Sprintf("%d queries", n)
}

func plural(n int64, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
