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
	"text/tabwriter"
	"time"

	"github.com/dustin/go-humanize"

	"sledge/internal/job"
	"sledge/internal/meter"
)

// Text writes a job for people. The summary is of a run, and empty otherwise.
func Text(w io.Writer, j job.Job, sum meter.Summary) error {
	var b bytes.Buffer
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
	_, err := w.Write(b.Bytes())
	return err
}

const timeLayout = "2006-01-02 15:04:05 MST"

// header says what the job was and how it ended.
func header(b *bytes.Buffer, j job.Job, sum meter.Summary) {
	t := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	line := func(name, format string, args ...any) {
		fmt.Fprintf(t, "%s\t%s\n", name, Printable(fmt.Sprintf(format, args...)))
	}
	if j.ID != "" {
		line("Job", "%s", j.ID)
	}
	line("Action", "%s %s on %s", cmp.Or(j.Spec.Action, "unknown"), j.Spec.Workload, j.Spec.Database)
	surroundings(j, line)
	if j.Spec.Profile > 0 {
		line("Profile", "%d", j.Spec.Profile)
	}
	if j.Spec.Action == job.Run {
		line("Users", "%d", users(j))
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
	_ = t.Flush() // into memory
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

func headline(b *bytes.Buffer, r job.Result) {
	if r.Line != "" {
		fmt.Fprintf(b, "\n%s\n", Printable(r.Line))
	}
	if len(r.Metrics) == 0 {
		return
	}
	fmt.Fprintln(b)
	t := tabwriter.NewWriter(b, 0, 0, 2, ' ', tabwriter.AlignRight)
	for _, m := range r.Metrics {
		hundredths := math.Round(m.Value*100) / 100
		fmt.Fprintf(t, "%s\t %s\n", humanize.Commaf(hundredths), Printable(m.Name))
	}
	_ = t.Flush()
}

// transactions writes three tables: both latencies, and how transactions ended.
func transactions(b *bytes.Buffer, kinds []string, sum meter.Summary, c correction) {
	rows := make([]row, 0, len(sum.Kinds)+1)
	all := sum.All()
	for i := range sum.Kinds {
		rows = append(rows, row{kindName(kinds, i), kindName(kinds, i), &sum.Kinds[i]})
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
func latencies(b *bytes.Buffer, title string, rows []row, allDone int64, of func(*meter.Tally) histogram, c *correction) {
	fmt.Fprintf(b, "\n%s\n", title)
	heads := []string{"transaction", "count", "share %", "min", "mean", "p50", "p95", "p99", "p99.9"}
	if c != nil {
		heads = append(heads, "p99.9c")
	}
	t := newTable(b, append(heads, "max")...)
	for _, r := range rows {
		cells := []string{Printable(r.name), count(r.tally.Done), fmt.Sprintf("%.2f", percent(float64(r.tally.Done), float64(allDone)))}
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
		t.row(append(cells, longest)...)
	}
	t.end()
}

func endings(b *bytes.Buffer, rows []row) {
	fmt.Fprintf(b, "\nHow transactions ended; rolled back are those that the workload asks for\n")
	t := newTable(b, "transaction", "done", "rolled back", "failed", "retries", "failed by class")
	for _, r := range rows {
		t.row(Printable(r.name), count(r.tally.Done), count(r.tally.RolledBack), count(r.tally.Failures()),
			count(r.tally.Retried), cmp.Or(failedByClass(r.tally), "-"))
	}
	t.end()
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
	return append([]string{line + fmt.Sprintf(", %s retries", count(all.Retried))}, warnings(r)...)
}

func loaded(b *bytes.Buffer, r job.Result) {
	fmt.Fprintf(b, "\nWhat was loaded; the seconds of all builders are added up\n")
	t := newTable(b, "table", "rows", "bytes", "seconds", "MB/s")
	var rows, size int64
	for _, l := range r.Loaded {
		rows += l.Rows
		size += l.Bytes
		t.row(Printable(l.Table), count(l.Rows), count(l.Bytes), fmt.Sprintf("%.2f", l.Seconds), megabytesPerSecond(l.Bytes, l.Seconds))
	}
	t.end()
	fmt.Fprintf(b, "In all %s rows, %s bytes in %.2f s: %s MB/s.\n", count(rows), count(size), r.Elapsed, megabytesPerSecond(size, r.Elapsed))
}

func megabytesPerSecond(size int64, seconds float64) string {
	if seconds <= 0 {
		return "-"
	}
	return fmt.Sprintf("%.2f", float64(size)/1e6/seconds)
}

// findings writes one line for each rule, and the first rows that break one.
func findings(b *bytes.Buffer, list []job.Finding) {
	fmt.Fprintln(b)
	tally := map[string]int{}
	for _, f := range list {
		verdict, remark := judge(f)
		tally[verdict]++
		fmt.Fprintf(b, "%-8s %s %s", verdict, Printable(f.Rule), Printable(f.Title))
		if f.Source != "" {
			fmt.Fprintf(b, " (%s)", Printable(f.Source))
		}
		if remark != "" {
			fmt.Fprintf(b, ": %s", Printable(remark))
		}
		fmt.Fprintln(b)
		if verdict == broken {
			brokenRows(b, f)
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

func brokenRows(b *bytes.Buffer, f job.Finding) {
	if len(f.Rows) == 0 {
		return
	}
	t := newTable(b, f.Columns...)
	for _, cells := range f.Rows {
		t.row(cells...)
	}
	t.end()
}

// table is aligned to the right, as numbers want it.
type table struct{ *tabwriter.Writer }

func newTable(b *bytes.Buffer, heads ...string) table {
	t := table{tabwriter.NewWriter(b, 0, 0, 2, ' ', tabwriter.AlignRight)}
	t.row(heads...)
	return t
}

func (t table) row(cells ...string) {
	for _, c := range cells {
		fmt.Fprintf(t, "%s\t", Printable(c))
	}
	fmt.Fprintln(t)
}

func (t table) end() { _ = t.Flush() } // into memory
