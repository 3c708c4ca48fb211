package meter_test

import (
	"math"
	"runtime"
	"slices"
	"testing"
	"time"

	"sledge/internal/meter"
)

func TestProfile_SeparatesUsers(t *testing.T) {
	stripe, sum, profile := meter.NewStripe(), meter.NewSummary(2), meter.NewProfile(3, 2)
	for n := range 600 {
		r := done(meter.Kind(n%2), time.Duration(1+n%3)*time.Millisecond)
		r.User = int32(n % 3)
		stripe.Record(r)
	}
	stripe.Record(meter.Record{User: 1, Kind: 1, Outcome: meter.Failed, Class: meter.Deadlock})
	stripe.Take(&sum, profile)
	users := decoded(t, profile.Users(time.Minute))
	for u, s := range users {
		for k := range s.Kinds {
			took := time.Duration(1+u) * time.Millisecond
			if got := s.Kinds[k].Done; got != 100 {
				t.Errorf("user %d, kind %d: got %d done, want 100", u, k, got)
			}
			if got := s.Kinds[k].Service.Max(); !within(got, int64(took), 0.01) {
				t.Errorf("user %d, kind %d: got a maximum of %d ns, want about %v", u, k, got, took)
			}
		}
		if s.Elapsed != time.Minute {
			t.Errorf("user %d: got %v elapsed, want 1m", u, s.Elapsed)
		}
	}
	if all := users[1].All(); all.Service.Max() != users[1].Kinds[0].Service.Max() || all.Service.Min() != users[1].Kinds[1].Service.Min() {
		t.Errorf("got %d to %d ns for all kinds together, want about %d for each end", all.Service.Min(), all.Service.Max(), users[1].Kinds[0].Service.Max())
	}
	if got := users[1].Kinds[1].Failed[meter.Deadlock]; got != 1 {
		t.Errorf("got %d deadlocks of user 1, want 1", got)
	}
	together := meter.NewSummary(2)
	for _, s := range users {
		together.Add(s)
	}
	if got, want := together.All().Done, sum.All().Done; got != want {
		t.Errorf("got %d done by all users together, want the %d of the run", got, want)
	}
}

func TestProfile_PercentilesAreWithinOnePercent(t *testing.T) {
	list := latencies(42, 100_000)
	stripe, profile := meter.NewStripe(), meter.NewProfile(1, 1)
	for _, d := range list {
		stripe.Record(done(0, d))
	}
	stripe.Take(profile)
	slices.Sort(list)
	h := decoded(t, profile.Users(time.Second))[0].Kinds[0].Service
	for _, p := range []float64{1, 25, 50, 75, 95, 99, 99.9, 100} {
		want := int64(list[int(math.Round(p/100*float64(len(list))))-1])
		if got := h.ValueAtQuantile(p); !within(got, want, 0.01) {
			t.Errorf("percentile %v: got %d ns, want %d", p, got, want)
		}
	}
}

func decoded(t *testing.T, users []meter.CodedSummary) (list []meter.Summary) {
	t.Helper()
	for _, u := range users {
		s, err := u.Summary()
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, s)
	}
	return list
}

// within reports whether two latencies differ by at most a share of want, or by a microsecond.
func within(got, want int64, share float64) bool {
	return math.Abs(float64(got-want)) <= max(share*float64(want), float64(time.Microsecond))
}

func TestProfile_TakesNoMoreMemoryThanProfileBytes(t *testing.T) {
	const users, kinds = 1000, 5
	if got, want := meter.ProfileBytes(kinds), 140<<10; got > want {
		t.Errorf("got %d bytes per user, want at most %d", got, want)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	profile := meter.NewProfile(users, kinds)
	stripe := meter.NewStripe()
	for i, d := range latencies(1, 100_000) {
		r := done(meter.Kind(i%kinds), d)
		r.User = int32(i % users)
		stripe.Record(r)
		if i%10_000 == 0 {
			stripe.Take(profile)
		}
	}
	runtime.ReadMemStats(&after)
	runtime.KeepAlive(profile)
	// The pages of the stripe, and the tallies without their histograms, take a few MiB.
	if got, limit := after.TotalAlloc-before.TotalAlloc, uint64(users*meter.ProfileBytes(kinds)+16<<20); got > limit {
		t.Errorf("got %d MiB, want at most %d", got>>20, limit>>20)
	}
}
