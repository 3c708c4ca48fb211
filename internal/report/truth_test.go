package report

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"sledge/internal/job"
	"sledge/internal/meter"
)

func TestRemarksSayWhetherTheFiguresCanBeTrusted(t *testing.T) {
	for _, tt := range []struct {
		name   string
		result job.Result
		want   string
	}{
		{
			"agree",
			job.Result{Agreement: &job.Agreement{What: "new order", Client: 1000, Server: 1001, Low: 998, High: 1004, Holds: true}},
			"The virtual users counted 1,000 new order transactions and the server 1,001: they agree (998 to 1,004 expected).",
		},
		{
			"bounds too wide",
			job.Result{Agreement: &job.Agreement{What: "new order", Client: 146, Server: 150, Low: 138, High: 169, Vague: true}},
			"The virtual users counted 146 new order transactions and the server 150: this says nothing, because anything from 138 to 169 would fit. Run for longer.",
		},
		{
			"none of them to do",
			job.Result{Agreement: &job.Agreement{What: "new order", Holds: true, None: true}},
			"There were no new order transactions to do, so the count in the database says nothing of the virtual users' count.",
		},
		{
			"what the routines keep to themselves",
			job.Result{Agreement: &job.Agreement{What: "new order", Client: 990, Server: 980, Low: 970, High: 993, Holds: true, Allowance: "they may roll back"}},
			"The virtual users counted 990 new order transactions and the server 980: they agree (970 to 993 expected). This allows for what cannot be told apart: they may roll back.",
		},
		{
			"TPM agrees",
			job.Result{CounterAgreement: &job.Agreement{Client: 1000, Server: 1009, Low: 998, High: 1004}},
			"TPM agrees too: the server counted 1,009 transactions in all and the virtual users 1,000.",
		},
		{
			"TPM that lags",
			job.Result{CounterAgreement: &job.Agreement{Client: 1234, Server: 0, Low: 1230, High: 1250}},
			"TPM CANNOT BE TRUSTED: the server counted 0 transactions in all and the virtual users 1,234 (1,230 to 1,250 expected; it is 99.68 % off, and more than 1 % is too much for TPM). The server's statistics may be late.",
		},
		{
			"TPM of others",
			job.Result{CounterAgreement: &job.Agreement{Client: 1234, Server: 2000, Low: 1230, High: 1250}},
			"TPM CANNOT BE TRUSTED: the server counted 2,000 transactions in all and the virtual users 1,234 (1,230 to 1,250 expected; it is 37.50 % off, and more than 1 % is too much for TPM). The server may have counted the work of others.",
		},
		{
			"TPM of a few",
			job.Result{CounterAgreement: &job.Agreement{Client: 0, Server: 4, Low: -4, High: 4, Vague: true}},
			"TPM cannot be checked: the server counted 4 transactions in all and the virtual users 0, and anything from -4 to 4 would fit. Run for longer.",
		},
		{"no gap", job.Result{LongestGap: &job.Gap{}}, "Transactions ended all the time: there was no gap of 0.25 s."},
		{"a short gap", job.Result{LongestGap: &job.Gap{From: 65, Seconds: 0.5}}, "The longest time in which no transaction ended was 0.50 s, from 1:05."},
		{
			"standstills",
			job.Result{LongestGap: &job.Gap{From: 5.3, Seconds: 2.04}, Standstills: 3},
			"NO TRANSACTION ENDED for 2.0 s from 0:05, the longest of 3 standstills of a second or more. Ordinary percentiles hide this; p99.9c shows it.",
		},
		{
			"who waits",
			job.Result{Waiting: []job.Waiting{
				{User: 3, Connection: "process 4711", Kind: "payment", Seconds: 19.3, CutOff: true},
				{User: 2, Kind: "payment", Seconds: 19.2},
			}},
			"2 TRANSACTIONS HAD NOT ENDED when the time was up, and 1 had to be cut off: virtual user 3 (process 4711) waited at least 19.3 s for its payment.",
		},
		{
			"a client at ease",
			job.Result{Client: &job.ClientLoad{CoresUsed: 0.414, Cores: 1, GCPauses: 12, GCPauseSeconds: 0.0031, GCLongestPauseSeconds: 0.0006}},
			"The client used 0.41 of 1 core; garbage collection paused it 12 times, 3.10 ms in all and 0.600 ms at most.",
		},
		{
			"a client near its limit",
			job.Result{Client: &job.ClientLoad{CPUSeconds: 39, CoresUsed: 1.3, Cores: 1.5}},
			"THE CLIENT WAS NEAR ITS LIMIT, so the latencies may be its own. The client used 1.30 of 1.5 cores; garbage collection did not pause it. Give it more: set GOMAXPROCS, or run it on a machine of its own.",
		},
		{
			"a client with the database in it",
			job.Result{Client: &job.ClientLoad{CoresUsed: 1.9, Cores: 2, WithDatabase: true}},
			"The client and the database in it used 1.90 of 2 cores; garbage collection did not pause it.",
		},
		{
			"a client that was stopped twice",
			job.Result{Client: &job.ClientLoad{CoresUsed: 0.1, Cores: 1, Pauses: []job.ClientPause{{From: 1, Seconds: 0.4}, {From: 3.2, Seconds: 4.01}}}},
			"THIS CLIENT DID NOT RUN for 4.0 s from 0:03, the longest of 2 pauses of 4.4 s in all. That is in the rates and response times, and is not the server's doing. It was stopped or suspended, or got no core: keep its machine free for it.",
		},
		{
			"a client too busy for its own clock",
			job.Result{Client: &job.ClientLoad{CoresUsed: 0.1, Cores: 1, Pauses: []job.ClientPause{{From: 61, Seconds: 0.4, CPUSeconds: 0.3}}}},
			"THIS CLIENT DID NOT RUN for 0.4 s from 1:01. That is in the rates and response times, and is not the server's doing. It was too busy to look at its clock: give it more cores, or fewer users.",
		},
		{
			"a throttled client",
			job.Result{Client: &job.ClientLoad{CPUSeconds: 5, CoresUsed: 0.5, Cores: 1, CgroupCores: 1, ThrottledSeconds: 1.25}},
			"THE CLIENT WAS THROTTLED by its control group for 1.2 s of CPU time, so the latencies may be its own. The client used 0.50 of 1 core; garbage collection did not pause it. Raise its limit of 1 core.",
		},
		{"a build", job.Result{}, ""},
	} {
		if got := strings.Join(remarks(tt.result), "\n"); got != tt.want {
			t.Errorf("%s: got\n%s\nwant\n%s", tt.name, got, tt.want)
		}
	}
}

func TestGrounds_NeverTickAClientThatDidNotRun(t *testing.T) {
	r := job.Result{LongestGap: &job.Gap{}, Client: &job.ClientLoad{CoresUsed: 0.1, Cores: 1, Pauses: []job.ClientPause{{From: 3, Seconds: 4}}}}
	for _, g := range Grounds(job.Job{Result: r}, meter.Summary{}) {
		if g.Tone == Good {
			t.Errorf("got %+v", g)
		}
	}
}

func TestOnlyAClientNearItsLimitIsWarnedOf(t *testing.T) {
	for _, tt := range []struct {
		client job.ClientLoad
		want   int
	}{
		{job.ClientLoad{CPUSeconds: 7.9, CoresUsed: 0.79, Cores: 1}, 0},
		{job.ClientLoad{CPUSeconds: 8.1, CoresUsed: 0.81, Cores: 1}, 1},
		{job.ClientLoad{CPUSeconds: 0.05, CoresUsed: 0.81, Cores: 1}, 0},
		{job.ClientLoad{CPUSeconds: 10, CoresUsed: 1, Cores: 1, WithDatabase: true}, 0},
		{job.ClientLoad{CPUSeconds: 1, CoresUsed: 0.1, Cores: 1, Pauses: []job.ClientPause{{Seconds: 0.3}}}, 1},
		{job.ClientLoad{CPUSeconds: 8.1, CoresUsed: 0.81, Cores: 1, Pauses: []job.ClientPause{{Seconds: 0.3}}}, 2},
		{job.ClientLoad{CPUSeconds: 9.6, CoresUsed: 0.5, Cores: 1, ThrottledSeconds: 0.4}, 0},
	} {
		if got := Warnings(job.Result{Client: &tt.client}); len(got) != tt.want {
			t.Errorf("%+v: got the warnings %q, want %d", tt.client, got, tt.want)
		}
	}
}

// Of two users, one stands still for 10 s of a minute in which both do a payment each
// 10 ms.
func TestCorrectedPercentilesShowAStandstill(t *testing.T) {
	stripe, sum := meter.NewStripe(), meter.NewSummary(2)
	for range 11_000 {
		stripe.Record(meter.Record{Kind: 1, Service: 10 * time.Millisecond, Response: 10 * time.Millisecond})
	}
	stripe.Take(&sum)
	sum.Elapsed = time.Minute
	stalled := job.Result{Users: 2, Elapsed: 60, Waiting: []job.Waiting{{User: 3, Kind: "payment", Seconds: 10}}}
	j := job.Job{Kinds: []string{"new order", "payment"}, Spec: job.Spec{Action: job.Run}, Result: stalled}

	d := NewDocument(j, sum)
	for _, transaction := range []Transaction{d.Transactions[1], *d.All} {
		plain, corrected := transaction.Response.P999, transaction.Corrected.P999
		if plain > 11 || corrected < 9_000 || corrected > 10_000 {
			t.Errorf("%s: got p99.9 %v ms and corrected %v ms, want 10 and nearly 10,000", transaction.Kind, plain, corrected)
		}
	}
	var text bytes.Buffer
	if err := Text(&text, j, sum, View{}); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(text.String()) {
		cells := strings.Fields(line)
		if len(cells) > 0 && cells[0] == "payment" {
			if last := cells[len(cells)-1]; last != "≥10000" {
				t.Errorf("the maximum is %s, want ≥10000: %s", last, line)
			}
			return
		}
	}
	t.Error("there is no line of payments")
}

// What the server counts of all transactions may be right where too few of one kind can be
// compared: the line of it stands by itself then.
func TestCountsThatAgreeAreNamedAlsoWhereOthersDoNot(t *testing.T) {
	run := func(a job.Agreement) string {
		j := job.Job{Spec: job.Spec{Action: job.Run}, Status: job.Succeeded, Result: job.Result{
			Agreement:        &a,
			CounterAgreement: &job.Agreement{Client: 1000, Server: 1001, Low: 998, High: 1004},
		}}
		var b bytes.Buffer
		if err := Text(&b, j, meter.Summary{}, View{}); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	const alone = "✓  Counts  of all transactions agree: the virtual users counted 1,000, the server 1,001\n"
	for _, tt := range []struct {
		agreement job.Agreement
		want      string
	}{
		{job.Agreement{What: "new order", Client: 10, Server: 11, Low: 5, High: 19, Holds: true}, "✓          and 1,000 transactions of all kinds, the server 1,001\n"},
		{job.Agreement{What: "new order", Client: 10, Server: 11, Low: 5, High: 19, Vague: true}, alone},
		{job.Agreement{What: "new order", Holds: true, None: true}, alone},
	} {
		if got := run(tt.agreement); !strings.Contains(got, tt.want) {
			t.Errorf("got\n%s\nwant a line %q", got, tt.want)
		}
	}
}

func TestContentionStandsUnderTheLoad(t *testing.T) {
	for _, tt := range []struct {
		contention *job.Contention
		want       string // "" for no such line
	}{
		{&job.Contention{Users: 2, Sharing: 2, Expect: "all share"}, "!  Contention  all share"},
		{&job.Contention{Users: 2, Expect: "none shares"}, "  Contention  none shares"},
		{nil, ""},
	} {
		j := job.Job{Spec: job.Spec{Action: job.Run, Users: 2}, Status: job.Succeeded, Result: job.Result{Contention: tt.contention}}
		var b bytes.Buffer
		if err := Text(&b, j, meter.Summary{}, View{}); err != nil {
			t.Fatal(err)
		}
		if got := b.String(); tt.want == "" && strings.Contains(got, "Contention") || !strings.Contains(got, tt.want) {
			t.Errorf("got\n%s\nwant a line %q", got, tt.want)
		}
	}
}
