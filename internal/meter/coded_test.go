package meter_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	"sledge/internal/meter"
)

// second records n transactions of five kinds in TPC-C's mix, a rollback and a failure, and adds
// them to sums.
func second(seed uint64, n int, sums ...meter.Sum) {
	random := rand.New(rand.NewPCG(seed, 0))
	stripe := meter.NewStripe()
	for i := range n {
		kind := max(0, i%23-18) // 19 of 23, and one each of the other four
		service := time.Duration(float64(1+kind) * 2e6 * math.Exp(random.NormFloat64()*0.7))
		stripe.Record(meter.Record{Kind: meter.Kind(kind), Service: service, Response: service + time.Microsecond, Sent: uint32(i), Received: 1000, RoundTrips: 3})
	}
	stripe.Record(meter.Record{Kind: 0, Outcome: meter.RolledBack})
	stripe.Record(meter.Record{Kind: 1, Outcome: meter.Failed, Class: meter.Deadlock, Retries: 3, Sent: 1, Received: 2, RoundTrips: 3})
	stripe.Take(sums...)
}

func same(t *testing.T, what string, got, want meter.Summary) {
	t.Helper()
	if got.Elapsed != want.Elapsed || len(got.Kinds) != len(want.Kinds) {
		t.Fatalf("%s: got %d kinds over %v, want %d over %v", what, len(got.Kinds), got.Elapsed, len(want.Kinds), want.Elapsed)
	}
	for k := range want.Kinds {
		g, w := got.Kinds[k], want.Kinds[k]
		if !g.Service.Equals(w.Service) || !g.Response.Equals(w.Response) {
			t.Errorf("%s, kind %d: the histograms are not the same", what, k)
		}
		g.Service, g.Response, w.Service, w.Response = nil, nil, nil, nil
		if g != w {
			t.Errorf("%s, kind %d: got %+v, want %+v", what, k, g, w)
		}
	}
}

func TestCoded_RoundTrip(t *testing.T) {
	for _, n := range []int{0, 1, 100, 20_000} {
		interval, want := meter.NewInterval(5), meter.NewSummary(5)
		for round := range uint64(3) { // an interval is reused
			want.Reset()
			second(round, n, interval, &want)
			want.Elapsed = time.Second
			direct := interval.Cut(time.Second)
			text, err := json.Marshal(direct)
			if err != nil {
				t.Fatal(err)
			}
			var fromJSON, fromBinary meter.CodedSummary
			if err := json.Unmarshal(text, &fromJSON); err != nil {
				t.Fatal(err)
			}
			binary, err := direct.MarshalBinary()
			if err != nil {
				t.Fatal(err)
			}
			if err := fromBinary.UnmarshalBinary(binary); err != nil {
				t.Fatal(err)
			}
			clear(binary)
			for what, c := range map[string]meter.CodedSummary{"an interval": direct, "a summary": want.Coded(), "JSON": fromJSON, "binary": fromBinary} {
				got, err := c.Summary()
				if err != nil {
					t.Fatal(err)
				}
				same(t, fmt.Sprintf("%d transactions by %s", n, what), got, want)
				if !reflect.DeepEqual(c, direct) {
					t.Errorf("%d transactions by %s: the coded forms differ", n, what)
				}
			}
		}
	}
}

func TestAddCoded_AddsWithoutLoss(t *testing.T) {
	interval, several := meter.NewInterval(5), meter.NewInterval(5)
	added, want := meter.NewSummary(5), meter.NewSummary(5)
	for n := range uint64(10) {
		one := meter.NewSummary(5)
		second(n, 500, interval, &one)
		one.Elapsed = time.Second
		want.Add(one)
		c := interval.Cut(time.Second)
		if err := added.AddCoded(c); err != nil {
			t.Fatal(err)
		}
		if err := several.Add(c); err != nil {
			t.Fatal(err)
		}
	}
	same(t, "added to a summary", added, want)
	got, err := several.Cut(0).Summary()
	if err != nil {
		t.Fatal(err)
	}
	same(t, "added to an interval", got, want)
	if err := added.AddCoded(meter.NewInterval(2).Cut(0)); err == nil {
		t.Error("adding two kinds to five: got no error")
	}
	if err := several.Add(meter.NewInterval(2).Cut(0)); err == nil {
		t.Error("adding two kinds to an interval of five: got no error")
	}
}

func TestCoded_ReadsVersion1(t *testing.T) {
	var c meter.CodedSummary
	if err := c.UnmarshalBinary([]byte("\x01\x05\x01\x01\x02\x03\x01\x05other\x04\x00\x00")); err != nil {
		t.Fatal(err)
	}
	want := meter.CodedSummary{Elapsed: 5, Kinds: []meter.CodedTally{{Done: 1, RolledBack: 2, Retried: 3, Failed: map[string]int64{"other": 4}}}}
	if !reflect.DeepEqual(c, want) {
		t.Errorf("got %+v, want %+v", c, want)
	}
	if err := c.UnmarshalBinary([]byte("\x03\x05\x00")); err == nil {
		t.Error("a future version: got no error")
	}
}

func TestInterval_KeepsLatenciesOverAnHour(t *testing.T) {
	interval, want := meter.NewInterval(1), meter.NewSummary(1)
	for _, took := range []time.Duration{math.MaxInt64, time.Millisecond, time.Hour, 7 * time.Hour, 0} {
		stripe := meter.NewStripe()
		stripe.Record(meter.Record{Service: took, Response: took})
		want.Reset()
		stripe.Take(interval, &want)
		got, err := interval.Cut(0).Summary()
		if err != nil {
			t.Fatal(err)
		}
		same(t, took.String(), got, want)
	}
}

func TestCoded_KeepsThePrecisionOfAProfile(t *testing.T) {
	profile := meter.NewProfile(1, 5)
	second(1, 1000, profile)
	want := profile.Users(time.Second)[0]
	got, err := want.Summary()
	if err != nil {
		t.Fatal(err)
	}
	if again := got.Coded(); !reflect.DeepEqual(again, want) {
		t.Errorf("got %+v, want %+v", again, want)
	}
	if h := got.Kinds[0].Service; h.SignificantFigures() != 2 || h.LowestTrackableValue() != 1000 {
		t.Errorf("got %d digits from %d ns, want 2 from a microsecond", h.SignificantFigures(), h.LowestTrackableValue())
	}
}

// Exports contain histograms in HdrHistogram's encoding, and older repositories stored them in it.
func TestCoded_ReadsHdrHistogramsEncoding(t *testing.T) {
	want := meter.NewSummary(5)
	second(1, 1000, &want)
	old := want.Coded()
	for k := range want.Kinds {
		var err error
		if old.Kinds[k].Response, err = meter.EncodeV2(want.Kinds[k].Response); err != nil {
			t.Fatal(err)
		}
	}
	got, err := old.Summary()
	if err != nil {
		t.Fatal(err)
	}
	same(t, "decoded", got, want)
	added := meter.NewSummary(5)
	if err := added.AddCoded(old); err != nil {
		t.Fatal(err)
	}
	same(t, "added", added, want)
}

func TestCoded_RefusesInvalidBytes(t *testing.T) {
	for _, bad := range []string{
		"\x00", "S", "S\x01", "S\x01\x09", "S\x00\x03", "S\x01\x03\x00", "S\x01\x03\x01", "\x1c nothing of the kind",
		"S\x01\x03\x80",                 // a bucket without a count
		"S\x01\x03\x00\x00\xff\xff\xff", // a bucket beyond the last
		"S" + strings.Repeat("\xff", 20),
	} {
		c := meter.CodedSummary{Kinds: []meter.CodedTally{{Done: 1, Service: meter.CodedHistogram(bad), Response: meter.CodedHistogram(bad)}}}
		if _, err := c.Summary(); err == nil {
			t.Errorf("%q as a summary: got no error", bad)
		}
		sum, interval := meter.NewSummary(1), meter.NewInterval(1)
		if sum.AddCoded(c) == nil || interval.Add(c) == nil {
			t.Errorf("adding %q: got no error", bad)
		}
		if _, err := c.Kinds[0].Service.Distribution(); err == nil {
			t.Errorf("%q as a distribution: got no error", bad)
		}
	}
}

// FuzzCoded decodes arbitrary bytes, such as a network may deliver.
func FuzzCoded(f *testing.F) {
	interval := meter.NewInterval(5)
	second(1, 50, interval)
	whole, err := interval.Cut(time.Second).MarshalBinary()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(whole)
	f.Add(whole[:len(whole)/2])
	f.Fuzz(func(t *testing.T, b []byte) {
		var c meter.CodedSummary
		if c.UnmarshalBinary(b) != nil || len(c.Kinds) > 10 {
			return
		}
		sum, err := c.Summary()
		if err != nil {
			return
		}
		again := sum.Coded()
		if _, err := again.Summary(); err != nil {
			t.Errorf("%x is decoded, but not after it is encoded again: %v", b, err)
		}
	})
}

func BenchmarkSecond(b *testing.B) {
	for _, n := range []int{100, 1000, 10_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			interval := meter.NewInterval(5)
			second(1, n, interval)
			coded := interval.Cut(time.Second)
			b.ReportAllocs()
			for b.Loop() {
				b.StopTimer()
				if err := interval.Add(coded); err != nil {
					b.Fatal(err)
				}
				b.StartTimer()
				coded = interval.Cut(0)
			}
			size := 0
			for _, k := range coded.Kinds {
				size += len(k.Service) + len(k.Response)
			}
			b.ReportMetric(float64(size), "bytes/second")
		})
	}
}
