package views

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"time"

	"sledge/internal/hammerdb/lines"
	"sledge/internal/job"
	"sledge/internal/meter"
)

// TimeProfile writes the response times of each virtual user, and then of all users, in the format
// of HammerDB's time profile log. title is the database's; labels are HammerDB's names for the
// kinds of transaction, in order. The times are from the measurement, without ramp-up. Those of a
// single user have an error of at most 1 %.
func TimeProfile(w io.Writer, title string, r job.Result, labels []string, at time.Time) error {
	var b bytes.Buffer
	line := strings.Repeat("+-", 38) + "+\n"
	fmt.Fprintf(&b, "%s Hammerdb Time Profile Report @ %s\n%s", title, at.Format(lines.Time), line)
	took := time.Duration(r.Elapsed * float64(time.Second))
	for i := range r.PerUser {
		fmt.Fprintf(&b, ">>>>> VIRTUAL USER %d : ELAPSED TIME : %dms\n", job.FirstWorker+i, took.Milliseconds())
		own, err := r.PerUser[i].Summary()
		if err != nil {
			return fmt.Errorf("write the time profile: %w", err)
		}
		procedures(&b, own, labels, 1)
		b.WriteString(line)
	}
	fmt.Fprintf(&b, ">>>>> SUMMARY OF %d ACTIVE VIRTUAL USERS : MEDIAN ELAPSED TIME : %dms\n", len(r.PerUser), took.Milliseconds())
	procedures(&b, r.Summary, labels, len(r.PerUser))
	b.WriteString(line)
	_, err := w.Write(b.Bytes())
	return err
}

// procedures writes the times of each kind of transaction, beginning with the largest share of the
// users' time.
func procedures(b *bytes.Buffer, sum meter.Summary, labels []string, users int) {
	for _, t := range byRatio(Timings(sum, users, labels)) {
		fmt.Fprintf(b, ">>>>> PROC: %s\n", t.Name)
		fmt.Fprintf(b, "CALLS: %d\tMIN: %.3fms\tAVG: %.3fms\tMAX: %.3fms\tTOTAL: %.3fms\n", t.Calls, t.Min, t.Avg, t.Max, t.Total)
		fmt.Fprintf(b, "P99: %.3fms\tP95: %.3fms\tP75: %.3fms\tP50: %.3fms\tP25: %.3fms\tSD: %.3fms\tRATIO: %.3f%%\n",
			t.P99, t.P95, *t.P75, t.P50, *t.P25, t.SD, t.Ratio)
	}
}
