package meter

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// Transactions arrive out of order, as from stripes, so that earlier parts are opened again.
func TestParts_AddUpToTheWhole(t *testing.T) {
	const s = time.Second
	ends := []time.Duration{10 * s, 20 * s, 21 * s, 22 * s}
	parts, whole := NewParts(2, ends), NewSummary(2)
	want := make([]Summary, 5)
	for i := range want {
		want[i] = NewSummary(2)
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 5000 {
		ended := time.Duration(random.Int64N(int64(30 * s)))
		r := Record{Kind: Kind(random.IntN(2)), Ended: ended, Service: ended / 100, Response: ended / 50}
		part := 4
		for i, end := range ends {
			if ended < end {
				part = i
				break
			}
		}
		for _, sum := range []Sum{parts, &whole, &want[part]} {
			sum.record(&r)
		}
	}
	got := parts.Summaries(s, 30*s)
	if len(got) != len(want) {
		t.Fatalf("got %d parts, want %d", len(got), len(want))
	}
	all := NewSummary(2)
	for i, elapsed := range []time.Duration{9 * s, 10 * s, s, s, 8 * s} {
		if got[i].Elapsed != elapsed {
			t.Errorf("part %d: got %s, want %s", i, got[i].Elapsed, elapsed)
		}
		sum, err := got[i].Summary()
		if err != nil {
			t.Fatal(err)
		}
		a, b := sum.All(), want[i].All()
		if a.Done != b.Done || a.Response.ValueAtQuantile(99) != b.Response.ValueAtQuantile(99) {
			t.Errorf("part %d: got %d done, p99 %d; want %d, %d", i, a.Done, a.Response.ValueAtQuantile(99), b.Done, b.Response.ValueAtQuantile(99))
		}
		all.Add(sum)
	}
	a, b := all.All(), whole.All()
	if a.Done != b.Done || a.Service.ValueAtQuantile(50) != b.Service.ValueAtQuantile(50) {
		t.Errorf("all parts: got %d done, want %d", a.Done, b.Done)
	}
}

// The measured time may begin after the first parts have ended.
func TestParts_EndedBeforeTheMeasuredTime(t *testing.T) {
	const s = time.Second
	p := NewParts(1, []time.Duration{1 * s, 2 * s, 5 * s})
	p.record(&Record{Ended: 4 * s})
	var got []time.Duration
	for _, part := range p.Summaries(3*s, 7*s) {
		got = append(got, part.Elapsed)
	}
	if want := []time.Duration{0, 0, 2 * s, 2 * s}; !slices.Equal(got, want) {
		t.Errorf("got parts of %v, want %v", got, want)
	}
}

func TestParts_LeaveOutPartsThatDidNotBegin(t *testing.T) {
	p := NewParts(1, []time.Duration{time.Second, 2 * time.Second})
	p.record(&Record{Ended: 1500 * time.Millisecond})
	got := p.Summaries(0, 1700*time.Millisecond)
	if len(got) != 2 || got[0].Ended() != 0 || got[1].Ended() != 1 || got[1].Elapsed != 700*time.Millisecond {
		t.Errorf("got %+v, want an empty part and one of 0.7 s with a transaction", got)
	}
}
