package meter_test

import (
	"encoding"
	"fmt"
	"testing"
	"time"

	"sledge/internal/meter"
)

func TestBrief_AgreesWithTheSummary(t *testing.T) {
	stripe, sum, second := meter.NewStripe(), meter.NewSummary(3), meter.NewInterval(3)
	for n, took := range latencies(5, 2000) {
		stripe.Record(done(meter.Kind(n%2), took))
	}
	stripe.Record(meter.Record{Kind: 0, Outcome: meter.RolledBack})
	stripe.Record(meter.Record{Kind: 1, Outcome: meter.Failed, Class: meter.Deadlock, Retries: 3})
	stripe.Record(meter.Record{Kind: 2, Outcome: meter.Failed, Class: meter.Other})
	stripe.Take(&sum, second)
	all := sum.All()
	coded := second.Cut(time.Second)
	brief, err := coded.Brief()
	if err != nil {
		t.Fatal(err)
	}
	if brief.Ended != 2001 || brief.Failed != 2 || brief.Response == nil || *brief.Response != meter.NewLatency(all.Response) {
		t.Errorf("got %+v with %+v, want 2,001 ended, 2 failed, and %+v", brief, brief.Response, meter.NewLatency(all.Response))
	}

	var figures meter.Latency
	var _ encoding.BinaryMarshaler = figures
	b, err := brief.Response.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	if err := figures.UnmarshalBinary(b); err != nil || figures != *brief.Response {
		t.Errorf("decoded from binary: got %+v, %v, want %+v", figures, err, *brief.Response)
	}
	for _, wrong := range [][]byte{nil, b[:len(b)-1], append(b, 1)} {
		if figures.UnmarshalBinary(wrong) == nil {
			t.Errorf("%x: got no error", wrong)
		}
	}

	short := meter.NewShortLatency(all.Response)
	if b, err := short.MarshalBinary(); err == nil {
		t.Errorf("encode a latency with unknown figures: got %x and no error", b)
	}

	nothing, err := (meter.CodedSummary{Kinds: make([]meter.CodedTally, 3)}).Brief()
	if err != nil || nothing != (meter.Brief{}) {
		t.Errorf("nothing measured: got %+v, %v", nothing, err)
	}
	coded.Kinds[0].Response = meter.CodedHistogram("no histogram")
	if _, err := coded.Brief(); err == nil {
		t.Error("invalid bytes: got no error")
	}
}

func BenchmarkBrief(b *testing.B) {
	for _, n := range []int{100, 1000, 10_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			interval := meter.NewInterval(5)
			second(1, n, interval)
			coded := interval.Cut(time.Second)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := coded.Brief(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
