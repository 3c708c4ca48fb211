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

// transactions writes the table of response times and, with the details, the tables of service
// times, failures and network traffic.
func transactions(b *page, j job.Job, sum meter.Summary) {
	c := correctionOf(j, sum)
	all := sum.All()
	rows := rowsOf(j, sum, c)
	if len(rows) > 1 {
		rows = append(rows, row{"all", "", &all, c})
	}
	b.title("Response time (ms)", "from scheduled start to completion, retries included")
	latencies(b, rows, func(t *meter.Tally) meter.Histogram { return t.Response }, true)
	if len(corrects(rows)) > 0 {
		b.say(b.Look.Faint, "  Percentiles with a c also count what users could not begin while they waited.")
	}
	if !b.Whole {
		return
	}
	timeSplit(b, j.Result.Activity)
	b.title("Service time (ms)", "of the last try alone")
	latencies(b, rows, func(t *meter.Tally) meter.Histogram { return t.Service }, false)
	endings(b, rows)
	if all.Traffic.RoundTrips > 0 {
		traffic(b, rows)
	}
}

// row is one line of a table of transactions.
type row struct {
	name  string
	kind  string // "" for all kinds, of the run or of a group
	tally *meter.Tally

	correction
}

// rowsOf returns a row for each kind of transaction that was requested. In a run with groups, a row
// for the sum of each group precedes its kinds.
func rowsOf(j job.Job, sum meter.Summary, c correction) (rows []row) {
	groups := j.Spec.Groups()
	if groups == nil {
		groups = []job.Group{{}}
	}
	for _, g := range groups {
		indent, of := "", c
		var kinds []row
		if g.Name != "" {
			indent, of = "  ", c.in(g)
		}
		for i := range sum.Kinds {
			kind := KindName(j.Kinds, i)
			name, is := kind, true
			if g.Name != "" {
				name, is = g.Own(kind)
			}
			r := row{indent + name, kind, &sum.Kinds[i], of}
			if is && (r.tally.Ended()+r.tally.Retried > 0 || of.longest(kind) > 0) { // otherwise it was not requested
				kinds = append(kinds, r)
			}
		}
		if g.Name != "" && len(kinds) > 0 {
			part := ofGroup(g, j.Kinds, sum)
			all := part.All()
			rows = append(rows, row{g.Name, "", &all, of})
		}
		rows = append(rows, kinds...)
	}
	return rows
}

// apart reports whether two latencies, in nanoseconds, differ noticeably.
func apart(a, b int64) bool {
	const visible = int64(100 * time.Microsecond)
	off := max(a, b) - min(a, b)
	return off >= visible && off*10 >= min(a, b)
}

// shown lists the percentiles in tables.
var shown = []struct {
	head       string
	percentile float64
	rank       int // in a table
}{{"p50", 50, 0}, {"p95", 95, 2}, {"p99", 99, 0}, {"p99.9", 99.9, 1}}

// corrects lists the percentiles of response times that hide a stall. If a transaction took as long
// as a stall, these are the percentiles that the correction changes visibly; otherwise there are
// none.
func corrects(rows []row) (percentiles []float64) {
	stalled := slices.ContainsFunc(rows, func(r row) bool {
		return !r.paced && !r.anyLength && max(r.longest(r.kind), time.Duration(r.tally.Response.Max())) >= longStall*time.Second
	})
	if !stalled {
		return nil
	}
	for _, s := range shown {
		if slices.ContainsFunc(rows, func(r row) bool {
			return r.tally.Done > 0 && apart(r.tally.Response.ValueAtQuantile(s.percentile), r.at(s.percentile))
		}) {
			percentiles = append(percentiles, s.percentile)
		}
	}
	return percentiles
}

// at returns a corrected percentile, or the plain percentile for transactions that may take any
// time. It does not exceed the longest time, because a histogram returns the upper end of a bucket.
func (r row) at(percentile float64) int64 {
	if r.anyLength {
		return r.tally.Response.ValueAtQuantile(percentile)
	}
	corrected, _ := r.of(r.kind, r.tally)
	return min(corrected.ValueAtQuantile(percentile), max(int64(r.longest(r.kind)), r.tally.Response.Max()))
}

// latencies writes a table. With corrections it adds failures, retries and the corrected
// percentiles that differ from the plain ones, and its maximum includes the time that unfinished
// transactions had waited.
func latencies(b *page, rows []row, of func(*meter.Tally) meter.Histogram, corrections bool) {
	t := terminal.Table{Columns: []terminal.Column{{Head: "  transaction", Left: true}, {Head: "done"}}}
	var corrected []float64
	failed, retried := false, false
	if corrections {
		corrected = corrects(rows)
		failed = slices.ContainsFunc(rows, func(r row) bool { return r.tally.Failures() > 0 })
		retried = slices.ContainsFunc(rows, func(r row) bool { return r.tally.Retried > 0 })
	}
	if failed {
		t.Columns = append(t.Columns, terminal.Column{Head: "failed"})
	}
	if retried {
		t.Columns = append(t.Columns, terminal.Column{Head: "retries", Rank: 5})
	}
	if b.Whole {
		t.Columns = append(t.Columns, terminal.Column{Head: "min", Rank: 4}, terminal.Column{Head: "mean", Rank: 3})
	}
	for _, s := range shown {
		t.Columns = append(t.Columns, terminal.Column{Head: s.head, Rank: s.rank})
		if slices.Contains(corrected, s.percentile) {
			t.Columns = append(t.Columns, terminal.Column{Head: s.head + "c", Rank: s.rank})
		}
	}
	t.Columns = append(t.Columns, terminal.Column{Head: "max"})
	for _, r := range rows {
		look := plain
		if r.kind == "" {
			look = b.Look.Strong
		}
		cells := []string{"  " + Printable(r.name), count(r.tally.Done)}
		if failed {
			cells = append(cells, count(r.tally.Failures()))
		}
		if retried {
			cells = append(cells, count(r.tally.Retried))
		}
		h := of(r.tally)
		figure := func(ns float64) string {
			if r.tally.Done == 0 {
				return "-"
			}
			return millis(ns)
		}
		if b.Whole {
			cells = append(cells, figure(float64(h.Min())), figure(h.Mean()))
		}
		for _, s := range shown {
			cells = append(cells, figure(float64(h.ValueAtQuantile(s.percentile))))
			if slices.Contains(corrected, s.percentile) {
				cells = append(cells, figure(float64(r.at(s.percentile))))
			}
		}
		longest := figure(float64(h.Max()))
		if corrections {
			if waited := int64(r.longest(r.kind)); waited > h.Max() {
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

// endings counts the transactions that were rolled back as the workload asks, and lists failures
// and retries, if there are any.
func endings(b *page, rows []row) {
	t := terminal.Table{Columns: []terminal.Column{
		{Head: "  transaction", Left: true}, {Head: "failed"}, {Head: "retries"}, {Head: "failed by class", Left: true, Wrapped: true},
	}}
	var back []string
	for _, r := range rows {
		if n := r.tally.RolledBack; n > 0 && r.kind != "" {
			back = append(back, fmt.Sprintf("%s %s", count(n), r.kind))
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

// failedByClass lists the classes of the failures.
func failedByClass(t *meter.Tally) string {
	var classes []string
	for _, c := range meter.Classes() {
		if n := t.Failed[c]; n > 0 {
			classes = append(classes, fmt.Sprintf("%s %s", c, count(n)))
		}
	}
	return strings.Join(classes, ", ")
}

// Counts returns a few lines that follow a headline without a report: how the transactions of a run
// ended, and whether the counts of the virtual users and of the server agree. It returns nil for a
// run that measured nothing.
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
	for _, g := range countGrounds(job.Result{Agreements: job.Agreements{Agreement: r.Agreement}, Groups: r.Groups}, r.Summary) {
		if g.Tone == Good {
			lines = append(lines, g.line())
		}
	}
	for _, g := range evidence(r) {
		if c := g.Contention; c != nil && c.Sharing > 0 {
			lines = append(lines, "Contention: "+inGroup(g)+c.Expect)
		}
	}
	return append(lines, Warnings(r)...)
}

// Warnings returns the evidence of a run that needs attention, one line each, without the reason
// why the run did not succeed.
func Warnings(r job.Result) (lines []string) {
	of := job.Job{Spec: job.Spec{Action: job.Run}, Status: job.Succeeded, Result: r}
	of.Result.LastFailures = nil // they were reported when they happened
	of.Result.Contention, of.Result.Groups = nil, slices.Clone(r.Groups)
	for i := range of.Result.Groups {
		of.Result.Groups[i].Contention = nil
	}
	for _, g := range Attention(Grounds(of, r.Summary)) {
		lines = append(lines, Printable(g.line()))
	}
	return lines
}
