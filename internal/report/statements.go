package report

import (
	"fmt"

	"sledge/internal/job"
	"sledge/internal/terminal"
)

// statementsOf names the statement that took most of the server's time.
func statementsOf(s job.Statements) string {
	const longest = 80
	if s.Missing != "" {
		return "not measured: " + s.Missing
	}
	if len(s.Top) == 0 {
		return "the server counted none"
	}
	first := s.Top[0]
	return fmt.Sprintf("%s of the server's time in statements in %s (%s × %s ms)",
		share(int64(1e6*first.Seconds), int64(1e6*s.Sum())), terminal.Cut(first.Text, longest), count(first.Calls), meanMS(first))
}

// meanMS is the mean time of a call in the server.
func meanMS(s job.Statement) string { return millis(1e9 * s.Seconds / float64(max(1, s.Calls))) }

// statements shows the statements that took most of the server's time.
func statements(b *page, s job.Statements) {
	if s.Missing != "" {
		b.title("Top statements of the server", "")
		b.say(b.Look.Doubtful, "  not measured: %s", Printable(s.Missing))
		return
	}
	b.title("Top statements of the server", "by their time in the server in the measured time")
	t := terminal.Table{Columns: []terminal.Column{
		{Head: "  share"}, {Head: "calls"}, {Head: "ms each"}, {Head: "rows each", Rank: 1}, {Head: "statement", Left: true, Wrapped: true},
	}}
	for _, one := range s.Top {
		rows := float64(one.Rows) / float64(max(1, one.Calls))
		t.Row(share(int64(1e6*one.Seconds), int64(1e6*s.Sum())), count(one.Calls), meanMS(one), figured(&rows), one.Text)
	}
	if len(t.Rows) > 0 {
		b.table(t)
	}
	if s.Others > 0 {
		b.say(b.Look.Faint, "  %s other statements took %.2f s.", count(int64(s.Others)), s.OthersSeconds)
	}
	if s.AtLeast {
		b.say(b.Look.Doubtful, "  The server reset or removed the statistics of some statements: their numbers are lower bounds.")
	}
}
