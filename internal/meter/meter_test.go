package meter_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"sledge/internal/meter"
)

// latencies returns n log-normal latencies between about 10 µs and 1 s, which are typical of databases.
func latencies(seed uint64, n int) []time.Duration {
	r := rand.New(rand.NewPCG(seed, 0))
	list := make([]time.Duration, n)
	for i := range list {
		list[i] = time.Duration(1e6 * math.Exp(r.NormFloat64()*1.5))
	}
	return list
}

func done(kind meter.Kind, d time.Duration) meter.Record {
	return meter.Record{Kind: kind, Service: d, Response: d + time.Microsecond}
}

func TestAdd_EqualsTheHistogramOfAllValues(t *testing.T) {
	merged, union := meter.NewSummary(2), meter.NewSummary(2)
	whole := meter.NewStripe()
	for seed := range uint64(5) {
		part := meter.NewStripe()
		for i, d := range latencies(seed, 10_000) {
			part.Record(done(meter.Kind(i%2), d))
			whole.Record(done(meter.Kind(i%2), d))
		}
		second := meter.NewSummary(2)
		part.Take(&second)
		merged.Add(second)
	}
	whole.Take(&union)
	for k := range union.Kinds {
		got, want := merged.Kinds[k], union.Kinds[k]
		if got.Done != want.Done || !got.Service.Equals(want.Service) || !got.Response.Equals(want.Response) {
			t.Errorf("kind %d: the merge of five histograms is not the histogram of all values", k)
		}
	}
}

func TestPercentiles_AreWithinATenthOfAPercent(t *testing.T) {
	list := latencies(42, 100_000)
	stripe, sum := meter.NewStripe(), meter.NewSummary(1)
	for _, d := range list {
		stripe.Record(done(0, d))
	}
	stripe.Take(&sum)
	slices.Sort(list)
	for _, p := range []float64{1, 25, 50, 75, 90, 95, 99, 99.9, 99.99, 100} {
		want := float64(list[int(math.Round(p/100*float64(len(list))))-1])
		got := float64(sum.Kinds[0].Service.ValueAtQuantile(p))
		if off := math.Abs(got-want) / want; off > 0.001 {
			t.Errorf("p%v: got %.0f ns, want %.0f ns: off by %.3f %%", p, got, want, 100*off)
		}
	}
}

func TestRecord_CountsEachTransactionOnce(t *testing.T) {
	stripe, sum := meter.NewStripe(), meter.NewSummary(1)
	stripe.Record(meter.Record{Outcome: meter.Done, Service: time.Millisecond, Response: 2 * time.Millisecond, Retries: 2, Sent: 1, Received: 20, RoundTrips: 3})
	stripe.Record(meter.Record{Outcome: meter.RolledBack, Service: time.Second, Response: time.Second, Sent: 400})
	stripe.Record(meter.Record{Outcome: meter.Failed, Class: meter.Deadlock, Service: time.Hour, Response: time.Hour, Retries: 10})
	stripe.Record(meter.Record{Outcome: meter.Failed, Class: meter.Connection, Service: time.Hour, Response: time.Hour})
	stripe.Take(&sum)
	k := sum.Kinds[0]
	if k.Done != 1 || k.RolledBack != 1 || k.Failures() != 2 || k.Retried != 12 || k.Ended() != 4 {
		t.Errorf("got %+v", k)
	}
	if k.Traffic != (meter.Traffic{Sent: 401, Received: 20, RoundTrips: 3}) {
		t.Errorf("got traffic %+v, want that of all outcomes", k.Traffic)
	}
	if k.Failed[meter.Deadlock] != 1 || k.Failed[meter.Connection] != 1 {
		t.Errorf("failures by class: got %v", k.Failed)
	}
	if n := k.Service.TotalCount(); n != 1 {
		t.Errorf("got %d transactions in the histogram, want only the one that was done", n)
	}
	if k.Service.Max() > int64(2*time.Millisecond) || k.Response.Max() < int64(2*time.Millisecond)-1 {
		t.Errorf("got service %d and response %d, want 1 ms and 2 ms", k.Service.Max(), k.Response.Max())
	}
}

func TestTake_LosesNoRecord(t *testing.T) {
	const users, each = 4, 20_000
	stripe, sum := meter.NewStripe(), meter.NewSummary(1)
	var working sync.WaitGroup
	for range users {
		working.Go(func() {
			for range each {
				stripe.Record(done(0, time.Millisecond))
			}
		})
	}
	finished := make(chan struct{})
	go func() { working.Wait(); close(finished) }()
	for running := true; running; {
		select {
		case <-finished:
			running = false
		default:
		}
		stripe.Take(&sum)
	}
	if got := sum.Kinds[0]; got.Done != users*each || got.Service.TotalCount() != users*each {
		t.Errorf("got %d done and %d in the histogram, want %d", got.Done, got.Service.TotalCount(), users*each)
	}
}

func TestTake_Rests(t *testing.T) {
	stripes, sum := []*meter.Stripe{meter.NewStripe(), meter.NewStripe()}, meter.NewSummary(1)
	for range 5000 {
		for _, s := range stripes {
			s.Record(done(0, time.Millisecond))
		}
	}
	rests := 0
	meter.Take(stripes, func() {
		rests++
		stripes[1].Record(done(0, time.Millisecond)) // another user records meanwhile
	}, &sum)
	if sum.Kinds[0].Done != 10_000 || rests < 5 {
		t.Errorf("got %d done and %d rests, want the 10000 recorded before Take and at least 5 rests", sum.Kinds[0].Done, rests)
	}
	meter.Take(stripes, nil, &sum)
	if got, want := sum.Kinds[0].Done, int64(10_000+rests); got != want {
		t.Errorf("got %d after the second Take, want %d", got, want)
	}
}

func TestRecord_AllocatesNothing(t *testing.T) {
	stripe := meter.NewStripe()
	record := done(0, 1234*time.Microsecond)
	sum := meter.NewSummary(1)
	seconds := func() {
		for range 5000 {
			stripe.Record(record)
		}
		stripe.Take(&sum)
	}
	seconds() // allocates the pages
	// Take allocates the list of full pages, and Record allocates nothing.
	if n := testing.AllocsPerRun(100, seconds); n > 10 {
		t.Errorf("5000 calls of Record and one of Take allocate %v times, want at most 10", n)
	}
}

// BenchmarkRecord includes the cost of Take, which a collector calls about once per thousand
// records at 1,000 transactions per second.
func BenchmarkRecord(b *testing.B) {
	stripe, sum := meter.NewStripe(), meter.NewSummary(5)
	list := latencies(1, 1024)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		stripe.Record(done(2, list[i%len(list)]))
		if i%1024 == 1023 {
			stripe.Take(&sum)
		}
	}
}
