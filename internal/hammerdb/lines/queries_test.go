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
				t.Errorf("virtual user %d has the line %q, want virtual user %d", line.User, line.Text, span.User)
			}
		}
	}
	for user := 1; user <= 2; user++ {
		speaker.Say(job.Event{User: user, State: job.UserRunning})
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
	ask(2, 1, 1, "21", 0, 5, 7) // another user at the same time
	ask(1, 1, 2, "2", 1, 4, 100)
	ask(1, 1, 3, "9", 5, 20.5, 0)
	ask(1, 2, 1, "14", 25.5, 0.25, 1) // starts again
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
		"1 of 3 queries failed: their times are in no mean",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// The lines about what the first virtual user finds before it runs come after its line RUNNING.
func TestRefreshFunctionsAndCloudQueriesAreWorded(t *testing.T) {
	speaker := lines.NewSpeaker(lines.About{Action: job.Run, Product: "PostgreSQL", Workload: "tproch"})
	var got []string
	say := func(e job.Event) {
		e.User = 1
		for _, line := range speaker.Say(e) {
			got = append(got, line.Text)
		}
	}
	do := func(span job.Span) {
		span.User = 1
		begun := span
		begun.Seconds, begun.Rows, begun.Outcome, begun.Message = 0, 0, "", ""
		say(job.Event{Span: &begun})
		say(job.Event{Span: &span})
	}
	say(job.Event{Facts: &job.Facts{Server: "16.4", Size: "scale factor 10"}})
	say(job.Event{Message: lines.OtherSize("tproch", "1", "10")})
	say(job.Event{State: job.UserRunning})
	do(job.Span{Kind: "new sales refresh", Seconds: 1.25, Outcome: job.SpanDone})
	say(job.Event{Step: &job.Step{Name: job.StepNewSale, Count: 9}})
	say(job.Event{Step: &job.Step{Name: job.StepOldSale, Count: 1}})
	do(job.Span{Kind: "old sales refresh", From: 1.25, Seconds: 2, Outcome: job.SpanDone})
	do(job.Span{Kind: "new sales refresh", Seconds: 1.25, Outcome: job.SpanFailed, Message: "disk full"})
	do(job.Span{Kind: "cloud query 1", Set: 1, Number: 1, Of: 2, Seconds: 4, Rows: 10, Outcome: job.SpanDone})
	do(job.Span{Kind: "cloud query 10", Set: 1, Number: 2, Of: 2, From: 4, Seconds: 2, Outcome: job.SpanDone})
	do(job.Span{Kind: "query 14", Set: 2, Number: 1, Of: 1, From: 6, Seconds: 2, Outcome: job.SpanCutOff})
	say(job.Event{State: job.UserSucceeded})
	want := []string{
		"RUNNING", "DBVersion:16.4", "Verifying the scale factor of the existing schema...",
		"The setting of the scale factor (1) is different from the scale factor of the existing schema (10), updating the scale factor to 10.",
		"New Sales refresh", "New Sales refresh complete in 1.250 seconds",
		"Refresh Insert Orderkey 9...", "Refresh Delete Orderkey 1...",
		"Old Sales refresh", "Old Sales refresh complete in 2.000 seconds",
		"Completed update set(s) 1 in 3 seconds",
		"New Sales refresh", "New Sales refresh failed: disk full",
		"Executing Query (1 of 2)", "10 rows returned in 4.000 seconds",
		"Executing Query (2 of 2)", "0 rows returned in 2.000 seconds",
		"Completed query set in 6 seconds",
		"Geometric mean of query times returning rows is 4.00000",
		"Executing Query 14 (1 of 1)", "query 14 cut off",
		"Completed 1 update set(s)", "FINISHED SUCCESS",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestAnswer_HasALineForEachRow(t *testing.T) {
	speaker := lines.NewSpeaker(lines.About{Action: job.Run, Product: "PostgreSQL", Workload: "tproch"})
	speaker.Say(job.Event{User: 2, State: job.UserRunning})
	var got []string
	for _, line := range speaker.Say(job.Event{User: 2, Answer: &job.Answer{
		Kind: "query 4", Text: "SELECT a, b\nFROM t\n", Columns: []string{"a", "b"}, Rows: [][]string{{"1-URGENT  ", "9"}, {"NULL", "10"}}, More: 3,
	}}) {
		if line.User != 2 {
			t.Errorf("virtual user %d has the line %q, want virtual user 2", line.User, line.Text)
		}
		got = append(got, line.Text)
	}
	if want := []string{"SELECT a, b", "FROM t", "1-URGENT | 9", "NULL | 10", "and 3 more rows"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
