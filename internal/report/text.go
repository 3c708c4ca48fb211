// Package report shows jobs: as text for people, as a JSON document and a table
// for programs, and in the shapes that HammerDB's users have scripts for. It
// computes nothing that was not measured and knows no workload.
package report

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/dustin/go-humanize"

	"sledge/internal/job"
	"sledge/internal/meter"
	"sledge/internal/terminal"
)

// Text writes a job for people, in so many columns or, with 0, in as many as it takes.
// The summary is of a run, and empty otherwise.
func Text(w io.Writer, j job.Job, sum meter.Summary, width int) error {
	b := page{width: width}
	header(&b, j, sum)
	headline(&b, j.Result)
	if said := remarks(j.Result); len(said) > 0 {
		fmt.Fprintf(&b, "\n%s\n", strings.Join(said, "\n"))
	}
	if len(sum.Kinds) > 0 {
		transactions(&b, j.Kinds, sum, correctionOf(j, sum))
	}
	if len(j.Result.Loaded) > 0 {
		loaded(&b, j.Result)
	}
	if len(j.Result.Findings) > 0 {
		findings(&b, j.Result.Findings)
	}
	b.end()
	_, err := io.WriteString(w, terminal.Fold(b.String(), width))
	return err
}

// page is a text in the making.
type page struct {
	bytes.Buffer
	width int      // in columns; 0 for as wide as it takes
	left  []string // the heads of columns that there was no room for
}

// table adds a table.
func (p *page) table(t terminal.Table) {
	for i := range t.Columns {
		t.Columns[i].Head = Printable(t.Columns[i].Head)
	}
	for _, row := range t.Rows {
		for i := range row {
			row[i] = Printable(row[i])
		}
	}
	text, left := t.Text(p.width)
	p.WriteString(text)
	for _, head := range left {
		if !slices.Contains(p.left, head) {
			p.left = append(p.left, head)
		}
	}
}

// end says what there was no room for.
func (p *page) end() {
	if len(p.left) > 0 {
		fmt.Fprintf(p, "\n%s\n", NoRoom(p.left))
	}
}

// NoRoom says which columns of a table are not shown.
func NoRoom(left []string) string {
	return fmt.Sprintf("There was no room for %s: a wider terminal or --json shows them.", strings.Join(left, ", "))
}

const timeLayout = "2006-01-02 15:04:05 MST"

// header says what the job was and how it ended.
func header(b *page, j job.Job, sum meter.Summary) {
	t := terminal.Table{Columns: []terminal.Column{{Left: true}, {Left: true, Wrapped: true}}, Bare: true}
	line := func(name, format string, args ...any) { t.Row(name, fmt.Sprintf(format, args...)) }
	if j.ID != "" {
		line("Job", "%s", j.ID)
	}
	line("Action", "%s %s on %s", cmp.Or(j.Spec.Action, "unknown"), j.Spec.Workload, j.Spec.Database)
	surroundings(j, line)
	if j.Spec.Profile > 0 {
		line("Profile", "%d", j.Spec.Profile)
	}
	if j.Spec.Action == job.Run {
		line("Users", "%d", Users(j))
	}
	if j.Origin == "" {
		line("Seed", "%d", j.Spec.Seed)
	}
	for _, name := range slices.Sorted(maps.Keys(j.Spec.Options)) {
		line("Option", "%s %s", name, j.Spec.Options[name])
	}
	if !j.Begun.IsZero() {
		line("Begun", "%s", j.Begun.Format(timeLayout))
	}
	if j.Origin == "" {
		line(window(j, sum))
	}
	if j.Status == job.Succeeded || j.Reason == "" {
		line("Status", "%s", j.Status)
	} else {
		line("Status", "%s: %s", j.Status, strings.ReplaceAll(j.Reason, "\n", "; "))
	}
	if j.Dropped > 0 {
		line("Warning", "the repository could not take %s events: output, failures or seconds of this job are missing", count(j.Dropped))
	}
	b.table(t)
}

// surroundings says where the job was done, as far as whoever recorded it knew.
func surroundings(j job.Job, line func(name, format string, args ...any)) {
	if j.Origin != "" {
		line("Recorded", "by %s, which keeps no histograms: sledge jobs timing %s shows its own figures", j.Origin, j.ID)
	}
	switch f := j.Facts; {
	case f == nil:
	case j.Origin != "":
		line("Server", "%s", f.Server)
	default:
		line("Server", "%s at %s", strings.TrimSpace(f.Product+" "+f.Server), f.Target)
		line("Client", "Sledge %s on %s, %s, %d CPUs", f.SledgeVersion, f.Host.Name, f.Host.OS, f.Host.CPUs)
	}
}

// window returns the header's line on the time that was measured or taken.
func window(j job.Job, sum meter.Summary) (name, format string, value any) {
	took := elapsed(j, sum).Round(time.Millisecond)
	switch {
	case j.Spec.Action != job.Run:
		return "Took", "%v", took
	case j.Result.Started.IsZero():
		return "Measured", "%v", took
	}
	return "Measured", "%s", fmt.Sprintf("%v from %s", took, j.Result.Started.Format(timeLayout))
}

func headline(b *page, r job.Result) {
	if r.Line != "" {
		fmt.Fprintf(b, "\n%s\n", Printable(r.Line))
	}
	if len(r.Metrics) == 0 {
		return
	}
	fmt.Fprintln(b)
	var figures []string
	wide := 0
	for _, m := range r.Metrics {
		hundredths := math.Round(m.Value*100) / 100
		figures = append(figures, humanize.Commaf(hundredths))
		wide = max(wide, len(figures[len(figures)-1]))
	}
	for i, m := range r.Metrics {
		fmt.Fprintf(b, "  %*s %s\n", wide, figures[i], Printable(m.Name))
	}
}

// transactions writes three tables: both latencies, and how transactions ended.
func transactions(b *page, kinds []string, sum meter.Summary, c correction) {
	rows := make([]row, 0, len(sum.Kinds)+1)
	all := sum.All()
	for i := range sum.Kinds {
		rows = append(rows, row{KindName(kinds, i), KindName(kinds, i), &sum.Kinds[i]})
	}
	if len(rows) > 1 {
		rows = append(rows, row{"all", "", &all})
	}
	latencies(b, "Response time in ms, from when a transaction was to start until it was done, with all its tries",
		rows, all.Done, func(t *meter.Tally) histogram { return t.Response }, &c)
	fmt.Fprintf(b, "p99.9c is p99.9 corrected for what users did not begin while they waited, as HdrHistogram corrects.\n")
	latencies(b, "Service time in ms, of the last try alone",
		rows, all.Done, func(t *meter.Tally) histogram { return t.Service }, nil)
	endings(b, rows)
}

// row is one line of a table of transactions.
type row struct {
	name  string
	kind  string // "" for all kinds
	tally *meter.Tally
}

// latencies writes a table. With a correction it has a corrected percentile, and as
// maximum what a transaction waited at least that did not end, where that is longer.
func latencies(b *page, title string, rows []row, allDone int64, of func(*meter.Tally) histogram, c *correction) {
	fmt.Fprintf(b, "\n%s\n", title)
	t := terminal.Table{Columns: []terminal.Column{
		{Head: "transaction"},
		{Head: "count"},
		{Head: "share %", Rank: 5},
		{Head: "min", Rank: 4},
		{Head: "mean", Rank: 3},
		{Head: "p50"},
		{Head: "p95", Rank: 2},
		{Head: "p99"},
		{Head: "p99.9", Rank: 1},
	}}
	if c != nil {
		t.Columns = append(t.Columns, terminal.Column{Head: "p99.9c"})
	}
	t.Columns = append(t.Columns, terminal.Column{Head: "max"})
	for _, r := range rows {
		cells := []string{r.name, count(r.tally.Done), fmt.Sprintf("%.2f", Percent(float64(r.tally.Done), float64(allDone)))}
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
			corrected, _ := c.of(r.kind, r.tally)
			waited := int64(c.longest(r.kind))
			// Of large values the histogram knows about how large they are, and names the end.
			cells = append(cells, figure(float64(min(corrected.ValueAtQuantile(99.9), max(waited, h.Max())))))
			if waited > h.Max() {
				longest = "≥" + millis(float64(waited))
			}
		}
		t.Row(append(cells, longest)...)
	}
	b.table(t)
}

func endings(b *page, rows []row) {
	fmt.Fprintf(b, "\nHow transactions ended; rolled back are those that the workload asks for\n")
	t := terminal.Table{Columns: append(terminal.Heads("transaction", "done", "rolled back", "failed", "retries"),
		terminal.Column{Head: "failed by class", Wrapped: true})}
	for _, r := range rows {
		t.Row(r.name, count(r.tally.Done), count(r.tally.RolledBack), count(r.tally.Failures()),
			count(r.tally.Retried), cmp.Or(failedByClass(r.tally), "-"))
	}
	b.table(t)
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

func loaded(b *page, r job.Result) {
	fmt.Fprintf(b, "\nWhat was loaded; the seconds of all builders are added up\n")
	t := terminal.Table{Columns: terminal.Heads("table", "rows", "bytes", "seconds", "MB/s")}
	var rows, size int64
	for _, l := range r.Loaded {
		rows += l.Rows
		size += l.Bytes
		t.Row(l.Table, count(l.Rows), count(l.Bytes), fmt.Sprintf("%.2f", l.Seconds), megabytesPerSecond(l.Bytes, l.Seconds))
	}
	b.table(t)
	fmt.Fprintf(b, "In all %s rows, %s bytes in %.2f s: %s MB/s.\n", count(rows), count(size), r.Elapsed, megabytesPerSecond(size, r.Elapsed))
}

func megabytesPerSecond(size int64, seconds float64) string {
	if seconds <= 0 {
		return "-"
	}
	return fmt.Sprintf("%.2f", float64(size)/1e6/seconds)
}

// findings writes one line for each rule, and the first rows that break one.
func findings(b *page, list []job.Finding) {
	fmt.Fprintln(b)
	tally := map[string]int{}
	t := terminal.Table{Bare: true, Columns: []terminal.Column{
		{Head: "verdict", Left: true}, {Head: "rule", Left: true}, {Head: "meaning", Left: true, Wrapped: true},
	}}
	for _, f := range list {
		verdict, remark := judge(f)
		tally[verdict]++
		meaning := f.Title
		if f.Source != "" {
			meaning += " (" + f.Source + ")"
		}
		if remark != "" {
			meaning += ": " + remark
		}
		t.Row(verdict, f.Rule, meaning)
	}
	b.table(t)
	for _, f := range list {
		if verdict, _ := judge(f); verdict == broken && len(f.Rows) > 0 {
			fmt.Fprintf(b, "\nThe first rows that break %s\n", Printable(f.Rule))
			b.table(terminal.Table{Columns: terminal.Heads(f.Columns...), Rows: f.Rows})
		}
	}
	fmt.Fprintf(b, "\n%d rules: %d OK, %d broken, %d excused, %d unknown.\n",
		len(list), tally[ok], tally[broken], tally[excused], tally[unknown])
}

// What a finding may say of its rule.
const (
	ok      = "OK"
	broken  = "BROKEN"
	excused = "EXCUSED"
	unknown = "UNKNOWN"
)

func judge(f job.Finding) (verdict, remark string) {
	switch {
	case f.Error != "":
		return unknown, f.Error
	case f.Holds:
		return ok, ""
	case f.Excuse != "":
		return excused, f.Excuse
	}
	return broken, f.Cause
}
