package lines_test

import (
	"slices"
	"strings"
	"testing"

	"sledge/internal/hammerdb/lines"
	"sledge/internal/job"
)

func TestQueriesAreWordedAsHammerDBDoes(t *testing.T) {
	speaker := lines.NewSpeaker(lines.About{Action: job.Run, Product: "PostgreSQL", Workload: "tproch"})
	var got []string
	say := func(span job.Span) {
		for _, line := range speaker.Say(job.Event{User: span.User, Span: &span}) {
			got = append(got, line.Text)
			if line.User != span.User {
				t.Errorf("virtual user %d says %q, want it of %d", line.User, line.Text, span.User)
			}
		}
	}
	ask := func(user, set, number int, query string, from, seconds float64, rows int64) {
		span := job.Span{User: user, Kind: "query " + query, Set: set, Number: number, Of: 3, From: from}
		say(span)
		span.Seconds, span.Rows, span.Outcome = seconds, rows, job.SpanDone
		if rows < 0 {
			span.Rows, span.Outcome, span.Message = 0, job.SpanFailed, "no such table"
		}
		say(span)
	}
	ask(1, 1, 1, "14", 0, 1, 1)
	ask(2, 1, 1, "21", 0, 5, 7) // another one meanwhile
	ask(1, 1, 2, "2", 1, 4, 100)
	ask(1, 1, 3, "9", 5, 20.5, 0)
	ask(1, 2, 1, "14", 25.5, 0.25, 1) // begins anew
	ask(1, 2, 2, "2", 25.75, 1, -1)
	ask(1, 2, 3, "9", 26.75, 1, 0)
	want := []string{
		"Executing Query 14 (1 of 3)", "query 14 completed in 1.000 seconds",
		"Executing Query 21 (1 of 3)", "query 21 completed in 5.000 seconds",
		"Executing Query 2 (2 of 3)", "query 2 completed in 4.000 seconds",
		"Executing Query 9 (3 of 3)", "query 9 completed in 20.500 seconds",
		"Completed 1 query set(s) in 26 seconds",
		"Geometric mean of query times returning rows (2) is 2.00000",
		"Executing Query 14 (1 of 3)", "query 14 completed in 0.250 seconds",
		"Executing Query 2 (2 of 3)", "query 2 failed: no such table",
		"Executing Query 9 (3 of 3)", "query 9 completed in 1.000 seconds",
		"Completed 2 query set(s) in 2 seconds",
		"Geometric mean of query times returning rows (1) is 0.25000",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
