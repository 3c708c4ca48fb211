package tprocc_test

import (
	"math"
	"testing"
	"time"

	"sledge/internal/job"
)

// TestFrozenServer_CountsInTheResponseTimesOfARate compares the p99 of a rate during which a server
// freezes with the computed value. Arrivals are even over a time T, and the server is frozen for F
// of it. A transaction scheduled during the freeze waits for the rest of the freeze, so the share
// (F - x) / T waits longer than x, and p99 is F - T/100.
//
// Two users are enough. The freeze blocks one transaction of each, so p99 of the service time does
// not show the freeze. The other transactions begin when the users are free again, oldest first,
// which adds two service times to the longest waits.
func TestFrozenServer_CountsInTheResponseTimesOfARate(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	const frozen, measured = 2 * time.Second, 6 * time.Second
	freeze := &trigger{after: time.Second, do: func() {
		b.freeze(frozen)
	}}
	result, err := b.do(t, job.Spec{Action: job.Run, Users: 2}, job.Control{Watchers: []job.Watcher{freeze}},
		"rampup", "1s", "duration", measured.String(), "rate", "order_status=100/s", "arrivals", "constant")
	if err != nil {
		t.Fatal(err)
	}
	if result.LongestGap == nil {
		t.Fatal("there is no gap")
	}
	// A busy machine takes some time to stop and continue the server's processes, so the test
	// measures the freeze as the longest gap between the ends of two transactions.
	stood := time.Duration(result.LongestGap.Seconds * float64(time.Second))
	all := result.Summary.All()
	want := stood - time.Duration(result.Elapsed*float64(time.Second))/100
	got := time.Duration(all.Response.ValueAtQuantile(99))
	service := time.Duration(all.Service.ValueAtQuantile(99))
	t.Logf("frozen for %s: p99 of %d response times %s, analytic %s; of service times %s, the longest %s",
		stood, all.Done, got, want, service, time.Duration(all.Service.Max()))
	// One percent is 6 transactions, which the two users run one after another after the freeze. On
	// a busy machine that takes time, and one user may stand longer than both together.
	most := max(want, time.Duration(all.Service.Max()))
	if backlog := 6 * service; got < want*95/100 || got > most*105/100+backlog {
		t.Errorf("p99 of the response time is %s, want %s, and up to %s more for the transactions before it", got, want, backlog)
	}
	if longest := time.Duration(all.Service.Max()); service > stood/2 || longest < stood*9/10 || stood < frozen/2 {
		t.Errorf("p99 of the service time is %s and the longest %s, want the freeze in the longest only", service, longest)
	}
	// The freeze delayed 200 transactions. On a busy machine a few of the last ones are still in
	// flight.
	if p := result.Pace; math.Abs(p.Asked-100) > 1 || p.Behind > 10 {
		t.Errorf("got %+v, want 100 a second, and no backlog in the end", p)
	}
}
