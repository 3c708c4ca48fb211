package meter

import (
	"math/rand/v2"
	"testing"
	"time"
)

func TestTogether_EqualsTheSum(t *testing.T) {
	draw := rand.New(rand.NewPCG(1, 1))
	stripe, interval, sum := NewStripe(), NewInterval(3), NewSummary(3)
	for n := range 1000 {
		took := time.Duration(draw.ExpFloat64() * float64(time.Millisecond))
		stripe.Record(Record{Kind: Kind(n % 2), Service: took, Response: took})
	}
	stripe.Take(interval, &sum)
	coded := interval.Cut(time.Second)
	got, err := Together(coded.Kinds[0].Response, coded.Kinds[1].Response, coded.Kinds[2].Response)
	if err != nil {
		t.Fatal(err)
	}
	want, err := coded.Summary()
	if err != nil {
		t.Fatal(err)
	}
	all := want.All()
	for _, percent := range []float64{1, 50, 95, 99, 99.9, 100} {
		if g, w := got.ValueAtQuantile(percent), all.Response.ValueAtQuantile(percent); g != w {
			t.Errorf("p%g: got %d, want %d", percent, g, w)
		}
	}
	if g, w := got.Max(), all.Response.Max(); g != w {
		t.Errorf("max: got %d, want %d", g, w)
	}
	if g, w := got.Mean(), all.Response.Mean(); g < 0.9999*w || g > 1.0001*w {
		t.Errorf("mean: got %g, want %g", g, w)
	}
}
