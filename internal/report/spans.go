package report

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"sledge/internal/job"
	"sledge/internal/terminal"
)

// Times writes the times and a timeline of the transactions of a run in which they are few and
// long: for all virtual users together, or with apart for each.
func Times(w io.Writer, r job.Result, apart bool, v View) error {
	b := page{View: v}
	if !apart {
		spans(&b, r)
	}
	for _, user := range UsersOf(r.Spans) {
		if !apart {
			break
		}
		own := r
		own.Spans = slices.DeleteFunc(slices.Clone(r.Spans), func(s job.Span) bool { return s.User != user })
		b.title(fmt.Sprintf("Virtual user %d", user), "")
		spans(&b, own)
	}
	return b.write(w)
}

// UsersOf lists the numbers of the virtual users that did transactions, in ascending order.
func UsersOf(list []job.Span) (users []int) {
	for _, s := range list {
		if !slices.Contains(users, s.User) {
			users = append(users, s.User)
		}
	}
	slices.Sort(users)
	return users
}

// spans writes a line for each kind of transaction, and a timeline of each stream, for a run whose
// transactions are few and long.
func spans(b *page, r job.Result) {
	b.title("Time (s)", "from the request to the last row")
	t := terminal.Table{Columns: []terminal.Column{
		{Head: "  transaction", Left: true},
		{Head: "done"},
		{Head: "least", Rank: 2},
		{Head: "mean"},
		{Head: "most", Rank: 1},
		{Head: "rows", Rank: 3},
	}}
	whole := !slices.ContainsFunc(r.Spans, func(s job.Span) bool { return !s.Done() })
	if !whole {
		t.Columns = append(t.Columns, terminal.Column{Head: "not done"})
	}
	for _, kind := range r.Kinds {
		times := TimesOf(r, kind)
		if times == nil {
			continue
		}
		least, mean, most := times.cells()
		cells := []string{"  " + Printable(kind), count(int64(times.Done)), least, mean, most, count(times.Rows)}
		if !whole {
			cells = append(cells, count(int64(times.NotDone)))
		}
		if times.NotDone > 0 {
			for i := range cells {
				cells[i] = b.Look.Bad(cells[i])
			}
		}
		t.Row(cells...)
	}
	b.lay(t)
	if !b.drawn { // a drawn page has charts instead
		streams(b, r)
	}
}

// seconds formats a time with at least three digits.
func seconds(s float64) string {
	switch {
	case s >= 100:
		return fmt.Sprintf("%.0f", s)
	case s >= 10:
		return fmt.Sprintf("%.1f", s)
	case s >= 1:
		return fmt.Sprintf("%.2f", s)
	}
	return fmt.Sprintf("%.4f", s)
}

// streams draws the timeline of each stream as one line. A transaction begins with its number if
// there is room.
func streams(b *page, r job.Result) {
	users, names := UsersOf(r.Spans), map[int]string{}
	label := len("  refreshes ")
	for _, s := range r.Spans {
		if s.Stream != job.NoStream {
			names[s.User] = "  stream " + strconv.Itoa(s.Stream)
			label = max(label, len(names[s.User])+1)
		}
	}
	width := cmp.Or(b.Width, 100)
	room := width - label - 1
	if r.Elapsed <= 0 || room < 20 {
		return
	}
	b.title("Streams", fmt.Sprintf("each number is the query that ran; the whole width is %s", Spell(time.Duration(r.Elapsed*float64(time.Second)))))
	for _, user := range users {
		line := []rune(strings.Repeat(" ", room))
		for _, s := range r.Spans {
			if s.User == user {
				draw(line, s, r.Elapsed)
			}
		}
		text := fmt.Sprintf("%-*s%s", label, cmp.Or(names[user], "  refreshes"), strings.TrimRight(string(line), " "))
		b.say(plain, "%s", strings.TrimRight(text, " "))
	}
}

// Mark returns the label of a transaction in a drawing: the number of its kind, or the first word
// of its kind.
func Mark(kind string) string {
	if last := kind[strings.LastIndexByte(kind, ' ')+1:]; strings.Trim(last, "0123456789") == "" {
		return last
	}
	first, _, _ := strings.Cut(kind, " ")
	return first
}

// draw draws a transaction into line, which represents a run of whole seconds.
func draw(line []rune, s job.Span, whole float64) {
	at := func(t float64) int { return min(max(int(math.Round(t/whole*float64(len(line)))), 0), len(line)) }
	from, to := at(s.From), at(s.From+s.Seconds)
	stroke := '-'
	if !s.Done() {
		stroke = 'x'
	}
	for i := from; i < to; i++ {
		line[i] = stroke
	}
	number := []rune(Mark(s.Kind))
	if to-from > len(number) { // so that two numbers are never adjacent
		copy(line[from:], number)
	}
}
