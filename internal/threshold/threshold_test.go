package threshold

import (
	"strings"
	"testing"
)

func TestParse_AcceptsVariants(t *testing.T) {
	for _, tt := range []struct {
		text, kind, metric string
		compare            Compare
		bound              float64
		unit               Unit
		written            string
	}{
		{"p99>50ms", "", "p99", Above, 0.05, Seconds, "p99>50ms"},
		{" P99.9 >= 1.5 s ", "", "p99.9", AtLeast, 1.5, Seconds, "P99.9>=1.5s"},
		{"new_order.p95>20ms", "new_order", "p95", Above, 0.02, Seconds, "new_order.p95>20ms"},
		{"new order.p99.9>20us", "new order", "p99.9", Above, 0.00002, Seconds, "new_order.p99.9>20us"},
		{"failed>0.1%", "", "failed", Above, 0.1, Percent, "failed>0.1%"},
		{"payment.failed>0", "payment", "failed", Above, 0, Number, "payment.failed>0"},
		{"nopm<50000", "", "nopm", Below, 50_000, Number, "nopm<50000"},
		{"rate<=30000/min", "", "rate", AtMost, 500, Rate, "rate<=30000/min"},
		{"stall>2min", "", "stall", Above, 120, Seconds, "stall>2min"},
		{"pace<95%", "", "pace", Below, 95, Percent, "pace<95%"},
		{"geometric_mean_power_test>.5s", "", "geometric_mean_power_test", Above, 0.5, Seconds, "geometric_mean_power_test>.5s"},
	} {
		got, err := Parse(tt.text)
		if err != nil || got.Kind != tt.kind || got.Metric != tt.metric || got.Compare != tt.compare || got.Bound != tt.bound || got.Unit != tt.unit || got.String() != tt.written {
			t.Errorf("%s: got %+v, %v, want %+v", tt.text, got, err, tt)
			continue
		}
		if again, err := Parse(got.String()); err != nil || again.String() != got.String() || again.Bound != got.Bound {
			t.Errorf("%s, parsed again: got %+v, %v, want %+v", got, again, err, got)
		}
	}
}

func TestParse_RefusesInvalidTexts(t *testing.T) {
	for text, want := range map[string]string{
		"":                   "such as p99>50ms",
		"p99":                "such as p99>50ms",
		"p99=50ms":           "such as p99>50ms",
		"p99>50ms>3":         "such as p99>50ms",
		"nopm<50,000":        "no commas within numbers",
		"p99>50":             "p99 is a time: write its bound as 50ms or 2s",
		"p99>50%":            "p99 is a time",
		"failed>1s":          "failed is a share or a number: write its bound as 0.1% or 50000",
		"rate<5":             "rate is a rate: write its bound as 500/s",
		"pace<95":            "pace is a share",
		"p0>1s":              "at most p100",
		"p100.1>1s":          "at most p100",
		"nopm<-5":            "-5 is not a bound",
		"nopm<1e400":         "e400 is not a unit",
		"nopm<50k":           "k is not a unit: use us, ms",
		"stall>100ms":        "a run records stalls of at least 250ms",
		"p99>1s\x1b[2J,p9>1": `\x1b`,
	} {
		var list List
		err := list.UnmarshalText([]byte(text))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %q", text, err, want)
		}
	}
}

func TestList_RoundTrip(t *testing.T) {
	var list List
	for _, text := range []string{"none", "p99>50ms,failed>0.1%,new_order.p95>20ms"} {
		if err := list.UnmarshalText([]byte(text)); err != nil {
			t.Fatal(err)
		}
		if got, err := list.MarshalText(); err != nil || string(got) != text {
			t.Errorf("got %s, %v, want %s", got, err, text)
		}
	}
}

func TestThreshold_JudgesDespiteRounding(t *testing.T) {
	for _, tt := range []struct {
		text  string
		value float64
		fails bool
		want  string
	}{
		{"p99>50ms", 0.05, false, "it is 50 ms (at most 50 ms)"},
		{"p99>=50ms", 0.05, true, "it is 50 ms instead of less than 50 ms"},
		{"p99>50ms", 0.050001, true, "it is 50.001 ms instead of at most 50 ms"},
		{"p99>2s", 1234.5, true, "it is 1,235 s instead of at most 2 s"},
		{"nopm<50000", 49_999.9, true, "it is 49,999 instead of at least 50,000"},
		{"nopm<50000", 51_257.9, false, "it is 51,257 (at least 50,000)"},
		{"nopm<=50000", 50_000, true, "it is 50,000 instead of more than 50,000"},
		{"failed>0.1%", 0.0123456, false, "it is 0.0123 % (at most 0.1 %)"},
		{"rate<500/s", 200.04, true, "it is 200/s instead of at least 500/s"},
	} {
		threshold, err := Parse(tt.text)
		if err != nil {
			t.Fatal(err)
		}
		if got := threshold.Judge("it", tt.value); got != tt.want || threshold.Exceeded(tt.value) != tt.fails {
			t.Errorf("%s of %v: got %q and %t, want %q and %t", tt.text, tt.value, got, threshold.Exceeded(tt.value), tt.want, tt.fails)
		}
	}
}

// FuzzList looks for thresholds that panic, or that change when they are written and read again.
func FuzzList(f *testing.F) {
	for _, text := range []string{"none", "p99>50ms", "a.b.p9.9<=.5%, x>1/min", "p99>=,", "..>1", "p>1"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var list, again List
		if list.UnmarshalText([]byte(text)) != nil {
			return
		}
		written, _ := list.MarshalText()
		if err := again.UnmarshalText(written); err != nil {
			t.Fatalf("%q is written as %s: %v", text, written, err)
		}
		if rewritten, _ := again.MarshalText(); string(rewritten) != string(written) {
			t.Errorf("%q is written as %s, and that as %s", text, written, rewritten)
		}
		for _, one := range list {
			_ = one.Judge("it", one.Bound)
		}
	})
}
