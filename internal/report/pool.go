package report

import (
	"fmt"
	"math"
	"slices"

	"sledge/internal/job"
	"sledge/internal/terminal"
)

// shares shows how the work was spread over the connections of a pool, in one table, or in two if
// the terminal is too narrow.
func shares(b *page, p job.Pool) {
	b.title("Connections of the pool", "transactions a minute by the virtual users' count")
	if t := sharesTable(p, true, true); b.Width <= 0 || t.Wide() <= b.Width {
		b.table(t)
	} else {
		b.table(sharesTable(p, true, false))
		b.say(plain, "")
		b.table(sharesTable(p, false, true))
	}
	for _, c := range p.Connections {
		b.say(b.Look.Faint, "  %s", Printable(fmt.Sprintf("%s is %s, version %s", c.Name, c.Target, c.Server)))
	}
	if p.Elsewhere() {
		monitored := "the server that the run's own options name"
		if i := slices.IndexFunc(p.Connections, func(c job.PoolConnection) bool { return c.Monitored }); i >= 0 {
			monitored = Printable(p.Connections[i].Name)
		}
		b.say(b.Look.Faint, "  NOPM, TPM and the server's counts are those of %s alone, because the monitor is connected to it.", monitored)
	}
}

// sharesTable has a line for each connection, with the kinds of transaction, the figures of all
// kinds together, or both.
func sharesTable(p job.Pool, kinds, all bool) terminal.Table {
	t := terminal.Table{Columns: []terminal.Column{{Head: "  connection", Left: true}}}
	if all {
		t.Columns = append(t.Columns, terminal.Column{Head: "all"})
	}
	if kinds {
		for _, s := range p.Connections[0].Shares {
			t.Columns = append(t.Columns, terminal.Column{Head: s.Kind})
		}
	}
	if all {
		t.Columns = append(t.Columns, terminal.Heads("p50 ms", "p99 ms", "failed")...)
	}
	for _, c := range p.Connections {
		cells := []string{"  " + c.Name}
		if all {
			cells = append(cells, perMinute(c.PerMinute))
		}
		if kinds {
			for _, s := range c.Shares {
				cells = append(cells, perMinute(s.PerMinute))
			}
		}
		if all {
			p50, p99 := "-", "-"
			if r := c.Response; r != nil {
				p50, p99 = millis(float64(r.P50)*1e6), millis(float64(r.P99)*1e6)
			}
			cells = append(cells, p50, p99, count(c.Failed))
		}
		t.Row(cells...)
	}
	return t
}

// perMinute formats a rate as a whole number.
func perMinute(rate float64) string { return count(int64(math.Round(rate))) }

// lost describes when and why a connection of a pool was lost.
func lost(c job.PoolConnection) string {
	l := c.Lost
	when := clock(l.From) + " of the measured time"
	if l.From < 0 {
		when = fmt.Sprintf("%.1f s before anything was measured", -l.From)
	}
	left := ""
	if l.Back > 0 {
		left = fmt.Sprintf("; %s there again, the last at %s", count(int64(l.Back)), clock(max(0, l.BackBy)))
	}
	way := "Look in its server's log for the reason"
	if l.Back == 0 {
		way += "; with --reconnect it is made again"
	}
	return fmt.Sprintf("connection %s, %s, was lost at %s (%s), %s%s: %s. %s.",
		c.Name, c.Target, when, l.At.UTC().Format(timeLayout), sessions(l.Sessions), left, l.Why, way)
}

func sessions(n int) string {
	if n == 1 {
		return "1 session"
	}
	return count(int64(n)) + " sessions"
}
