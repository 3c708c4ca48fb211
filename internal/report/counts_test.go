package report

import (
	"slices"
	"testing"
	"time"

	"sledge/internal/job"
	"sledge/internal/meter"
)

func TestCountsNameFailuresByClass(t *testing.T) {
	stripe := meter.NewStripe()
	for _, r := range []meter.Record{
		{Kind: 0, Service: time.Millisecond, Response: time.Millisecond, Retries: 2},
		{Kind: 0, Outcome: meter.RolledBack},
		{Kind: 1, Outcome: meter.Failed, Class: meter.Deadlock},
		{Kind: 1, Outcome: meter.Failed, Class: meter.Deadlock},
	} {
		stripe.Record(r)
	}
	sum := meter.NewSummary(2)
	stripe.Take(&sum)
	got := Counts(job.Result{Measured: job.Measured{Summary: sum}, Agreements: job.Agreements{Agreement: &job.Agreement{What: "new order", Client: 5, Server: 9, Low: 3, High: 7, Limit: 30}}})
	want := []string{
		"1 transactions done, 1 rolled back as the workload asks, 2 failed (deadlock 2), 2 retries",
		"Counts: the virtual users counted 5 new orders, the server 9: they disagree (3 to 7 expected; it is 22.22 % off, and more than 30 % makes the run invalid (max_failures)). Another program may have worked on the schema: stop it, and repeat the run.",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := Counts(job.Result{}); got != nil {
		t.Errorf("a run that measured nothing: got %q, want nothing", got)
	}
}
