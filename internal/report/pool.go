package report

import (
	"fmt"
	"math"

	"sledge/internal/job"
	"sledge/internal/terminal"
)

// shares shows what was done over each connection of a pool.
func shares(b *page, p job.Pool) {
	b.title("Connections of the pool", "transactions a minute by the virtual users' count")
	columns := []terminal.Column{{Head: "  connection", Left: true}, {Head: "all"}}
	for _, s := range p.Connections[0].Shares {
		columns = append(columns, terminal.Column{Head: s.Kind})
	}
	t := terminal.Table{Columns: append(columns, terminal.Column{Head: "p50 ms"}, terminal.Column{Head: "p99 ms"}, terminal.Column{Head: "failed"})}
	for _, c := range p.Connections {
		cells := []string{"  " + c.Name, perMinute(c.PerMinute)}
		for _, s := range c.Shares {
			cells = append(cells, perMinute(s.PerMinute))
		}
		t.Row(append(cells, millis(c.P50*1e9), millis(c.P99*1e9), count(c.Failed))...)
	}
	b.table(t)
	for _, c := range p.Connections {
		b.say(b.Look.Faint, "  %s", Printable(fmt.Sprintf("%s is %s, version %s", c.Name, c.Target, c.Server)))
	}
	if p.Elsewhere() {
		b.say(b.Look.Faint, "  What the server counted, and what is made of that, is of the server above alone, which the monitor is connected to.")
	}
}

// perMinute spells a rate to the whole number.
func perMinute(rate float64) string { return count(int64(math.Round(rate))) }

// lost says when a connection of a pool was lost, and why.
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
	return fmt.Sprintf("LOST: connection %s of the pool, %s, at %s (%s), %s%s: %s",
		c.Name, c.Target, when, l.At.Format(timeLayout), sessions(l.Sessions), left, l.Why)
}

func sessions(n int) string {
	if n == 1 {
		return "1 session"
	}
	return count(int64(n)) + " sessions"
}
