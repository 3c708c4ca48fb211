package report

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"sledge/internal/job"
	"sledge/internal/meter"
)

// TclTime is how Tcl spells a time when nothing else is asked for.
const TclTime = "Mon Jan 02 15:04:05 MST 2006"

// firstProfiled is the position of user number 0: the monitor is before.
const firstProfiled = 2

// TimeProfile writes the times of each virtual user, and then of all together, in
// the shape of HammerDB's time profile log. The title is the database's; labels
// are HammerDB's names for the kinds of transaction, in their order. The times are
// those of the measured time alone, ramp-up not included; those of one user are
// within 1 %.
func TimeProfile(w io.Writer, title string, r job.Result, labels []string, at time.Time) error {
	var b bytes.Buffer
	line := strings.Repeat("+-", 38) + "+\n"
	fmt.Fprintf(&b, "%s Hammerdb Time Profile Report @ %s\n%s", title, at.Format(TclTime), line)
	took := time.Duration(r.Elapsed * float64(time.Second))
	for i := range r.PerUser {
		fmt.Fprintf(&b, ">>>>> VIRTUAL USER %d : ELAPSED TIME : %dms\n", firstProfiled+i, took.Milliseconds())
		procedures(&b, &r.PerUser[i], labels, took)
		b.WriteString(line)
	}
	fmt.Fprintf(&b, ">>>>> SUMMARY OF %d ACTIVE VIRTUAL USERS : MEDIAN ELAPSED TIME : %dms\n", len(r.PerUser), took.Milliseconds())
	procedures(&b, &r.Summary, labels, took*time.Duration(len(r.PerUser)))
	b.WriteString(line)
	_, err := w.Write(b.Bytes())
	return err
}

// procedures writes the times of each kind of transaction that was done, the one
// that took the largest share of the users' time first.
func procedures(b *bytes.Buffer, sum *meter.Summary, labels []string, available time.Duration) {
	type procedure struct {
		label string
		calls int64
		total float64 // ms
		Latency
	}
	var list []procedure
	for i := range sum.Kinds {
		if t := &sum.Kinds[i]; t.Done > 0 {
			l := newLatency(t.Response)
			list = append(list, procedure{kindName(labels, i), t.Done, l.Mean * float64(t.Done), l})
		}
	}
	slices.SortStableFunc(list, func(x, y procedure) int { return cmp.Compare(y.total, x.total) })
	for _, p := range list {
		fmt.Fprintf(b, ">>>>> PROC: %s\n", p.label)
		fmt.Fprintf(b, "CALLS: %d\tMIN: %.3fms\tAVG: %.3fms\tMAX: %.3fms\tTOTAL: %.3fms\n", p.calls, p.Min, p.Mean, p.Max, p.total)
		fmt.Fprintf(b, "P99: %.3fms\tP95: %.3fms\tP75: %.3fms\tP50: %.3fms\tP25: %.3fms\tSD: %.3fms\tRATIO: %.3f%%\n",
			p.P99, p.P95, p.P75, p.P50, p.P25, p.StdDev, percent(p.total, float64(available)/float64(time.Millisecond)))
	}
}
