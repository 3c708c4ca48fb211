package bundle

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/dustin/go-humanize"

	"sledge/internal/job"
	"sledge/internal/report"
	"sledge/internal/terminal"
)

// Text writes the verdict for people: whether the bundle holds, then what is wrong, then each job.
func (v Verification) Text(w io.Writer, view report.View) error {
	var b strings.Builder
	look := view.Look
	say := func(draw func(string) string, indent, format string, a ...any) {
		text := report.Printable(fmt.Sprintf(format, a...))
		width := view.Width
		if width > 0 {
			width -= len(indent)
		}
		for line := range strings.Lines(terminal.Reflow(text, width)) {
			line = strings.TrimRight(line, "\n")
			if draw != nil {
				line = draw(line)
			}
			b.WriteString(indent + line + "\n")
		}
	}
	plain := func(format string, a ...any) { say(nil, "  ", format, a...) }
	if v.Holds {
		say(look.Good, "", "%s: every number that can be recomputed is right", v.File)
	} else {
		say(look.Bad, "", "%s: do not trust it", v.File)
	}
	b.WriteString("\n")
	plain("Written on %s by Sledge %s.", v.Made.Format("2006-01-02 15:04:05 UTC"), v.MadeBy)
	switch s := v.Signed; {
	case s == nil:
		plain("It is not signed, so it shows what was measured, but not who says so.")
	case !s.Holds:
		say(look.Bad, "  ", "Its signature is not valid: %s", s.Why)
	case s.Name != "":
		plain("Signed by %s, with the key %s (%s).", s.Name, s.Fingerprint, s.Key)
	default:
		plain("Signed with the key %s (%s).", s.Fingerprint, s.Key)
	}
	for _, f := range v.Changed {
		say(look.Bad, "  ", "%s: %s", f.Where, f.Why)
	}
	for _, r := range v.Runs {
		b.WriteString("\n")
		say(look.Strong, "", "%s", r.title())
		plain("%s recomputed from histograms, counts and seconds; %s stand for themselves, protected by the checksums.",
			counted(r.Recomputed), humanize.Comma(int64(r.Measured)))
		for _, f := range r.Wrong {
			say(look.Bad, "  ", "%s", f)
		}
		if len(r.Wrong) == mostFaults {
			plain("There may be more.")
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// counted formats a number of numbers.
func counted(n int) string {
	if n == 1 {
		return "1 number"
	}
	return humanize.Comma(int64(n)) + " numbers"
}

// title names a job: "67FD3345: run, postgresql, tprocc, 15,824 NOPM".
func (r VerifiedRun) title() string {
	parts := []string{string(r.Action), r.Database, r.Workload}
	for _, m := range r.Metrics[:min(1, len(r.Metrics))] {
		parts = append(parts, strings.TrimSpace(report.Figure(m)+" "+m.Name))
	}
	return report.ShortID(string(r.ID)) + ": " + strings.Join(parts, ", ")
}

// String describes a fault: "67FD33.json: metrics.0.value: NOPM does not follow from the counts and
// times: the bundle says 60000, its data say 54321".
func (f Fault) String() string {
	text := f.Where + ": " + f.Why
	if f.Stated != "" || f.Actual != "" {
		text += fmt.Sprintf(": the bundle says %s, its data say %s", f.Stated, f.Actual)
	}
	return text
}

// Err returns an error if the bundle does not hold.
func (v Verification) Err() error {
	if v.Holds {
		return nil
	}
	all := slices.Clone(v.Changed)
	for _, r := range v.Runs {
		all = append(all, r.Wrong...)
	}
	why := "its signature is not valid"
	switch n := len(all); {
	case n == 1:
		why = all[0].String()
	case n > 1:
		why = fmt.Sprintf("%d things in it are wrong, the first: %s", n, all[0])
	}
	return job.WithExit(job.ExitCheck, errors.New("the bundle does not hold: "+why))
}
