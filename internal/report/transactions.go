package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"sledge/internal/job"
	"sledge/internal/meter"
	"sledge/internal/terminal"
)

// transactions writes the table of response times, and what else there is to say of
// how transactions went.
func transactions(b *page, kinds []string, sum meter.Summary, c correction) {
	rows := make([]row, 0, len(sum.Kinds)+1)
	all := sum.All()
	for i := range sum.Kinds {
		rows = append(rows, row{KindName(kinds, i), KindName(kinds, i), &sum.Kinds[i]})
	}
	if len(rows) > 1 {
		rows = append(rows, row{"all", "", &all})
	}
	b.title("Response times in ms", "from due to done, with all retries")
	latencies(b, rows, func(t *meter.Tally) meter.Histogram { return t.Response }, &c)
	if corrects(rows, c) {
		b.say(b.Look.Faint, "  p99.9c also counts what users could not begin while they waited.")
	}
	if b.Service || b.Whole || servedApart(rows) {
		b.title("Service times in ms", "of the last try alone")
		latencies(b, rows, func(t *meter.Tally) meter.Histogram { return t.Service }, nil)
	}
	endings(b, rows)
	if b.Whole && all.Traffic.RoundTrips > 0 {
		traffic(b, rows)
	}
}

// row is one line of a table of transactions.
type row struct {
	name  string
	kind  string // "" for all kinds
	tally *meter.Tally
}

// apart reports whether two latencies, in nanoseconds, differ by so much that a reader
// cares.
func apart(a, b int64) bool {
	const visible = int64(100 * time.Microsecond)
	off := max(a, b) - min(a, b)
	return off >= visible && off*10 >= min(a, b)
}

// servedApart reports whether service times differ visibly from response times.
func servedApart(rows []row) bool {
	return slices.ContainsFunc(rows, func(r row) bool {
		return r.tally.Done > 0 && slices.ContainsFunc([]float64{50, 95, 99}, func(p float64) bool {
			return apart(r.tally.Response.ValueAtQuantile(p), r.tally.Service.ValueAtQuantile(p))
		})
	})
}

// corrects reports whether the correction shows something that percentiles hide.
func corrects(rows []row, c correction) bool {
	return !c.paced && slices.ContainsFunc(rows, func(r row) bool {
		return r.tally.Done > 0 && apart(r.tally.Response.ValueAtQuantile(99.9), c.p999(r))
	})
}

// p999 is the corrected percentile. Of large values the histogram knows about how large
// they are, and names the end.
func (c correction) p999(r row) int64 {
	corrected, _ := c.of(r.kind, r.tally)
	return min(corrected.ValueAtQuantile(99.9), max(int64(c.longest(r.kind)), r.tally.Response.Max()))
}

// latencies writes a table. With a correction it has a corrected percentile, where that
// is another, and as maximum what a transaction waited at least that did not end, where
// that is longer.
func latencies(b *page, rows []row, of func(*meter.Tally) meter.Histogram, c *correction) {
	t := terminal.Table{Columns: []terminal.Column{
		{Head: "  transaction", Left: true},
		{Head: "done"},
		{Head: "min", Rank: 4},
		{Head: "mean", Rank: 3},
		{Head: "p50"},
		{Head: "p95", Rank: 2},
		{Head: "p99"},
		{Head: "p99.9", Rank: 1},
	}}
	corrected := c != nil && corrects(rows, *c)
	if corrected {
		t.Columns = append(t.Columns, terminal.Column{Head: "p99.9c"})
	}
	t.Columns = append(t.Columns, terminal.Column{Head: "max"})
	for _, r := range rows {
		look := plain
		if r.kind == "" {
			look = b.Look.Strong
		}
		cells := []string{"  " + Printable(r.name), count(r.tally.Done)}
		h := of(r.tally)
		figure := func(ns float64) string {
			if r.tally.Done == 0 {
				return "-"
			}
			return millis(ns)
		}
		cells = append(cells, figure(float64(h.Min())), figure(h.Mean()))
		for _, p := range []float64{50, 95, 99, 99.9} {
			cells = append(cells, figure(float64(h.ValueAtQuantile(p))))
		}
		longest := figure(float64(h.Max()))
		if c != nil {
			if corrected {
				cells = append(cells, figure(float64(c.p999(r))))
			}
			if waited := int64(c.longest(r.kind)); waited > h.Max() {
				longest = "≥" + millis(float64(waited))
			}
		}
		cells = append(cells, longest)
		for i := range cells {
			cells[i] = look(cells[i])
		}
		t.Row(cells...)
	}
	b.lay(t)
}

// endings says which transactions were rolled back as they should be, and shows those
// that failed or were tried again, if there are any.
func endings(b *page, rows []row) {
	t := terminal.Table{Columns: []terminal.Column{
		{Head: "  transaction", Left: true}, {Head: "failed"}, {Head: "retries"}, {Head: "failed by class", Left: true, Wrapped: true},
	}}
	var back []string
	for _, r := range rows {
		if n := r.tally.RolledBack; n > 0 && r.kind != "" {
			back = append(back, fmt.Sprintf("%s %s", count(n), r.name))
		}
		if r.tally.Failures() > 0 || r.tally.Retried > 0 {
			t.Row("  "+r.name, count(r.tally.Failures()), count(r.tally.Retried), cmp.Or(failedByClass(r.tally), "-"))
		}
	}
	if len(back) > 0 {
		b.say(b.Look.Faint, "  Rolled back as the workload asks, and not in the table: %s.", Printable(strings.Join(back, ", ")))
	}
	if len(t.Rows) > 0 {
		b.title("Failures and retries", "")
		b.table(t)
	}
}

// failedByClass lists the classes of failures that there were, or is empty.
func failedByClass(t *meter.Tally) string {
	var classes []string
	for _, c := range meter.Classes() {
		if n := t.Failed[c]; n > 0 {
			classes = append(classes, fmt.Sprintf("%s %s", c, count(n)))
		}
	}
	return strings.Join(classes, ", ")
}

// Counts says in a few lines how the transactions of a run ended, and whether the
// virtual users' count and the server's agree: what must be known of a headline
// that stands by itself. It is empty for a run that measured nothing.
func Counts(r job.Result) []string {
	if len(r.Summary.Kinds) == 0 {
		return nil
	}
	all := r.Summary.All()
	line := fmt.Sprintf("%s transactions done, %s rolled back as the workload asks, %s failed", count(all.Done), count(all.RolledBack), count(all.Failures()))
	if classes := failedByClass(&all); classes != "" {
		line += " (" + classes + ")"
	}
	lines := []string{line + fmt.Sprintf(", %s retries", count(all.Retried))}
	if a := r.Agreement; a != nil && a.Holds {
		lines = append(lines, agreement(*a))
	}
	return append(lines, Warnings(r)...)
}
