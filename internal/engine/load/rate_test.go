package load

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sledge/internal/option"
)

func TestRate_IsWrittenInShortForm(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"500/s", "500/s"},
		{"500", "500/s"},
		{" 30000/min", "500/s"},
		{"100/min", "100/min"}, // equals 1.6666666666666667/s
		{"7/hour", "7/h"},
		{"0.5/s", "0.5/s"},
		{"1.6666666666666665/s", "1.6666666666666665/s"}, // the next smaller number
		{"1e3/sec", "1000/s"},
		{"ramp:100/s,1000,1m", "ramp:100/s,1000/s,60s"},
		{"ramp: 0, 20/min, 1500ms", "ramp:0/s,20/min,1.5s"},
		{"steps:0=100/s, 30s=500/s", "steps:0s=100/s,30s=500/s"},
		{"sine:500/s,300/s,1h", "sine:500/s,300/s,3600s"},
		{"points:0s=100,0s=200,1m=5/min", "points:0s=100/s,0s=200/s,60s=5/min"},
		{"none", "none"},
	} {
		for _, text := range []string{tt.text, tt.want} {
			if got, err := option.Check(NewOptions(), "rate", text); err != nil || got != tt.want {
				t.Errorf("%s: got %s, %v, want %s", text, got, err, tt.want)
			}
		}
	}
}

func TestRate_RefusesInvalidTexts(t *testing.T) {
	many := strings.Repeat("0s=1,", mostMoments) + "0s=1"
	for _, tt := range []struct{ text, want string }{
		{"0", "0 is never more than 0, so no transaction would start: to run without a rate, set it to none"},
		{"ramp:0,0,60s", "ramp:0,0,60s is never more than 0"},
		{"sine:0,0,60s", "is never more than 0"},
		{"-5/s", "-5/s is neither 0 nor between 0.000001 and 10000000 a second"},
		{"10000001", "10000001 is neither 0 nor between"},
		{"NaN", "NaN is neither 0 nor between"},
		{"Inf/s", "Inf/s is neither 0 nor between"},
		{"1e-9", "1e-9 is neither 0 nor between"},
		{"fast", `"fast" is not a rate such as 500/s, 30000/min or 500, which is 500/s (a rate over time is written as ramp:100/s,1000/s,60s or steps:`},
		{"500/", `"500/" is not a rate`},
		{"500/day", `"500/day" is not a rate`},
		{"", `"" is not a rate`},
		{"rump:1,2,3s", `"rump" is not a form of a rate over time, which is written as ramp:100/s,1000/s,60s or`},
		{"ramp:1,2", `"1,2" has 2 parts instead of 3 (it is written as ramp:100/s,1000/s,60s)`},
		{"ramp:1,2,60", `"60" is not a time such as 500ms, 90s or 5m, of at most 1000000m (it is written`},
		{"ramp:1,2,-1s", `"-1s" is not a time`},
		{"ramp:1,2,0s", "a ramp takes longer than 0s"},
		{"steps:30s=1", "the first step begins at 30s: begin with one at 0s"},
		{"steps:0s=1,0s=2", "two steps begin at 0s: leave out one"},
		{"steps:0s=1,30s=2,20s=3", "20s comes after 30s: put them in order"},
		{"steps:", `"" is not a time, = and a rate (it is written as steps:0s=100/s,30s=500/s)`},
		{"sine:100/s,200/s,60s", "an amplitude of 200/s is more than the mean of 100/s, so that the rate would fall below 0"},
		{"sine:6000000,5000000,60s", "at its highest it is 11000000/s, which is more than 10000000/s"},
		{"sine:2,1,0s", "a period takes longer than 0s"},
		{"points:" + many, "it has more than 10000 rates"},
	} {
		_, err := option.Check(NewOptions(), "rate", tt.text)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%.40s: got %v, want %s", tt.text, err, tt.want)
		}
	}
}

// writeRates writes a file of rates, and returns its path.
func writeRates(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "rates.csv")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestRateFile_SettlesToItsPoints(t *testing.T) {
	path := writeRates(t, "\ufeffSeconds,rate\r\n# a quiet night\n0,100\n 30.5 , 6000/min\n\n60,0\n")
	options := NewOptions()
	given := option.Values{"rate": "file:" + path}
	if err := option.Bind(nil, given, options); err != nil {
		t.Fatal(err)
	}
	const want = "points:0s=100/s,30.5s=100/s,60s=0/s"
	settled := option.Settle(given, options)
	if settled["rate"] != want {
		t.Errorf("got %s, want %s", settled["rate"], want)
	}
	if text, err := options.Rate.MarshalText(); err != nil || string(text) != "file:"+path {
		t.Errorf("before it is settled: got %s, %v, want the file", text, err)
	}
	again := NewOptions()
	if err := option.Bind(nil, settled, again); err != nil {
		t.Fatal(err)
	}
	if got := again.Rate.profile.String(); got != want || again.Rate.Settled() != "" {
		t.Errorf("after it is settled: got %s and settled %q, want %s and nothing to settle", got, again.Rate.Settled(), want)
	}
}

func TestRateFile_ErrorsNameTheLine(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"0,100\n30,fast\n", `rates.csv: line 2: "fast" is not a rate such as`},
		{"seconds,rate\n# one\n0,100\nsoon,100\n", `rates.csv: line 4: "soon" is not a number of seconds from 0 to 60000000`},
		{"-1,100\n", `line 1: "-1" is not a number of seconds`},
		{"NaN,100\n", `line 1: "NaN" is not a number of seconds`},
		{"0,100\n10,1\n5,1\n", "rates.csv: line 3: 5s comes after 10s: put them in order"},
		{"0\n", "rates.csv: line 1: it has 1 fields instead of two, seconds and a rate"},
		{"0,100\n\"1,2\n", "rates.csv: parse error on line 2"},
		{"seconds,rate\n", "rates.csv: it has no line with seconds and a rate"},
		{"0,0\n9,0\n", "is never more than 0"},
		{strings.Repeat("0,100\n", 200_000), "rates.csv: it is longer than 1 MiB"},
	} {
		_, err := option.Check(NewOptions(), "rate", "file:"+writeRates(t, tt.text))
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%.40q: got %v, want %s", tt.text, err, tt.want)
		}
	}
	for at, want := range map[string]string{"0.29": "0.29s", "1.1": "1.1s", "16.003": "16.003s", "0.0000000004": "0s"} {
		p, err := parsePoints("rates.csv", []byte(at+",100\n"))
		if err != nil || p.String() != "points:"+want+"=100/s" {
			t.Errorf("at %s: got %v, %v, want %s", at, p, err, want)
		}
	}
	folder := t.TempDir()
	for path, want := range map[string]string{
		folder:                          "not a regular file",
		filepath.Join(folder, "no.csv"): "no.csv: ",
	} {
		if _, err := option.Check(NewOptions(), "rate", "file:"+path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", path, err, want)
		}
	}
}

func TestArrivals_OfOptions(t *testing.T) {
	options := NewOptions()
	if err := option.Bind(nil, option.Values{"arrivals": "constant", "rate": "100/s", "rampup": "10s"}, options); err != nil {
		t.Error(err)
	}
	if got := options.Pacing().Rate.Arrivals(1).At(5); got != 50*time.Millisecond {
		t.Errorf("the sixth arrival of 100/s: got %s, want 50ms", got)
	}
	if NewOptions().Pacing().Rate.Arrivals != nil {
		t.Error("without a rate there are arrivals")
	}
}

func TestRate_CountsFromTheEndOfTheRampUp(t *testing.T) {
	for driver, want := range map[string]time.Duration{driverTimed: 20 * time.Second, driverTest: 10 * time.Second} {
		options := NewOptions()
		given := option.Values{"arrivals": "constant", "rate": "steps:0s=1/s,10s=1000/s", "rampup": "10s", "driver": driver}
		if err := option.Bind(nil, given, options); err != nil {
			t.Fatal(err)
		}
		arrivals := options.Pacing().Rate.Arrivals(1)
		if got := arrivals.Due(want); got != int64(want/time.Second)+1 {
			t.Errorf("driver %s: got %d arrivals in %s, want one per second", driver, got, want)
		}
		if got := arrivals.Due(want + time.Second); got != int64(want/time.Second)+1001 {
			t.Errorf("driver %s: got %d arrivals one second later, want 1000 more", driver, got)
		}
	}
}

// FuzzRate looks for a rate that panics, that is accepted and then exceeds a limit, or that changes
// when it is written and read again.
func FuzzRate(f *testing.F) {
	for _, text := range profiles {
		f.Add(text)
	}
	for _, text := range []string{"none", "0", "", "-0", "0x1p4/min", "ramp:,,", "steps:0s=1,1h1m1s1ms1us1ns=2", "points:=", "sine:1e-6,0,1ns"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if strings.HasPrefix(text, inFile) {
			return // it would read a file of this machine
		}
		var read, again rateOption
		if read.UnmarshalText([]byte(text)) != nil || read.profile == nil {
			return
		}
		written, _ := read.MarshalText()
		if err := again.UnmarshalText(written); err != nil {
			t.Fatalf("%q is written as %s: %v", text, written, err)
		}
		if rewritten, _ := again.MarshalText(); string(rewritten) != string(written) {
			t.Errorf("%q is written as %s, and that as %s", text, written, rewritten)
		}
		for _, at := range []time.Duration{0, 1, time.Second, time.Minute, longest, Never} {
			if r := read.profile.Rate(at); !(r >= 0 && r <= fastest*(1+1e-9)) {
				t.Errorf("%q at %s: got a rate of %v", text, at, r)
			}
			if again.profile.Rate(at) != read.profile.Rate(at) {
				t.Errorf("%q at %s: got a rate of %v, and %v when read again", text, at, read.profile.Rate(at), again.profile.Rate(at))
			}
		}
		for x, last := 0.0, time.Duration(0); x < 1e15; x = 2*x + 1 {
			at := read.profile.When(x)
			if at < last {
				t.Errorf("%q: %v arrivals by %s, but fewer by %s", text, x, at, last)
			}
			last = at
		}
	})
}

// FuzzPoints looks for a file that panics, or that is accepted and differs from its points.
func FuzzPoints(f *testing.F) {
	for _, text := range []string{"seconds,rate\n0,100\n", "# x\n0,1\r\n1.5,30/min\n", "0,\"1\"\n", "\ufeff1,1", "1e9,1", ",\n", "\"\n"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := parsePoints("rates.csv", []byte(text))
		if err != nil {
			return
		}
		again, err := parseTarget(p.String())
		if err != nil || again.profile.String() != p.String() {
			t.Errorf("%q has the points %s: got %v, %v after reading them again", text, p, again.profile, err)
		}
	})
}

func TestRate_OfEachKind(t *testing.T) {
	var read rateOption
	if err := read.UnmarshalText([]byte("new order=ramp:100/s,1000/s,60s,payment=200/s, order_status=steps:0s=1/s,5s=2/s")); err != nil {
		t.Fatal(err)
	}
	text, err := read.MarshalText()
	if want := "new_order=ramp:100/s,1000/s,60s,payment=200/s,order_status=steps:0s=1/s,5s=2/s"; err != nil || string(text) != want {
		t.Errorf("got %s, %v, want %s", text, err, want)
	}
	if len(read.profiles()) != 3 || read.none() || read.Settled() != "" {
		t.Errorf("got %+v, want three rates without a file", read)
	}
	path := filepath.Join(t.TempDir(), "rates.csv")
	if err := os.WriteFile(path, []byte("0,5\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := read.UnmarshalText([]byte("payment=file:" + path)); err != nil || read.Settled() != "payment=points:0s=5/s" {
		t.Errorf("got %q, %v, want the points of the file", read.Settled(), err)
	}
	if got, want := read.In("etc", "payment=file:a.csv,delivery=5"), "payment=file:"+filepath.Join("etc", "a.csv")+",delivery=5"; got != want {
		t.Errorf("in a file of etc: got %s, want %s", got, want)
	}
	for text, want := range map[string]string{
		"payment=0":          "payment: 0 is never more than 0: leave it out",
		"payment=fast":       `payment: "fast" is not a rate`,
		"payment=none":       `payment: "none" is not a rate`,
		"payment=5,delivery": `payment: "5,delivery" is not a rate`,
		"a=b=5":              `a: "b=5" is not a rate`,
	} {
		if err := read.UnmarshalText([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", text, err, want)
		}
	}
}
