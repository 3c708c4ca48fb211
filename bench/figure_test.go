//go:build bench

package bench

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"sledge/internal/host"
	"sledge/internal/job"
)

// figure is a measured value.
type figure struct {
	What    string  `json:"what"`
	Value   float64 `json:"value"`
	Unit    string  `json:"unit"` // "x" for a ratio
	Target  *target `json:"target,omitempty"`
	Verdict string  `json:"verdict,omitempty"`
	Detail  string  `json:"detail,omitempty"` // the two sides of a ratio, and the spread
}

// target is the value that a figure should reach.
type target struct {
	Limit   float64 `json:"limit"`
	AtLeast bool    `json:"at_least,omitempty"` // more is better; otherwise less is
}

func atLeast(limit float64) *target { return &target{Limit: limit, AtLeast: true} }
func atMost(limit float64) *target  { return &target{Limit: limit} }

// verdict compares a figure with its target. It never fails a test, because the figures depend on
// the machine.
func (t *target) verdict(value float64) string {
	switch {
	case t == nil:
		return ""
	case t.AtLeast && value >= t.Limit, !t.AtLeast && value <= t.Limit:
		return "reached"
	default:
		return fmt.Sprintf("missed by %.0f %%", 100*math.Abs(value-t.Limit)/t.Limit)
	}
}

func (t *target) in(unit string) string {
	if t == nil {
		return ""
	}
	sign := "≤"
	if t.AtLeast {
		sign = "≥"
	}
	return sign + " " + amount(t.Limit, unit)
}

// amount formats a value with its unit.
func amount(value float64, unit string) string { return spell(value) + " " + unit }

// spell formats a value with three significant digits, or more if the integer part has more.
func spell(value float64) string {
	if math.Abs(value) >= 1000 {
		return fmt.Sprintf("%.0f", value)
	}
	return fmt.Sprintf("%.3g", value)
}

// measured collects the figures of this run, in the order of the tests.
var measured []figure

// note records a figure.
func note(t *testing.T, f figure) {
	t.Helper()
	f.Verdict = f.Target.verdict(f.Value)
	measured = append(measured, f)
	t.Logf("%s: %s %s %s", f.What, amount(f.Value, f.Unit), f.Verdict, f.Detail)
}

// results is the JSON document that a run writes.
type results struct {
	At      time.Time `json:"at"`
	Host    job.Host  `json:"host"`
	Go      string    `json:"go"`
	Short   bool      `json:"short,omitempty"` // a short run to test the harness; the figures are only hints
	Figures []figure  `json:"figures"`
}

// The files that a run writes beside the tests.
const (
	jsonFile     = "results.json"
	markdownFile = "results.md"
)

// report prints the table and writes the two files.
func report(out io.Writer) error {
	if len(measured) == 0 {
		return nil
	}
	r := results{At: time.Now().UTC(), Host: host.This(), Go: runtime.Version(), Short: testing.Short(), Figures: measured}
	document, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	if err := os.WriteFile(jsonFile, append(document, '\n'), 0o644); err != nil {
		return err
	}
	text := r.markdown()
	if err := os.WriteFile(markdownFile, []byte(text), 0o644); err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "\n%s\n", text)
	return err
}

// markdown returns the table for docs/performance.md. It leaves out the name of the machine.
func (r results) markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Measured on %s with %d cores (%s), which server and client share, %s, %.0f GB of memory, %s.\n",
		r.At.Format(time.DateOnly), r.Host.CPUs, cmp.Or(r.Host.CPU, r.Host.Arch), r.Host.OS, float64(r.Host.MemoryBytes)/1e9, r.Go)
	if r.Short {
		b.WriteString("A short trial of the harness: these figures are only hints.\n")
	}
	b.WriteString("\n")
	rows := [][]string{{"what", "measured", "to reach", "", "detail"}}
	for _, f := range r.Figures {
		rows = append(rows, []string{f.What, amount(f.Value, f.Unit), f.Target.in(f.Unit), f.Verdict, f.Detail})
	}
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], len([]rune(cell)), 3)
		}
	}
	for n, row := range rows {
		for i, cell := range row {
			fmt.Fprintf(&b, "| %-*s ", widths[i], cell)
		}
		b.WriteString("|\n")
		if n == 0 {
			for _, w := range widths {
				b.WriteString("|" + strings.Repeat("-", w+2))
			}
			b.WriteString("|\n")
		}
	}
	return b.String()
}

// median returns the middle value, or for an even number of values the mean of the two in the
// middle.
func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// spread describes the range of the rounds.
func spread(values []float64) string {
	if len(values) < 2 {
		return "1 round"
	}
	return fmt.Sprintf("%d rounds: %s to %s", len(values), spell(slices.Min(values)), spell(slices.Max(values)))
}

// ratios divides two lists element by element.
func ratios(a, b []float64) []float64 {
	list := make([]float64, len(a))
	for i := range a {
		list[i] = a[i] / b[i]
	}
	return list
}
