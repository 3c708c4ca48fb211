package report

import (
	"fmt"
	"math"
	"strings"

	"github.com/dustin/go-humanize"

	"sledge/internal/job"
	"sledge/internal/terminal"
)

// countersOf says what the server counted in the measured time, by the counters that a summary shows:
// "412 MB WAL written (1.3 kB a transaction); 12 deadlocks; size of the database 1.2 GB, 1.4 GB at the end".
func countersOf(c job.ServerCounters) string {
	var parts []string
	for _, one := range c.Counters {
		if !one.Summary || one.Value == 0 {
			continue
		}
		means, _, _ := strings.Cut(one.Means, ",")
		switch {
		case one.Before != nil:
			parts = append(parts, fmt.Sprintf("%s %s, %s at the end", means, amount(*one.Before, one.Unit), amount(one.Value, one.Unit)))
		case one.PerTransaction > 0:
			parts = append(parts, fmt.Sprintf("%s %s (%s a transaction)", amount(one.Value, one.Unit), means, amount(one.PerTransaction, one.Unit)))
		default:
			parts = append(parts, amount(one.Value, one.Unit)+" "+means)
		}
	}
	if len(parts) == 0 {
		parts = append(parts, fmt.Sprintf("none grew in %.0f s", c.Seconds))
	}
	if n := len(c.Missing); n > 0 {
		parts = append(parts, fmt.Sprintf("%s: not measured: %s", c.Missing[0].Source, c.Missing[0].Why))
		if n > 1 {
			parts[len(parts)-1] += fmt.Sprintf(" (and %d more)", n-1)
		}
	}
	return strings.Join(parts, "; ")
}

// amount formats a number of a counter with its unit. The meaning of a counter names what it counts, so
// only bytes and times have a unit here.
func amount(v float64, unit string) string {
	switch {
	case unit == "bytes" && math.Abs(v) >= 1000:
		return humanize.SIWithDigits(v, 2, "B")
	case unit == "bytes":
		return figured(&v) + " B"
	case unit == "ms" || unit == "s" || unit == "µs":
		return figured(&v) + " " + unit
	case v == math.Trunc(v):
		return count(int64(v))
	}
	return figured(&v)
}

// counters shows all counters of the server that grew, and the levels.
func counters(b *page, c job.ServerCounters) {
	const most = 5 // objects of a counter
	b.title("Counters of the server", fmt.Sprintf("their growth in the measured time, between two readings %.1f s apart; of levels, the value at the end", c.Seconds))
	t := terminal.Table{Columns: []terminal.Column{
		{Head: "  counter", Left: true}, {Head: "value"}, {Head: "each second", Rank: 2}, {Head: "each transaction", Rank: 1}, {Head: "meaning", Left: true, Wrapped: true},
	}}
	source, still := "", 0
	for _, one := range c.Counters {
		if one.Value == 0 && one.Before == nil {
			still++
			continue
		}
		if one.Source != source {
			source = one.Source
			t.Row("  " + source)
		}
		second, transaction, means := "", "", one.Means
		if one.Before == nil {
			second = amount(one.PerSecond, one.Unit)
		} else {
			means += fmt.Sprintf(" (%s at the beginning)", amount(*one.Before, one.Unit))
		}
		if one.PerTransaction > 0 {
			transaction = amount(one.PerTransaction, one.Unit)
		}
		t.Row("    "+one.Name, amount(one.Value, one.Unit), second, transaction, means)
		for _, part := range one.Parts[:min(most, len(one.Parts))] {
			t.Row("      "+part.Of, amount(part.Value, one.Unit))
		}
	}
	if len(t.Rows) > 0 {
		b.table(t)
	}
	if still > 0 {
		b.say(b.Look.Faint, "  %s more did not grow.", count(int64(still)))
	}
	for _, m := range c.Missing {
		b.say(b.Look.Doubtful, "  %s: not measured: %s", Printable(m.Source), Printable(m.Why))
	}
}
