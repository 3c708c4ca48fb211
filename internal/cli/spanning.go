package cli

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

// spanning follows a run whose transactions are few and long: it says of each when it has
// ended, and on a terminal what is under way.
type spanning struct {
	unit     workload.Throughput // of the rate at which transactions are done
	done     int64
	notDone  int64
	queries  int64 // of what is done: the rate is of them, as in the result
	underWay []job.Span
	said     time.Duration // when it was last said what is under way
}

// span takes in a transaction that begins or ends. The caller holds the display's lock.
func (s *spanning) span(d *display, span job.Span) {
	if span.Outcome == "" {
		s.underWay = append(s.underWay, span)
		return
	}
	s.underWay = slices.DeleteFunc(s.underWay, func(other job.Span) bool { return other.User == span.User })
	switch {
	case !span.Done():
		s.notDone++
	case span.Stream != job.NoStream:
		s.queries++
		s.done++
	default:
		s.done++
	}
	if d.brief || d.hammerDB || d.verbose { // its virtual users say it
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
	line := fmt.Sprintf("%s  %s) %s after %.3f s", clock(time.Duration((span.From+span.Seconds)*float64(time.Second))), what, outcome, span.Seconds)
	if span.Done() {
		line += ", " + plural(span.Rows, "row")
	}
	d.line(d.err, line)
}

// called says what a transaction is, and of which stream.
func called(s job.Span) string {
	if s.Stream == job.NoStream {
		return s.Kind
	}
	return fmt.Sprintf("%s of stream %d", s.Kind, s.Stream)
}

// clock says from time to time what is under way.
func (s *spanning) clock(d *display, offset time.Duration) {
	text := s.text(offset) // the bar is drawn by another goroutine
	if d.bar.width != nil {
		d.bar.show(func(width int) string { return terminal.Cut(text, width) })
		return
	}
	const often = 10 * time.Second
	if d.brief || offset-s.said < often {
		return
	}
	s.said = offset
	d.line(d.err, text)
}

// text says it in parts, of which a narrow terminal shows the first ones.
func (s *spanning) text(offset time.Duration) string {
	parts := []string{clock(offset), fmt.Sprintf("%d done", s.done)}
	if s.notDone > 0 {
		parts = append(parts, fmt.Sprintf("%d not done", s.notDone))
	}
	if s.queries > 0 && offset > 0 {
		parts = append(parts, humanize.Comma(int64(engine.Delta{N: s.queries, In: offset}.Per(s.unit.Per)))+" "+s.unit.Name)
	}
	for _, span := range s.underWay {
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
